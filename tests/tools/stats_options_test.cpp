#include "../../tools/stats_options.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using ashlar_stats::statistic;
using ashlar_stats::stats_options;

namespace {

struct outcome {
  std::optional<int> exit_code;
  stats_options options;
  std::string out;
  std::string err;
};

outcome parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "ashlar-stats");
  outcome result;
  std::ostringstream out;
  std::ostringstream err;
  result.exit_code =
      ashlar_stats::parse_command_line(static_cast<int>(arguments.size()), arguments.data(), result.options, out, err);
  result.out = out.str();
  result.err = err.str();
  return result;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("ashlar-stats options: a file alone means all axes, automatic chunks, four statistics, every core") {
  const outcome r = parse({"a.npy"});
  CHECK_FALSE(r.exit_code.has_value());
  CHECK(r.options.file == "a.npy");
  CHECK(r.options.axes.empty());
  CHECK(r.options.chunks.specs().empty());
  CHECK(r.options.ops == std::vector{statistic::mean, statistic::std, statistic::min, statistic::max});
  CHECK_FALSE(r.options.out.has_value());
  CHECK(r.options.workers == 0);
  CHECK_FALSE(r.options.progress);
}

TEST_CASE("ashlar-stats options: all of them, in any place") {
  const outcome r = parse({"--axis", "-1,0", "--chunks=1000,full", "a.npy", "--ops", "var, argmax", "--out", "b.npy",
                           "--workers", "3", "--progress"});
  REQUIRE_FALSE(r.exit_code.has_value());
  CHECK(r.options.file == "a.npy");
  CHECK(r.options.axes == std::vector<std::int64_t>{-1, 0});
  REQUIRE(r.options.chunks.specs().size() == 2);
  CHECK(r.options.chunks.specs()[0].value() == 1000);
  CHECK(r.options.chunks.specs()[1].kind() == ashlar::chunk_kind::full);
  CHECK(r.options.ops == std::vector{statistic::var, statistic::argmax});
  CHECK(r.options.out == "b.npy");
  CHECK(r.options.workers == 3);
  CHECK(r.options.progress);
}

TEST_CASE("ashlar-stats options: chunks by words and by bytes") {
  const auto specs = ashlar_stats::parse_chunks("auto,automatic,64MiB,8KiB,1GiB,7").specs();
  REQUIRE(specs.size() == 6);
  CHECK(specs[0].kind() == ashlar::chunk_kind::automatic);
  CHECK(specs[1].kind() == ashlar::chunk_kind::automatic);
  CHECK(specs[2].kind() == ashlar::chunk_kind::bytes);
  CHECK(specs[2].value() == 64 << 20);
  CHECK(specs[3].value() == 8192);
  CHECK(specs[4].value() == 1 << 30);
  CHECK(specs[5].value() == 7);
}

TEST_CASE("ashlar-stats options: every statistic has a name that is understood") {
  for (std::size_t i = 0; i < std::size(ashlar_stats::statistic_names); ++i) {
    const std::vector<statistic> ops = ashlar_stats::parse_ops(ashlar_stats::statistic_names[i]);
    CHECK(ops == std::vector{static_cast<statistic>(i)});
    CHECK(name(ops[0]) == ashlar_stats::statistic_names[i]);
  }
  CHECK(name(statistic::count_nonzero) == "count_nonzero");
}

TEST_CASE("ashlar-stats options: what is wrong is named, with what would be right, and ends with 2") {
  const struct {
    std::vector<const char*> arguments;
    std::string_view said;
  } cases[] = {
      {{}, "FILE is required"},
      {{"a.npy", "b.npy"}, "b.npy"},
      {{"a.npy", "--axes", "0"}, "--axes"},
      {{"a.npy", "--axis"}, "--axis"},
      {{"a.npy", "--axis", "x"}, "--axis: 'x' is not understood; expected an axis, such as 0"},
      {{"a.npy", "--axis", "1.5"}, "--axis: '1.5' is not understood"},
      {{"a.npy", "--axis", "0,"}, "--axis 0,: an entry is empty"},
      {{"a.npy", "--axis", ""}, "an entry is empty"},
      {{"a.npy", "--axis", "9223372036854775808"}, "does not fit 64 bits"},
      {{"a.npy", "--chunks", "10,,5"}, "--chunks 10,,5: an entry is empty"},
      {{"a.npy", "--chunks", "0"}, "--chunks: '0' is out of range; expected a number of elements"},
      {{"a.npy", "--chunks", "-5"}, "--chunks: '-5' is out of range"},
      {{"a.npy", "--chunks", "12MB"}, "--chunks: '12MB' is not understood"},
      {{"a.npy", "--chunks", "whole"}, "--chunks: 'whole' is not understood"},
      {{"a.npy", "--chunks", "9999999999GiB"}, "out of range"},
      {{"a.npy", "--ops", "mean,median"}, "--ops: 'median' is unknown; expected some of sum, prod, mean"},
      {{"a.npy", "--ops", "mean,std,mean"}, "--ops mean,std,mean: 'mean' is named twice"},
      {{"a.npy", "--out", ""}, "--out: the name is empty"},
      {{"a.npy", "--workers", "0"}, "--workers: 0 is out of range; expected a number of threads from 1 to 4096"},
      {{"a.npy", "--workers", "2x"}, "--workers: '2x' is not understood"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.said);
    const outcome r = parse(c.arguments);
    CHECK(r.exit_code == 2);
    CAPTURE(r.err);
    CHECK(contains(r.err, c.said));
    CHECK(r.out.empty());
  }
}

TEST_CASE("ashlar-stats options: help and version go to the output and end with 0") {
  const outcome help = parse({"--help"});
  CHECK(help.exit_code == 0);
  for (const std::string_view option : {"FILE", "--axis", "--chunks", "--ops", "--out", "--workers", "--progress"}) {
    CHECK(contains(help.out, option));
  }
  CHECK(help.err.empty());
  const outcome version = parse({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(contains(version.out, "ashlar-stats 0."));
}
