/// \file
/// How one expression becomes one loop.
///
/// A kernel is a tree of calls over slots (its inputs) and constants. The loop handles `lanes` elements at a time.
/// Arithmetic is written as plain scalar code over an index and left to the vectoriser; a function that the vectoriser
/// cannot handle (sqrt, sin, …) is a *tile operation*: its argument is evaluated into a 128-element buffer in the first
/// level cache, one call transforms the buffer, and the surrounding loop reads it. So whatever is written in one
/// expression costs one pass over memory, and user functions vectorise together with the library's.
///
/// A tail shorter than `lanes` is padded with copies of its last element and goes through the very same machine code:
/// an element's bits do not depend on its place in a block.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include <ashlar/complex.hpp>
#include <ashlar/detail/pack.hpp>
#include <ashlar/graph/kernel.hpp>

namespace ashlar::detail {

template <class T>
inline constexpr bool complex_value = false;
template <class T>
inline constexpr bool complex_value<complex<T>> = true;

/// Converts between kernel types; complex to real does not compile.
template <class To, class From>
ASHLAR_HD ASHLAR_DETAIL_INLINE constexpr To cast_value(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (complex_value<From>) {
      return x.real() != 0 || x.imag() != 0;
    } else {
      return x != From{};
    }
  } else if constexpr (complex_value<To> && !complex_value<From>) {
    return To(static_cast<typename To::value_type>(x));
  } else {
    return static_cast<To>(x);
  }
}

/// The I-th input, elements of T (the layout that kernels see: ashlar::complex, never std::complex).
template <int I, class T>
struct slot {
  using value_type = T;
};

template <class T>
struct constant {
  using value_type = T;
  T value;
};

template <class Op, class... K>
struct call {
  using value_type = decltype(std::declval<const Op&>()(std::declval<typename K::value_type>()...));
  Op op;
  pack<K...> args;
};

/// Tile operations declare `using tiled = void`; their `tile<Isa>(in…, out)` works on `lanes` elements of one type.
template <class Op>
concept tile_operation = requires { typename Op::tiled; };

// --- evaluation ---

#if defined(__clang__)
// It is no fault that a user's function, or fmod, cannot be vectorised.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

template <class Isa, class K>
struct lane_eval;

template <class Isa, int I, class T>
struct lane_eval<Isa, slot<I, T>> {
  const T* p;
  ASHLAR_DETAIL_INLINE lane_eval(const slot<I, T>&, const void* const* in, std::int64_t offset)
      : p(static_cast<const T*>(in[I]) + offset) {}
  ASHLAR_DETAIL_INLINE T at(int i) const { return p[i]; }
};

template <class Isa, class T>
struct lane_eval<Isa, constant<T>> {
  T value;
  ASHLAR_DETAIL_INLINE lane_eval(const constant<T>& k, const void* const*, std::int64_t) : value(k.value) {}
  ASHLAR_DETAIL_INLINE T at(int) const { return value; }
};

template <class Isa, class... K>
struct lane_eval_list;

template <class Isa>
struct lane_eval_list<Isa> {
  template <class P>
  ASHLAR_DETAIL_INLINE lane_eval_list(const P&, const void* const*, std::int64_t) {}
};

template <class Isa, class K, class... Rest>
struct lane_eval_list<Isa, K, Rest...> {
  lane_eval<Isa, K> head;
  lane_eval_list<Isa, Rest...> tail;
  ASHLAR_DETAIL_INLINE lane_eval_list(const pack<K, Rest...>& p, const void* const* in, std::int64_t offset)
      : head(p.head, in, offset), tail(p.tail, in, offset) {}
};

template <int I, class L>
ASHLAR_DETAIL_INLINE const auto& nth(const L& list) {
  if constexpr (I == 0) {
    return list.head;
  } else {
    return nth<I - 1>(list.tail);
  }
}

template <class Isa, class Op, class... K>
  requires(!tile_operation<Op>)
struct lane_eval<Isa, call<Op, K...>> {
  using value_type = typename call<Op, K...>::value_type;
  const Op& op;
  lane_eval_list<Isa, K...> args;
  ASHLAR_DETAIL_INLINE lane_eval(const call<Op, K...>& k, const void* const* in, std::int64_t offset)
      : op(k.op), args(k.args, in, offset) {}
  ASHLAR_DETAIL_INLINE value_type at(int i) const { return apply(i, std::make_index_sequence<sizeof...(K)>{}); }

 private:
  template <std::size_t... J>
  ASHLAR_DETAIL_INLINE value_type apply(int i, std::index_sequence<J...>) const {
    return op(nth<static_cast<int>(J)>(args).at(i)...);
  }
};

template <class T, class Eval>
ASHLAR_DETAIL_INLINE void fill_tile(T* buffer, const Eval& e) {
  ASHLAR_DETAIL_IVDEP
  for (int i = 0; i < lanes; ++i) buffer[i] = cast_value<T>(e.at(i));
}

