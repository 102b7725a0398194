#include <ashlar/io/npy_file.hpp>

#include "support/files.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include <sys/stat.h>

using ashlar::dtype;
using ashlar::npy_input;
using ashlar::npy_output;
using ashlar::shape;
using testing_support::contains;
using testing_support::message_of;
using testing_support::read_file;
using testing_support::temporary_directory;
using testing_support::write_file;

namespace {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// All elements in logical C order.
template <class T>
std::vector<T> read_all(const npy_input& input) {
  const shape& s = input.header.shape;
  const ashlar::strides steps = input.header.strides();
  std::vector<T> out;
  for (std::int64_t i = 0; i < s.size(); ++i) {
    std::int64_t rest = i;
    std::int64_t position = 0;
    for (int axis = s.ndim() - 1; axis >= 0; --axis) {
      position += rest % s[axis] * steps[axis];
      rest /= s[axis];
    }
    T value;
    ashlar::copy_stored(input.data + position * static_cast<std::int64_t>(sizeof(T)), 0, &value, 1, input.header.dtype,
                        input.header.needs_swap());
    out.push_back(value);
  }
  return out;
}

}  // namespace

TEST_CASE("npy file: a file as numpy.save writes it") {
  const temporary_directory dir;
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  write_file(dir / "a.npy", ashlar::npy_header_bytes(dtype::float64, shape{2, 3}) + bytes_of(values));
  const npy_input input = ashlar::open_npy(dir / "a.npy");
  CHECK(input.header.shape == shape{2, 3});
  CHECK(input.usable_in_place());
  CHECK(std::memcmp(input.data, values.data(), 48) == 0);
  CHECK(input.file_offset(2) == 128 + 16);
  CHECK(read_all<double>(input) == values);
}

