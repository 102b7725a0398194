/// \file
/// Memory, release and names of task nodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <ashlar/graph/task_node.hpp>

namespace ashlar::detail {

/// 64 KiB of nodes, found from each of them by its address. A thread fills its slab from the front and counts nodes by
/// itself; who gives nodes back counts them in `left`. When the slab is full the two are brought together, and the one
/// who brings `left` to zero frees it.
struct node_slab {
  static constexpr std::size_t bytes = std::size_t{1} << 16;
  static constexpr std::int64_t in_use = std::int64_t{1} << 40;  // while a thread fills it

  std::atomic<std::int64_t> left{in_use};
  std::int64_t made = 0;
  std::size_t used = first();

  static constexpr std::size_t first() noexcept { return 64; }
  static constexpr std::size_t rounded(std::size_t size) noexcept { return (size + 15) / 16 * 16; }
  static constexpr bool fits(std::size_t size) noexcept { return size <= bytes / 16; }

  static node_slab* make() { return ::new (::operator new(bytes, std::align_val_t(bytes))) node_slab; }

  static void drop(node_slab* s, std::int64_t n) noexcept {
    if (s->left.fetch_sub(n, std::memory_order_acq_rel) != n) return;
    s->~node_slab();
    ::operator delete(static_cast<void*>(s), std::align_val_t(bytes));
  }

  /// Nobody fills the slab any more.
  static void retire(node_slab* s) noexcept { drop(s, in_use - s->made); }
};

/// The slab that a thread fills. Nodes that are made after the end of the thread has begun get slabs of their own.
struct thread_slab {
  static node_slab*& current() noexcept {
    static thread_local node_slab* slab = nullptr;
    return slab;
  }
  static bool& ended() noexcept {
    static thread_local bool value = false;
    return value;
  }
  static void watch_end() noexcept {
    static thread_local const thread_slab guard;
    static_cast<void>(guard);
  }
  ~thread_slab() {
    node_slab* const s = std::exchange(current(), nullptr);
    ended() = true;
    if (s != nullptr) node_slab::retire(s);
  }
};

ASHLAR_DETAIL_SEPARATE void* allocate_node(std::size_t size) {
  if (!node_slab::fits(size)) return ::operator new(size);
  size = node_slab::rounded(size);
  node_slab*& slab = thread_slab::current();
  if (slab == nullptr || node_slab::bytes - slab->used < size) {
    node_slab* const fresh = node_slab::make();
    if (slab != nullptr) node_slab::retire(slab);
    slab = fresh;
    if (!thread_slab::ended()) thread_slab::watch_end();
  }
  void* const memory = reinterpret_cast<unsigned char*>(slab) + slab->used;
  slab->used += size;
  ++slab->made;
  if (thread_slab::ended()) node_slab::retire(std::exchange(slab, nullptr));
  return memory;
}

ASHLAR_DETAIL_SEPARATE void free_node(void* memory, std::size_t size) noexcept {
  if (!node_slab::fits(size)) {
    ::operator delete(memory);
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  node_slab::drop(reinterpret_cast<node_slab*>(address & ~(node_slab::bytes - 1)), 1);
}

ASHLAR_DETAIL_SEPARATE void release_node(task_node* n) noexcept {
  static thread_local task_node* pending = nullptr;
  static thread_local bool releasing = false;
  if (n->uses.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  n->next = pending;
  pending = n;
  if (releasing) return;  // a node that is being destroyed let go of this one: the loop below takes it
  releasing = true;
  while (pending != nullptr) {
    task_node* const last = pending;
    pending = last->next;
    last->type->destroy(last);
  }
  releasing = false;
}

ASHLAR_DETAIL_SEPARATE std::string function_name(const char* function_type) {
  const std::string_view text = function_type;
  std::size_t begin = text.find("F = ");
  if (begin == std::string_view::npos) return "task";
  begin += 4;
  std::size_t end = begin;  // of the type: where a bracket closes that none opened, or a semicolon
  for (int depth = 0; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '<' || c == '(' || c == '[') ++depth;
    if ((c == ']' || c == ';') && depth == 0) break;
    if (c == '>' || c == ')' || c == ']') --depth;
  }
  std::string_view type = text.substr(begin, end - begin);
  if (type.find("lambda") != std::string_view::npos) return "lambda";
  if (type.find("(*)") != std::string_view::npos) return "function";
  type = type.substr(0, type.find('<'));
  const std::size_t colons = type.rfind("::");
  if (colons != std::string_view::npos) type = type.substr(colons + 2);
  return std::string(type.empty() ? std::string_view("task") : type);
}

ASHLAR_DETAIL_SEPARATE std::string task_name(const task_node& n) {
  if (n.extra != nullptr && !n.extra->options.name.empty()) return n.extra->options.name;
  return function_name(n.type->function_type);
}

}  // namespace ashlar::detail
