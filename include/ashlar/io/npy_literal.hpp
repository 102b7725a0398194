/// \file
/// Reads the part of Python's literals that the header of a .npy file uses: a dictionary of strings, booleans and
/// tuples of integers. A hand-written reader without recursion: a hostile header can neither run code nor exhaust the
/// stack.
#pragma once

#include <ashlar/error.hpp>
#include <ashlar/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::detail {

/// The first `limit` bytes of `text` in quotes, with everything that is not printable ASCII as \xNN.
inline std::string npy_quoted(std::string_view text, std::size_t limit = 80) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, limit)) {
    const auto u = static_cast<unsigned char>(c);
    if (u >= 32 && u < 127) {
      out.push_back(c);
    } else {
      out.append({'\\', 'x', digits[u >> 4], digits[u & 15]});
    }
  }
  out.push_back('\'');
  if (text.size() > limit) out += " (and " + std::to_string(text.size() - limit) + " bytes more)";
  return out;
}

inline std::string npy_context(std::string_view path) {
  return path.empty() ? std::string("npy header: ") : "npy file '" + std::string(path) + "': ";
}

[[noreturn]] inline void npy_fail(std::string_view path, const std::string& what) {
  throw file_error(npy_context(path) + what);
}

[[noreturn]] inline void npy_throw_dtype(std::string_view path, const std::string& what) {
  throw dtype_error(
      npy_context(path) + what +
      "; supported are bool, signed and unsigned integers of 8 to 64 bits, float32, float64, complex64 and "
      "complex128, in either byte order");
}

/// A cursor over the header text. Each read skips white space first.
class npy_literal_reader {
 public:
  npy_literal_reader(std::string_view text, std::string_view path) : text_(text), path_(path) {}

  /// @throws file_error always: what went wrong, where, and the text around it
  [[noreturn]] void fail(const std::string& what) const {
    npy_fail(path_, what + " (at byte " + std::to_string(at_) + " of header text " + npy_quoted(trimmed(text_)) + ")");
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, const std::string& what) {
    if (!accept(c)) fail("expected " + what + ", found " + found());
  }

  void expect_end() {
    skip_space();
    if (at_ < text_.size()) fail("expected nothing behind '}', found " + found());
  }

  /// A string in single or double quotes, Python 2's u'' too. Escapes are refused: no key and no type needs one.
  std::string read_string(const std::string& what) {
    skip_space();
    std::size_t at = at_;
    if (at < text_.size() && (text_[at] == 'u' || text_[at] == 'U')) ++at;
    if (at >= text_.size() || (text_[at] != '\'' && text_[at] != '"')) fail("expected " + what + ", found " + found());
    const char quote = text_[at];
    for (std::size_t i = at + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == '\\') fail("expected a string without escapes, found " + found());
      if (text_[i] != quote) continue;
      const std::string_view value = text_.substr(at + 1, i - at - 1);
      at_ = i + 1;
      return std::string(value);
    }
    fail("expected a closing quote, found " + found());
  }

  bool read_bool(const std::string& what) {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    fail("expected " + what + ", found " + found());
  }

  /// The value of 'descr'. `source` gets the value as it stands there.
  /// @throws dtype_error a list or tuple, which is a structured type; None and the like
  std::string read_descr(std::string_view& source) {
    skip_space();
    const std::size_t start = at_;
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(' || text_[at_] == '{')) {
      source = text_.substr(start, end_of_brackets() - start);
      npy_throw_dtype(path_, "element type " + npy_quoted(source) + " is structured");
    }
    std::string value = read_string("an element type in quotes behind 'descr', such as '<f8'");
    source = text_.substr(start, at_ - start);
    if (source.size() == value.size() + 2) source = source.substr(1, value.size());
    return value;
  }

  /// A tuple of extents: (), (3,), (3, 4), (10, 4,), with Python 2's 3L.
  ashlar::shape read_shape() {
    expect('(', "a tuple behind 'shape', such as (3, 4)");
    ashlar::shape result;
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("expected ',' or ')' in the shape, found " + found());
      const std::int64_t extent = read_extent();
      if (result.ndim() == max_ndim) fail("the shape has more than " + std::to_string(max_ndim) + " axes");
      result.push_back(extent);
      comma = accept(',');
    }
    if (result.ndim() == 1 && !comma) {
      const std::string n = std::to_string(result[0]);
      fail("(" + n + ") is a number, expected a tuple; the shape of one axis is written (" + n + ",)");
    }
    return result;
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  }

  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string found() const {
    const std::string_view rest = trimmed(text_.substr(at_));
    return rest.empty() ? std::string("the end") : npy_quoted(rest.substr(0, 20), 20);
  }

  bool accept_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
  }

  std::int64_t read_extent() {
    skip_space();
    std::size_t i = at_;
    const bool negative = i < text_.size() && text_[i] == '-';
    if (i < text_.size() && (text_[i] == '-' || text_[i] == '+')) ++i;
    const std::size_t first = i;
    std::int64_t value = 0;
    bool overflow = false;
    for (; i < text_.size() && is_digit(text_[i]); ++i) {
      overflow = __builtin_mul_overflow(value, std::int64_t{10}, &value) || overflow;
      overflow = __builtin_add_overflow(value, std::int64_t{text_[i] - '0'}, &value) || overflow;
    }
    const std::size_t digits = i - first;
    if (digits > 0 && i < text_.size() && text_[i] == 'L') ++i;
    if (digits == 0 || (i < text_.size() && is_word(text_[i])) || (digits > 1 && text_[first] == '0' && value != 0)) {
      fail("expected an extent, found " + found());
    }
    if (negative && (value != 0 || overflow)) fail("expected an extent of 0 or more, found " + found());
    if (overflow) fail("expected an extent below 2**63, found " + found());
    at_ = i;
    return value;
  }

  std::size_t end_of_brackets() const {
    std::int64_t depth = 0;
    char quote = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '[' || c == '(' || c == '{') {
        ++depth;
      } else if ((c == ']' || c == ')' || c == '}') && --depth == 0) {
        return i + 1;
      }
    }
    return text_.size();
  }

  std::string_view text_;
  std::string_view path_;
  std::size_t at_ = 0;
};

}  // namespace ashlar::detail
