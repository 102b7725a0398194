/// \file
/// Expressions: `a + b`, `sin(a)`, `where(c, a, b)`, `map(f, a, b)`.
///
/// An expression is a small typed value that owns handles of its operands, so `auto` never dangles. Nothing is computed
/// and no node is made until it is assigned to an array, reduced, or computed; then the whole expression becomes one
/// kernel, one loop over a block. Expressions deeper than a dozen operations are cut into several kernels, which bounds
/// compile time and still cost one pass.
#pragma once

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/detail/element_ops.hpp>
#include <ashlar/graph/make_node.hpp>

namespace ashlar {

template <class T>
class array;

template <class Tag, class Op, class... A>
class expression;

namespace detail {

/// A C++ number inside an expression, already in the type in which the operation runs.
template <class T>
struct scalar_operand {
  using value_type = T;
  T value;
};

template <class X>
inline constexpr bool is_array = false;
template <class T>
inline constexpr bool is_array<array<T>> = true;
template <class X>
inline constexpr bool is_expression = false;
template <class Tag, class Op, class... A>
inline constexpr bool is_expression<expression<Tag, Op, A...>> = true;

}  // namespace detail

/// A lazy array: array<T> or an expression over arrays.
template <class X>
concept lazy = detail::is_array<std::remove_cvref_t<X>> || detail::is_expression<std::remove_cvref_t<X>>;

/// What may stand in an element-wise operation.
template <class X>
concept operand = lazy<X> || weak_scalar<std::remove_cvref_t<X>>;

/// The element type of an operand.
template <operand X>
struct value_type_of {
  using type = std::remove_cvref_t<X>;
};
template <lazy X>
struct value_type_of<X> {
  using type = typename std::remove_cvref_t<X>::value_type;
};
template <operand X>
using value_type_t = typename value_type_of<X>::type;

namespace detail {

// --- from an expression's type to its kernel's type ---

template <int First, class X>
struct bind;

template <int First, class T>
struct bind<First, array<T>> {
  using type = slot<First, kernel_type_t<T>>;
  static constexpr int next = First + 1;
  static type make(const array<T>& a, std::vector<node_ptr>& leaves) {
    leaves.push_back(a.node());
    return {};
  }
};

template <int First, class T>
struct bind<First, scalar_operand<T>> {
  using type = constant<kernel_type_t<T>>;
  static constexpr int next = First;
  static type make(const scalar_operand<T>& s, std::vector<node_ptr>&) { return {kernel_type_t<T>(s.value)}; }
};

template <int First, class... A>
struct bind_list;

template <int First>
struct bind_list<First> {
  static constexpr int next = First;
  template <class Op, class... K>
  using call_with = call<Op, K...>;
  static pack<> make(const pack<>&, std::vector<node_ptr>&) { return {}; }
};

template <int First, class A, class... Rest>
struct bind_list<First, A, Rest...> {
  using head = bind<First, A>;
  using rest = bind_list<head::next, Rest...>;
  static constexpr int next = rest::next;
  template <class Op, class... K>
  using call_with = typename rest::template call_with<Op, K..., typename head::type>;
  static auto make(const pack<A, Rest...>& p, std::vector<node_ptr>& leaves) {
    // the head's leaves come first
    auto first = head::make(p.head, leaves);
    auto others = rest::make(p.tail, leaves);
    return prepend(std::move(first), std::move(others));
  }

