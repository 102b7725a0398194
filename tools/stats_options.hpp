/// \file
/// The command line of ashlar-stats: text in, a checked struct out. Nothing is opened or computed here.
#pragma once

#include <ashlar/chunks.hpp>
#include <ashlar/error.hpp>
#include <ashlar/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ashlar_stats {

/// What can be computed, in the order of statistic_names.
enum class statistic : std::uint8_t { sum, prod, mean, var, std, min, max, any, all, argmin, argmax, count_nonzero };

inline constexpr std::string_view statistic_names[] = {"sum", "prod", "mean", "var",    "std",    "min",
                                                       "max", "any",  "all",  "argmin", "argmax", "count_nonzero"};

constexpr std::string_view name(statistic s) { return statistic_names[static_cast<int>(s)]; }

/// What the user asked for.
struct stats_options {
  std::string file;
  std::vector<std::int64_t> axes;  ///< as written, negative ones count from the end; empty means all axes
  ashlar::chunks chunks;           ///< automatic when not given
  std::vector<statistic> ops{statistic::mean, statistic::std, statistic::min, statistic::max};
  std::optional<std::string> out;  ///< where the results go; to the terminal when not given
  int workers = 0;                 ///< threads; 0 means one for each core
  bool progress = false;
  bool explain = false;  ///< tell what would be done, and do nothing
};

namespace detail {

/// The parts between commas, without spaces around them. @throws value_error an empty part
inline std::vector<std::string> split(std::string_view option, std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string_view part = text.substr(at, end - at);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (part.empty()) {
      throw ashlar::value_error(std::string(option) + " " + std::string(text) +
                                ": an entry is empty; expected a list without gaps, such as 0,1");
    }
    parts.emplace_back(part);
    at = end + 1;
  }
  return parts;
}

/// An integer, then whatever follows it. @throws value_error no integer, or one beyond 64 bits
inline std::int64_t leading_integer(std::string_view option, std::string_view part, std::string_view expected,
                                    std::string_view& rest) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (code != std::errc{}) {
    throw ashlar::value_error(std::string(option) + ": '" + std::string(part) + "' " +
                              (code == std::errc::result_out_of_range ? "does not fit 64 bits" : "is not understood") +
                              "; expected " + std::string(expected));
  }
  rest = part.substr(static_cast<std::size_t>(end - part.data()));
  return value;
}

inline std::int64_t integer(std::string_view option, std::string_view part, std::string_view expected) {
  std::string_view rest;
  const std::int64_t value = leading_integer(option, part, expected, rest);
  if (!rest.empty()) {
    throw ashlar::value_error(std::string(option) + ": '" + std::string(part) + "' is not understood; expected " +
                              std::string(expected));
  }
  return value;
}

}  // namespace detail

/// "0", "-1", "0,2". Whether the file has such axes is seen later.
inline std::vector<std::int64_t> parse_axes(std::string_view text) {
  std::vector<std::int64_t> axes;
  for (const std::string& part : detail::split("--axis", text)) {
    axes.push_back(detail::integer("--axis", part, "an axis, such as 0, or -1 for the last"));
  }
  return axes;
}

/// "1000,1000", "auto,full", "64MiB": per axis, or one entry for all, a number of elements, a word, or bytes of a
/// block.
inline ashlar::chunks parse_chunks(std::string_view text) {
  constexpr std::string_view expected =
      "a number of elements, such as 1000, the words auto or full, or bytes of a block, such as 64MiB";
  std::vector<ashlar::chunk_spec> specs;
  for (const std::string& part : detail::split("--chunks", text)) {
    if (part == "auto" || part == "automatic") {
      specs.emplace_back(ashlar::automatic);
    } else if (part == "full") {
      specs.emplace_back(ashlar::full);
    } else {
      std::string_view unit;
      const std::int64_t value = detail::leading_integer("--chunks", part, expected, unit);
      const int shift = unit.empty() ? 0 : unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : -1;
      if (shift < 0 || value < 1 || value > (INT64_MAX >> shift)) {
        throw ashlar::value_error("--chunks: '" + part + "' " + (shift < 0 ? "is not understood" : "is out of range") +
                                  "; expected " + std::string(expected));
      }
      if (shift == 0) {
        specs.emplace_back(value);
      } else {
        specs.emplace_back(ashlar::block_bytes(value << shift));
      }
    }
  }
  return specs;
}

