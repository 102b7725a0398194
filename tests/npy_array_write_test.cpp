#include <ashlar/npy.hpp>

#include <ashlar/functions.hpp>
#include <ashlar/random.hpp>
#include <ashlar/std_threads.hpp>

#include "support/files.hpp"
#include "support/npy_bytes.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

using ashlar::array;
using ashlar::chunks;
using ashlar::from_npy;
using ashlar::load_npy;
using ashlar::ndarray;
using ashlar::shape;
using ashlar::to_npy;
using testing_support::contains;
using testing_support::message_of;
using testing_support::npy_bytes;
using testing_support::read_file;
using testing_support::temporary_directory;
using testing_support::write_file;

namespace {

/// What numpy.save writes in front of the elements, put together by hand.
std::string numpy_header(const std::string& dictionary) {
  std::string text("\x93NUMPY\x01\x00\x76\x00", 10);
  text += dictionary;
  text.resize(127, ' ');
  return text + '\n';
}

template <class T>
std::string raw(const ndarray<T>& x) {
  std::string out;
  for (const T value : x) out.append(reinterpret_cast<const char*>(&value), sizeof(T));
  return out;
}

template <class T>
void check_round_trip() {
  const temporary_directory folder;
  for (const shape& s : {shape{}, shape{0}, shape{5}, shape{3, 0, 2}, shape{7, 5}, shape{2, 3, 4}}) {
    write_file(folder / "in.npy", npy_bytes<T>(s, {.fortran = true}));
    std::vector<chunks> cuts{chunks()};
    if (s.ndim() > 0) {
      cuts.push_back(chunks{1});
      cuts.push_back(chunks{2});
    }
    for (const chunks& c : cuts) {
      CAPTURE(s.to_string());
      to_npy(ashlar::std_threads{.workers = 2}, from_npy<T>(folder / "in.npy", {.chunks = c}), folder / "out.npy");
      const std::string bytes = read_file(folder / "out.npy");
      const std::string head = ashlar::npy_header_bytes(ashlar::dtype_of<T>, s);
      REQUIRE(bytes == head + raw(load_npy<T>(folder / "in.npy")));
      to_npy(load_npy<T>(folder / "in.npy"), folder / "eager.npy");
      REQUIRE(read_file(folder / "eager.npy") == bytes);
    }
  }
  CHECK(folder.names().size() == 3);
}

}  // namespace

TEST_CASE("to_npy: every type and many shapes come back, in any chunks") {
  check_round_trip<bool>();
  check_round_trip<std::int16_t>();
  check_round_trip<float>();
  check_round_trip<double>();
  check_round_trip<std::complex<double>>();
#if !defined(ASHLAR_TEST_SHORT)
  check_round_trip<std::int8_t>();
  check_round_trip<std::int32_t>();
  check_round_trip<std::int64_t>();
  check_round_trip<std::uint8_t>();
  check_round_trip<std::uint16_t>();
  check_round_trip<std::uint32_t>();
  check_round_trip<std::uint64_t>();
  check_round_trip<std::complex<float>>();
#endif
}

TEST_CASE("to_npy: the bytes are NumPy's") {
  const temporary_directory folder;
  const std::string path = folder / "x.npy";
  const auto x = ashlar::from(std::vector<double>{1.5, -2, 3}, {.chunks = {2}});
  to_npy(x, path);
  CHECK(read_file(path) ==
        numpy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }") + raw(x.compute()));
  to_npy(x > 0.0, path);
  CHECK(read_file(path) ==
        numpy_header("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }") + std::string("\1\0\1", 3));
  to_npy(x.sum(), path);
  CHECK(read_file(path) ==
        numpy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (), }") + raw(ndarray<double>::from(2.5)));
  to_npy(ndarray<std::int16_t>::from({{1, 2, 3}, {4, 5, 6}}).transpose(), path);
  CHECK(read_file(path) == numpy_header("{'descr': '<i2', 'fortran_order': False, 'shape': (3, 2), }") +
                               std::string("\1\0\4\0\2\0\5\0\3\0\6\0", 12));
}

