/// \file
/// The family of exceptions. Everything that Ashlar throws derives from ashlar::error, which is a std::runtime_error;
/// each message says what was asked, with which shapes, and what would be right.
#pragma once

#include <stdexcept>
#include <string>

namespace ashlar {

/// Root of the family.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Shapes that do not fit each other, a size that overflows 64 bits, a wrong number of axes.
class shape_error : public error {
 public:
  using error::error;
};

/// An axis outside [-ndim, ndim), or named twice.
class axis_error : public error {
 public:
  using error::error;
};

/// An index or slice outside the array.
class index_error : public error {
 public:
  using error::error;
};

/// An element type that the operation cannot take, or a value that the element type cannot hold.
class dtype_error : public error {
 public:
  using error::error;
};

/// Chunks that do not fit the shape.
class chunk_error : public error {
 public:
  using error::error;
};

/// An argument outside its domain (a step of zero, a negative standard deviation).
class value_error : public error {
 public:
  using error::error;
};

/// A file that cannot be opened, read, written, or understood.
class file_error : public error {
 public:
  using error::error;
};

/// Memory that cannot be had, or a run that would need more than its limit.
class memory_error : public error {
 public:
  using error::error;
};

/// A device that is not there, cannot be used, or failed.
class device_error : public error {
 public:
  using error::error;
};

/// Tasks that cannot be put in an order, or too many of them.
class graph_error : public error {
 public:
  using error::error;
};

/// A run that was stopped through its stop token.
class cancelled : public error {
 public:
  using error::error;
};

/// A run or a task that took longer than it was given.
class timeout_error : public error {
 public:
  using error::error;
};

/// A progress function threw; what it threw is nested (std::rethrow_if_nested).
class callback_error : public error {
 public:
  using error::error;
};

/// A failure inside a run: the text holds the operation, the block, the place, the user's source line and the original
/// text; the original exception is nested (std::rethrow_if_nested).
class task_error : public error {
 public:
  using error::error;
};

}  // namespace ashlar