template <class Isa, class Op, class K>
  requires tile_operation<Op>
struct lane_eval<Isa, call<Op, K>> {
  using value_type = typename call<Op, K>::value_type;
  alignas(64) value_type buffer[lanes];
  ASHLAR_DETAIL_INLINE lane_eval(const call<Op, K>& k, const void* const* in, std::int64_t offset) {
    const lane_eval<Isa, K> arg(k.args.head, in, offset);
    fill_tile(buffer, arg);
    Op::template tile<Isa>(buffer, buffer);
  }
  ASHLAR_DETAIL_INLINE value_type at(int i) const { return buffer[i]; }
};

template <class Isa, class Op, class A, class B>
  requires tile_operation<Op>
struct lane_eval<Isa, call<Op, A, B>> {
  using value_type = typename call<Op, A, B>::value_type;
  alignas(64) value_type buffer[lanes];
  ASHLAR_DETAIL_INLINE lane_eval(const call<Op, A, B>& k, const void* const* in, std::int64_t offset) {
    alignas(64) value_type second[lanes];
    {
      const lane_eval<Isa, A> a(k.args.head, in, offset);
      fill_tile(buffer, a);
    }
    {
      const lane_eval<Isa, B> b(k.args.tail.head, in, offset);
      fill_tile(second, b);
    }
    Op::template tile<Isa>(buffer, second, buffer);
  }
  ASHLAR_DETAIL_INLINE value_type at(int i) const { return buffer[i]; }
};

// --- static facts about a kernel ---

struct slot_table {
  int inputs = 0;
  int operations = 0;
  dtype types[max_kernel_inputs] = {};
};

template <class T>
struct user_type {
  using type = T;
};
template <class T>
struct user_type<complex<T>> {
  using type = std::complex<T>;
};
template <class T>
using user_type_t = typename user_type<T>::type;

template <int I, class T>
constexpr void collect(slot_table& t, const slot<I, T>*) {
  t.types[I] = dtype_of<user_type_t<T>>;
  if (I + 1 > t.inputs) t.inputs = I + 1;
}
template <class T>
constexpr void collect(slot_table&, const constant<T>*) {}
template <class Op, class... K>
constexpr void collect(slot_table& t, const call<Op, K...>*) {
  ++t.operations;
  (collect(t, static_cast<const K*>(nullptr)), ...);
}

/// Library operations declare `using library = void`: they are pure, stateless but for member-wise comparable
/// parameters.
template <class Op>
concept library_operation = requires { typename Op::library; };

template <class K>
struct all_library : std::true_type {};
template <class Op, class... K>
struct all_library<call<Op, K...>> : std::bool_constant<library_operation<Op> && (all_library<K>::value && ...)> {};

template <class T>
bool same_bits(const T& a, const T& b) noexcept {
  return std::memcmp(&a, &b, sizeof(T)) ==
         0;  // element types have no padding; NaN equals itself, 0.0 differs from -0.0
}

template <int I, class T>
bool same_parameters(const slot<I, T>&, const slot<I, T>&) noexcept {
  return true;
}
template <class T>
bool same_parameters(const constant<T>& a, const constant<T>& b) noexcept {
  return same_bits(a.value, b.value);
}
template <class Op, class... K>
bool same_parameters(const call<Op, K...>& a, const call<Op, K...>& b) noexcept {
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    return (same_parameters(get<static_cast<int>(J)>(a.args), get<static_cast<int>(J)>(b.args)) && ...);
  }(std::make_index_sequence<sizeof...(K)>{});
}

// --- entries ---

template <class Isa, class K>
ASHLAR_DETAIL_INLINE void tile_loop(const void* parameters, const void* const* in, void* out, std::int64_t n) {
  using T = typename K::value_type;
  constexpr slot_table table = [] {
    slot_table t;
    collect(t, static_cast<const K*>(nullptr));
    return t;
  }();
  const K& k = *static_cast<const K*>(parameters);
  constexpr int inputs = table.inputs > 0 ? table.inputs : 1;
  const void* source[inputs] = {};
  for (int s = 0; s < table.inputs; ++s) source[s] = in[s];
  T* const o = static_cast<T*>(out);
  alignas(64) unsigned char padded[static_cast<std::size_t>(inputs) * lanes * 16];
  alignas(64) T tail[lanes];
  for (std::int64_t b = 0; b < n; b += lanes) {
    T* target = o + b;
    std::int64_t offset = b;
    const std::int64_t left = n - b;
    if (left < lanes) {
      for (int s = 0; s < table.inputs; ++s) {
        const auto size = static_cast<std::size_t>(itemsize(table.types[s]));
        unsigned char* const p = padded + static_cast<std::size_t>(s) * lanes * 16;
        const auto bytes = static_cast<std::size_t>(left) * size;
        std::memcpy(p, static_cast<const unsigned char*>(source[s]) + static_cast<std::size_t>(b) * size, bytes);
        for (std::size_t i = bytes; i < static_cast<std::size_t>(lanes) * size; i += size) {
          std::memcpy(p + i, p + bytes - size, size);
        }
        source[s] = p;
      }
      target = tail;
      offset = 0;
    }
    const lane_eval<Isa, K> e(k, source, offset);
    ASHLAR_DETAIL_IVDEP
    for (int i = 0; i < lanes; ++i) target[i] = e.at(i);
    if (left < lanes) std::memcpy(static_cast<void*>(o + b), tail, static_cast<std::size_t>(left) * sizeof(T));
  }
}

