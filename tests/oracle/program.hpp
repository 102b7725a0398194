/// \file
/// What the interpreter's files share: values whose element type is known only when the program runs, the words of a
/// statement, and the subjects that statements are looked up in. docs/oracle.md has the language.
///
/// Values are graph nodes. Each subject turns one back into array<T> in one place, so that the library's templates are
/// compiled once a type and subject.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/index.hpp>

namespace oracle {

namespace ash = ashlar;

/// A program that the interpreter does not understand: a fault of its writer, not of the library.
class bad_program : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct value {
  ash::detail::node_ptr node;

  value() = default;
  explicit value(ash::detail::node_ptr n) : node(std::move(n)) {}
  template <ash::lazy X>
  value(const X& x) : node(ash::detail::node_of(x, std::source_location{})) {}

  template <class T>
  ash::array<T> as() const {
    return ash::array<T>(node);
  }
};

template <class... T>
struct types {};
using every_type = types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint64_t,
                         float, double, std::complex<double>>;
using number_types = types<std::int8_t, std::int32_t, std::int64_t, std::uint8_t, float, double, std::complex<double>>;
using real_types = types<bool, std::int8_t, std::int32_t, std::int64_t, std::uint8_t, float, double>;
using bit_types = types<bool, std::int8_t, std::int32_t, std::int64_t, std::uint8_t>;
using integer_types = types<std::int8_t, std::int32_t, std::int64_t, std::uint8_t>;
using float_types = types<float, double>;
using inexact_types = types<float, double, std::complex<double>>;

/// f(array<T>) for the T of the list that `v` has.
template <class... T, class F>
value visit(const value& v, types<T...>, F&& f) {
  value out;
  const bool found = (... || (v.node->type == ash::dtype_of<T> && (out = value(f(v.as<T>())), true)));
  if (!found) throw bad_program("the operation does not take " + std::string(ash::name(v.node->type)));
  return out;
}

/// The words of a statement behind its operation.
class arguments {
 public:
  arguments(const std::vector<value>& values, std::vector<std::string> words)
      : values_(values), words_(std::move(words)) {}

  bool more() const { return next_ < words_.size(); }
  const std::string& word();
  /// A value of an earlier statement, `%3`.
  const value& operand();
  std::vector<value> operands();
  std::int64_t integer() { return std::stoll(word()); }
  double number() { return std::stod(word()); }
  /// `1,-2,3`; `-` has none.
  std::vector<std::int64_t> list();
  /// A list, or `all`.
  ash::axes axes();
  ash::shape shape() { return ash::shape(std::span<const std::int64_t>(list())); }
  /// Blocks of each axis: `2+0+3/4`; `-` for no axis.
  ash::chunks chunks();
  /// All words that are left, as what stands between brackets: `3`, `:10:2`, `new`, `all`, `...`.
  std::vector<ash::detail::index_item> index();

 private:
  const std::vector<value>& values_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

// One file each. They return false when the operation is none of theirs.
bool make_leaf(const std::string& operation, arguments& a, value& out);
bool make_view(const std::string& operation, arguments& a, value& out);
bool make_padding(const std::string& operation, arguments& a, value& out);
bool make_movement(const std::string& operation, arguments& a, value& out);
bool make_arithmetic(const std::string& operation, arguments& a, value& out);
bool make_mixed(const std::string& operation, arguments& a, value& out);
bool make_choice(const std::string& operation, arguments& a, value& out);
bool make_function(const std::string& operation, arguments& a, value& out);
bool make_reduction(const std::string& operation, arguments& a, value& out);
bool make_nan_reduction(const std::string& operation, arguments& a, value& out);

}  // namespace oracle
