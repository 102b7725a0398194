#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/execution/trace.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/random.hpp>
#include <ashlar/report.hpp>
#include <ashlar/std_threads.hpp>

#include "support/files.hpp"
#include "support/json.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace ash = ashlar;
using testing_support::json;

namespace {

json read(const std::string& path) { return testing_support::json_reader::read(testing_support::read_file(path)); }

std::vector<json> events(const json& trace, const std::string& kind) {
  std::vector<json> found;
  for (const json& e : trace["traceEvents"].items) {
    if (e["ph"].text == kind) found.push_back(e);
  }
  return found;
}

/// Spans of one lane may contain each other and may not overlap otherwise. Times are whole nanoseconds.
bool nested(const std::vector<json>& spans) {
  std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> lanes;
  for (const json& s : spans) {
    const auto begin = static_cast<std::int64_t>(s["ts"].number * 1000 + 0.5);
    lanes[static_cast<int>(s["tid"].number)].push_back(
        {begin, -begin - static_cast<std::int64_t>(s["dur"].number * 1000 + 0.5)});
  }
  for (auto& [lane, all] : lanes) {
    std::sort(all.begin(), all.end());  // at one begin the longest first
    std::vector<std::int64_t> open;
    for (const auto& [begin, minus_end] : all) {
      while (!open.empty() && open.back() <= begin) open.pop_back();
      if (!open.empty() && -minus_end > open.back()) return false;
      open.push_back(-minus_end);
    }
  }
  return true;
}

ash::array<double> numbers(std::int64_t n, std::int64_t block) {
  return ash::random::normal<double>({n, n}, {.seed = 5, .chunks = {block, block}});
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

TEST_CASE("trace: each task is a span of its lane, with layer, block and line") {
  const testing_support::temporary_directory folder;
  const auto x = numbers(400, 50);
  const auto plain = x.mean(0).compute(ash::serial{});
  for (const int workers : {1, 2, 4}) {
    const std::string path = folder / "run.json";
    const auto traced = x.mean(0).compute(ash::std_threads{.workers = workers}, {.trace = path});
    CHECK(ash::array_equal(plain, traced));
    const json trace = read(path);
    const std::vector<json> spans = events(trace, "X");
    std::set<std::string> blocks;
    for (const json& s : spans) {
      CHECK(s["pid"].number == 1);
      CHECK(s["tid"].number < workers);
      CHECK(s["dur"].number >= 0);
      CHECK(testing_support::contains(s["args"]["line"].text, "trace_tsan_test.cpp:"));
      if (s["name"].text == "mean (partial)") {
        CHECK(s["cat"].text == "partial");
        CHECK(s["args"]["layer"].number == 0);
        blocks.insert(s["args"]["block"].text);
      }
    }
    CHECK(blocks.count("(0, 0)") == 1);
    CHECK(nested(spans));
    const std::vector<json> names = events(trace, "M");
    CHECK(names.size() == static_cast<std::size_t>(1 + 2 * workers));
    CHECK(names[1]["args"]["name"].text == "lane 0 (calls compute)");
    ash::report r;
    x.mean(0).compute(ash::std_threads{.workers = workers}, {.report = &r});
    CHECK(static_cast<std::int64_t>(spans.size()) == r.tasks);
    CHECK(static_cast<std::int64_t>(blocks.size()) == r.layers[0].tasks);
  }
}

TEST_CASE("trace: bytes in memory are a counter, and arrows lead from the end of a block's task to who reads it") {
  const testing_support::temporary_directory folder;
  const auto x = numbers(1200, 100);
  const ash::array<double> z = (x - x.mean(0)) / x.std(0);
  ash::report r;
  ash::compute(ash::std_threads{.workers = 3}, {.trace = folder / "run.json", .report = &r}, z.max(), z.sum(0));
  const json trace = read(folder / "run.json");
  const std::vector<json> counters = events(trace, "C");
  CHECK(!counters.empty());
  for (const json& c : counters) {
    CHECK(c["args"]["bytes"].number >= 0);
    CHECK(c["args"]["bytes"].number <= static_cast<double>(r.peak_bytes));
  }
  CHECK(trace["otherData"]["peak_bytes"].number == static_cast<double>(r.peak_bytes));
  CHECK(trace["otherData"]["arrows_left_out"].number == 0);
  const std::vector<json> starts = events(trace, "s");
  const std::vector<json> ends = events(trace, "f");
  REQUIRE(starts.size() == ends.size());
  for (std::size_t k = 0; k < starts.size(); ++k) {
    CHECK(starts[k]["id"].number == ends[k]["id"].number);
    CHECK(starts[k]["tid"].number != ends[k]["tid"].number);
    CHECK(starts[k]["ts"].number <= ends[k]["ts"].number);
    CHECK(ends[k]["bp"].text == "e");
  }
}

TEST_CASE("trace: names and lines with any characters") {
  std::string json_text;
  ash::detail::append_json(json_text, "a \"quoted\" \\ name\n\x02\xff \xc3\xa9");
  CHECK(testing_support::json_reader::read(json_text).text ==
        std::string("a \"quoted\" \\ name\n\\u0002\\ufffd \xc3\xa9"));
  CHECK_THROWS(testing_support::json_reader::read("{\"a\":1,}"));
  CHECK_THROWS(testing_support::json_reader::read("[1 2]"));
  CHECK_THROWS(testing_support::json_reader::read("[01]"));
}

TEST_CASE("trace: a run that fails leaves its trace, with the task that failed") {
  const testing_support::temporary_directory folder;
  const auto broken = ash::fromfunction(
      [](std::int64_t i) {
        if (i == 77) throw std::runtime_error("no 77");
        return 1.0;
      },
      {100}, {.chunks = {1}});
  ash::report r;
  CHECK_THROWS_AS(broken.compute(ash::std_threads{.workers = 2}, {.trace = folder / "run.json", .report = &r}),
                  ash::task_error);
  const json trace = read(folder / "run.json");
  int failed = 0;
  for (const json& s : events(trace, "X")) {
    if (s["args"]["failed"].boolean) {
      ++failed;
      CHECK(s["args"]["block"].text == "(77,)");
    }
  }
  CHECK(failed == 1);
  CHECK(!r.complete);
  CHECK(r.tasks <= 100);
}

TEST_CASE("trace: persist() and compute_into() too") {
  const testing_support::temporary_directory folder;
  const auto x = numbers(200, 100);
  const auto kept = x.persist(ash::std_threads{.workers = 2}, {.trace = folder / "a.json"});
  CHECK(events(read(folder / "a.json"), "X").size() == 4);
  ash::ndarray<double> out(kept.shape());
  kept.compute_into(ash::serial{}, out, {.trace = folder / "b.json"});
  CHECK(events(read(folder / "b.json"), "X").size() == 4);
}

TEST_CASE("trace: blocks that go to a file and come back are spans of their own, and the report counts them") {
  const testing_support::temporary_directory folder;
  const auto x = ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>(i * j % 97); },
                                   {1024, 1024}, {.chunks = {128, 128}});
  const ash::array<double> kept = ash::map([](double v) { return v + 1; }, x);  // read by two passes
  const ash::array<double> z = kept - kept.sum();
  ash::report r;
  const auto whole = z.max().compute(ash::serial{}, {.report = &r});
  CHECK(r.spills == 0);
  for (const int workers : {1, 3}) {
    const ash::std_threads small{.workers = workers, .memory_limit = 3 << 20};
    const auto result = z.max().compute(small, {.trace = folder / "run.json", .report = &r});
    CHECK(result.item() == whole.item());
    CHECK(r.spills > 0);
    CHECK(r.spilled_bytes >= r.spills * 128 * 128 * 8);
    CHECK(r.peak_bytes <= 3 << 20);
    CHECK(r.predicted_peak_bytes <= 3 << 20);
    CHECK(static_cast<int>(r.workers.size()) <= workers);
    const json trace = read(folder / "run.json");
    const std::vector<json> spans = events(trace, "X");
    CHECK(nested(spans));
    int spilled = 0;
    int loaded = 0;
    for (const json& s : spans) {
      if (s["name"].text == "spill") ++spilled;
      if (s["name"].text == "load") ++loaded;
      if (s["name"].text == "spill") CHECK(s["cat"].text == "memory");
    }
    CHECK(spilled > 0);
    CHECK(loaded > 0);
  }
}

