/// \file
/// Functions of your own over blocks and what lies around them: stencils, filters, finite differences.
///
/// The function gets one `halo_block<T>` for each array, whose indices count from the block itself, so that neighbours
/// are at -1 and +1, and makes the block without anything around it; nothing is trimmed and no copy is made for that:
///
///     map_overlap([](halo_block<double> u, ndarray<double> out) { … u(i - 1, j) … u(i, j + 1) … }, a,
///                 {.depth = 1, .boundary = boundary::edge})
///
/// Otherwise everything is as for map_blocks (blockwise.hpp): it may return its block, or take one to fill, and ask
/// where it lies by a `const block_info&`. One task makes one block, from the neighbours that it touches.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <ashlar/array.hpp>
#include <ashlar/block_info.hpp>
#include <ashlar/boundary.hpp>
#include <ashlar/chunks.hpp>
#include <ashlar/detail/block_kernel.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/make_blockwise.hpp>
#include <ashlar/halo_block.hpp>
#include <ashlar/overlap_depth.hpp>

namespace ashlar {

/// Options of map_overlap.
struct map_overlap_options {
  /// Elements around each block: for all axes, for each axis of the (broadcast) arrays, or before and after apart.
  overlap_depth depth = 0;
  /// What lies beyond the array: for all axes, or for each. Has to be said where there is a depth.
  boundaries boundary = {};
  /// The function returns its block with what the arrays have around theirs, and that is cut off: for functions that
  /// make an array of the shape of padded().
  bool trim = false;
  /// Lengths of the result's blocks, as for map_blocks.
  ashlar::chunks chunks = keep;
  /// Axes of the arrays that the result does not have. The function gets them whole, with what lies around them.
  axes drop_axis = axes::none();
  /// Axes of the result that the arrays do not have: one block each, of length 1 unless chunks says otherwise.
  axes new_axis = axes::none();
  /// For messages and explain().
  std::string name = "map_overlap";
};

namespace detail {

/// Refuses, in words, what is no function of such blocks. @returns whether it is one
template <class F, class... V>
constexpr bool check_overlap_signature() {
  using s = block_signature<F, V...>;
  constexpr bool vague = s::form == block_form::vague;
  constexpr bool none = s::form == block_form::none;
  static_assert(!vague,
                "ashlar: the function given to map_overlap returns nothing, so it must fill a block: the parameter "
                "after the blocks, with a type, ndarray<double> out and not auto out");
  static_assert(!none,
                "ashlar: the function given to map_overlap is called with one halo_block<T> for each array, where T is "
                "the element type of that array; then, if it takes them, with an ndarray<R> to fill and a "
                "const block_info&; it must be callable when const");
  constexpr bool gives = vague || none || !std::is_void_v<typename s::type>;
  static_assert(gives,
                "ashlar: the function given to map_overlap must return its block, an ndarray<R> of an element type, or "
                "a number for a block of one element; or take an ndarray<R> to fill as the parameter after the blocks, "
                "and return nothing");
  return !vague && !none && gives;
}

template <class F, class... X>
auto map_overlap(F f, const map_overlap_options& options, std::source_location where, const X&... arrays) {
  if constexpr (check_overlap_signature<F, halo_block<value_type_t<X>>...>()) {
    using signature = block_signature<F, halo_block<value_type_t<X>>...>;
    if (options.trim && signature::form == block_form::fills) {
      throw value_error(options.name +
                        ": .trim is for a function that returns its block; this one fills a block that has nothing "
                        "around it, so there is nothing to trim");
    }
    blockwise_spec spec;
    spec.chunks = options.chunks;
    spec.function =
        std::make_shared<typed_block_function<F, halo_block<value_type_t<X>>...>>(std::move(f), options.name);
    spec.type = dtype_of<typename signature::type>;
    spec.inputs = {node_of(arrays, where)...};
    spec.halo = {options.depth.list(), options.boundary.list(), options.trim};
    label_map_blocks(spec, options.drop_axis, options.new_axis);
    return array<typename signature::type>(make_blockwise(std::move(spec), where));
  } else {
    return array<double>(nullptr);  // the error has been given
  }
}

}  // namespace detail

/// The array whose blocks are f of the blocks of the given arrays and of what lies around them. Arrays broadcast and
/// are cut as for map_blocks; an axis of length 1 beside a longer one is given as it is, with nothing around it. A
/// depth may be longer than a block, or than the array: then f gets elements of several neighbours, or boundary repeats
/// them.
///
/// Cost: a task for each block; a copy of the block and what is around it, unless that lies in one place in memory and
/// does not reach beyond the array.
/// @throws shape_error, axis_error, chunk_error as map_blocks; value_error for a negative depth, no boundary, or lists
/// that are neither one entry nor one for each axis; dtype_error for a constant that is no value of an array's type;
/// shape_error for an empty axis, of which nothing can be repeated
template <class F, lazy X>
auto map_overlap(F f, const X& x, const map_overlap_options& options,
                 std::source_location where = std::source_location::current()) {
  return detail::map_overlap(std::move(f), options, where, x);
}
template <class F, lazy X, lazy Y>
auto map_overlap(F f, const X& x, const Y& y, const map_overlap_options& options,
                 std::source_location where = std::source_location::current()) {
  return detail::map_overlap(std::move(f), options, where, x, y);
}
template <class F, lazy X, lazy Y, lazy Z>
auto map_overlap(F f, const X& x, const Y& y, const Z& z, const map_overlap_options& options,
                 std::source_location where = std::source_location::current()) {
  return detail::map_overlap(std::move(f), options, where, x, y, z);
}
template <class F, lazy X, lazy Y, lazy Z, lazy W>
auto map_overlap(F f, const X& x, const Y& y, const Z& z, const W& w, const map_overlap_options& options,
                 std::source_location where = std::source_location::current()) {
  return detail::map_overlap(std::move(f), options, where, x, y, z, w);
}

}  // namespace ashlar