template <class K, class Tag>
void tile_baseline(const void* parameters, const void* const* in, void* out, std::int64_t n) {
  tile_loop<isa_baseline, K>(parameters, in, out, n);
}
template <class K, class Tag>
ASHLAR_DETAIL_TARGET_AVX2 void tile_avx2(const void* parameters, const void* const* in, void* out, std::int64_t n) {
  tile_loop<isa_avx2, K>(parameters, in, out, n);
}
template <class K, class Tag>
ASHLAR_DETAIL_TARGET_AVX512 void tile_avx512(const void* parameters, const void* const* in, void* out, std::int64_t n) {
  tile_loop<isa_avx512, K>(parameters, in, out, n);
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <class K>
bool equal_parameters(const void* a, const void* b) {
  return same_parameters(*static_cast<const K*>(a), *static_cast<const K*>(b));
}

#if defined(__CUDACC__)
template <class K>
constexpr device_entry device_entry_of();  // in device_entry.hpp
#endif

template <class Op>
constexpr const char* operation_name() {
  if constexpr (requires { Op::name; }) {
    return Op::name;
  } else {
    return "map";
  }
}
template <int I, class T>
constexpr const char* kernel_name(const slot<I, T>*) {
  return "copy";
}
template <class T>
constexpr const char* kernel_name(const constant<T>*) {
  return "full";
}
template <class Op, class... K>
constexpr const char* kernel_name(const call<Op, K...>*) {
  return operation_name<Op>();
}

template <class K>
constexpr const char* copy_obstacle(const K*) {  // slots and constants
  return nullptr;
}
template <class Op, class... K>
constexpr const char* copy_obstacle(const call<Op, K...>*) {
  if constexpr (!std::is_trivially_copyable_v<Op>) {
    return type_text<Op>();
  } else {
    const char* found = nullptr;
    static_cast<void>((((found = copy_obstacle(static_cast<const K*>(nullptr))) != nullptr) || ...));
    return found;
  }
}

template <class K, class Tag>
constexpr kernel_descriptor make_descriptor() {
  slot_table t;
  collect(t, static_cast<const K*>(nullptr));
  kernel_descriptor d{};
  d.magic = descriptor_magic;
  d.inputs = t.inputs;
  d.type_hash = type_hash<K>();
  d.size = sizeof(K);
  d.trivially_copyable = std::is_trivially_copyable_v<K>;
  d.obstacle = copy_obstacle(static_cast<const K*>(nullptr));
  d.output = dtype_of<user_type_t<typename K::value_type>>;
  for (int s = 0; s < t.inputs; ++s) d.input[s] = t.types[s];
#if defined(ASHLAR_DETAIL_BASELINE_ONLY)
  d.host[0] = d.host[1] = d.host[2] = &tile_baseline<K, Tag>;
#elif ASHLAR_DETAIL_X86 && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && \
    defined(__AVX512BW__)
  d.host[0] = d.host[1] = d.host[2] = &tile_avx512<K, Tag>;
#elif ASHLAR_DETAIL_X86
  d.host[0] = &tile_baseline<K, Tag>;
  d.host[1] = &tile_avx2<K, Tag>;
  d.host[2] = &tile_avx512<K, Tag>;
#else
  d.host[0] = d.host[1] = d.host[2] = &tile_baseline<K, Tag>;
#endif
#if defined(__CUDACC__)
  d.device = device_entry_of<K>();
#else
  d.device = nullptr;
#endif
  d.equal = all_library<K>::value ? &equal_parameters<K> : nullptr;
  d.name = kernel_name(static_cast<const K*>(nullptr));
  d.operations = t.operations;
  return d;
}

/// The one descriptor of kernel type K for this compiler.
template <class K, class Tag>
inline constexpr kernel_descriptor descriptor_of = make_descriptor<K, Tag>();

/// @returns a kernel that owns `parameters`.
template <class Tag, class K>
kernel make_kernel(K parameters) {
  return {&descriptor_of<K, Tag>, std::make_shared<const K>(std::move(parameters))};
}

}  // namespace ashlar::detail

#if defined(__CUDACC__)
#include <ashlar/detail/device_entry.hpp>
#endif