TEST_CASE("trace: files that cannot be made are an error before the run, full disks one after it") {
  const testing_support::temporary_directory folder;
  int calls = 0;
  const auto x = ash::fromfunction(
      [&calls](std::int64_t) {
        ++calls;
        return 1.0;
      },
      {4}, {.chunks = {1}});
  CHECK_THROWS_WITH_AS(x.compute(ash::serial{}, {.trace = folder / "nowhere/run.json"}),
                       doctest::Contains("nowhere/run.json': No such file"), ash::file_error);
  CHECK(calls == 0);
  CHECK_THROWS_AS(x.compute(ash::serial{}, {.trace = std::string("a\0b", 3)}), ash::file_error);
  CHECK_THROWS_WITH_AS(x.compute(ash::serial{}, {.trace = "/dev/full"}), doctest::Contains("No space left"),
                       ash::file_error);
  CHECK(exists("/dev/full"));
  CHECK(calls == 4);
  const auto broken = ash::map([](double) -> double { throw std::runtime_error("first"); }, x);
  CHECK_THROWS_WITH_AS(broken.compute(ash::serial{}, {.trace = "/dev/full"}), doctest::Contains("first"),
                       ash::task_error);
  // refused before its first task: nothing is left behind
  const auto large = numbers(2000, 500);
  CHECK_THROWS_AS(
      (large - large.mean(0)).compute(ash::serial{.memory_limit = 1000}, {.trace = folder / "refused.json"}),
      ash::memory_error);
  CHECK(!exists(folder / "refused.json"));
}

