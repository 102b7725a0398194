/// \file
/// Braced values of any depth, `{{1, 2}, {3, 4}}`. Overloads on std::initializer_list cannot tell the 2-d `{{1}, {2}}`
/// from a list of two braced numbers; a type that is a number or a list of its own kind can. Braces always mean a list.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include <ashlar/dtype.hpp>
#include <ashlar/error.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// Refers to the braced lists of the expression in which it is made, so it must not outlive it.
template <class T>
class nested_list {
 public:
  nested_list() = default;

  /// An integer that T cannot hold is a dtype_error; dropping a fraction does not compile.
  template <weak_scalar U>
    requires(weak_kind<U> <= kind(dtype_of<T>))
  nested_list(U value) : value_(weak_cast<T>(value, "from")), is_list_(false) {}

  nested_list(std::initializer_list<nested_list> items) : items_(items) {}

  /// Lengths of the levels, as in the first item of each; the others are checked by write().
  ashlar::shape shape() const {
    ashlar::shape result;
    for (const nested_list* level = this; level->is_list_; level = level->items_.begin()) {
      result.push_back(static_cast<std::int64_t>(level->items_.size()));
      if (level->items_.size() == 0) break;
    }
    return result;
  }

  /// Writes the values in C order and returns the end.
  /// @throws shape_error when a list differs in length or depth from the first of its level
  T* write(T* to, const ashlar::shape& extents, int axis = 0) const {
    const std::int64_t length = axis < extents.ndim() ? extents[axis] : -1;
    const std::int64_t found = is_list_ ? static_cast<std::int64_t>(items_.size()) : -1;
    if (found != length) throw_ragged(extents, axis, found);
    if (!is_list_) {
      *to = value_;
      return to + 1;
    }
    for (const nested_list& item : items_) to = item.write(to, extents, axis + 1);
    return to;
  }

 private:
  [[noreturn]] static void throw_ragged(const ashlar::shape& extents, int axis, std::int64_t found) {
    const auto text = [](std::int64_t length) {
      return length < 0 ? std::string("a number") : "a list of length " + std::to_string(length);
    };
    throw shape_error("from: the braced lists are ragged: at depth " + std::to_string(axis) + " there is " +
                      text(found) + " where the first item has " + text(axis < extents.ndim() ? extents[axis] : -1) +
                      "; the shape so far is " + extents.to_string());
  }

  T value_ = {};
  std::initializer_list<nested_list> items_;
  bool is_list_ = true;
};

}  // namespace ashlar::detail
