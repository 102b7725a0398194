/// \file
/// Numbers as NumPy 2 prints them: the fewest digits that read back to the same value, cut at a precision, and one
/// layout for a whole array (positional or scientific, one position of the decimal point).
#pragma once

#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <ashlar/dtype.hpp>

namespace ashlar::detail {

/// The text of a finite number in the parts that layouts align: sign and integer, fraction, exponent without the 'e'.
struct number_parts {
  std::string integer;
  std::string fraction;
  std::string exponent;
};

template <class T, class... Format>
std::string chars_of(T value, Format... format) {
  // Digits before the point (309 for the largest double) and up to 17 or a precision after it.
  char text[512];
  return {text, std::to_chars(text, text + sizeof text, value, format...).ptr};
}

/// Splits "-1.25e+10" or "12.5", without trailing zeros in the fraction.
inline number_parts split_number(std::string_view text) {
  number_parts parts;
  if (const auto e = text.find('e'); e != std::string_view::npos) {
    parts.exponent = text.substr(e + 1);
    text = text.substr(0, e);
  }
  if (const auto point = text.find('.'); point != std::string_view::npos) {
    parts.fraction = text.substr(point + 1, text.find_last_not_of('0') - point);
    text = text.substr(0, point);
  }
  parts.integer = text;
  return parts;
}

/// d.ddd with an exponent of at least two digits; at most `precision` digits after the point.
template <class T>
number_parts scientific_parts(T value, int precision) {
  number_parts parts = split_number(chars_of(value, std::chars_format::scientific));
  if (static_cast<int>(parts.fraction.size()) <= precision) return parts;
  return split_number(chars_of(value, std::chars_format::scientific, precision));
}

/// The shortest digits written out, zeros to the left of the point where they end; at most `precision` digits after
/// the point, rounded from the exact value.
template <class T>
number_parts positional_parts(T value, int precision) {
  const number_parts shortest = split_number(chars_of(value, std::chars_format::scientific));
  const bool negative = shortest.integer[0] == '-';
  const std::string digits = shortest.integer.substr(negative ? 1 : 0) + shortest.fraction;
  const int before_point = std::stoi(shortest.exponent) + 1;
  const int after_point = static_cast<int>(digits.size()) - before_point;
  if (value != T{0} && after_point > precision && after_point > 0) {
    return split_number(chars_of(value, std::chars_format::fixed, precision));
  }
  number_parts parts;
  if (negative) parts.integer = "-";
  if (before_point <= 0) {
    parts.integer += '0';
    parts.fraction = std::string(static_cast<std::size_t>(-before_point), '0') + digits;
  } else {
    const std::size_t count = static_cast<std::size_t>(before_point);
    parts.integer += digits.size() < count ? digits + std::string(count - digits.size(), '0') : digits.substr(0, count);
    if (digits.size() > count) parts.fraction = digits.substr(count);
  }
  if (parts.fraction.find_first_not_of('0') == std::string::npos) parts.fraction.clear();
  return parts;
}

inline std::string pad_left(std::string text, std::size_t width, char with = ' ') {
  return text.size() < width ? std::string(width - text.size(), with) + text : text;
}

/// "nan", "inf", "-inf" with the sign that the layout asks for.
template <class T>
std::string not_finite_text(T value, bool plus) {
  const std::string sign = !std::isnan(value) && value < T{0} ? "-" : plus ? "+" : "";
  return sign + (std::isnan(value) ? "nan" : "inf");
}

/// The common layout of the floating numbers of an array. `plus` writes the sign of positive numbers too (imaginary
/// parts).
template <class T>
class float_layout {
 public:
  float_layout(const std::vector<T>& values, int precision, bool plus) : precision_(precision), plus_(plus) {
    choose_notation(values);
    for (const T value : values) {
      if (!std::isfinite(value)) continue;
      const number_parts parts = parts_of(value);
      left_ = larger(left_, parts.integer.size());
      right_ = larger(right_, parts.fraction.size());
      if (scientific_) exponent_digits_ = larger(exponent_digits_, parts.exponent.size() - 1);
    }
    const std::size_t tail = right_of_integer();
    for (const T value : values) {
      if (std::isfinite(value)) continue;
      // NumPy reserves the sign of inf in signed layouts even when only NaN occurs.
      const std::size_t width = plus_ ? 4 : not_finite_text(value, false).size();
      if (width > tail) left_ = larger(left_, width - tail);
    }
  }

