#include "../support/files.hpp"
#include "../support/npy_bytes.hpp"
#include "../support/temporary_directory.hpp"
#include "../support/text.hpp"

#include <ashlar/io/npy_file.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using testing_support::contains;
using testing_support::npy_bytes;
using testing_support::read_file;
using testing_support::temporary_directory;
using testing_support::write_file;

namespace {

struct outcome {
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs the built program; CMake says where it is.
outcome stats(const std::string& arguments) {
  const char* const directory = std::getenv("ASHLAR_TOOLS_DIR");
  REQUIRE_MESSAGE(directory != nullptr, "ASHLAR_TOOLS_DIR names the folder of the built ashlar-stats; ctest sets it");
  const temporary_directory folder;
  const std::string command = "'" + std::string(directory) + "/ashlar-stats' " + arguments + " >'" + folder / "out" +
                              "' 2>'" + folder / "err" + "'";
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  return {WEXITSTATUS(status), read_file(folder / "out"), read_file(folder / "err")};
}

std::string printed(const std::string& arguments) {
  const outcome o = stats(arguments);
  CHECK_MESSAGE(o.code == 0, o.err);
  CHECK(o.err.empty());
  return o.out;
}

/// The text of a failure: one line, exit code 1, nothing on the standard output.
std::string failure(const std::string& arguments) {
  const outcome o = stats(arguments);
  CHECK(o.code == 1);
  CHECK(o.out.empty());
  CHECK(contains(o.err, "ashlar-stats: "));
  CHECK_MESSAGE(o.err.find('\n') == o.err.size() - 1, o.err);
  return o.err;
}

template <class T>
std::vector<T> values(const std::string& path) {
  const ashlar::npy_input input = ashlar::open_npy(path);
  REQUIRE(input.header.dtype == ashlar::dtype_of<T>);
  const T* const first = reinterpret_cast<const T*>(input.data);
  return {first, first + input.header.shape.size()};
}

// npy_value: 7 * i - 20 for i = 0 … 5, that is -20 -13 -6 / 1 8 15 in an array of 2 x 3.

}  // namespace

TEST_CASE("ashlar-stats: the usual statistics of all elements") {
  const temporary_directory folder;
  write_file(folder / "x.npy", npy_bytes<double>({2, 3}));
  CHECK(printed(folder / "x.npy") == "mean: -2.5\nstd: 11.954775893619532\nmin: -20.0\nmax: 15.0\n");
}

TEST_CASE("ashlar-stats: along axes, in any chunks and with any number of workers") {
  const temporary_directory folder;
  write_file(folder / "x.npy", npy_bytes<double>({2, 3}, {.fortran = true, .big_endian = true}));
  for (const std::string options :
       {"", " --chunks 1,2", " --chunks 1 --workers 8", " --chunks auto,full --progress", " --chunks 8KiB"}) {
    CHECK(printed(folder / "x.npy --axis 0 --ops mean,argmax,sum" + options) ==
          "mean:\n[-9.5 -2.5  4.5]\nargmax:\n[1 1 1]\nsum:\n[-19.  -5.   9.]\n");
  }
  CHECK(printed(folder / "x.npy --axis=-1 --ops any,prod") == "any:\n[ True  True]\nprod:\n[-1560.   120.]\n");
  CHECK(printed(folder / "x.npy --axis 0,1 --ops max") == "max: 15.0\n");
}

TEST_CASE("ashlar-stats: every type, with the types that the reductions have") {
  const temporary_directory folder;
  const auto all = [&](const std::string& bytes) {
    write_file(folder / "x.npy", bytes);
    return printed(folder / "x.npy --ops sum,mean,min,max,count_nonzero,all,argmin,var,prod");
  };
  const std::string integers =
      "sum: -15\nmean: -2.5\nmin: -20\nmax: 15\ncount_nonzero: 6\nall: True\nargmin: 0\nvar: 142.91666666666666\nprod: "
      "-187200\n";
  CHECK(all(npy_bytes<std::int8_t>({6})) == integers);
  CHECK(all(npy_bytes<std::int16_t>({6})) == integers);
  CHECK(all(npy_bytes<std::int32_t>({6}, {.big_endian = true})) == integers);
  CHECK(all(npy_bytes<std::int64_t>({6})) == integers);
  const std::string reals =
      "sum: -15.0\nmean: -2.5\nmin: -20.0\nmax: 15.0\ncount_nonzero: 6\nall: True\nargmin: 0\nvar: "
      "142.91666666666666\nprod: -187200.0\n";
  CHECK(all(npy_bytes<double>({6})) == reals);
  CHECK(contains(all(npy_bytes<float>({6})), "var: 142.91667\n"));
  CHECK(contains(all(npy_bytes<bool>({6})),
                 "sum: 2\nmean: 0.3333333333333333\nmin: False\nmax: True\ncount_nonzero: 2\nall: False\nargmin: 0\n"));
  CHECK(contains(all(npy_bytes<std::uint8_t>({6})), "min: 1\nmax: 250\n"));
  CHECK(contains(all(npy_bytes<std::uint16_t>({6})), "min: 1\nmax: 65530\n"));
  CHECK(contains(all(npy_bytes<std::uint32_t>({6})), "min: 1\nmax: 4294967290\n"));
  CHECK(contains(all(npy_bytes<std::uint64_t>({6})), "min: 1\nmax: 18446744073709551610\n"));
  // 0.5 + 0j, 1.5 - 3j, 2.5 - 6j
  for (const std::string& bytes : {npy_bytes<std::complex<float>>({3}), npy_bytes<std::complex<double>>({3})}) {
    write_file(folder / "x.npy", bytes);
    CHECK(contains(printed(folder / "x.npy --ops sum,mean,var,any"), "sum: (4.5-9j)\nmean: (1.5-3j)\nvar: 6.666666"));
  }
}

TEST_CASE("ashlar-stats: results in a file") {
  const temporary_directory folder;
  write_file(folder / "x.npy", npy_bytes<float>({2, 3}));
  CHECK(printed(folder / "x.npy --axis 0 --ops max --out " + folder / "out.npy").empty());
  CHECK(values<float>(folder / "out.npy") == std::vector<float>{1, 8, 15});
  CHECK(printed(folder / "x.npy --axis 0 --ops min,argmin,any --out " + folder / "out.npy").empty());
  CHECK(ashlar::open_npy(folder / "out.npy").header.shape == ashlar::shape{3, 3});
  CHECK(values<double>(folder / "out.npy") == std::vector<double>{-20, -13, -6, 0, 0, 0, 1, 1, 1});
  write_file(folder / "x.npy", npy_bytes<std::uint64_t>({6}));
  CHECK(printed(folder / "x.npy --ops min,max --out " + folder / "x.npy").empty());  // over its own input
  CHECK(values<std::uint64_t>(folder / "x.npy") == std::vector<std::uint64_t>{1, 18446744073709551610u});
  write_file(folder / "x.npy", npy_bytes<std::complex<float>>({3}));
  CHECK(printed(folder / "x.npy --ops sum,count_nonzero --out " + folder / "out.npy").empty());
  CHECK(values<std::complex<double>>(folder / "out.npy") == std::vector<std::complex<double>>{{4.5, -9}, 3.0});
  CHECK(folder.names().size() == 2);
}

TEST_CASE("ashlar-stats: the plan reads the file once for all operations") {
  const temporary_directory folder;
  write_file(folder / "x.npy", npy_bytes<double>({100, 100}));
  const std::string plan =
      printed(folder / "x.npy --explain --workers 3 --axis 0 --chunks 10 --out " + folder / "out.npy");
  CHECK(contains(plan, "reads npy (100, 100)"));
  CHECK(plan.find("reads npy") == plan.rfind("reads npy"));
  CHECK(contains(plan, "mean"));
  CHECK(contains(plan, "max"));
  CHECK(contains(plan, "3 workers"));
  CHECK(folder.names().size() == 1);
  write_file(folder / "x.npy", npy_bytes<bool>({100, 100}));
  const std::string converted = printed(folder / "x.npy --explain --ops sum,mean,var,std,any,all,count_nonzero,prod");
  CHECK(converted.find("reads npy") == converted.rfind("reads npy"));
}

TEST_CASE("ashlar-stats: what fails is told in one line, with exit code 1") {
  const temporary_directory folder;
  const std::string path = folder / "x.npy";
  CHECK(contains(failure(path), "No such file"));
  CHECK(contains(failure(folder.path()), "is a directory"));
  write_file(path, "not an array");
  CHECK(contains(failure(path), "expected '\\x93NUMPY'"));
  std::string bytes = npy_bytes<double>({2, 3});
  bytes.pop_back();
  write_file(path, bytes);
  CHECK(contains(failure(path), "truncated"));
  write_file(path, npy_bytes<double>({2, 3}));
  CHECK(contains(failure(path + " --axis 2"), "axis 2"));
  CHECK(contains(failure(path + " --axis 0,0"), "axis 0"));
  CHECK(contains(failure(path + " --chunks 1,1,1"), "3 chunk entries for an array of 2 axes"));
  CHECK(contains(failure(path + " --out " + folder / "none/out.npy"), "No such file or directory"));
  CHECK(contains(failure(path + " --out " + folder.path()), "is a directory"));
  write_file(path, npy_bytes<double>({0, 3}));
  CHECK(contains(failure(path + " --ops min --axis 0"), "min"));
  CHECK(contains(printed(path + " --ops sum --axis 0"), "[0. 0. 0.]"));
  write_file(path, npy_bytes<std::complex<double>>({3}));
  CHECK(contains(failure(path), "complex numbers have no order, so there is no min of complex128"));
  write_file(path, npy_bytes<double>({2, 3, 4}));
  CHECK(contains(failure(path + " --ops argmax --axis 0,1"), "give one axis"));
  CHECK(folder.names().size() == 1);
  if (::access("/dev/full", W_OK) == 0) {
    const outcome o = stats(path + " 2>/dev/null >/dev/full; exit $?; :");
    CHECK(o.code == 1);
  }
}

TEST_CASE("ashlar-stats: a command line that is not right has exit code 2, help and version 0") {
  CHECK(stats("").code == 2);
  CHECK(stats("x.npy --no-such-option").code == 2);
  const outcome o = stats("x.npy --ops median");
  CHECK(o.code == 2);
  CHECK(o.out.empty());
  CHECK(contains(o.err, "'median' is unknown"));
  CHECK(contains(printed("--help"), "--explain"));
  CHECK(contains(printed("--version"), "ashlar-stats 0."));
}