TEST_CASE("trace: of very many arrows some are left out, evenly, and the file says how many") {
  class grid final : public ash::detail::trace_names {
   public:
    void title(std::string& out, std::uint32_t) const override { out += "\"name\":\"t\",\"cat\":\"c\""; }
    void details(std::string& out, std::uint32_t) const override { out += "\"layer\":0"; }
    const std::uint32_t* inputs_begin(std::uint32_t task) const override { return inputs_.data() + task; }
    const std::uint32_t* inputs_end(std::uint32_t task) const override {
      return inputs_.data() + task + (task > 0 ? 1 : 0);
    }
    explicit grid(std::uint32_t n) : inputs_(n) {
      for (std::uint32_t t = 1; t < n; ++t) inputs_[t] = t - 1;
    }

   private:
    std::vector<std::uint32_t> inputs_;
  };
  const testing_support::temporary_directory folder;
  constexpr std::uint32_t tasks = 50001;
  ash::detail::watcher notes(2, tasks, {nullptr, {1}, tasks}, {.records = true}, nullptr);
  for (std::uint32_t t = 0; t < tasks; ++t) {  // each reads the one before it, on the other lane
    ash::detail::lane_watch& lane = notes.lane(static_cast<int>(t % 2));
    lane.end(t, lane.now(), ash::detail::span_kind::task);
  }
  CHECK(notes.work_done() == tasks);
  ash::detail::trace_file file(folder / "run.json");
  const grid names(tasks);
  ash::detail::trace_writer(file, notes, tasks, names).write();
  file.close();
  const json trace = read(folder / "run.json");
  CHECK(events(trace, "X").size() == tasks);
  CHECK(events(trace, "s").size() == 16667);  // each third of 50000
  CHECK(events(trace, "f").size() == 16667);
  CHECK(trace["otherData"]["arrows_left_out"].number == 50000 - 16667);
}