TEST_CASE("npy file: Fortran order gives the same logical values") {
  const temporary_directory dir;
  write_file(dir / "f.npy", ashlar::npy_header_bytes(dtype::int32, shape{2, 3}, true) +
                                bytes_of(std::vector<std::int32_t>{1, 4, 2, 5, 3, 6}));
  CHECK(read_all<std::int32_t>(ashlar::open_npy(dir / "f.npy")) == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("npy file: a big-endian file of NumPy") {
  const temporary_directory dir;
  std::string header = ashlar::npy_header_bytes(dtype::float64, shape{2});
  header.replace(header.find("<f8"), 3, ">f8");
  write_file(dir / "b.npy", header + std::string("\x3f\xf0\0\0\0\0\0\0\xc0\x09\x21\xfb\x54\x44\x2d\x18", 16));
  const npy_input input = ashlar::open_npy(dir / "b.npy");
  CHECK_FALSE(input.usable_in_place());
  CHECK(read_all<double>(input) == std::vector<double>{1.0, -3.141592653589793});
}

TEST_CASE("npy file: 0-d, empty and unaligned arrays") {
  const temporary_directory dir;
  write_file(dir / "0d.npy", ashlar::npy_header_bytes(dtype::float32, shape{}) + bytes_of(std::vector<float>{2.5f}));
  CHECK(read_all<float>(ashlar::open_npy(dir / "0d.npy")) == std::vector<float>{2.5f});

  write_file(dir / "empty.npy", ashlar::npy_header_bytes(dtype::float64, shape{0, 7}));
  CHECK(ashlar::open_npy(dir / "empty.npy").header.data_bytes() == 0);

  const std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}";
  std::string file("\x93NUMPY\x01\0", 8);
  file.push_back(static_cast<char>(text.size()));
  file.push_back('\0');
  write_file(dir / "odd.npy", file + text + bytes_of(std::vector<double>{1.5, -2.5}));
  const npy_input odd = ashlar::open_npy(dir / "odd.npy");
  CHECK(odd.header.data_offset % 8 != 0);
  CHECK_FALSE(odd.usable_in_place());
  CHECK(read_all<double>(odd) == std::vector<double>{1.5, -2.5});
}

TEST_CASE("npy file: any non-zero byte is true, so booleans are never used in place") {
  const temporary_directory dir;
  write_file(dir / "bool.npy", ashlar::npy_header_bytes(dtype::boolean, shape{4}) + std::string("\0\1\2\xff", 4));
  const npy_input input = ashlar::open_npy(dir / "bool.npy");
  CHECK_FALSE(input.usable_in_place());
  CHECK(read_all<bool>(input) == std::vector<bool>{false, true, true, true});
}

TEST_CASE("npy file: an array of more than 2^31 elements opens without reading it") {
  const temporary_directory dir;
  const std::string header = ashlar::npy_header_bytes(dtype::uint8, shape{2821863639});
  write_file(dir / "large.npy", header);
  REQUIRE(::truncate((dir / "large.npy").c_str(), static_cast<off_t>(header.size()) + 2821863639) == 0);
  const npy_input input = ashlar::open_npy(dir / "large.npy");
  CHECK(input.header.shape.size() == 2821863639);
  CHECK(input.data[2821863638] == std::byte{0});
}

TEST_CASE("npy file: bytes behind the elements are ignored, missing ones are counted") {
  const temporary_directory dir;
  const std::string header = ashlar::npy_header_bytes(dtype::float64, shape{100});
  write_file(dir / "long.npy", header + std::string(808, 'x'));
  CHECK(ashlar::open_npy(dir / "long.npy").header.shape == shape{100});
  write_file(dir / "short.npy", header + std::string(799, 'x'));
  const std::string said = message_of<ashlar::file_error>([&] { ashlar::open_npy(dir / "short.npy"); });
  CHECK(contains(said, dir / "short.npy"));
  CHECK(contains(said, "shape (100,) of float64 needs 800 bytes behind the header of 128, the file has 799"));
}

TEST_CASE("npy file: what cannot be opened is named with the reason") {
  const temporary_directory dir;
  const auto said = [&](const std::string& path) {
    return message_of<ashlar::file_error>([&] { ashlar::open_npy(path); });
  };
  CHECK(contains(said(dir / "none.npy"), "cannot read '" + (dir / "none.npy") + "': No such file or directory"));
  CHECK(contains(said(dir.path()), "is a directory"));
  write_file(dir / "empty", "");
  CHECK(contains(said(dir / "empty"), "is empty"));
  REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
  CHECK(contains(said(dir / "pipe"), "is a pipe"));
  CHECK(contains(said("/dev/null"), "device"));
  CHECK(contains(said(std::string("a\0b", 3)), "null character"));
  write_file(dir / "text", "some text");
  CHECK(contains(said(dir / "text"), "the file starts with 'some tex'"));
}

TEST_CASE("mapped file: moves, and takes advice about any range") {
  static_assert(!std::is_copy_constructible_v<ashlar::mapped_file>);
  static_assert(std::is_nothrow_move_constructible_v<ashlar::mapped_file>);
  const temporary_directory dir;
  write_file(dir / "a", std::string(100000, 'a'));
  write_file(dir / "b", "b");
  ashlar::mapped_file a(dir / "a");
  ashlar::mapped_file b(dir / "b");
  b = std::move(a);
  const ashlar::mapped_file c(std::move(b));
  CHECK(c.size() == 100000);
  CHECK(c.path() == dir / "a");
  for (const std::int64_t offset : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{4097}, std::int64_t{1} << 40}) {
    for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, INT64_MAX}) {
      c.advise_sequential(offset, count);
      c.advise_random(offset, count);
      c.will_need(offset, count);
      c.dont_need(offset, count);
      CHECK_NOTHROW(c.populate(offset, count));
    }
  }
  CHECK(c.data()[99999] == std::byte{'a'});
}

TEST_CASE("mapped file: populate reports a file that was cut shorter, which a load would answer with a signal") {
  const temporary_directory dir;
  write_file(dir / "a", std::string(100000, 'a'));
  const ashlar::mapped_file a(dir / "a");
  REQUIRE(::truncate((dir / "a").c_str(), 10) == 0);
  const std::string said = message_of<ashlar::file_error>([&] { a.populate(8192, 100); });
  // Linux before 5.14 has no such call and stays silent.
  const bool reported = contains(said, "cut shorter");
  const bool silent = contains(said, "no file_error");
  CHECK((reported || silent));
}

