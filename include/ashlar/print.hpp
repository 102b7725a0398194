/// \file
/// Printing, as NumPy 2 does it with its default settings: `std::cout << array` writes what Python's print() of the
/// same array writes, character by character. Arrays above 1000 elements show three items at each end of an axis, so
/// the cost is that of the elements shown.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <ashlar/detail/number_text.hpp>
#include <ashlar/dtype.hpp>
#include <ashlar/ndarray.hpp>
#include <ashlar/place.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

/// NumPy's print options, with its defaults.
struct print_options {
  int precision = 8;              ///< Most digits after the point.
  std::int64_t threshold = 1000;  ///< Arrays of more elements are summarised.
  int edge_items = 3;             ///< Items shown at each end of a summarised axis.
  int line_width = 75;            ///< Rows wrap before this column.
};

namespace detail {

template <class T>
class array_printer {
 public:
  array_printer(const ndarray<T>& array, const print_options& options)
      : array_(array),
        options_(options),
        summarised_(array.size() > options.threshold),
        layout_(shown(array, options, summarised_), options.precision) {}

  std::string text() const {
    std::string out;
    write(out, 0, array_.data());
    return out;
  }

 private:
  // Calls f(offset) for the shown positions of an axis, and gap() once where items are left out.
  template <class F, class Gap>
  static void walk(const ndarray<T>& array, const print_options& options, bool summarised, int axis, F f, Gap gap) {
    const std::int64_t length = array.shape()[axis];
    const std::int64_t edge = options.edge_items;
    const bool skips = summarised && length > 2 * edge;
    for (std::int64_t i = 0; i < length; ++i) {
      if (skips && i == edge) {
        gap();
        i = length - edge;
        if (i == length) return;
      }
      f(i, i * array.strides()[axis]);
    }
  }

  static std::vector<T> shown(const ndarray<T>& array, const print_options& options, bool summarised) {
    std::vector<T> values;
    collect(array, options, summarised, 0, array.data(), values);
    return values;
  }

  static void collect(const ndarray<T>& array, const print_options& options, bool summarised, int axis, const T* at,
                      std::vector<T>& values) {
    if (axis == array.ndim()) {
      values.push_back(*at);
      return;
    }
    walk(
        array, options, summarised, axis,
        [&](std::int64_t, std::int64_t offset) { collect(array, options, summarised, axis + 1, at + offset, values); },
        [] {});
  }

  void write(std::string& out, int axis, const T* at) const {
    out += '[';
    if (axis == array_.ndim() - 1) {
      write_row(out, at);
    } else {
      // One newline after a row, one more for every axis further out.
      const std::string between = std::string(static_cast<std::size_t>(array_.ndim() - 1 - axis), '\n') +
                                  std::string(static_cast<std::size_t>(axis + 1), ' ');
      bool first = true;
      const auto separate = [&] {
        if (!first) out += between;
        first = false;
      };
      walk(
          array_, options_, summarised_, axis,
          [&](std::int64_t, std::int64_t offset) {
            separate();
            write(out, axis + 1, at + offset);
          },
          [&] {
            separate();
            out += "...";
          });
    }
    out += ']';
  }

  // Items with a blank between them; a line that would pass the width, less one column for every bracket that may
  // close after it, is broken before the item.
  void write_row(std::string& out, const T* at) const {
    const std::size_t indent = static_cast<std::size_t>(array_.ndim());
    const std::int64_t room = options_.line_width - array_.ndim();
    std::string line(indent, ' ');
    bool on_first_line = true;
    const auto end_line = [&] {
      out.append(line, on_first_line ? indent : 0);
      on_first_line = false;
    };
    const auto add = [&](const std::string& word) {
      if (line.size() > indent && static_cast<std::int64_t>(line.size() + word.size()) > room) {
        line.erase(line.find_last_not_of(' ') + 1);
        end_line();
        out += '\n';
        line.assign(indent, ' ');
      }
      line += word;
    };
    const std::int64_t last = array_.shape()[array_.ndim() - 1] - 1;
    walk(
        array_, options_, summarised_, array_.ndim() - 1,
        [&](std::int64_t i, std::int64_t offset) {
          add(layout_.text(at[offset]));
          if (i < last) line += ' ';
        },
        [&] {
          add("...");
          line += ' ';
        });
    end_line();
  }

  const ndarray<T>& array_;
  print_options options_;
  bool summarised_;
  element_layout<T> layout_;
};

}  // namespace detail

/// The array as NumPy's str() gives it: "[1.  2.5 3. ]", "[]" when empty, a 0-d array as its number.
template <element T>
std::string to_string(const ndarray<T>& array, const print_options& options = {}) {
  if (array.ndim() == 0) return detail::scalar_text(array.item());
  if (array.size() == 0) return "[]";
  return detail::array_printer<T>(array, options).text();
}

/// As above, of elements that can only be read.
template <element T>
std::string to_string(const ndarray<const T>& array, const print_options& options = {}) {
  return to_string(ndarray<T>(array.owner(), const_cast<T*>(array.data()), array.shape(), array.strides()), options);
}

template <element T>
std::ostream& operator<<(std::ostream& out, const ndarray<T>& array) {
  return out << to_string(array);
}
template <element T>
std::ostream& operator<<(std::ostream& out, const ndarray<const T>& array) {
  return out << to_string(array);
}

inline std::ostream& operator<<(std::ostream& out, const shape& value) { return out << value.to_string(); }
inline std::ostream& operator<<(std::ostream& out, const strides& value) { return out << value.to_string(); }
inline std::ostream& operator<<(std::ostream& out, const axes& value) { return out << value.to_string(); }
inline std::ostream& operator<<(std::ostream& out, dtype value) { return out << name(value); }
inline std::ostream& operator<<(std::ostream& out, place value) { return out << to_string(value); }

}  // namespace ashlar
