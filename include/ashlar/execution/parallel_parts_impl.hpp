/// \file
/// Threads that each work on a part, and what can be wrong with parts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <source_location>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/execution/parallel_parts.hpp>
#include <ashlar/graph/make_movement.hpp>

namespace ashlar::detail {

/// Called while what the part threw is being handled.
[[noreturn]] inline void throw_part_error(const std::string& begin, const std::string& end) {
  std::string text = begin;
  try {
    throw;
  } catch (const std::exception& e) {
    text += e.what();
  } catch (...) {
    text += "an exception that is not a std::exception";
  }
  std::throw_with_nested(task_error(text + end));
}

ASHLAR_DETAIL_SEPARATE void run_parts(const char* call, std::size_t count, const void* object,
                                      void (*work)(const void*, std::size_t)) {
  std::vector<std::exception_ptr> errors(count);
  const auto attempt = [&](std::size_t k) noexcept {
    try {
      work(object, k);
    } catch (...) {
      errors[k] = std::current_exception();
    }
  };
  if (count == 1) {
    attempt(0);
  } else {
    enum : int { wait, go, give_up };
    std::atomic<int> gate{wait};  // parts may wait for each other: all begin, or none
    const auto open = [&gate](int how) {
      gate.store(how);
      gate.notify_all();
    };
    std::vector<std::jthread> threads;
    threads.reserve(count);
    try {
      for (std::size_t k = 0; k < count; ++k) {
        threads.emplace_back([&, k] {
          gate.wait(wait);
          if (gate.load() == go) attempt(k);
        });
      }
    } catch (const std::exception& e) {
      open(give_up);
      throw error(std::string(call) + ": the system gives no thread for part " + std::to_string(threads.size()) +
                  " of " + std::to_string(count) + " (" + e.what() + "); give fewer executors");
    }
    open(go);
    for (std::jthread& t : threads) t.join();
  }
  std::size_t first = count;
  std::size_t failed = 0;
  for (std::size_t k = count; k-- > 0;) {
    if (!errors[k]) continue;
    first = k;
    ++failed;
  }
  if (failed == 0) return;
  try {
    std::rethrow_exception(errors[first]);
  } catch (...) {
    throw_part_error(
        std::string(call) + ": part " + std::to_string(first) + " of " + std::to_string(count) + " failed: ",
        failed > 1 ? "; of the parts behind it failed " + std::to_string(failed - 1) : std::string());
  }
}

ASHLAR_DETAIL_SEPARATE void require_executors(const char* call, std::size_t executors, std::size_t parts) {
  if (executors == 0) {
    throw value_error(std::string(call) + ": no executors; give at least one, such as std::vector{serial{}}");
  }
  if (parts > executors) {
    throw value_error(std::string(call) + ": " + std::to_string(parts) + " parts for " + std::to_string(executors) +
                      (executors == 1 ? " executor" : " executors") + "; give an executor for each part");
  }
}

ASHLAR_DETAIL_SEPARATE void require_functions(const char* call, std::size_t functions, std::size_t parts,
                                              std::size_t executors) {
  if (functions == parts || (functions == executors && functions > parts)) return;
  throw value_error(std::string(call) + ": " + std::to_string(functions) + " functions, " + std::to_string(parts) +
                    " parts and " + std::to_string(executors) +
                    " executors; give one function, or one for each part or each executor");
}

ASHLAR_DETAIL_SEPARATE std::int64_t length_to_cut(const char* call, const std::vector<node_ptr>& arrays,
                                                  std::int64_t axis) {
  if (arrays.empty()) throw shape_error(std::string(call) + ": no arrays in the tuple; give at least one");
  std::int64_t length = 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const ashlar::shape& s = arrays[i]->shape;
    if (s.ndim() == 0) {
      throw shape_error(std::string(call) +
                        ": an array of shape () has no axis to be cut along; replicate() gives each executor a copy, "
                        "and reshape({1}) makes one part");
    }
    const std::int64_t n = s[normalize_axis(axis, s, call)];
    if (i == 0) length = n;
    if (n != length) {
      throw shape_error(std::string(call) + ": arrays of shapes " + arrays[0]->shape.to_string() + " and " +
                        s.to_string() + " are cut together along axis " + std::to_string(axis) +
                        ", so their lengths there must agree");
    }
  }
  return length;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_gathered(const char* call, std::vector<node_ptr> parts, std::int64_t axis,
                                              std::source_location where) {
  if (parts.empty()) throw shape_error(std::string(call) + ": no parts; give at least one");
  const ashlar::shape first = parts[0]->shape;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const ashlar::shape& s = parts[k]->shape;
    if (s.ndim() == 0) {
      throw shape_error(std::string(call) + ": part " + std::to_string(k) +
                        " has shape (), no axis along which parts could follow one another; keep the axis, as "
                        "sum({.keepdims = true}) does, or stack() the parts");
    }
    const int along = normalize_axis(axis, s, call);
    bool fits = s.ndim() == first.ndim();
    for (int a = 0; fits && a < s.ndim(); ++a) fits = a == along || s[a] == first[a];
    if (!fits) {
      throw shape_error(std::string(call) + " along axis " + std::to_string(along) + ": part " + std::to_string(k) +
                        " has shape " + s.to_string() + " and part 0 " + first.to_string() +
                        "; all lengths but that one, and the number of axes, must agree");
    }
  }
  return make_concatenated(std::move(parts), axis, call, where);
}

}  // namespace ashlar::detail
