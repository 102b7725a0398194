/// \file
/// Nodes of graphs of users' tasks: a function, its arguments, and handles on the nodes whose results it takes.
///
/// A node is immutable and counted; what changes while a graph runs lies in the run (execution/delayed_run.hpp), so
/// that two runs of one graph at once are legal. Nodes are cut from slabs of a thread's own, side by side in the order
/// in which they are made, which is also about the order in which a run walks them: making a node costs some ten
/// nanoseconds, and a graph of a million nodes is given back without a million calls of free().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/detail/config.hpp>
#include <ashlar/detail/task_call.hpp>

namespace ashlar {

/// What a task is called, and how early it runs.
struct task_options {
  /// Appears in errors and pictures; without it the name of the function's type, or what kind of function it is.
  std::string name = {};
  /// Among the tasks that could run next, those of higher priority, and what they wait for, come first.
  int priority = 0;
};

namespace detail {

struct task_node;

/// Gives up one use of a node. Chains of a million nodes are legal: nodes go one after the other, not by recursion.
void release_node(task_node* n) noexcept;

/// A counted pointer to a node.
class node_ref {
 public:
  node_ref() = default;
  explicit node_ref(task_node* n) noexcept : node_(n) {}  // takes over one use
  node_ref(const node_ref& other) noexcept;
  node_ref(node_ref&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  node_ref& operator=(node_ref other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~node_ref() {
    if (node_ != nullptr) release_node(node_);
  }

  task_node* get() const noexcept { return node_; }

 private:
  task_node* node_ = nullptr;
};

/// One input of a node, or one root of a run, while it is planned. Millions of them are stacked, so a word has to do.
class task_input {
 public:
  task_input() = default;
  task_input(task_node* n, bool must_be_sole) noexcept
      : word_(reinterpret_cast<std::uintptr_t>(n) | static_cast<std::uintptr_t>(must_be_sole)) {}

  task_node* node() const noexcept { return reinterpret_cast<task_node*>(word_ & ~std::uintptr_t{1}); }
  /// The result can only be moved.
  bool must_be_sole() const noexcept { return (word_ & 1) != 0; }

 private:
  std::uintptr_t word_ = 0;
};

/// What several nodes that one call of delayed() makes have in common, where there is something.
struct task_extra {
  task_options options;
  std::vector<node_ref> after;  // run before, without passing anything on
};

/// The results of a run, as a node that is called sees them.
struct task_frame {
  const std::uint32_t* input = nullptr;  // numbers of the tasks whose results are taken
  const std::uint32_t* place = nullptr;  // by task, in words of 8 bytes
  std::uint32_t* uses = nullptr;         // by task: takers that have not ended
  unsigned char* results = nullptr;

  /// The result of the next input.
  template <class H>
  input_slot slot(const H&) noexcept {
    const std::uint32_t t = *input++;
    return {results + std::size_t{place[t]} * 8,
            std::atomic_ref<std::uint32_t>(uses[t]).load(std::memory_order_acquire) == 1};
  }
};

/// The type of a node, erased.
struct task_type {
  void (*destroy)(task_node*) noexcept;
  void (*inputs)(const task_node&, std::vector<task_input>&);
  void (*call)(const task_node&, task_frame&, void* result);
  void (*destroy_result)(void*) noexcept;  // null: nothing to do
  const char* function_type;               // text that names the function's type
  std::uint32_t node_size;
  std::uint32_t result_size;
  std::uint32_t result_align;
};

struct task_node {
  const task_type* type = nullptr;
  std::atomic<std::uint32_t> uses{1};
  std::uint32_t index = 0;    // while a run is planned, under its lock
  std::uint64_t planned = 0;  // by which plan the index was written
  task_node* next = nullptr;  // while nodes are released
  std::source_location where;
  std::shared_ptr<const task_extra> extra;
};

inline node_ref::node_ref(const node_ref& other) noexcept : node_(other.node_) {
  if (node_ != nullptr) node_->uses.fetch_add(1, std::memory_order_relaxed);
}

/// Memory for a node of `size` bytes, aligned for every usual type. @throws std::bad_alloc
void* allocate_node(std::size_t size);
/// Gives it back; any thread may.
void free_node(void* memory, std::size_t size) noexcept;

/// "blur" for a type ashlar::blur, "lambda", "function", from the text of task_type::function_type.
std::string function_name(const char* function_type);

/// The name that a node's options give, or that of its function.
std::string task_name(const task_node& n);

template <class F>
constexpr const char* function_type_text() noexcept {
  return __PRETTY_FUNCTION__;
}

template <class R>
struct result_traits {
  static constexpr std::uint32_t size = sizeof(R);
  static constexpr std::uint32_t align = alignof(R);
  static void destroy(void* r) noexcept { static_cast<R*>(r)->~R(); }
  static constexpr auto destroyer() noexcept -> void (*)(void*) noexcept {
    return std::is_trivially_destructible_v<R> ? nullptr : &destroy;
  }
};
template <>
struct result_traits<void> {
  static constexpr std::uint32_t size = 0;
  static constexpr std::uint32_t align = 1;
  static constexpr auto destroyer() noexcept -> void (*)(void*) noexcept { return nullptr; }
};

template <class H>
task_node* node_of_handle(const H& h) noexcept {
  return h.node().get();
}

/// A call that is to be made.
template <class F, class... A>
struct call_node final : task_node {
  using result = typename call_traits_of<F, false, A...>::result;

  template <class G, class... X>
  explicit call_node(G&& g, X&&... x) : function(std::forward<G>(g)), arguments(std::forward<X>(x)...) {}

  static void destroy(task_node* n) noexcept {
    auto* self = static_cast<call_node*>(n);
    self->~call_node();
    free_node(self, sizeof(call_node));
  }
  static void inputs(const task_node& n, std::vector<task_input>& to) {
    each_handle<F, false>(static_cast<const call_node&>(n).arguments, [&](const auto& h, bool must_be_sole) {
      to.push_back(task_input(node_of_handle(h), must_be_sole));
    });
  }
  static void call(const task_node& n, task_frame& frame, [[maybe_unused]] void* to) {
    const auto& self = static_cast<const call_node&>(n);
    if constexpr (std::is_void_v<result>) {
      call_task(self.function, self.arguments, frame);
    } else {
      ::new (to) result(call_task(self.function, self.arguments, frame));
    }
  }
  static const task_type* type_of() noexcept {
    static constexpr task_type t{&destroy,
                                 &inputs,
                                 &call,
                                 result_traits<result>::destroyer(),
                                 function_type_text<F>(),
                                 sizeof(call_node),
                                 result_traits<result>::size,
                                 result_traits<result>::align};
    return &t;
  }

  [[no_unique_address]] F function;
  [[no_unique_address]] std::tuple<A...> arguments;
};

template <class F, class... X>
node_ref make_call_node(const F& f, const std::shared_ptr<const task_extra>& extra, std::source_location where,
                        X&&... x) {
  using type = call_node<F, std::decay_t<X>...>;
  static_assert(alignof(type) <= alignof(std::max_align_t),
                "ashlar: a function or argument that asks for more than the usual alignment; pass a pointer to it");
  static_assert(!std::is_reference_v<typename type::result>);
  void* memory = allocate_node(sizeof(type));
  type* n = nullptr;
  try {
    n = ::new (memory) type(f, std::forward<X>(x)...);
  } catch (...) {
    free_node(memory, sizeof(type));
    throw;
  }
  n->type = type::type_of();
  n->where = where;
  n->extra = extra;
  return node_ref(n);
}

}  // namespace detail
}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/graph/task_node_impl.hpp>
#endif