TEST_CASE("to_npy: uneven chunks, expressions and reductions, on 8 workers") {
  const temporary_directory folder;
  const ashlar::std_threads on{.workers = 8};
  const auto x = ashlar::random::normal<double>({301, 203}, {.seed = 3, .chunks = {{1, 100, 7, 193}, 11}});
  const ashlar::array<double> y = x * 2.0 + 1.0;
  for (int round = 0; round < 5; ++round) {
    to_npy(on, y, folder / "y.npy");
    REQUIRE(raw(load_npy<double>(folder / "y.npy")) == raw(y.compute()));
  }
  to_npy(on, x.mean(0), folder / "mean.npy");
  CHECK(raw(load_npy<double>(folder / "mean.npy")) == raw(x.mean(0).compute()));
  to_npy(on, (x - x.mean(0)) / x.std(0), folder / "z.npy");
  CHECK(raw(load_npy<double>(folder / "z.npy")) == raw(((x - x.mean(0)) / x.std(0)).compute()));
  to_npy(on, ashlar::random::uniform<double>({20000}, {.seed = 1, .chunks = {10}}), folder / "many.npy");
  CHECK(from_npy<double>(folder / "many.npy").size() == 20000);
  CHECK(folder.names().size() == 4);
}

TEST_CASE("to_npy: an array may be written over the file that it reads") {
  const temporary_directory folder;
  const std::string path = folder / "x.npy";
  write_file(path, npy_bytes<double>({50, 4}));
  const auto before = load_npy<double>(path);
  to_npy(from_npy<double>(path, {.chunks = {7, 4}}) + 1.0, path);
  CHECK(load_npy<double>(path)(49, 3) == before(49, 3) + 1);
}

TEST_CASE("to_npy: after an error nothing remains, and a file of that name is as it was") {
  const temporary_directory folder;
  const std::string path = folder / "x.npy";
  const auto failing = ashlar::fromfunction(
      [](std::int64_t i, std::int64_t) {
        if (i == 57) throw std::runtime_error("the user's own text");
        return static_cast<double>(i);
      },
      {100, 10}, {.chunks = {9, 5}});
  for (const int workers : {1, 8}) {
    const ashlar::std_threads on{.workers = workers};
    const std::string text = message_of<ashlar::task_error>([&] { to_npy(on, failing, path); });
    CHECK(contains(text, "the user's own text"));
    CHECK(contains(text, "npy_array_write_test.cpp"));
    CHECK(folder.names().empty());
  }
  write_file(path, "as it was");
  CHECK_THROWS_AS(to_npy(failing, path), ashlar::task_error);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(to_npy(ashlar::ones<double>({100}), path, {.stop = stop.get_token()}), ashlar::cancelled);
  CHECK(read_file(path) == "as it was");
  CHECK(folder.names() == std::vector<std::string>{"x.npy"});
}

TEST_CASE("to_npy: what is wrong with the target is told before the run") {
  const temporary_directory folder;
  const auto x = ashlar::fromfunction([](std::int64_t) -> double { throw std::logic_error("the run began"); }, {10});
  CHECK(
      contains(message_of<ashlar::file_error>([&] { to_npy(x, folder / "none/x.npy"); }), "No such file or directory"));
  CHECK(contains(message_of<ashlar::file_error>([&] { to_npy(x, folder.path()); }), "is a directory"));
  CHECK(contains(message_of<ashlar::file_error>([&] { to_npy(x, ""); }), "is empty"));
  CHECK(folder.names().empty());
}

TEST_CASE("to_npy: reports progress") {
  const temporary_directory folder;
  std::int64_t done = 0;
  std::int64_t tasks = 0;
  to_npy(ashlar::ones<double>({100}, {.chunks = {10}}), folder / "x.npy",
         {.progress = [&](const ashlar::progress_info& p) {
           done = p.tasks_done;
           tasks = p.tasks;
         }});
  CHECK(tasks == 10);
  CHECK(done == 10);
}
