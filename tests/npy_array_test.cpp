#include <ashlar/npy.hpp>

#include <ashlar/functions.hpp>
#include <ashlar/std_threads.hpp>

#include "support/files.hpp"
#include "support/npy_bytes.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using ashlar::array;
using ashlar::chunks;
using ashlar::from_npy;
using ashlar::load_npy;
using ashlar::ndarray;
using ashlar::shape;
using testing_support::contains;
using testing_support::message_of;
using testing_support::npy_bytes;
using testing_support::npy_layout;
using testing_support::npy_value;
using testing_support::temporary_directory;
using testing_support::write_file;

namespace {

template <class T>
bool holds_values(const ndarray<T>& x) {
  std::int64_t i = 0;
  for (const T value : x) {
    if (value != npy_value<T>(i++)) return false;
  }
  return true;
}

template <class T>
void check_every_layout() {
  const temporary_directory folder;
  const std::string path = folder / "x.npy";
  const shape shapes[] = {{}, {0}, {5}, {3, 0, 2}, {7, 5}, {2, 3, 4}, {1, 200}};
  for (const shape& s : shapes) {
    for (int k = 0; k < 16; ++k) {
      const npy_layout how{.version = 1 + k % 3,
                           .fortran = (k & 1) != 0,
                           .big_endian = (k & 2) != 0 && sizeof(T) > 1,
                           .shift = (k & 4) != 0 ? 3 : 0};
      write_file(path, npy_bytes<T>(s, how));
      CAPTURE(s.to_string());
      CAPTURE(k);
      REQUIRE(ashlar::npy_dtype(path) == ashlar::dtype_of<T>);
      std::vector<chunks> cuts{chunks()};
      if (s.ndim() > 0) {
        cuts.push_back(chunks{1});
        cuts.push_back(chunks{3});
        cuts.push_back(chunks{ashlar::full});
      }
      for (const chunks& c : cuts) {
        const array<T> x = from_npy<T>(path, {.chunks = c});
        REQUIRE(x.shape() == s);
        const ndarray<T> all =
            (k & 8) != 0 ? x.compute(ashlar::serial{}) : x.compute(ashlar::std_threads{.workers = 3});
        REQUIRE(all.shape() == s);
        REQUIRE(holds_values(all));
      }
      const ndarray<T> loaded = load_npy<T>(path);
      REQUIRE(loaded.shape() == s);
      REQUIRE(holds_values(loaded));
      REQUIRE((how.fortran ? loaded.is_f_contiguous() : loaded.is_c_contiguous()));
    }
  }
}

/// Pages of the file that are in the page cache.
std::int64_t resident_pages(const ashlar::mapped_file& file) {
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  std::vector<unsigned char> in(static_cast<std::size_t>((file.size() + page - 1) / page));
  REQUIRE(::mincore(const_cast<std::byte*>(file.data()), static_cast<std::size_t>(file.size()), in.data()) == 0);
  std::int64_t n = 0;
  for (const unsigned char p : in) n += p & 1;
  return n;
}

/// A file of zeros that takes no room on the disk, with `bytes` at the end.
void write_sparse(const std::string& path, std::string_view code, const shape& s, std::int64_t size,
                  std::string_view bytes) {
  const std::string head = testing_support::npy_prefix(code, s, {});
  write_file(path, head);
  const std::int64_t total = static_cast<std::int64_t>(head.size()) + s.size() * size;
  REQUIRE(::truncate(path.c_str(), total) == 0);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const auto n = static_cast<::ssize_t>(bytes.size());
  REQUIRE(::pwrite(fd, bytes.data(), bytes.size(), total - n) == n);
  ::close(fd);
}

}  // namespace

TEST_CASE("from_npy: every type, order, byte order, version and alignment reads the same in any chunks") {
  check_every_layout<bool>();
  check_every_layout<std::int16_t>();
  check_every_layout<float>();
  check_every_layout<double>();
  check_every_layout<std::complex<double>>();
#if !defined(ASHLAR_TEST_SHORT)
  check_every_layout<std::int8_t>();
  check_every_layout<std::int32_t>();
  check_every_layout<std::int64_t>();
  check_every_layout<std::uint8_t>();
  check_every_layout<std::uint16_t>();
  check_every_layout<std::uint32_t>();
  check_every_layout<std::uint64_t>();
  check_every_layout<std::complex<float>>();
#endif
}

