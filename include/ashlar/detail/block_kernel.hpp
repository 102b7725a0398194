/// \file
/// From a user's function of blocks to a block_function: what it is called with, and what it gives, by its signature
/// alone.
///
/// It is called as f(blocks…), and with a last argument block_info when it takes one. It gives its block as an ndarray,
/// or as a number for a block of one element, or takes an ndarray to fill after the operands and returns nothing. Which
/// of these it does is found by asking the compiler; the type that it fills is the one for which the call compiles.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <ashlar/block_info.hpp>
#include <ashlar/dtype.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/block_function.hpp>
#include <ashlar/ndarray.hpp>

namespace ashlar::detail {

inline shape shape_of_box(const box& b) {
  shape s;
  for (int a = 0; a < b.ndim; ++a) s.push_back(b.length[a]);
  return s;
}

inline block_place place_of(const block_part& p) {
  block_place place{{}, shape_of_box(p.where), *p.whole};
  for (int a = 0; a < p.where.ndim; ++a) place.offset.push_back(p.where.offset[a]);
  return place;
}

inline block_info info_of(const block_call& c) {
  block_info info;
  info.number = c.grid->linear(c.position);
  info.blocks = c.grid->counts();
  for (int a = 0; a < c.grid->ndim(); ++a) info.block.push_back(c.position[a]);
  info.result = place_of(c.out);
  for (int k = 0; k < c.inputs; ++k) info.inputs.push_back(place_of(c.in[k]));
  return info;
}

[[noreturn]] inline void throw_block_shape(const char* call, const std::string& got, const shape& expected,
                                           const char* rule) {
  throw shape_error(std::string(call) + ": the function gave a block of shape " + got + ", and it has shape " +
                    expected.to_string() + rule);
}

/// A view of memory that outlives the call of a user's function, and no longer.
template <class T>
ndarray<T> view_of(void* data, const shape& extents) {
  return ndarray<T>(buffer{}, static_cast<T*>(data), extents, row_major_strides(extents));
}

/// What a function is given for a part.
template <class T>
ndarray<const T> view_of_part(std::type_identity<ndarray<const T>>, const block_part& part) {
  return view_of<const T>(part.data, shape_of_box(part.where));
}

// --- the signature ---

template <class T>
inline constexpr bool is_ndarray = false;
template <class T>
inline constexpr bool is_ndarray<ndarray<T>> = true;

/// What a block that a function returned consists of: the elements of an ndarray, or the value itself.
template <class R>
struct returned {
  using type = R;
};
template <class T>
struct returned<ndarray<T>> {
  using type = std::remove_const_t<T>;
};

template <class... T>
struct type_list {};

using fillable =
    type_list<double, float, std::int64_t, std::int32_t, bool, std::int8_t, std::int16_t, std::uint8_t, std::uint16_t,
              std::uint32_t, std::uint64_t, std::complex<float>, std::complex<double>, long long, unsigned long long>;

struct no_extra {};

template <class F, class Info, class... V>
constexpr bool calls() {
  if constexpr (std::is_same_v<Info, no_extra>) {
    return std::is_invocable_v<const F&, V...>;
  } else {
    return std::is_invocable_v<const F&, V..., Info>;
  }
}

/// Whether F called with these is all done, and gives nothing.
template <class F, class Info, class... V>
constexpr bool fills() {
  if constexpr (!calls<F, Info, V...>()) {
    return false;
  } else if constexpr (std::is_same_v<Info, no_extra>) {
    return std::is_void_v<std::invoke_result_t<const F&, V...>>;
  } else {
    return std::is_void_v<std::invoke_result_t<const F&, V..., Info>>;
  }
}

/// The one type that the function fills a block of; void when there is none, no_extra when there are several.
template <class F, class Info, class Found, class List, class... V>
struct filled;
template <class F, class Info, class Found, class... V>
struct filled<F, Info, Found, type_list<>, V...> {
  using type = Found;
};
template <class F, class Info, class Found, class T, class... Rest, class... V>
struct filled<F, Info, Found, type_list<T, Rest...>, V...> {
  static constexpr bool here = fills<F, Info, V..., ndarray<T>>();
  using next = std::conditional_t<!here, Found, std::conditional_t<std::is_void_v<Found>, T, no_extra>>;
  using type = typename filled<F, Info, next, type_list<Rest...>, V...>::type;
};

enum class block_form : std::uint8_t { returns, fills, none, vague };

/// How F is called with blocks V.
template <class F, class... V>
struct block_signature {
 private:
  static constexpr bool plain = calls<F, no_extra, V...>();
  static constexpr bool with_info = !plain && calls<F, const block_info&, V...>();

  static constexpr auto find() {
    if constexpr (plain) {
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const F&, V...>>>{};
    } else if constexpr (with_info) {
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const F&, V..., const block_info&>>>{};
    } else {
      return std::type_identity<void>{};
    }
  }
  static constexpr auto find_filled() {
    if constexpr (plain || with_info) {
      return std::type_identity<void>{};
    } else {
      using first = typename filled<F, no_extra, void, fillable, V...>::type;
      if constexpr (std::is_void_v<first>) {
        return std::type_identity<typename filled<F, const block_info&, void, fillable, V...>::type>{};
      } else {
        return std::type_identity<first>{};
      }
    }
  }

