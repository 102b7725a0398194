/// \file
/// From nodes to a frozen graph of tasks: numbers, edges, who uses which result how often.
///
/// Nodes are numbered depth first, each behind its inputs, so a run in that order finishes what it has begun before it
/// begins something else. While a plan is made the numbers stand in the nodes themselves, under one lock; a look-up
/// table would cost more than all the rest. About 50 ns a task, linear in tasks and edges, without recursion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/source_line.hpp>
#include <ashlar/graph/task_graph.hpp>
#include <ashlar/graph/task_node.hpp>

namespace ashlar::detail {

struct delayed_plan {
  struct edge {
    std::uint32_t from;
    std::uint32_t to;
  };

  std::vector<const task_node*> nodes;    // by task; kept alive by the roots
  std::vector<std::uint32_t> pred_begin;  // tasks + 1
  std::vector<std::uint32_t> pred;        // tasks whose results are taken, in the order of the arguments
  std::vector<edge> control;              // runs behind, takes nothing
  std::vector<std::uint32_t> uses;        // takers of each result, roots counted
  std::vector<std::uint32_t> place;       // of each result, in words of 8 bytes
  std::vector<std::uint32_t> roots;
  std::size_t words = 0;      // of all results
  std::size_t alignment = 8;  // of the first, in bytes
  bool destroys = false;      // some results have a destructor that does something
  bool has_priorities = false;

  std::uint32_t tasks() const noexcept { return static_cast<std::uint32_t>(nodes.size()); }
};

class delayed_planner {
 public:
  delayed_plan make(const std::vector<task_input>& roots) {
    {
      const std::lock_guard<std::mutex> lock(mutex());
      mark_ = ++last_mark();
      for (const task_input& r : roots) visit(r.node());
      for (const task_input& r : roots) {
        const std::uint32_t t = r.node()->index;
        plan_.roots.push_back(t);
        ++plan_.uses[t];
        if (r.must_be_sole()) movers_.push_back({t, no_task});
      }
    }
    plan_.pred_begin.push_back(static_cast<std::uint32_t>(plan_.pred.size()));
    for (const delayed_plan::edge& m : movers_) {
      if (plan_.uses[m.from] != 1) throw_not_sole(m.from, m.to);
    }
    return std::move(plan_);
  }

 private:
  static constexpr std::uint32_t no_task = ~std::uint32_t{0};

  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  static std::uint64_t& last_mark() {
    static std::uint64_t mark = 0;
    return mark;
  }

  /// Depth first. A node lies on the stack as often as it is met, and is entered when it comes up for the first time;
  /// `planned` then says so, and its number follows when all below it have theirs.
  void visit(task_node* root) {
    stack_.push_back(task_input(root, false));
    while (!stack_.empty()) {
      task_node* const n = stack_.back().node();
      if (n == nullptr) throw value_error("compute: a delayed that was moved from is among the tasks");
      if (n->planned != mark_) {
        n->planned = mark_;
        n->index = no_task;
        const std::size_t first = stack_.size();
        add_inputs(*n);
        std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
        if (stack_.size() > first) continue;
      }
      stack_.pop_back();
      if (n->index == no_task) number(n);
    }
  }

  /// Adds a node's inputs to the stack. @returns how many of them, the first ones, pass a result on
  std::size_t add_inputs(const task_node& n) {
    const std::size_t first = stack_.size();
    n.type->inputs(n, stack_);
    const std::size_t results = stack_.size() - first;
    if (n.extra != nullptr) {
      if (n.extra->options.priority != 0) plan_.has_priorities = true;
      for (const node_ref& r : n.extra->after) stack_.push_back(task_input(r.get(), false));
    }
    return results;
  }

  void number(task_node* n) {
    const std::uint32_t t = plan_.tasks();
    if (t >= task_graph_builder::most_tasks || plan_.pred.size() >= task_graph_builder::most_tasks) {
      throw graph_error("compute: more than 2^31 tasks or results that are passed on; use larger tasks");
    }
    n->index = t;
    plan_.nodes.push_back(n);
    plan_.pred_begin.push_back(static_cast<std::uint32_t>(plan_.pred.size()));
    plan_.uses.push_back(0);
    place_result(*n->type);
    const std::size_t first = stack_.size();
    const std::size_t results = first + add_inputs(*n);
    for (std::size_t k = first; k < stack_.size(); ++k) {
      const std::uint32_t from = stack_[k].node()->index;
      if (k >= results) {
        plan_.control.push_back({from, t});
        continue;
      }
      plan_.pred.push_back(from);
      ++plan_.uses[from];
      if (stack_[k].must_be_sole()) movers_.push_back({from, t});
    }
    stack_.resize(first);
  }

  void place_result(const task_type& type) {
    const std::size_t align = type.result_align < 8 ? 1 : type.result_align / 8;
    if (type.result_align > plan_.alignment) plan_.alignment = type.result_align;
    plan_.words = (plan_.words + align - 1) / align * align;
    if (plan_.words > ~std::uint32_t{0}) throw graph_error("compute: the results of all tasks take more than 32 GiB");
    plan_.place.push_back(static_cast<std::uint32_t>(plan_.words));
    plan_.words += (std::size_t{type.result_size} + 7) / 8;
    if (type.destroy_result != nullptr) plan_.destroys = true;
  }