TEST_CASE("from_npy: a long file in Fortran order, 415 x 518, has the values of the one in C order") {
  const temporary_directory folder;
  for (const bool big_endian : {false, true}) {
    write_file(folder / "c.npy", npy_bytes<double>({415, 518}, {.big_endian = big_endian}));
    write_file(folder / "f.npy", npy_bytes<double>({415, 518}, {.fortran = true, .big_endian = big_endian}));
    const auto c = from_npy<double>(folder / "c.npy", {.chunks = {100, 77}});
    const auto f = from_npy<double>(folder / "f.npy", {.chunks = {100, 77}});
    CHECK(holds_values(f.compute()));
    CHECK((c - f).count_nonzero().compute().item() == 0);
    CHECK((c + f.sum(0)).compute()(414, 517) == npy_value<double>(415 * 518 - 1) + c.sum(0).compute()(517));
  }
}

TEST_CASE("from_npy: reductions over a file have the bits of those over memory") {
  const temporary_directory folder;
  const shape s{61, 47};
  const ndarray<double> memory(s);
  for (std::int64_t i = 0; i < s.size(); ++i) memory.data()[i] = npy_value<double>(i);
  for (int k = 0; k < 8; ++k) {
    const npy_layout how{.fortran = (k & 1) != 0, .big_endian = (k & 2) != 0, .shift = (k & 4) != 0 ? 5 : 0};
    write_file(folder / "x.npy", npy_bytes<double>(s, how));
    CAPTURE(k);
    for (const chunks& c : {chunks(), chunks{10, 7}, chunks{61, 1}, chunks{{1, 40, 20}, 13}}) {
      const auto file = from_npy<double>(folder / "x.npy", {.chunks = c});
      const auto eager = ashlar::from(memory, {.chunks = c});
      for (const int workers : {1, 2, 8}) {
        const ashlar::std_threads on{.workers = workers};
        const auto [a, b, m] = ashlar::compute(on, file.sum(0), file.std(1), file.mean());
        const auto [p, q, n] = ashlar::compute(on, eager.sum(0), eager.std(1), eager.mean());
        for (std::int64_t i = 0; i < 47; ++i) REQUIRE(a(i) == p(i));
        for (std::int64_t i = 0; i < 61; ++i) REQUIRE(b(i) == q(i));
        REQUIRE(m.item() == n.item());
      }
    }
  }
}

