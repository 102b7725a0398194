// The program of `make demo`: the mean of every column of a big table, eagerly and in chunks.
//
//     ashlar-demo [--size N] [--dir FOLDER]
//
// Each way runs in a process of its own, so that its peak of memory is its own too. What is measured is anonymous
// memory (RssAnon): pages of a mapped file can be dropped at any time and do not count. Nothing here is a benchmark:
// `make bench` measures with care, this shows.
#include <ashlar/ashlar.hpp>
#include <ashlar/npy.hpp>

#include "demo/machine.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(ASHLAR_DEMO_EIGEN)
#include <Eigen/Core>
#endif

namespace ash = ashlar;
using ash::literals::operator""_MiB;

namespace {

constexpr std::int64_t block = 1000;

ash::array<double> numbers(std::int64_t n) {
  return ash::random::normal<double>({n, n}, {.mean = 10.0, .stddev = 0.1, .seed = 7, .chunks = {block, block}});
}

// --- the ways
// -----------------------------------------------------------------------------------------------------------

struct outcome {
  std::optional<double> make;  // seconds to bring the numbers into memory or the file
  double mean = 0;             // seconds, the best of three
  std::int64_t peak = 0;       // bytes
  std::vector<double> result;
};

double seconds(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double best_of_three(const std::function<void()>& f) { return std::min({seconds(f), seconds(f), seconds(f)}); }

void keep(outcome& o, const ash::ndarray<double>& means) { o.result.assign(means.begin(), means.end()); }

/// All numbers in memory, then `mean`.
outcome from_memory(std::int64_t n, const std::function<ash::ndarray<double>(const ash::ndarray<double>&)>& mean) {
  outcome o;
  ash::ndarray<double> table;
  o.make = seconds([&] { table = numbers(n).compute(); });
  ash::ndarray<double> means;
  o.mean = best_of_three([&] { means = mean(table); });
  keep(o, means);
  return o;
}

outcome eager_loops(std::int64_t n) {
  return from_memory(n, [n](const ash::ndarray<double>& table) {
    auto sums = ash::ndarray<double>::full({n}, 0.0);
    const double* row = table.data();
    double* const sum = sums.data();
    for (std::int64_t i = 0; i < n; ++i, row += n) {
      for (std::int64_t j = 0; j < n; ++j) sum[j] += row[j];
    }
    for (std::int64_t j = 0; j < n; ++j) sum[j] /= static_cast<double>(n);
    return sums;
  });
}

#if defined(ASHLAR_DEMO_EIGEN)
outcome eager_eigen(std::int64_t n) {
  return from_memory(n, [n](const ash::ndarray<double>& table) {
    ash::ndarray<double> means({n});
    using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<Eigen::RowVectorXd>(means.data(), n) = Eigen::Map<const matrix>(table.data(), n, n).colwise().mean();
    return means;
  });
}
#endif

outcome chunked_memory(std::int64_t n) {
  return from_memory(n, [](const ash::ndarray<double>& table) {
    return ash::from(table, {.chunks = {block, block}}).mean(0).compute();
  });
}

outcome chunked_generated(std::int64_t n) {
  outcome o;
  ash::ndarray<double> means;
  o.mean = best_of_three([&] { means = numbers(n).mean(0).compute(); });
  keep(o, means);
  return o;
}

outcome chunked_file(std::int64_t n, const std::string& path) {
  outcome o;
  o.make = seconds([&] { ash::to_npy(numbers(n), path); });
  ash::ndarray<double> means;
  o.mean = best_of_three([&] { means = ash::from_npy<double>(path, {.chunks = {block, block}}).mean(0).compute(); });
  keep(o, means);
  return o;
}

// --- one process for each
// -----------------------------------------------------------------------------------------------

/// Runs `way` in a child. @throws std::runtime_error with the child's message
outcome in_a_process(const std::function<outcome()>& way) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe: " + std::string(std::strerror(errno)));
  std::cout.flush();
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process: " + std::string(std::strerror(errno)));
  if (child == 0) {
    ::close(ends[0]);
    std::ostringstream text;
    text << std::hexfloat;
    try {
      demo::peak_memory peak;
      const outcome o = way();
      text << "result " << o.make.value_or(-1) << ' ' << o.mean << ' ' << peak.stop() << ' ' << o.result.size();
      for (const double v : o.result) text << ' ' << v;
    } catch (const std::exception& e) {
      text.str(e.what());
    }
    const std::string bytes = text.str();
    for (std::size_t done = 0; done < bytes.size();) {
      const ::ssize_t n = ::write(ends[1], bytes.data() + done, bytes.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string bytes;
  char piece[65536];
  for (::ssize_t n = 0; (n = ::read(ends[0], piece, sizeof piece)) > 0;)
    bytes.append(piece, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) throw std::runtime_error("ended by signal " + std::to_string(WTERMSIG(status)));
  if (bytes.compare(0, 7, "result ") != 0) throw std::runtime_error(bytes);

  const char* at = bytes.c_str() + 7;
  const auto next = [&at] {
    char* end = nullptr;
    const double v = std::strtod(at, &end);
    at = end;
    return v;
  };
  outcome o;
  if (const double make = next(); make >= 0) o.make = make;
  o.mean = next();
  o.peak = static_cast<std::int64_t>(next());
  o.result.resize(static_cast<std::size_t>(next()));
  for (double& v : o.result) v = next();
  return o;
}

// --- the table
// ----------------------------------------------------------------------------------------------------------

std::string size_text(std::int64_t bytes) {
  std::ostringstream out;
  const double mib = static_cast<double>(bytes) / (1 << 20);
  out << std::fixed << std::setprecision(1);
  mib < 1024 ? out << mib << " MiB" : out << mib / 1024 << " GiB";
  return out.str();
}

std::string time_text(std::optional<double> s) {
  if (!s) return "none";
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << *s << " s";
  return out.str();
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]) / std::abs(b[i]);
    if (!(d <= worst)) worst = d;
  }
  return worst;
}

/// Prints a row for each way and holds the results against each other.
class table {
 public:
  void add(const char* name, bool ours, const std::function<outcome()>& way) {
    std::cout << "  " << std::left << std::setw(26) << name << std::right << std::flush;
    try {
      const outcome o = in_a_process(way);
      std::cout << std::setw(14) << time_text(o.make) << std::setw(11) << time_text(o.mean) << std::setw(14)
                << size_text(o.peak) << "   " << compare(o, ours) << std::endl;
    } catch (const std::exception& e) {
      failed_ = true;
      std::cout << "  failed: " << e.what() << std::endl;
    }
  }

