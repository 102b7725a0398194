/// \file
/// Functions of your own over whole blocks: map_blocks() block by block, blockwise() with axes matched by letters.
///
/// The function gets one `ndarray<const T>` for each array: the part that belongs to one block of the result, packed
/// and row-major, valid during the call. Blocks that lie packed in memory are not copied. It returns an `ndarray<R>`
/// (or a number, for a block of one element), or takes an `ndarray<R>` to fill after the blocks and returns nothing,
/// which saves a copy; its last parameter may be a `const block_info&`, which says where the block lies:
///
///     map_blocks([](ndarray<const double> x) { return sorted(x); }, a)
///     map_blocks([](ndarray<const double> x, ndarray<float> out, const block_info& at) { … }, a)
///
/// The element type of the result is R. Shapes are declared, never tried out: the function first runs in compute(), on
/// any thread and on several at once, once for each block of the result that has elements. A block of another shape
/// than declared, and whatever the function throws, is a task_error that names block and line.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <ashlar/array.hpp>
#include <ashlar/block_info.hpp>
#include <ashlar/chunks.hpp>
#include <ashlar/detail/block_kernel.hpp>
#include <ashlar/graph/make_blockwise.hpp>

namespace ashlar {

/// Options of map_blocks.
struct map_blocks_options {
  /// Lengths of the result's blocks: an entry per axis, or one for all. A number is the length that *every* block has
  /// along the axis, a list names them all, `keep` takes those of the arrays.
  ashlar::chunks chunks = keep;
  /// Axes of the arrays that the result does not have. The function gets them whole, not cut.
  axes drop_axis = axes::none();
  /// Axes of the result that the arrays do not have: one block each, of length 1 unless chunks says otherwise.
  axes new_axis = axes::none();
  /// For messages and explain().
  std::string name = "map_blocks";
};

/// Options of blockwise.
struct blockwise_options {
  /// As for map_blocks. An axis that no array has needs an entry, and has one block unless a list names more.
  ashlar::chunks chunks = keep;
  /// For messages and explain().
  std::string name = "blockwise";
};

namespace detail {

template <class F, class... X>
auto make_typed_blockwise(F f, blockwise_spec& spec, std::string name, std::source_location where, const X&... arrays) {
  static_assert(std::is_copy_constructible_v<F> || std::is_move_constructible_v<F>);
  if constexpr (check_signature<F, ndarray<const value_type_t<X>>...>()) {
    using R = typename block_signature<F, ndarray<const value_type_t<X>>...>::type;
    spec.function =
        std::make_shared<typed_block_function<F, ndarray<const value_type_t<X>>...>>(std::move(f), std::move(name));
    spec.type = dtype_of<R>;
    spec.inputs = {node_of(arrays, where)...};
    return std::type_identity<R>{};
  } else {
    return std::type_identity<double>{};  // the error has been given
  }
}

template <class F, class... X>
auto map_blocks(F f, map_blocks_options options, std::source_location where, const X&... arrays) {
  blockwise_spec spec;
  spec.chunks = std::move(options.chunks);
  const auto type = make_typed_blockwise(std::move(f), spec, std::move(options.name), where, arrays...);
  label_map_blocks(spec, options.drop_axis, options.new_axis);
  return array<typename decltype(type)::type>(make_blockwise(std::move(spec), where));
}

template <class F, class... X>
auto blockwise(F f, const std::string& rule, blockwise_options options, std::source_location where,
               const X&... arrays) {
  blockwise_spec spec;
  spec.chunks = std::move(options.chunks);
  const auto type = make_typed_blockwise(std::move(f), spec, std::move(options.name), where, arrays...);
  label_blockwise(spec, rule);
  return array<typename decltype(type)::type>(make_blockwise(std::move(spec), where));
}

}  // namespace detail

/// The array whose blocks are f of the blocks of the given arrays. Arrays broadcast: axes are matched from the right,
/// an axis of length 1 is given to every block as it is. Arrays that are cut differently are cut as for `x + y`, and
/// blocks that lie across cuts are put together. Without arrays, chunks must name all blocks; that is an array made by
/// a function of the position.
///
/// Cost: a task for each block; a copy of what lies not packed in memory (a strided array, a generator, blocks cut
/// differently), and one of the block that f returns.
/// @throws shape_error, axis_error, chunk_error (chunks that do not fit, unknown lengths)
template <class F>
auto map_blocks(F f, const map_blocks_options& options, std::source_location where = std::source_location::current()) {
  return detail::map_blocks(std::move(f), options, where);
}
template <class F, lazy X>
auto map_blocks(F f, const X& x, const map_blocks_options& options = {},
                std::source_location where = std::source_location::current()) {
  return detail::map_blocks(std::move(f), options, where, x);
}
template <class F, lazy X, lazy Y>
auto map_blocks(F f, const X& x, const Y& y, const map_blocks_options& options = {},
                std::source_location where = std::source_location::current()) {
  return detail::map_blocks(std::move(f), options, where, x, y);
}
template <class F, lazy X, lazy Y, lazy Z>
auto map_blocks(F f, const X& x, const Y& y, const Z& z, const map_blocks_options& options = {},
                std::source_location where = std::source_location::current()) {
  return detail::map_blocks(std::move(f), options, where, x, y, z);
}
template <class F, lazy X, lazy Y, lazy Z, lazy W>
auto map_blocks(F f, const X& x, const Y& y, const Z& z, const W& w, const map_blocks_options& options = {},
                std::source_location where = std::source_location::current()) {
  return detail::map_blocks(std::move(f), options, where, x, y, z, w);
}

/// The array whose blocks are f of parts of the given arrays, chosen by a rule as of einsum: `"ij,jk->ik"` names the
/// axes of each array and of the result. Axes of one letter belong together; a letter that the result has is cut, and
/// one that it has not is given to f whole. A letter of the result that no array has is a new axis, whose length chunks
/// must say. Lengths of one letter agree or are 1.
///
/// Cost: as map_blocks. An axis that is given whole is put together for every block of the result, in scratch; where
/// that is too much, keep it in the result with blocks of 1 and sum over it.
/// @throws value_error for text that is no rule, shape_error, chunk_error
template <class F, lazy X>
auto blockwise(F f, const std::string& rule, const X& x, const blockwise_options& options = {},
               std::source_location where = std::source_location::current()) {
  return detail::blockwise(std::move(f), rule, options, where, x);
}
template <class F, lazy X, lazy Y>
auto blockwise(F f, const std::string& rule, const X& x, const Y& y, const blockwise_options& options = {},
               std::source_location where = std::source_location::current()) {
  return detail::blockwise(std::move(f), rule, options, where, x, y);
}
template <class F, lazy X, lazy Y, lazy Z>
auto blockwise(F f, const std::string& rule, const X& x, const Y& y, const Z& z, const blockwise_options& options = {},
               std::source_location where = std::source_location::current()) {
  return detail::blockwise(std::move(f), rule, options, where, x, y, z);
}

}  // namespace ashlar
