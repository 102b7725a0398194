/// \file
/// Text of users (names of operations, files, lines) inside JSON and DOT, which both want escapes and UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ashlar::detail {

/// Bytes of the UTF-8 character at text[i], or 0 where there is none: file names may hold any bytes.
inline std::size_t utf8_length(std::string_view text, std::size_t i) noexcept {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned first = byte(i);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(i + 1);
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second > 0x9f;
  const bool too_large = first == 0xf4 && second > 0x8f;
  return too_long || surrogate || too_large ? 0 : length;
}

/// Appends `text` in quotes: quotes, backslashes and line feeds escaped, control characters by `control(out, byte)`,
/// and `unknown` for each byte that is no UTF-8.
template <class Control>
void append_quoted(std::string& out, std::string_view text, const char* unknown, Control control) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const char c = text[i];
    if (length == 0) {
      out += unknown;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) {
      control(out, static_cast<unsigned char>(c));
    } else {
      out.append(text, i, length);
    }
    i += length == 0 ? 1 : length;
  }
  out += '"';
}

/// Appends `text` as a JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD each.
inline void append_json(std::string& out, std::string_view text) {
  append_quoted(out, text, "\\ufffd", [](std::string& to, unsigned char c) {
    const char* const digits = "0123456789abcdef";
    to += "\\u00";
    to += digits[c >> 4];
    to += digits[c & 15];
  });
}

/// Appends `text` as a quoted DOT string that shows as it is: DOT's own escapes (\N, \G, \l) mean nothing in it, line
/// feeds stay line breaks, other control characters become blanks, and bytes that are no UTF-8 question marks.
inline void append_dot(std::string& out, std::string_view text) {
  append_quoted(out, text, "?", [](std::string& to, unsigned char) { to += ' '; });
}

}  // namespace ashlar::detail
