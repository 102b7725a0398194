#pragma once

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace testing_support {

/// A value of JSON. Members that are not there are null values.
struct json {
  enum class kind { null, boolean, number, text, list, object };
  kind is = kind::null;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<json> items;
  std::map<std::string, json> members;

  const json& operator[](const std::string& name) const {
    static const json none;
    const auto at = members.find(name);
    return at == members.end() ? none : at->second;
  }
};

/// Reads JSON as RFC 8259 has it and nothing else; throws std::runtime_error with the position.
class json_reader {
 public:
  static json read(std::string_view text) {
    json_reader reader(text);
    json value = reader.value();
    reader.blanks();
    if (reader.at_ != text.size()) reader.fail("more after the value");
    return value;
  }

 private:
  explicit json_reader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(std::string("JSON at ") + std::to_string(at_) + ": " + what);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) fail("another word");
    at_ += word.size();
  }

  json value() {
    blanks();
    json v;
    switch (peek()) {
      case '{':
        v.is = json::kind::object;
        object(v);
        return v;
      case '[':
        v.is = json::kind::list;
        list(v);
        return v;
      case '"':
        v.is = json::kind::text;
        v.text = string();
        return v;
      case 't':
      case 'f':
        v.is = json::kind::boolean;
        v.boolean = peek() == 't';
        expect(v.boolean ? "true" : "false");
        return v;
      case 'n':
        expect("null");
        return v;
      default:
        v.is = json::kind::number;
        v.number = number();
        return v;
    }
  }

  void object(json& v) {
    ++at_;
    blanks();
    if (take('}')) return;
    do {
      blanks();
      const std::string name = string();
      blanks();
      if (!take(':')) fail("no colon");
      if (!v.members.emplace(name, value()).second) fail("a member twice");
      blanks();
    } while (take(','));
    if (!take('}')) fail("no end of the object");
  }

  void list(json& v) {
    ++at_;
    blanks();
    if (take(']')) return;
    do {
      v.items.push_back(value());
      blanks();
    } while (take(','));
    if (!take(']')) fail("no end of the list");
  }

  std::string string() {
    if (!take('"')) fail("no string");
    std::string out;
    for (;;) {
      if (at_ >= text_.size()) fail("no end of the string");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string");
      if (c != '\\') {
        out += c;
        continue;
      }
      const char e = peek();
      ++at_;
      const std::string_view from = "\"\\/bfnrt";
      const std::string_view to = "\"\\/\b\f\n\r\t";
      if (e == 'u') {
        for (int k = 0; k < 4; ++k, ++at_) {
          if (std::string_view("0123456789abcdefABCDEF").find(peek()) == std::string_view::npos) fail("no \\u");
        }
        out += "\\u" + std::string(text_.substr(at_ - 4, 4));
      } else if (from.find(e) != std::string_view::npos && e != '\0') {
        out += to[from.find(e)];
      } else {
        fail("an unknown escape");
      }
    }
  }

  bool digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin;
  }

  double number() {
    const std::size_t begin = at_;
    take('-');
    if (!take('0') && !digits()) fail("no value");
    if (take('.') && !digits()) fail("no digits after the point");
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) fail("no exponent");
    }
    return std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace testing_support