TEST_CASE("npy output: blocks in any order give the bytes of numpy.save") {
  const temporary_directory dir;
  std::vector<std::int32_t> values(7 * 5 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  const std::string want = ashlar::npy_header_bytes(dtype::int32, shape{7, 5, 3}) + bytes_of(values);
  const std::int64_t block_shapes[][3] = {{7, 5, 3}, {2, 5, 3}, {7, 2, 3}, {7, 5, 2}, {3, 2, 2}, {1, 1, 1}};
  for (const auto& block : block_shapes) {
    npy_output out(dir / "a.npy", dtype::int32, shape{7, 5, 3});
    std::int64_t at[3];
    for (at[2] = 0; at[2] < 3; at[2] += block[2]) {
      for (at[1] = 0; at[1] < 5; at[1] += block[1]) {
        for (at[0] = 0; at[0] < 7; at[0] += block[0]) {
          const std::int64_t n[3] = {std::min(block[0], 7 - at[0]), std::min(block[1], 5 - at[1]),
                                     std::min(block[2], 3 - at[2])};
          const std::int64_t steps[3] = {15, 3, 1};
          out.write_block(at, n, values.data() + at[0] * 15 + at[1] * 3 + at[2], steps);
        }
      }
    }
    out.finish();
    CHECK(read_file(dir / "a.npy") == want);
  }
  CHECK(dir.names().size() == 1);
}

TEST_CASE("npy output: blocks that lie dense, transposed, reversed or broadcast in memory") {
  const temporary_directory dir;
  const std::vector<std::int16_t> memory{1, 2, 3, 4, 5, 6};
  const auto written = [&](std::int64_t first, std::int64_t step0, std::int64_t step1) {
    npy_output out(dir / "a.npy", dtype::int16, shape{3, 2});
    const std::int64_t at[2] = {0, 0};
    const std::int64_t n[2] = {3, 2};
    const std::int64_t steps[2] = {step0, step1};
    out.write_block(at, n, memory.data() + first, steps);
    out.finish();
    return read_all<std::int16_t>(ashlar::open_npy(dir / "a.npy"));
  };
  using list = std::vector<std::int16_t>;
  CHECK(written(0, 2, 1) == list{1, 2, 3, 4, 5, 6});
  CHECK(written(0, 1, 3) == list{1, 4, 2, 5, 3, 6});
  CHECK(written(5, -2, -1) == list{6, 5, 4, 3, 2, 1});
  CHECK(written(0, 1, 0) == list{1, 1, 2, 2, 3, 3});
  CHECK(written(2, 0, 0) == list{3, 3, 3, 3, 3, 3});
}

TEST_CASE("npy output: a long strided block goes through the staging buffer in pieces") {
  const temporary_directory dir;
  constexpr std::int64_t rows = 211;
  constexpr std::int64_t columns = 509;
  std::vector<double> memory(rows * columns);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i);
  npy_output out(dir / "a.npy", dtype::float64, shape{columns, rows});
  const std::int64_t at[2] = {0, 0};
  const std::int64_t n[2] = {columns, rows};
  const std::int64_t steps[2] = {1, columns};
  out.write_block(at, n, memory.data(), steps);
  out.finish();
  const std::vector<double> got = read_all<double>(ashlar::open_npy(dir / "a.npy"));
  bool same = got.size() == memory.size();
  for (std::int64_t i = 0; same && i < rows * columns; ++i) {
    same = got[static_cast<std::size_t>(i)] == memory[static_cast<std::size_t>(i % rows * columns + i / rows)];
  }
  CHECK(same);
}

TEST_CASE("npy output: 0-d and empty arrays") {
  const temporary_directory dir;
  {
    npy_output out(dir / "0d.npy", dtype::complex64, shape{});
    const std::complex<float> value(1, -2);
    out.write_block({}, {}, &value, {});
    out.finish({.sync = true});
    CHECK(read_all<std::complex<float>>(ashlar::open_npy(dir / "0d.npy")) == std::vector{value});
  }
  {
    npy_output out(dir / "empty.npy", dtype::float64, shape{3, 0});
    const std::int64_t at[2] = {0, 0};
    const std::int64_t n[2] = {3, 0};
    const std::int64_t steps[2] = {0, 1};
    out.write_block(at, n, nullptr, steps);
    out.finish();
    CHECK(read_file(dir / "empty.npy") == ashlar::npy_header_bytes(dtype::float64, shape{3, 0}));
  }
}

