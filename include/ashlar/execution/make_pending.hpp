/// \file
/// Before a run: sources that tasks have yet to make, and sources that are on a device which is not that of the run.
/// The former are made on the executor of the run, all in one run of their own, the latter are copied to the host, and
/// the graph above them is copied with what was made in their place, so that two runs never share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ashlar/detail/flat_index.hpp>
#include <ashlar/execution/executor.hpp>
#include <ashlar/execution/options.hpp>
#include <ashlar/execution/plan_executor.hpp>
#include <ashlar/graph/node.hpp>

namespace ashlar::detail {

/// The same results without pending sources. Cost: nothing where there are none, else linear in the nodes above them.
inline std::vector<node_ptr> make_pending(const executor_ref& where, std::vector<node_ptr> roots,
                                          const run_options& options) {
  bool any = false;
  for (const node_ptr& r : roots) any = any || r->pending;
  if (!any) return roots;

  const auto near = [&](const source_ptr& from) {
    const bool there = from->where().on_host() || (where.plans != nullptr && where.plans->place() == from->where());
    return there ? from : from->on_host();
  };
  flat_index index;                // by address: position in `order`
  std::vector<const node*> order;  // pending nodes, inputs first
  std::vector<const source*> sources;
  std::vector<visit_frame> stack;
  const auto key = [](const node* n) { return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(n)); };
  const auto enter = [&](const node* n) {
    if (n->pending && index.find(key(n)) < 0) stack.push_back({key(n), 0});
  };
  for (const node_ptr& r : roots) {
    enter(r.get());
    while (!stack.empty()) {
      visit_frame& top = stack.back();
      const auto* const n = reinterpret_cast<const node*>(static_cast<std::uintptr_t>(top.item));
      if (top.next < static_cast<std::int64_t>(n->inputs.size())) {
        enter(n->inputs[static_cast<std::size_t>(top.next++)].get());
        continue;
      }
      stack.pop_back();
      if (index.find(key(n)) >= 0) continue;
      index.set(key(n), static_cast<int>(order.size()));
      order.push_back(n);
      if (n->kind == node_kind::source && n->from->pending()) sources.push_back(n->from.get());
    }
  }

  std::vector<source_ptr> made;
  if (!sources.empty()) made = sources.front()->make(sources, where, options);
  std::size_t next = 0;
  std::vector<node_ptr> copies;
  copies.reserve(order.size());
  const auto copy_of = [&](const node_ptr& n) {
    return n->pending ? copies[static_cast<std::size_t>(index.find(key(n.get())))] : n;
  };
  for (const node* n : order) {
    std::vector<node_ptr> inputs;
    inputs.reserve(n->inputs.size());
    for (const node_ptr& i : n->inputs) inputs.push_back(copy_of(i));
    const std::shared_ptr<node> copy = node::copy(*n, std::move(inputs));
    if (n->kind == node_kind::source) copy->from = n->from->pending() ? std::move(made[next++]) : near(n->from);
    copy->pending = false;
    copies.push_back(copy);
  }
  for (node_ptr& r : roots) r = copy_of(r);
  return roots;
}

}  // namespace ashlar::detail
