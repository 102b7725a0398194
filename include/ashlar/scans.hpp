/// \file
/// Scans: cumsum, cumprod, cummin, cummax, nancumsum, nancumprod, cumulative_sum, cumulative_prod.
///
/// Each gives a lazy array of the shape of its input; `x.cumsum(0)` and `cumsum(x, 0)` are the same. One pass: element-
/// wise operations below a scan are computed in it, and each block goes on where the one before it along the axis
/// ended. So lines across the axis advance side by side, and one line alone keeps one worker busy.
///
/// The order of additions is fixed by the position along the axis (graph/scanner.hpp), so the same elements give the
/// same bits for any number of workers and any chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <type_traits>

#include <ashlar/detail/scan_loops.hpp>
#include <ashlar/graph/make_scan.hpp>
#include <ashlar/movement.hpp>
#include <ashlar/reductions.hpp>

namespace ashlar {

/// In which order floating-point sums run.
enum class scan_method : std::uint8_t {
  leaves,     ///< in leaves of 512 elements along the last axis, of 64 along another; float is added in double
  sequential  ///< one element after the other, in the type of the result: NumPy's bits
};

/// Options of a scan.
struct scan_options {
  scan_method method = scan_method::leaves;
};

namespace detail {

template <class Out, class X>
array<Out> scan(const X& x, const scan_spec& spec, std::source_location where) {
  return array<Out>(make_scan(node_of(x, where), spec, where));
}

/// The running fold of a type, in its wide accumulator or in the type of the result.
template <template <class, class, class> class Fold, class Tag, class X>
const scan_descriptor& fold_scan(bool sequential) {
  using K = reduced_kernel_t<X>;
  using Out = kernel_type_t<total_t<value_type_t<X>>>;
  using A = accumulator_t<K>;
  if constexpr (std::is_same_v<A, Out>) {
    static_cast<void>(sequential);
    return scan_of<Fold<K, A, Out>, Tag>;
  } else {
    return sequential ? scan_of<Fold<K, Out, Out>, Tag> : scan_of<Fold<K, A, Out>, Tag>;
  }
}

template <class Tag, class X>
auto cumsum(const X& x, std::optional<std::int64_t> axis, const scan_options& o, std::source_location where) {
  const bool sequential = o.method == scan_method::sequential;
  return scan<total_t<value_type_t<X>>>(x, {&fold_scan<running_sum, Tag, X>(sequential), axis, sequential}, where);
}

template <class Tag, class X>
auto cumprod(const X& x, std::optional<std::int64_t> axis, const scan_options& o, std::source_location where) {
  const bool sequential = o.method == scan_method::sequential;
  return scan<total_t<value_type_t<X>>>(x, {&fold_scan<running_product, Tag, X>(sequential), axis}, where);
}

template <class Tag, class X>
auto cummin(const X& x, std::optional<std::int64_t> axis, std::source_location where) {
  require_order<X>();
  return scan<value_type_t<X>>(x, {&scan_of<running_extremum<min_policy<reduced_kernel_t<X>>>, Tag>, axis}, where);
}

template <class Tag, class X>
auto cummax(const X& x, std::optional<std::int64_t> axis, std::source_location where) {
  require_order<X>();
  return scan<value_type_t<X>>(x, {&scan_of<running_extremum<max_policy<reduced_kernel_t<X>>>, Tag>, axis}, where);
}

/// Elements as they are, `Instead` for a NaN; computed in the pass that scans them.
template <int Instead, class Tag, class X>
auto scanned_numbers(const X& x) {
  if constexpr (std::is_integral_v<value_type_t<X>>) {
    return x;
  } else {
    return make_expression<Tag>(replace_nan_op{}, x, scalar_operand<value_type_t<X>>{value_type_t<X>(Instead)});
  }
}

}  // namespace detail

/// The members that make scans. `Self` is array<T> or an expression.
template <class Self>
class scan_members {
  using here = std::source_location;