TEST_CASE("npy output: threads write disjoint blocks at once") {
  const temporary_directory dir;
  constexpr std::int64_t n = 96;
  npy_output out(dir / "a.npy", dtype::int64, shape{n, n});
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&out, t] {
      std::vector<std::int64_t> block(8 * 8);
      for (std::int64_t b = t; b < n / 8 * (n / 8); b += 4) {
        const std::int64_t at[2] = {b / (n / 8) * 8, b % (n / 8) * 8};
        for (std::int64_t i = 0; i < 64; ++i) block[static_cast<std::size_t>(i)] = (at[0] + i / 8) * n + at[1] + i % 8;
        const std::int64_t extents[2] = {8, 8};
        const std::int64_t steps[2] = {8, 1};
        out.write_block(at, extents, block.data(), steps);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(out.written() == n * n);
  out.finish();
  const std::vector<std::int64_t> got = read_all<std::int64_t>(ashlar::open_npy(dir / "a.npy"));
  bool same = true;
  for (std::int64_t i = 0; i < n * n; ++i) same = same && got[static_cast<std::size_t>(i)] == i;
  CHECK(same);
}

TEST_CASE("npy output: the name appears in finish() only, and never when it is not reached") {
  const temporary_directory dir;
  write_file(dir / "a.npy", "old");
  REQUIRE(::chmod((dir / "a.npy").c_str(), 0640) == 0);
  {
    const npy_output out(dir / "a.npy", dtype::float64, shape{2});
    CHECK(dir.names().size() == 2);
    CHECK(read_file(dir / "a.npy") == "old");
  }
  CHECK(dir.names().size() == 1);
  {
    npy_output out(dir / "a.npy", dtype::float64, shape{2});
    const double values[2] = {1, 2};
    const std::int64_t at = 0;
    const std::int64_t one = 1;
    const std::int64_t two = 2;
    out.write_block({&at, 1}, {&one, 1}, values, {&one, 1});
    CHECK(contains(message_of<ashlar::file_error>([&] { out.finish(); }), "got 1 of the 2 elements of shape (2,)"));
    CHECK(read_file(dir / "a.npy") == "old");
    out.write_block({&at, 1}, {&two, 1}, values, {&one, 1});
    out.finish();
    CHECK(contains(message_of<ashlar::file_error>([&] { out.finish(); }), "finished already"));
  }
  CHECK(dir.names().size() == 1);
  CHECK(read_all<double>(ashlar::open_npy(dir / "a.npy")) == std::vector<double>{1, 2});
  struct ::stat status = {};
  REQUIRE(::stat((dir / "a.npy").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("npy output: an array that is open for reading may be replaced") {
  const temporary_directory dir;
  const auto write = [&](double value) {
    npy_output out(dir / "a.npy", dtype::float64, shape{});
    out.write_block({}, {}, &value, {});
    out.finish();
  };
  write(1);
  const npy_input old = ashlar::open_npy(dir / "a.npy");
  write(2);
  CHECK(read_all<double>(old) == std::vector<double>{1});
  CHECK(read_all<double>(ashlar::open_npy(dir / "a.npy")) == std::vector<double>{2});
}

TEST_CASE("npy output: a symbolic link is followed") {
  const temporary_directory dir;
  write_file(dir / "real.npy", "old");
  REQUIRE(::symlink("real.npy", (dir / "link.npy").c_str()) == 0);
  npy_output out(dir / "link.npy", dtype::float64, shape{0});
  out.finish();
  CHECK(ashlar::open_npy(dir / "real.npy").header.shape == shape{0});
  CHECK(dir.names().size() == 2);
}

TEST_CASE("npy output: what cannot be created is named with the reason") {
  const temporary_directory dir;
  const auto said = [&](const std::string& path, const shape& s = shape{2}) {
    return message_of<ashlar::file_error>([&] { npy_output(path, dtype::float64, s); });
  };
  CHECK(contains(said(dir / "none/a.npy"), "cannot create '" + (dir / "none/a.npy") + "': No such file or directory"));
  CHECK(contains(said(dir.path()), "is a directory"));
  CHECK(contains(said("/dev/null"), "device"));
  CHECK(contains(said(""), "empty"));
  CHECK(contains(said(dir / "a.npy", shape{1152921504606846976}), "more bytes than 64 bits"));
  CHECK(contains(said(dir / "a.npy", shape{1000000000000000000}), "cannot give 8000000000000000128 bytes to"));
  CHECK(dir.names().empty());
}

TEST_CASE("npy output: a block that leaves the array is refused") {
  const temporary_directory dir;
  npy_output out(dir / "a.npy", dtype::float64, shape{4, 4});
  const double values[16] = {};
  const auto write = [&](std::int64_t i, std::int64_t j, std::int64_t n, std::int64_t m) {
    const std::int64_t at[2] = {i, j};
    const std::int64_t extents[2] = {n, m};
    const std::int64_t steps[2] = {4, 1};
    out.write_block(at, extents, values, steps);
  };
  CHECK_THROWS_AS(write(0, 1, 4, 4), ashlar::shape_error);
  CHECK_THROWS_AS(write(-1, 0, 1, 1), ashlar::shape_error);
  CHECK_THROWS_AS(write(5, 0, 0, 1), ashlar::shape_error);
  CHECK_THROWS_AS(write(0, 0, -1, 1), ashlar::shape_error);
  CHECK_THROWS_AS(write(1, 0, INT64_MAX, 1), ashlar::shape_error);
  const std::int64_t one[1] = {0};
  CHECK_THROWS_WITH_AS(
      out.write_block(one, one, values, one),
      doctest::Contains("shape (0,) with 1 strides at (0,) does not lie inside the array of shape (4, 4)"),
      ashlar::shape_error);
  CHECK(out.written() == 0);
}
