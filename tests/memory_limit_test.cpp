// memory_limit as users meet it.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/execution/run_budget.hpp>
#include <ashlar/graph/lower.hpp>
#include <ashlar/io/spill_file.hpp>
#include <support/temporary_directory.hpp>
#include <support/text.hpp>

namespace ash = ashlar;

namespace {

using testing_support::contains;
using testing_support::message_of;

using array = ash::array<double>;

array heavy(const array& x) {
  return ash::map([](double v) { return v + 1; }, x);
}

constexpr std::int64_t block = 500 * 500 * 8;

/// x is 5 blocks that have to be held together, and 4 of them do not fit.
array five_blocks() {
  const array x =
      heavy(ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>(i % 97 + j); },
                              {2500, 500}, {.chunks = {500, 500}}));
  return x - x.mean(0);
}

std::int64_t scratch_of(const array& x, int lanes) {
  return ash::detail::make_plan({x.node()}, lanes)->stats.lane_scratch;
}

std::int64_t peak_of(const array& x, const auto& where, const ash::run_options& options = {}) {
  static_cast<void>(x.compute(ash::serial{}));  // what is static has been made
  ash::host_memory().reset_peak();
  const auto before = static_cast<std::int64_t>(ash::host_memory().allocated());
  const auto result = x.compute(where, options);
  const auto peak = static_cast<std::int64_t>(ash::host_memory().peak()) - before - result.size() * 8;
  CHECK(ash::array_equal(result, x.compute(ash::serial{})));
  return peak;
}

}  // namespace

TEST_CASE("a run keeps to memory_limit, with all blocks in memory or some in a file") {
  const array x = five_blocks().max(1);
  const std::int64_t scratch = scratch_of(x, 2);
  for (const std::int64_t blocks : {3, 4, 6, 9}) {
    for (const int workers : {1, 2}) {
      const std::int64_t limit = blocks * block + workers * scratch + 100'000;
      CAPTURE(blocks);
      CAPTURE(workers);
      CHECK(peak_of(x, ash::std_threads{.workers = workers, .memory_limit = limit}) <= limit);
      CHECK(peak_of(x, ash::threads{.workers = workers, .memory_limit = limit}) <= limit);
      CHECK(peak_of(x, ash::serial{.memory_limit = limit}) <= limit);
    }
  }
}

TEST_CASE("a run without a limit holds no more than was predicted") {
  const array x = heavy(ash::random::normal<double>({8000, 2000}, {.chunks = {500, 500}}));  // 128 MB
  const array z = (x - x.mean(0)).std(1);
  const auto p = ash::detail::make_plan({z.node()}, 3);
  CHECK(p->stats.block_bytes < p->stats.all_bytes);
  const std::int64_t predicted = p->stats.block_bytes + p->stats.scratch_bytes;
  CHECK(peak_of(z, ash::std_threads{.workers = 3}) <= predicted);
}

TEST_CASE("a thousand runs within three blocks") {
  const array x = heavy(ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>(i - j); },
                                          {400, 50}, {.chunks = {40, 50}}));
  const array y = (x - x.mean(0)).max(1);
  const std::int64_t limit = scratch_of(y, 1) + 3 * 40 * 50 * 8;
  const auto right = y.compute(ash::serial{});
  const std::size_t before = ash::host_memory().allocated();
  bool same = true;
  for (int k = 0; k < 1000; ++k) {
    same = same && ash::array_equal(y.compute(ash::std_threads{.workers = 2, .memory_limit = limit}), right);
  }
  CHECK(same);
  CHECK(ash::host_memory().allocated() == before);
}

TEST_CASE("a task that alone needs more than the limit is refused before the run, by name") {
  std::atomic<int> calls{0};
  const array x = ash::map(
      [&calls](double v) {
        ++calls;
        return v;
      },
      ash::zeros<double>({1000, 1000}, {.chunks = {500, 500}}));
  const array z = (x - x.mean(0)).max(1);
  const std::int64_t scratch = scratch_of(z, 2);
  const auto text = [&](std::int64_t limit) -> std::string {
    try {
      static_cast<void>(z.compute(ash::std_threads{.workers = 2, .memory_limit = limit}));
    } catch (const ash::memory_error& e) {
      return e.what();
    }
    return "";
  };
  const std::string refused = text(block + scratch);
  CHECK(refused.find("memory_limit is " + std::to_string(block + scratch)) != std::string::npos);
  CHECK(refused.find("memory_limit_test.cpp") != std::string::npos);
  CHECK(refused.find("max") != std::string::npos);
  CHECK(calls == 0);
  // what the text asks for is enough
  const std::string word = "of at least ";
  const std::int64_t enough = std::stoll(refused.substr(refused.rfind(word) + word.size()));
  CHECK(text(enough - 1) != "");
  CHECK(calls == 0);
  CHECK(text(enough) == "");
  CHECK(calls > 0);
}