 private:
  template <class H, class... T>
  static pack<H, T...> prepend(H h, pack<T...> t) {
    return {std::move(h), std::move(t)};
  }
};

template <int First, class Tag, class Op, class... A>
struct bind<First, expression<Tag, Op, A...>> {
  using list = bind_list<First, A...>;
  using type = typename list::template call_with<Op>;
  static constexpr int next = list::next;
  static type make(const expression<Tag, Op, A...>& e, std::vector<node_ptr>& leaves) {
    return {e.op(), list::make(e.operands(), leaves)};
  }
};

template <class X>
node_ptr node_of(const X& x, std::source_location where) {
  if constexpr (is_array<X>) {
    static_cast<void>(where);
    return x.node();
  } else {
    return x.node(where);
  }
}

// --- static size ---

inline constexpr int max_static_operations = 12;

template <class X>
struct static_size {
  static constexpr int leaves = is_array<X> ? 1 : 0;
  static constexpr int operations = 0;
};
template <class Tag, class Op, class... A>
struct static_size<expression<Tag, Op, A...>> {
  static constexpr int leaves = (static_size<A>::leaves + ... + 0);
  static constexpr int operations = 1 + (static_size<A>::operations + ... + 0);
};

template <class X>
ashlar::shape shape_of(const X& x) {
  if constexpr (lazy<X>) {
    return x.shape();
  } else {
    return {};
  }
}

/// Cuts an operand that is an expression off into an array of its own. It has no source line; messages take that of the
/// array that it becomes part of.
template <class X>
auto cut(const X& x) {
  if constexpr (is_expression<X>) {
    return array<typename X::value_type>(x, std::source_location{});
  } else {
    return x;
  }
}

/// Builds the expression; checks that the shapes broadcast.
/// @throws shape_error that names the operation and both shapes
template <class Tag, class Op, class... A>
auto make_expression(Op op, const A&... args) {
  constexpr int leaves = (static_size<A>::leaves + ... + 0);
  constexpr int operations = 1 + (static_size<A>::operations + ... + 0);
  static_assert((static_cast<int>(lazy<A>) + ... + 0) <= max_kernel_inputs,
                "ashlar: a function of more than 12 arrays; combine some of them first");
  if constexpr (leaves > max_kernel_inputs || operations > max_static_operations) {
    return make_expression<Tag>(std::move(op), cut(args)...);
  } else {
    ashlar::shape all;
    ((all = broadcast_shapes(all, shape_of(args), operation_name<Op>())), ...);
    static_cast<void>(all.size());  // throws when the number of elements overflows
    return expression<Tag, Op, A...>(std::move(op), make_pack(args...));
  }
}

/// The operand as it stands in an operation whose other operand has elements of `Other`: arrays as they are, numbers
/// weak, converted to the type that they take beside `Other`.
template <class Other, class X>
auto beside(const X& x, const char* call) {
  if constexpr (lazy<X>) {
    return x;
  } else {
    using W = weak_t<Other, X>;
    return scalar_operand<W>{weak_cast<W>(x, call)};
  }
}

template <class Tag, class Op, class A, class B>
auto binary(Op op, const A& a, const B& b) {
  if constexpr (!lazy<A>) {
    return make_expression<Tag>(op, beside<value_type_t<B>>(a, operation_name<Op>()), b);
  } else {
    return make_expression<Tag>(op, a, beside<value_type_t<A>>(b, operation_name<Op>()));
  }
}

/// The operand as an array of its own, so that several expressions read it once; numbers stay numbers.
template <class X>
auto as_array(const X& x, std::source_location where) {
  if constexpr (is_expression<X>) {
    return array<typename X::value_type>(x, where);
  } else {
    static_cast<void>(where);
    return x;
  }
}

/// A number as R; arrays as they are.
template <class R, class X>
auto number_as(const X& x) {
  if constexpr (lazy<X>) {
    return x;
  } else {
    return scalar_operand<R>{static_cast<R>(x)};
  }
}

/// The type in which both operands of an operation meet: promoted, or the array's beside a weak number.
template <class A, class B>
struct common_value {
  using type = promote_t<value_type_t<A>, value_type_t<B>>;
};
template <lazy A, class B>
  requires(!lazy<B>)
struct common_value<A, B> {
  using type = weak_t<value_type_t<A>, B>;
};
template <class A, lazy B>
  requires(!lazy<A>)
struct common_value<A, B> {
  using type = weak_t<value_type_t<B>, A>;
};

template <class A, class B>
concept operand_pair = operand<A> && operand<B> && (lazy<A> || lazy<B>);

}  // namespace detail
}  // namespace ashlar
