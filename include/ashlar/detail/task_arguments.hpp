/// \file
/// What the arguments of a task become when it runs. An argument is a value, a handle on the result of another task
/// (delayed<T>, future<T>), or a container of such, nested to any depth. Handles are replaced with results: a
/// `std::vector<delayed<T>>` reaches the function as a `std::vector<T>`.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ashlar::detail {

/// Specialised for each kind of handle, with `is = true` and value_type.
template <class H>
struct task_handle {
  static constexpr bool is = false;
};

template <class H>
concept handle = task_handle<H>::is;

/// A result as one consumer sees it.
struct input_slot {
  void* value = nullptr;
  bool sole = false;  // nobody else will look at it
};

/// How an argument type A looks from outside (handles) and to the function (value_type). `each` shows every handle in a
/// fixed order; `make` replaces them with results, in the same order.
template <class A>
struct task_argument {
  static constexpr bool holds = false;  // no handle inside
  using value_type = A;
  template <class Visit>
  static void each(const A&, Visit&) {}
  template <class Source>
  static const A& make(const A& a, Source&) {
    return a;
  }
};

template <class A>
inline constexpr bool holds_handles = task_argument<A>::holds;

template <class A>
using argument_value_t = typename task_argument<A>::value_type;

template <handle H>
struct task_argument<H> {
  static constexpr bool holds = true;
  using value_type = typename task_handle<H>::value_type;
  static_assert(!std::is_void_v<value_type>,
                "ashlar: a task without a result has nothing to pass on; name it in after(...) to run behind it");
  template <class Visit>
  static void each(const H& h, Visit& visit) {
    visit(h);
  }
  template <class Source>
  static value_type make(const H& h, Source& source) {
    const input_slot s = source.slot(h);
    auto* v = static_cast<value_type*>(s.value);
    if constexpr (std::is_copy_constructible_v<value_type>) {
      if (!s.sole) return std::as_const(*v);
    }
    return std::move(*v);
  }
};

/// vector, deque, list: what has push_back.
template <template <class, class> class C, class T>
  requires(holds_handles<T>)
struct task_argument<C<T, std::allocator<T>>> {
  static constexpr bool holds = true;
  using value_type = C<argument_value_t<T>, std::allocator<argument_value_t<T>>>;
  template <class Visit>
  static void each(const C<T, std::allocator<T>>& a, Visit& visit) {
    for (const T& x : a) task_argument<T>::each(x, visit);
  }
  template <class Source>
  static value_type make(const C<T, std::allocator<T>>& a, Source& source) {
    value_type out;
    if constexpr (requires { out.reserve(a.size()); }) out.reserve(a.size());
    for (const T& x : a) out.push_back(task_argument<T>::make(x, source));
    return out;
  }
};

/// map, multimap, unordered_map, unordered_multimap: keys are values.
template <class Map, class NewMap>
struct mapping_argument {
  static constexpr bool holds = true;
  using value_type = NewMap;
  template <class Visit>
  static void each(const Map& a, Visit& visit) {
    for (const auto& [key, x] : a) task_argument<typename Map::mapped_type>::each(x, visit);
  }
  template <class Source>
  static NewMap make(const Map& a, Source& source) {
    NewMap out;
    for (const auto& [key, x] : a) out.emplace(key, task_argument<typename Map::mapped_type>::make(x, source));
    return out;
  }
};

template <class K, class T>
using pair_allocator = std::allocator<std::pair<const K, T>>;

template <template <class, class, class, class> class C, class K, class T, class Less>
  requires(holds_handles<T>)
struct task_argument<C<K, T, Less, pair_allocator<K, T>>>
    : mapping_argument<C<K, T, Less, pair_allocator<K, T>>,
                       C<K, argument_value_t<T>, Less, pair_allocator<K, argument_value_t<T>>>> {};

template <template <class, class, class, class, class> class C, class K, class T, class Hash, class Equal>
  requires(holds_handles<T>)
struct task_argument<C<K, T, Hash, Equal, pair_allocator<K, T>>>
    : mapping_argument<C<K, T, Hash, Equal, pair_allocator<K, T>>,
                       C<K, argument_value_t<T>, Hash, Equal, pair_allocator<K, argument_value_t<T>>>> {};

template <class T, std::size_t N>
  requires(holds_handles<T>)
struct task_argument<std::array<T, N>> {
  static constexpr bool holds = true;
  using value_type = std::array<argument_value_t<T>, N>;
  template <class Visit>
  static void each(const std::array<T, N>& a, Visit& visit) {
    for (const T& x : a) task_argument<T>::each(x, visit);
  }
  template <class Source>
  static value_type make(const std::array<T, N>& a, Source& source) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return value_type{task_argument<T>::make(a[I], source)...};
    }(std::make_index_sequence<N>{});
  }
};

template <class T>
  requires(holds_handles<T>)
struct task_argument<std::optional<T>> {
  static constexpr bool holds = true;
  using value_type = std::optional<argument_value_t<T>>;
  template <class Visit>
  static void each(const std::optional<T>& a, Visit& visit) {
    if (a) task_argument<T>::each(*a, visit);
  }
  template <class Source>
  static value_type make(const std::optional<T>& a, Source& source) {
    if (!a) return std::nullopt;
    return task_argument<T>::make(*a, source);
  }
};

template <class... T>
  requires(holds_handles<T> || ...)
struct task_argument<std::tuple<T...>> {
  static constexpr bool holds = true;
  using value_type = std::tuple<argument_value_t<T>...>;
  template <class Visit>
  static void each(const std::tuple<T...>& a, Visit& visit) {
    std::apply([&](const T&... x) { (task_argument<T>::each(x, visit), ...); }, a);
  }
  template <class Source>
  static value_type make(const std::tuple<T...>& a, Source& source) {
    return std::apply([&](const T&... x) { return value_type{task_argument<T>::make(x, source)...}; }, a);
  }
};

template <class A, class B>
  requires(holds_handles<A> || holds_handles<B>)
struct task_argument<std::pair<A, B>> {
  static constexpr bool holds = true;
  using value_type = std::pair<argument_value_t<A>, argument_value_t<B>>;
  template <class Visit>
  static void each(const std::pair<A, B>& a, Visit& visit) {
    task_argument<A>::each(a.first, visit);
    task_argument<B>::each(a.second, visit);
  }
  template <class Source>
  static value_type make(const std::pair<A, B>& a, Source& source) {
    return value_type{task_argument<A>::make(a.first, source), task_argument<B>::make(a.second, source)};
  }
};

}  // namespace ashlar::detail
