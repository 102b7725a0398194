/// \file
/// A trivially copyable tuple: std::tuple is not one, and kernels are sent as bytes.
#pragma once

#include <utility>

#include <ashlar/detail/config.hpp>

namespace ashlar::detail {

template <class... T>
struct pack;

template <>
struct pack<> {};

template <class T, class... Rest>
struct pack<T, Rest...> {
  T head;
  pack<Rest...> tail;
};

template <int I, class... T>
ASHLAR_HD constexpr const auto& get(const pack<T...>& p) noexcept {
  if constexpr (I == 0) {
    return p.head;
  } else {
    return get<I - 1>(p.tail);
  }
}

inline constexpr pack<> make_pack() { return {}; }

template <class T, class... Rest>
constexpr pack<T, Rest...> make_pack(T head, Rest... rest) {
  return {std::move(head), make_pack(std::move(rest)...)};
}

}  // namespace ashlar::detail