  bool failed() const { return failed_; }

 private:
  /// Chunked ways must have the same bits; eager ones add in another order and must agree to 1e-12.
  std::string compare(const outcome& o, bool ours) {
    std::ostringstream out;
    if (ours) {
      const bool first = ours_.empty();
      if (first) ours_ = o.result;
      const bool same = std::memcmp(o.result.data(), ours_.data(), ours_.size() * sizeof(double)) == 0;
      failed_ = failed_ || !same;
      if (!first) out << (same ? "same bits; " : "OTHER BITS; ");
    } else if (eager_.empty()) {
      eager_ = o.result;
      return "what others are held against";
    }
    if (eager_.empty()) return out.str() + "nothing to hold it against";
    const double d = largest_difference(o.result, eager_);
    failed_ = failed_ || !(d <= 1e-12);
    out << "within " << std::scientific << std::setprecision(0) << d << (d <= 1e-12 ? "" : ", TOO MUCH");
    return out.str();
  }

  std::vector<double> eager_;
  std::vector<double> ours_;
  bool failed_ = false;
};

struct options {
  std::int64_t size = 20000;
  std::filesystem::path folder = std::filesystem::temp_directory_path();
  bool help = false;
};

/// @throws std::runtime_error
options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool last = i + 1 == argc;
    if (word == "--help") {
      o.help = true;
    } else if (word == "--size" && !last) {
      char* end = nullptr;
      o.size = std::strtoll(argv[++i], &end, 10);
      if (*end != '\0' || o.size < 1 || o.size > 1'000'000) {
        throw std::runtime_error("--size " + std::string(argv[i]) + ": give the rows of the table, 1 to 1000000");
      }
    } else if (word == "--dir" && !last) {
      o.folder = argv[++i];
      if (!std::filesystem::is_directory(o.folder))
        throw std::runtime_error("--dir " + o.folder.string() + " is not a folder");
    } else {
      throw std::runtime_error("'" + std::string(word) +
                               "' is not understood; there are --size N, --dir FOLDER and --help");
    }
  }
  return o;
}