  std::string text(T value) const {
    if (!std::isfinite(value)) return pad_left(not_finite_text(value, plus_), left_ + right_of_integer());
    number_parts parts = parts_of(value);
    if (scientific_ && parts.fraction.size() < right_) {
      // As many digits as the longest, of the exact value and not zeros, as in NumPy.
      parts = split_number(chars_of(value, std::chars_format::scientific, static_cast<int>(right_)));
      parts.fraction.append(right_ - parts.fraction.size(), '0');
      write_plus(parts);
    }
    std::string result = pad_left(parts.integer, left_) + '.' + parts.fraction;
    result.append(right_ - parts.fraction.size(), ' ');
    if (scientific_) {
      result += 'e';
      result += parts.exponent[0];
      result += pad_left(parts.exponent.substr(1), exponent_digits_, '0');
    }
    return result;
  }

 private:
  static std::size_t larger(std::size_t a, std::size_t b) noexcept { return a > b ? a : b; }

  // Scientific when the numbers other than zero are large (8 digits, or all of float32's 6), small, or far apart.
  void choose_notation(const std::vector<T>& values) {
    T largest = 0;
    T smallest = std::numeric_limits<T>::infinity();
    for (const T value : values) {
      const T size = std::fabs(value);
      if (!std::isfinite(value) || size == T{0}) continue;
      if (size > largest) largest = size;
      if (size < smallest) smallest = size;
    }
    const T limit = std::is_same_v<T, float> ? T(1e6) : T(1e8);
    scientific_ = largest != T{0} && (largest >= limit || smallest < T(0.0001) || largest / smallest > T{1000});
  }

  number_parts parts_of(T value) const {
    number_parts parts = scientific_ ? scientific_parts(value, precision_) : positional_parts(value, precision_);
    write_plus(parts);
    return parts;
  }

  void write_plus(number_parts& parts) const {
    if (plus_ && parts.integer[0] != '-') parts.integer.insert(0, 1, '+');
  }

  std::size_t right_of_integer() const noexcept { return 1 + right_ + (scientific_ ? 2 + exponent_digits_ : 0); }

  int precision_;
  bool plus_;
  bool scientific_ = false;
  std::size_t left_ = 0;
  std::size_t right_ = 0;
  std::size_t exponent_digits_ = 0;
};

/// How the elements of one array are written; every text has the same length.
template <class T>
class element_layout {
 public:
  element_layout(const std::vector<T>& values, int) {
    for (const T value : values) {
      const std::size_t size = std::to_string(value).size();
      if (size > width_) width_ = size;
    }
  }

  std::string text(T value) const { return pad_left(std::to_string(value), width_); }

 private:
  std::size_t width_ = 0;
};

template <>
class element_layout<bool> {
 public:
  element_layout(const std::vector<bool>&, int) {}

  std::string text(bool value) const { return value ? " True" : "False"; }
};

template <class T>
  requires std::is_floating_point_v<T>
class element_layout<T> {
 public:
  element_layout(const std::vector<T>& values, int precision) : layout_(values, precision, false) {}

  std::string text(T value) const { return layout_.text(value); }

 private:
  float_layout<T> layout_;
};

template <class T>
class element_layout<std::complex<T>> {
 public:
  element_layout(const std::vector<std::complex<T>>& values, int precision)
      : real_(parts(values, false), precision, false), imag_(parts(values, true), precision, true) {}

  std::string text(std::complex<T> value) const {
    std::string imag = imag_.text(value.imag());
    imag.insert(imag.find_last_not_of(' ') + 1, 1, 'j');
    return real_.text(value.real()) + imag;
  }

 private:
  static std::vector<T> parts(const std::vector<std::complex<T>>& values, bool imaginary) {
    std::vector<T> result;
    result.reserve(values.size());
    for (const std::complex<T>& value : values) result.push_back(imaginary ? value.imag() : value.real());
    return result;
  }

  float_layout<T> real_;
  float_layout<T> imag_;
};

/// A lone number as NumPy's str() gives it: every digit that is needed, "3.0", "1e+16"; a float is written in
/// scientific notation from 1e6 on, a double from 1e16 on.
template <class T>
std::string scalar_text(T value, std::string_view whole_number_tail = ".0") {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "True" : "False";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (is_std_complex<T>) {
    std::string imag = scalar_text(value.imag(), "") + 'j';
    if (value.real() == 0 && !std::signbit(value.real())) return imag;
    const char* const plus = imag[0] == '-' ? "" : "+";
    return '(' + scalar_text(value.real(), "") + plus + imag + ')';
  } else {
    if (!std::isfinite(value)) return not_finite_text(value, false);
    const double size = std::fabs(static_cast<double>(value));
    const bool positional = size == 0 || (size >= 1e-4 && size < (std::is_same_v<T, float> ? 1e6 : 1e16));
    constexpr int all = 400;
    const number_parts parts = positional ? positional_parts(value, all) : scientific_parts(value, all);
    std::string text = parts.integer;
    if (!parts.fraction.empty()) text += '.' + parts.fraction;
    if (!positional) return text + 'e' + parts.exponent;
    return parts.fraction.empty() ? text + std::string(whole_number_tail) : text;
  }
}

}  // namespace ashlar::detail