TEST_CASE("from_npy: a boolean byte other than 0 and 1 is true") {
  const temporary_directory folder;
  std::string bytes = npy_bytes<bool>({1000});
  for (std::size_t i = bytes.size() - 1000; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(i % 2 == 0 ? 0 : 2 + i % 200);
  write_file(folder / "x.npy", bytes);
  const auto x = from_npy<bool>(folder / "x.npy", {.chunks = {300}});
  CHECK(x.sum().compute().item() == 500);
  CHECK((!x).count_nonzero().compute().item() == 500);
}

#if !defined(ASHLAR_TEST_SHORT)
TEST_CASE("from_npy: more than 2^31 elements, in place and copied") {
  const temporary_directory folder;
  const std::int64_t n = (std::int64_t{1} << 31) + 5;
  write_sparse(folder / "x.npy", "i1", {n}, 1, std::string("\5\0\0\7\2", 5));
  const auto x = from_npy<std::int8_t>(folder / "x.npy");
  CHECK(x.size() == n);
  const auto [total, where] = ashlar::compute(ashlar::std_threads{}, x.sum(), x.argmax());
  CHECK(total.item() == 14);
  CHECK(where.item() == n - 2);

  write_sparse(folder / "b.npy", "b1", {1, n}, 1, std::string("\5\0\0\7\2", 5));
  CHECK(from_npy<bool>(folder / "b.npy").count_nonzero().compute(ashlar::std_threads{}).item() == 3);
}
#endif

TEST_CASE("from_npy: nothing is read before a run, and then only pages under the elements asked for") {
  const temporary_directory folder;
  const std::int64_t n = std::int64_t{1} << 30;
  write_sparse(folder / "x.npy", "f8", {n}, 8, {});  // 8 GiB
  const ashlar::npy_input input = ashlar::open_npy(folder / "x.npy");
  const std::int64_t before = resident_pages(*input.file);
  const auto x = from_npy<double>(input);
  CHECK(contains((x + 1.0).mean().explain(), "npy (1073741824,)"));
  CHECK(resident_pages(*input.file) <= before + 1);
  REQUIRE(x.node()->from->memory() != nullptr);
  CHECK(x.node()->from->memory()->data == input.data);

  double values[1000];
  ashlar::detail::npy_source(input).fill(n / 2, 1000, values);
  CHECK(values[999] == 0);
  CHECK(resident_pages(*input.file) < before + 4096);  // two pages, and what the system reads ahead
}

TEST_CASE("from_npy: the mapping lives as long as an array over it") {
  const temporary_directory folder;
  write_file(folder / "x.npy", npy_bytes<double>({100}));
  array<double> mean = from_npy<double>(folder / "x.npy", {.chunks = {10}}).mean();
  write_file(folder / "y.npy", npy_bytes<double>({3}));
  REQUIRE(::rename((folder / "y.npy").c_str(), (folder / "x.npy").c_str()) == 0);
  CHECK(mean.compute().item() == 7 * 49.5 - 20);
  CHECK(from_npy<double>(folder / "x.npy").size() == 3);
}

TEST_CASE("from_npy: two arrays over one open file are one leaf") {
  const temporary_directory folder;
  for (const bool big_endian : {false, true}) {
    write_file(folder / "x.npy", npy_bytes<double>({100}, {.big_endian = big_endian}));
    const auto input = ashlar::open_npy(folder / "x.npy");
    const auto a = from_npy<double>(input, {.chunks = {10}});
    const auto b = from_npy<double>(input, {.chunks = {10}});
    const std::string text = (a * b).sum().explain();
    CHECK_MESSAGE(contains(text, "reads npy (100,), 1 operation"), text);
  }
}

TEST_CASE("visit_npy: calls with the file's own type") {
  const temporary_directory folder;
  write_file(folder / "x.npy", npy_bytes<std::uint16_t>({4}, {.big_endian = true}));
  const auto name = ashlar::visit_npy(folder / "x.npy",
                                      []<class T>(const array<T>& x) {
                                        return std::string(ashlar::name(x.dtype())) + x.shape().to_string() +
                                               std::to_string(x.chunks().count());
                                      },
                                      {.chunks = {2}});
  CHECK(name == "uint16(4,)2");
}

TEST_CASE("from_npy: what is wrong is told") {
  const temporary_directory folder;
  const std::string path = folder / "x.npy";
  const auto reading = [&] { return message_of<ashlar::error>([&] { static_cast<void>(from_npy<double>(path)); }); };

  CHECK(contains(reading(), "No such file"));
  CHECK(contains(reading(), path));
  CHECK(contains(message_of<ashlar::file_error>([&] { from_npy<double>(folder.path()); }),
                 "is a directory, expected a file"));
  CHECK(contains(message_of<ashlar::file_error>([&] { load_npy<double>(folder.path()); }),
                 "is a directory, expected a file"));

  write_file(path, npy_bytes<double>({3}));
  CHECK(contains(message_of<ashlar::file_error>([&] { from_npy<double>(path + "/y.npy"); }), "Not a directory"));
  std::string bytes = npy_bytes<double>({3});
  bytes.pop_back();
  write_file(path, bytes);
  CHECK(contains(reading(), "truncated: shape (3,) of float64 needs 24 bytes"));
  write_file(path, "no array at all");
  CHECK(contains(reading(), "expected '\\x93NUMPY'"));

  write_file(path, npy_bytes<std::int32_t>({3}));
  CHECK(message_of<ashlar::dtype_error>([&] { from_npy<double>(path); }) ==
        "from_npy<double>: '" + path +
            "' holds int32, not float64; call from_npy<std::int32_t>(path) and convert with astype<double>()");
  write_file(path, npy_bytes<std::complex<float>>({3}));
  CHECK(message_of<ashlar::dtype_error>([&] { load_npy<float>(path); }) ==
        "load_npy<float>: '" + path + "' holds complex64, not float32; call load_npy<std::complex<float>>(path)");
  write_file(path, npy_bytes<double>({3}));
  CHECK(contains(message_of<ashlar::chunk_error>([&] { from_npy<double>(path, {.chunks = {2, 2}}); }), "from_npy"));

  if (::geteuid() != 0) {
    REQUIRE(::chmod(path.c_str(), 0) == 0);
    CHECK(contains(reading(), "Permission denied"));
  }
}
