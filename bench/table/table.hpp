/// \file
/// What the Ashlar side of bench/run.py shares. It is compiled twice, for the machine and at plain -O2, into two
/// libraries that live in one process; every function is C, gives 0 or, after an exception, 1, and table_error() then
/// holds the text.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include <ashlar/array.hpp>
#include <ashlar/threads.hpp>

#define TABLE_FUNCTION extern "C" __attribute__((visibility("default")))

namespace table {

using numbers = ashlar::array<double>;

inline std::string error;
inline ashlar::threads workers{};

template <class F>
int guard(F f) {
  try {
    f();
    return 0;
  } catch (const std::exception& e) {
    error = e.what();
    return 1;
  }
}

/// A small result into memory of the caller.
inline void copy_out(const ashlar::ndarray<double>& values, double* out) {
  for (std::int64_t i = 0; i < values.size(); ++i) out[i] = values.data()[i];
}

}  // namespace table
