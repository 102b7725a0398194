/// \file
/// One run for several arrays: compute(a, b), explain(a, b), visualize(path, options, a, b). Part of array.hpp.
#pragma once

#include <cstddef>
#include <source_location>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>

namespace ashlar {

namespace detail {

template <lazy... X>
std::tuple<ndarray<value_type_t<X>>...> compute_all(const executor_ref& on, const run_options& options,
                                                    std::source_location where, const X&... arrays) {
  std::vector<node_ptr> nodes{node_of(arrays, where)...};
  std::tuple<ndarray<value_type_t<X>>...> results = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<ndarray<value_type_t<X>>...>{ndarray<value_type_t<X>>(nodes[I]->shape)...};
  }(std::index_sequence_for<X...>{});
  std::vector<result_target> targets;
  std::apply([&](auto&... r) { (targets.push_back(target_of(r)), ...); }, results);
  compute_into_targets(on, std::move(nodes), targets, options);
  return results;
}

}  // namespace detail

/// Computes several arrays in one run: what they share is computed once, reductions of the same data share one pass.
/// Cost and errors are those of the member compute(), once for all of them.
/// @returns a tuple of ndarrays, in order
template <lazy... X>
  requires(sizeof...(X) > 0)
auto compute(const X&... arrays) {
  return detail::compute_all(detail::default_ref(), run_options{}, std::source_location{}, arrays...);
}

/// The same on a given executor.
template <executor Where, lazy... X>
  requires(sizeof...(X) > 0)
auto compute(const Where& on, const X&... arrays) {
  return detail::compute_all(detail::ref(on), run_options{}, std::source_location{}, arrays...);
}

/// The same on a given executor with options.
template <executor Where, lazy... X>
  requires(sizeof...(X) > 0)
auto compute(const Where& on, const run_options& options, const X&... arrays) {
  return detail::compute_all(detail::ref(on), options, std::source_location{}, arrays...);
}

/// What compute() with the same arguments would do in one run; see the member explain(). Nothing runs.
/// @throws as the member does
template <lazy... X>
  requires(sizeof...(X) > 0)
std::string explain(const X&... arrays) {
  return detail::explain_nodes(detail::default_ref(), {detail::node_of(arrays, std::source_location{})...}, {});
}
template <executor Where, lazy... X>
  requires(sizeof...(X) > 0)
std::string explain(const Where& on, const X&... arrays) {
  return detail::explain_nodes(detail::ref(on), {detail::node_of(arrays, std::source_location{})...}, {});
}
template <executor Where, lazy... X>
  requires(sizeof...(X) > 0)
std::string explain(const Where& on, const run_options& options, const X&... arrays) {
  return detail::explain_nodes(detail::ref(on), {detail::node_of(arrays, std::source_location{})...}, options);
}

/// Draws the plan of compute(a, b, …), as the member visualize() does for one array.
template <lazy... X>
  requires(sizeof...(X) > 0)
void visualize(const std::string& path, const graph_options& options, const X&... arrays) {
  detail::draw_nodes({detail::node_of(arrays, std::source_location{})...}, detail::default_executor().load()().lanes,
                     path, options);
}

/// The text of that picture, in Graphviz's DOT.
template <lazy... X>
  requires(sizeof...(X) > 0)
std::string to_dot(const graph_options& options, const X&... arrays) {
  return detail::dot_of_nodes({detail::node_of(arrays, std::source_location{})...},
                              detail::default_executor().load()().lanes, options);
}

}  // namespace ashlar