 public:
  using result = typename decltype(find())::type;
  using fill = typename decltype(find_filled())::type;
  static constexpr bool found = plain || with_info;
  static constexpr block_form form = found && std::is_void_v<result>  ? block_form::vague
                                     : found                          ? block_form::returns
                                     : std::is_void_v<fill>           ? block_form::none
                                     : std::is_same_v<fill, no_extra> ? block_form::vague
                                                                      : block_form::fills;
  using given = typename returned<result>::type;
  using type = std::conditional_t<!found, fill, std::conditional_t<element<given>, given, void>>;  // void: no element
  static constexpr bool info = with_info || (form == block_form::fills && [] {
                                 if constexpr (std::is_void_v<fill>) {
                                   return false;
                                 } else {
                                   return !fills<F, no_extra, V..., ndarray<fill>>();
                                 }
                               }());
};

/// Refuses, in words, what is no function of such blocks. @returns whether it is one
template <class F, class... V>
constexpr bool check_signature() {
  using s = block_signature<F, V...>;
  constexpr bool vague = s::form == block_form::vague;
  constexpr bool none = s::form == block_form::none;
  static_assert(!vague,
                "ashlar: the function given to map_blocks or blockwise returns nothing, so it must fill a block: the "
                "parameter after the blocks, with a type, ndarray<double> out and not auto out");
  static_assert(!none,
                "ashlar: the function given to map_blocks or blockwise is called with one ndarray<const T> for each "
                "array, where T is the element type of that array; then, if it takes them, with an ndarray<R> to fill "
                "and a const block_info&; it must be callable when const");
  constexpr bool gives = vague || none || !std::is_void_v<typename s::type>;
  static_assert(gives,
                "ashlar: the function given to map_blocks or blockwise must return its block, an ndarray<R> of an "
                "element type, or a number for a block of one element; or take an ndarray<R> to fill as the parameter "
                "after the blocks, and return nothing");
  return !vague && !none && gives;
}

/// Writes what a function returned to the block that it is for.
template <class R, class Given>
void store_block(const Given& given, void* out, const shape& expected, const char* call,
                 const char* rule = " by the chunks that are declared; say other lengths with .chunks") {
  if constexpr (is_ndarray<Given>) {
    if (given.shape() != expected) throw_block_shape(call, given.shape().to_string(), expected, rule);
    copy_strided<R>(expected, given.data(), given.strides(), static_cast<R*>(out), row_major_strides(expected));
  } else {
    if (expected.size() != 1) throw_block_shape(call, "() (a number)", expected, rule);
    *static_cast<R*>(out) = given;
  }
}

/// Writes what a function returned with a halo to the block that it is for.
template <class R, class Given>
void store_trimmed(const Given& given, const block_call& c, const shape& expected, const char* call) {
  if constexpr (is_ndarray<Given>) {
    shape padded = expected;
    std::int64_t first = 0;
    for (int a = 0; a < expected.ndim(); ++a) padded[a] += c.trim[a].before + c.trim[a].after;
    if (given.shape() != padded) {
      throw_block_shape(call, given.shape().to_string(), padded, " with the halo, which .trim cuts off");
    }
    for (int a = 0; a < expected.ndim(); ++a) first += c.trim[a].before * given.strides()[a];
    copy_strided<R>(expected, given.data() + first, given.strides(), static_cast<R*>(c.out.data),
                    row_major_strides(expected));
  } else {
    store_block<R>(given, c.out.data, expected, call);
  }
}

/// F over blocks, given as V….
template <class F, class... V>
class typed_block_function final : public block_function {
  using signature = block_signature<F, V...>;
  using R = typename signature::type;
  static constexpr bool has_halo = !(is_ndarray<V> && ...);

 public:
  typed_block_function(F f, std::string name) : f_(std::move(f)), name_(std::move(name)) {}

  const char* name() const noexcept override { return name_.c_str(); }

  void call(const block_call& c) const override { call(c, std::index_sequence_for<V...>{}); }

 private:
  template <std::size_t... I>
  void call(const block_call& c, std::index_sequence<I...>) const {
    const shape expected = shape_of_box(c.out.where);
    const auto invoke = [&](const auto&... more) -> decltype(auto) {
      return f_(view_of_part(std::type_identity<V>{}, c.in[I])..., more...);
    };
    if constexpr (signature::form == block_form::fills) {
      const ndarray<R> out = view_of<R>(c.out.data, expected);
      if constexpr (signature::info) {
        invoke(out, info_of(c));
      } else {
        invoke(out);
      }
    } else if constexpr (signature::info) {
      store(invoke(info_of(c)), c, expected);
    } else {
      store(invoke(), c, expected);
    }
  }

  template <class Given>
  void store(const Given& given, const block_call& c, const shape& expected) const {
    if constexpr (has_halo) {
      if (c.trim != nullptr) return store_trimmed<R>(given, c, expected, name());
    }
    store_block<R>(given, c.out.data, expected, name());
  }

  F f_;
  std::string name_;
};

}  // namespace ashlar::detail