 public:
  /// @name Scans
  /// Along one axis, of the flattened array when none is named; each is the free function of the same name.
  /// @throws axis_error
  /// @{
  template <class Tag = detail::backend_tag>
  auto cumsum(std::optional<std::int64_t> axis = std::nullopt, const scan_options& options = {},
              here where = here::current()) const {
    return detail::cumsum<Tag>(self(), axis, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto cumprod(std::optional<std::int64_t> axis = std::nullopt, const scan_options& options = {},
               here where = here::current()) const {
    return detail::cumprod<Tag>(self(), axis, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto cummin(std::optional<std::int64_t> axis = std::nullopt, here where = here::current()) const {
    return detail::cummin<Tag>(self(), axis, where);
  }
  template <class Tag = detail::backend_tag>
  auto cummax(std::optional<std::int64_t> axis = std::nullopt, here where = here::current()) const {
    return detail::cummax<Tag>(self(), axis, where);
  }
  /// @}

 private:
  const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

/// Sums of all elements up to each one. bool and signed integers give int64, unsigned ones uint64 (both wrap), float is
/// added in double and rounded once an element, unless the method is `sequential`, which gives NumPy's bits. Sums of
/// numbers that are not negative never decrease. Error: about 512 + n / 512 roundings along the last axis, 64 + n / 64
/// along another one, n with `sequential`. Cost: one pass. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto cumsum(const X& x, std::optional<std::int64_t> axis = std::nullopt, const scan_options& options = {},
            std::source_location where = std::source_location::current()) {
  return detail::cumsum<Tag>(x, axis, options, where);
}

/// Products of all elements up to each one, from left to right, so that nothing overflows that does not in NumPy; types
/// as cumsum. `sequential` multiplies float in float. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto cumprod(const X& x, std::optional<std::int64_t> axis = std::nullopt, const scan_options& options = {},
             std::source_location where = std::source_location::current()) {
  return detail::cumprod<Tag>(x, axis, options, where);
}

/// The smallest element up to each one, NaN from the first NaN on; -0.0 is below 0.0. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto cummin(const X& x, std::optional<std::int64_t> axis = std::nullopt,
            std::source_location where = std::source_location::current()) {
  return detail::cummin<Tag>(x, axis, where);
}

/// The largest element up to each one; as cummin.
template <lazy X, class Tag = detail::backend_tag>
auto cummax(const X& x, std::optional<std::int64_t> axis = std::nullopt,
            std::source_location where = std::source_location::current()) {
  return detail::cummax<Tag>(x, axis, where);
}

/// cumsum with NaN, and complex numbers with a NaN part, taken as 0. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto nancumsum(const X& x, std::optional<std::int64_t> axis = std::nullopt, const scan_options& options = {},
               std::source_location where = std::source_location::current()) {
  return detail::cumsum<Tag>(detail::scanned_numbers<0, Tag>(x), axis, options, where);
}

/// cumprod with NaN, and complex numbers with a NaN part, taken as 1. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto nancumprod(const X& x, std::optional<std::int64_t> axis = std::nullopt, const scan_options& options = {},
                std::source_location where = std::source_location::current()) {
  return detail::cumprod<Tag>(detail::scanned_numbers<1, Tag>(x), axis, options, where);
}

/// Options of cumulative_sum and cumulative_prod.
struct cumulative_options {
  /// The sum, or product, of nothing comes first along the axis, which gets one element longer.
  bool include_initial = false;
};

/// cumsum as the array API has it: along one axis, which only an array of one axis need not name.
/// @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto cumulative_sum(const X& x, std::optional<std::int64_t> axis = std::nullopt, const cumulative_options& options = {},
                    std::source_location where = std::source_location::current()) {
  using Out = detail::total_t<value_type_t<X>>;
  return array<Out>(detail::make_cumulative(
      detail::node_of(x, where), {&detail::fold_scan<detail::running_sum, Tag, X>(false), axis},
      options.include_initial ? detail::value_node<Out>(0, where) : nullptr, "cumulative_sum", where));
}

/// cumprod as the array API has it. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto cumulative_prod(const X& x, std::optional<std::int64_t> axis = std::nullopt,
                     const cumulative_options& options = {},
                     std::source_location where = std::source_location::current()) {
  using Out = detail::total_t<value_type_t<X>>;
  return array<Out>(detail::make_cumulative(
      detail::node_of(x, where), {&detail::fold_scan<detail::running_product, Tag, X>(false), axis},
      options.include_initial ? detail::value_node<Out>(1, where) : nullptr, "cumulative_prod", where));
}

}  // namespace ashlar