/// The most rows, in thousands where there are as many, for which a table of n x n doubles fits in `bytes`.
std::int64_t fitting(std::int64_t n, std::int64_t bytes) {
  const auto rows = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes) / sizeof(double)));
  if (n <= rows) return n;
  return rows > 1000 ? rows / 1000 * 1000 : std::max<std::int64_t>(rows, 1);
}

std::int64_t scaled_to_machine(const options& o) {
  const std::int64_t memory = demo::available_memory() / 10 * 8 - 128_MiB;
  const std::int64_t disk = demo::available_disk(o.folder) / 10 * 9;
  const std::int64_t n = std::min(fitting(o.size, memory), fitting(o.size, disk));
  if (n != o.size) {
    std::cout << "A table of " << o.size << " x " << o.size << " takes " << size_text(o.size * o.size * 8)
              << ". There are " << size_text(demo::available_memory()) << " of memory and "
              << size_text(demo::available_disk(o.folder)) << " in " << o.folder.string() << ", so this runs with " << n
              << " x " << n << ".\n";
  }
  return n;
}

int run(const options& o) {
  const std::int64_t n = scaled_to_machine(o);
  std::cout << "Mean of each column of " << n << " x " << n << " doubles, normal(10, 0.1), " << size_text(n * n * 8)
            << "; chunked in blocks of " << block << " x " << block << ", " << ash::threads{}.lanes() << " threads\n\n"
            << "  " << std::left << std::setw(26) << "way" << std::right << std::setw(14) << "make numbers"
            << std::setw(11) << "mean" << std::setw(14) << "peak memory"
            << "   result\n";
  const std::string path = (o.folder / ("ashlar-demo-" + std::to_string(::getpid()) + ".npy")).string();
  table t;
  t.add("eager, plain loops", false, [&] { return eager_loops(n); });
#if defined(ASHLAR_DEMO_EIGEN)
  t.add("eager, Eigen", false, [&] { return eager_eigen(n); });
#endif
  t.add("chunked, from memory", true, [&] { return chunked_memory(n); });
  t.add("chunked, generated", true, [&] { return chunked_generated(n); });
  t.add("chunked, from a .npy file", true, [&] { return chunked_file(n, path); });
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::cout << "\n  make numbers: once, on all threads, into memory or the file; generated ones are made while they "
               "are added.\n"
               "  mean: the best of three. Eager ways have one thread. The file is warm: it has just been written.\n"
               "  peak memory: anonymous memory of the process, the numbers included where they are in memory.\n";
  return t.failed() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const options o = parse(argc, argv);
    if (o.help) {
      std::cout << "ashlar-demo [--size N] [--dir FOLDER]\n"
                   "  --size N      rows and columns of the table; 20000 when left out\n"
                   "  --dir FOLDER  where the .npy file goes, to be removed at the end; the folder of temporary files "
                   "when left out\n";
      return 0;
    }
    return run(o);
  } catch (const std::exception& e) {
    std::cerr << "ashlar-demo: " << e.what() << '\n';
    return 2;
  }
}