  [[noreturn]] void throw_not_sole(std::uint32_t from, std::uint32_t to) const {
    const task_node& n = *plan_.nodes[from];
    const std::string taker = to == no_task ? "compute() returns it"
                                            : task_name(*plan_.nodes[to]) + " (" + line_text(plan_.nodes[to]->where) +
                                                  ") takes it for itself";
    throw value_error("compute: the result of " + task_name(n) + " (" + line_text(n.where) +
                      ") cannot be copied, and " + taker + ", but it is used " + std::to_string(plan_.uses[from]) +
                      " times; let functions take it by const&, or use it once");
  }

  delayed_plan plan_;
  std::uint64_t mark_ = 0;
  std::vector<task_input> stack_;
  std::vector<delayed_plan::edge> movers_;
};

/// Numbers the tasks anew: of those that could run next, the one of highest priority comes first, and what a task waits
/// for inherits its priority. O(n log n); only for plans with priorities.
inline void sort_by_priority(delayed_plan& p, const task_graph& g) {
  const std::uint32_t n = p.tasks();
  std::vector<int> priority(n);
  for (std::uint32_t t = n; t-- > 0;) {
    const task_node& node = *p.nodes[t];
    int value = node.extra != nullptr ? node.extra->options.priority : 0;
    for (std::uint32_t e = g.succ_begin[t]; e < g.succ_begin[t + 1]; ++e) value = std::max(value, priority[g.succ[e]]);
    priority[t] = value;
  }
  const auto later = [&](std::uint32_t a, std::uint32_t b) {
    return priority[a] != priority[b] ? priority[a] < priority[b] : a > b;
  };
  std::vector<std::uint32_t> waits = g.waits;
  std::vector<std::uint32_t> ready(g.succ.begin() + g.edges(), g.succ.end());
  std::make_heap(ready.begin(), ready.end(), later);
  std::vector<std::uint32_t> number(n);
  delayed_plan sorted;
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const std::uint32_t t = ready.back();
    ready.pop_back();
    number[t] = sorted.tasks();
    sorted.nodes.push_back(p.nodes[t]);
    sorted.uses.push_back(p.uses[t]);
    sorted.place.push_back(p.place[t]);
    sorted.pred_begin.push_back(static_cast<std::uint32_t>(sorted.pred.size()));
    for (std::uint32_t e = p.pred_begin[t]; e < p.pred_begin[t + 1]; ++e) sorted.pred.push_back(number[p.pred[e]]);
    for (std::uint32_t e = g.succ_begin[t]; e < g.succ_begin[t + 1]; ++e) {
      if (--waits[g.succ[e]] > 0) continue;
      ready.push_back(g.succ[e]);
      std::push_heap(ready.begin(), ready.end(), later);
    }
  }
  sorted.pred_begin.push_back(static_cast<std::uint32_t>(sorted.pred.size()));
  for (const std::uint32_t r : p.roots) sorted.roots.push_back(number[r]);
  for (const delayed_plan::edge& c : p.control) sorted.control.push_back({number[c.from], number[c.to]});
  sorted.words = p.words;
  sorted.alignment = p.alignment;
  sorted.destroys = p.destroys;
  p = std::move(sorted);
}

/// The graph in rows, by counting. A task stands in the row of another as often as it takes its result.
inline task_graph make_task_graph(const delayed_plan& p) {
  task_graph g;
  const std::uint32_t n = p.tasks();
  g.succ_begin.assign(std::size_t{n} + 1, 0);
  g.waits.resize(n);
  for (const std::uint32_t from : p.pred) ++g.succ_begin[from];
  for (const delayed_plan::edge& c : p.control) ++g.succ_begin[c.from];
  std::uint32_t total = 0;
  for (std::uint32_t t = 0; t <= n; ++t) total += std::exchange(g.succ_begin[t], total);
  g.succ.resize(total);
  std::vector<std::uint32_t> roots;
  for (std::uint32_t t = 0; t < n; ++t) {
    g.waits[t] = p.pred_begin[t + 1] - p.pred_begin[t];
    for (std::uint32_t e = p.pred_begin[t]; e < p.pred_begin[t + 1]; ++e) g.succ[g.succ_begin[p.pred[e]]++] = t;
  }
  for (const delayed_plan::edge& c : p.control) {
    g.succ[g.succ_begin[c.from]++] = c.to;
    ++g.waits[c.to];
  }
  for (std::uint32_t t = n; t > 0; --t) g.succ_begin[t] = g.succ_begin[t - 1];
  g.succ_begin[0] = 0;
  for (std::uint32_t t = 0; t < n; ++t) {
    if (g.waits[t] == 0) roots.push_back(t);
  }
  g.seal(roots);
  return g;
}

}  // namespace ashlar::detail