TEST_CASE("a directory that is not there, and a file that may not grow, are errors that say so") {
  const array x = five_blocks().max(1);
  const ash::std_threads where{.workers = 2, .memory_limit = 3 * block + 2 * scratch_of(x, 2)};
  const std::size_t before = ash::host_memory().allocated();
  CHECK_THROWS_WITH_AS(x.compute(where, {.spill_directory = "/no/such/directory"}),
                       doctest::Contains("'/no/such/directory': No such file"), ash::file_error);
  const testing_support::temporary_directory directory;
  struct ::rlimit old = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  struct ::rlimit small = old;
  small.rlim_cur = block + block / 2;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string text;
  try {
    static_cast<void>(x.compute(where, {.spill_directory = directory.path()}));
  } catch (const ash::file_error& e) {
    text = e.what();
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
  CHECK(text.find("cannot write a block of " + std::to_string(block) + " bytes") != std::string::npos);
  CHECK(text.find(directory.path()) != std::string::npos);
  CHECK(ash::host_memory().allocated() == before);
  CHECK(peak_of(x, where, {.spill_directory = directory.path()}) <= where.memory_limit);
  CHECK(directory.names().empty());
}

TEST_CASE("without a limit the run takes what its workers need, or what the system has") {
  const array x = heavy(ash::random::normal<double>({8000, 2000}, {.chunks = {500, 500}}));  // columns of 16 blocks
  const auto p = ash::detail::make_plan({(x - x.mean(0)).std(1).node()}, 2);
  const ash::detail::plan_stats& s = p->stats;
  const auto own = ash::detail::largest_working_set(*p).bytes;
  const testing_support::temporary_directory root;
  const auto with = [&](std::int64_t total_kib, std::int64_t held_pages) {
    ash::host_memory().trim();  // what is cached would count as free
    std::filesystem::create_directories(root / "proc/self");
    std::ofstream(root / "proc/meminfo") << "MemTotal: " << total_kib << " kB\n";
    std::ofstream(root / "proc/self/statm") << held_pages << ' ' << held_pages << " 0 0 0 0 0\n";
    const auto budget = ash::detail::choose_budget(*p, 0, 0, {root.path()});
    std::filesystem::remove_all(root / "proc");
    return budget;
  };
  const auto plenty = with(16'000'000, 1000);
  CHECK(plenty.mode == ash::detail::run_mode::bounded);
  CHECK(plenty.lanes == 2);
  CHECK(plenty.predicted == s.block_bytes + s.scratch_bytes);
  const std::int64_t some = s.serial_bytes + s.lane_scratch + 4 * block;  // enough for one worker and a bit
  const auto less = with(some / 1024 * 10 / 7 + 1, 0);
  CHECK(less.mode == ash::detail::run_mode::bounded);
  CHECK(less.predicted <= some + 2048);
  const auto little = with(6 * block / 1024 * 10 / 7 + 1, 0);
  CHECK(little.mode == ash::detail::run_mode::spilling);
  CHECK(little.predicted <= 6 * block + 2048);
  const auto none = with(1'000'000, 1'000'000);
  CHECK(none.mode == ash::detail::run_mode::spilling);
  CHECK(none.lanes == 1);
  CHECK(none.predicted == own + s.lane_scratch);
}

TEST_CASE("blocks in a file come back as they were, and their room is used again") {
  const testing_support::temporary_directory directory;
  ash::detail::spill_file file(directory.path());
  std::vector<char> a(5000, 'a');
  std::vector<char> b(5000, 'b');
  const std::int64_t at_a = file.write(a.data(), 5000);
  const std::int64_t at_b = file.write(b.data(), 5000);
  CHECK(directory.names().empty());
  std::vector<char> back(5000);
  file.read(at_a, back.data(), 5000);
  CHECK(back == a);
  file.free(at_a, 5000);
  CHECK(file.write(a.data(), 5000) == at_a);
  file.read(at_b, back.data(), 5000);
  CHECK(back == b);
  CHECK(file.size() == 10000);
  CHECK(file.written() == 15000);
}

TEST_CASE("a full disk is an error that names bytes, place and reason") {
  ash::detail::spill_file full(ash::detail::file_descriptor(::open("/dev/full", O_RDWR | O_CLOEXEC)), "/dev/full");
  std::vector<char> a(5000, 'a');
  CHECK_THROWS_WITH_AS(full.write(a.data(), 5000),
                       doctest::Contains("cannot write a block of 5000 bytes to a temporary file in '/dev/full': No "
                                         "space left on device"),
                       ash::file_error);
}

TEST_CASE("what is refused is named: the task that needs most, blocks and scratch together") {
  // small blocks from much scratch: whole columns are put together for each
  const array x = ash::ones<double>({1000, 1000}, {.chunks = {250, 500}});
  const array columns =
      ash::blockwise([](ash::ndarray<const double> b) { return ash::ndarray<double>({b.shape()[1]}); }, "ij->j", x,
                     {.name = "columns"});
  // large blocks, little scratch
  const array values = heavy(ash::ones<double>({2500, 500}, {.chunks = {500, 500}}));
  const array centred = values - values.mean(0);
  const auto p = ash::detail::make_plan({columns.node(), centred.node()}, 1);
  const auto text = [&](std::int64_t limit) {
    return message_of<ash::memory_error>(
        [&] { static_cast<void>(ash::compute(ash::serial{.memory_limit = limit}, columns, centred)); });
  };
  const std::int64_t blocks = ash::detail::largest_working_set(*p).bytes;
  const std::int64_t scratch = p->stats.lane_scratch;
  REQUIRE(blocks > 1'000'000);
  REQUIRE(scratch > 2 * blocks);
  CHECK(contains(text(blocks), "one task of columns ("));
  CHECK(contains(text(blocks), "alone needs"));
  // either fits, but a worker that has done the one still has its scratch
  const std::string both = text(blocks + scratch - 1);
  CHECK(contains(both, "one worker needs " + std::to_string(blocks + scratch) + " bytes"));
  CHECK(contains(both, "of scratch, which it keeps, for tasks of columns ("));
  CHECK(text(blocks + scratch) == "");
}

TEST_CASE("an element-wise result over its own input counts the copy that it needs") {
  ash::ndarray<double> a = ash::arange<double>(100'000).compute();
  const array reversed = ash::from(ash::ndarray<double>::view(a.data() + 99'999, {100'000}, {-1}), {.chunks = 10'000});
  CHECK_THROWS_WITH_AS(array(reversed + 0.0).compute_into(ash::serial{.memory_limit = 700'000}, a),
                       doctest::Contains("written over its input"), ash::memory_error);
}