/// "mean,std,min,max". @throws value_error an unknown name, or one named twice
inline std::vector<statistic> parse_ops(std::string_view text) {
  std::vector<statistic> ops;
  for (const std::string& part : detail::split("--ops", text)) {
    std::optional<statistic> found;
    std::string known;
    for (std::size_t i = 0; i < std::size(statistic_names); ++i) {
      if (part == statistic_names[i]) found = static_cast<statistic>(i);
      known += (i == 0 ? "" : ", ") + std::string(statistic_names[i]);
    }
    if (!found) throw ashlar::value_error("--ops: '" + part + "' is unknown; expected some of " + known);
    for (const statistic earlier : ops) {
      if (earlier == *found)
        throw ashlar::value_error("--ops " + std::string(text) + ": '" + part + "' is named twice");
    }
    ops.push_back(*found);
  }
  return ops;
}

/// Parses the command line.
/// @returns nothing when the program should go on, else its exit code: 0 after --help and --version, which go to `out`,
///          2 for a command line that is not right, which is told on `err`
inline std::optional<int> parse_command_line(int argc, const char* const* argv, stats_options& options,
                                             std::ostream& out, std::ostream& err) {
  CLI::App app("Statistics of a .npy file in one pass over it, in blocks, on all cores.", "ashlar-stats");
  std::string axis;
  std::string chunks;
  std::string ops;
  std::string out_file;
  std::string workers;
  app.add_option("FILE", options.file, "the .npy file; it is mapped, never loaded as a whole")->required();
  app.add_option("--axis", axis, "axis or axes to reduce, by commas, such as 0 or 0,2; all when not given");
  app.add_option("--chunks", chunks,
                 "blocks per axis: elements, auto, full, or bytes as in 64MiB; automatic when not given");
  app.add_option("--ops", ops,
                 "some of sum prod mean var std min max any all argmin argmax count_nonzero, by commas; "
                 "mean,std,min,max when not given");
  app.add_option("--out", out_file,
                 "write the results to this .npy file; several lie along a new first axis, in the order "
                 "of --ops");
  app.add_option("--workers", workers, "number of threads; one for each core when not given");
  app.add_flag("--progress", options.progress, "show a progress bar");
  app.add_flag("--explain", options.explain, "print the plan: passes, tasks, bytes; nothing is computed");
  app.set_version_flag("--version", "ashlar-stats " + std::to_string(ASHLAR_VERSION_MAJOR) + "." +
                                        std::to_string(ASHLAR_VERSION_MINOR) + "." +
                                        std::to_string(ASHLAR_VERSION_PATCH));
  try {
    app.parse(argc, argv);
    // An option that is given but empty is an error of its parser, not the default.
    const auto given = [&](const char* option) { return app.count(option) > 0; };
    if (given("--axis")) options.axes = parse_axes(axis);
    if (given("--chunks")) options.chunks = parse_chunks(chunks);
    if (given("--ops")) options.ops = parse_ops(ops);
    if (given("--out")) {
      if (out_file.empty()) throw ashlar::value_error("--out: the name is empty; expected a file name such as out.npy");
      options.out = out_file;
    }
    if (given("--workers")) {
      constexpr std::string_view expected = "a number of threads from 1 to 4096";
      const std::int64_t count = detail::integer("--workers", workers, expected);
      if (count < 1 || count > 4096) {
        throw ashlar::value_error("--workers: " + workers + " is out of range; expected " + std::string(expected));
      }
      options.workers = static_cast<int>(count);
    }
  } catch (const CLI::ParseError& e) {
    return app.exit(e, out, err) == 0 ? 0 : 2;
  } catch (const ashlar::value_error& e) {
    err << e.what() << "\nRun with --help for more information.\n";
    return 2;
  }
  return std::nullopt;
}

}  // namespace ashlar_stats
