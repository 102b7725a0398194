/// \file
/// The static order of a plan: finish what was started, free early, keep few blocks.
///
/// Depth first from the tasks at the end, in storage order. Three rules go beyond that:
///
/// - *At a join* the input whose subtree needs the most memory beyond what it leaves behind is made first (Sethi and
///   Ullman 1970 for registers, Liu 1986 for bytes): what it leaves is small, and nothing else is held meanwhile. The
///   rule is exact for trees whose subtrees are done one after the other, and a good guess where subtrees share tasks.
/// - *Pull forward.* After a task is placed, a consumer that gives back at least what it takes is placed at once, also
///   when it misses an input or two that are quickly made. So a block that several passes read is read by all of them
///   while it is there, and results that share blocks advance together. A block counts by the share of each consumer
///   that is left, so that many small consumers of a block count like one large one.
/// - *Several results*: the one of the most tasks leads, since one task of it opens the least; results of like numbers
///   of tasks alternate.
///
/// Linear in tasks and edges (but for sorting the inputs of one task), iterative, 32 bytes a task while it works.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include <ashlar/graph/memory_use.hpp>
#include <ashlar/graph/plan.hpp>

namespace ashlar::detail {

struct order_options {
  bool by_weight = true;     // joins by subtree, not by position
  bool pull_forward = true;  // consumers that do not grow memory are placed at once
};

class order_maker {
 public:
  /// Inputs have smaller numbers than what reads them; successors are known.
  explicit order_maker(plan& p, order_options options = {}) : p_(p), options_(options) {
    const std::uint32_t n = p.tasks();
    p.rank.assign(n, 0);
    p.order.clear();
    p.order.reserve(n);
    tasks_.resize(n);
    for (std::uint32_t t = 0; t < n; ++t) {
      tasks_[t].bytes = live_bytes(p, t);
      tasks_[t].missing = p.graph.waits[t];
      tasks_[t].uses = p.graph.succ_begin[t + 1] - p.graph.succ_begin[t];
    }
    if (options.by_weight) weigh();
  }

  void run() {
    const auto later = [](const span_of_tasks& a, const span_of_tasks& b) {
      return a.progress() != b.progress() ? a.progress() > b.progress() : a.number > b.number;
    };
    std::priority_queue<span_of_tasks, std::vector<span_of_tasks>, decltype(later)> ends(later, ends_by_count());
    while (!ends.empty()) {
      span_of_tasks e = ends.top();
      ends.pop();
      if (p_.graph.succ_begin[e.next] == p_.graph.succ_begin[e.next + 1]) visit(e.next);
      if (++e.next < e.end) ends.push(e);
    }
  }

 private:
  enum class state : std::uint8_t { fresh, open, placed };

  /// What is looked at together lies together: half a cache line.
  struct task_notes {
    std::int64_t bytes = 0;
    std::int64_t weight = 0;    // what its subtree needs at once beyond the block that it leaves
    std::uint32_t missing = 0;  // inputs that are not placed
    std::uint32_t uses = 0;     // consumers that are not placed
    state now = state::fresh;
    std::uint8_t tries = 0;
  };

  struct span_of_tasks {
    std::uint32_t first;
    std::uint32_t next;
    std::uint32_t end;
    std::size_t number;  // the one of the most tasks has number 0

    std::uint32_t size() const noexcept { return end - first; }

    /// How far this result is once its next task is done.
    double progress() const noexcept { return static_cast<double>(next + 1 - first) / static_cast<double>(size()); }
  };

  static constexpr std::uint32_t most_missing = 2;
  static constexpr int most_explored = 24;
  static constexpr std::uint8_t most_tries = 16;  // a task is considered so often, which keeps the whole linear

  /// Layers with tasks that nothing consumes, the one with the most tasks first.
  std::vector<span_of_tasks> ends_by_count() const {
    std::vector<span_of_tasks> ends;
    for (const layer& l : p_.layers) {
      const auto first = static_cast<std::uint32_t>(l.first_task);
      const auto end = static_cast<std::uint32_t>(l.first_task + l.task_count);
      bool any = false;
      for (std::uint32_t t = first; t < end && !any; ++t) any = tasks_[t].uses == 0;
      if (!any) continue;
      ends.push_back({first, first, end, 0});
    }
    std::stable_sort(ends.begin(), ends.end(),
                     [](const span_of_tasks& a, const span_of_tasks& b) { return a.size() > b.size(); });
    for (std::size_t k = 0; k < ends.size(); ++k) ends[k].number = k;
    return ends;
  }

  void weigh() {
    for (std::uint32_t t = 0; t < p_.tasks(); ++t) {
      inputs_.clear();
      for (std::int64_t e = p_.pred_begin[t]; e < p_.pred_begin[t + 1]; ++e) {
        inputs_.push_back(p_.pred[static_cast<std::size_t>(e)]);
      }
      sort_inputs();
      std::int64_t held = 0;
      std::int64_t peak = 0;
      for (const std::uint32_t i : inputs_) {
        const std::int64_t own = tasks_[i].bytes;
        if (held + tasks_[i].weight + own > peak) peak = held + tasks_[i].weight + own;
        held += own;
      }
      const std::int64_t own = tasks_[t].bytes;
      tasks_[t].weight = (held + own > peak ? held + own : peak) - own;
    }
  }

  /// inputs_ by decreasing weight, equal ones in their order.
  void sort_inputs() {
    const auto heavier = [this](std::uint32_t a, std::uint32_t b) { return tasks_[a].weight > tasks_[b].weight; };
    if (!options_.by_weight || std::is_sorted(inputs_.begin(), inputs_.end(), heavier)) return;
    std::stable_sort(inputs_.begin(), inputs_.end(), heavier);
  }

  void visit(std::uint32_t end) {
    stack_.push_back(end);
    while (!stack_.empty()) {
      const std::uint32_t t = stack_.back();
      if (tasks_[t].now == state::fresh) {
        tasks_[t].now = state::open;
        inputs_.clear();
        for (std::int64_t e = p_.pred_begin[t]; e < p_.pred_begin[t + 1]; ++e) {
          const std::uint32_t i = p_.pred[static_cast<std::size_t>(e)];
          if (tasks_[i].now == state::fresh) inputs_.push_back(i);
        }
        sort_inputs();
        stack_.insert(stack_.end(), inputs_.rbegin(), inputs_.rend());
        continue;
      }
      stack_.pop_back();
      if (tasks_[t].now == state::open) place(t);  // all above it, its inputs, are placed
    }
  }

  void place(std::uint32_t t) {
    tasks_[t].now = state::placed;
    p_.rank[t] = static_cast<std::uint32_t>(p_.order.size());
    p_.order.push_back(t);
    for (std::int64_t e = p_.pred_begin[t]; e < p_.pred_begin[t + 1]; ++e)
      --tasks_[p_.pred[static_cast<std::size_t>(e)]].uses;
    const std::uint32_t begin = p_.graph.succ_begin[t];
    for (std::uint32_t e = begin; e < p_.graph.succ_begin[t + 1]; ++e) --tasks_[p_.graph.succ[e]].missing;
    if (!options_.pull_forward) return;
    // what is pushed last is placed first: consumers that miss nothing, those of this block, and they in their order
    ready_.clear();
    for (std::int64_t e = p_.pred_begin[t]; e < p_.pred_begin[t + 1]; ++e) {
      const std::uint32_t i = p_.pred[static_cast<std::size_t>(e)];
      if (tasks_[i].uses == 1) consider_last_consumer(i);
    }
    for (std::uint32_t e = p_.graph.succ_begin[t + 1]; e-- > begin;) consider(p_.graph.succ[e]);
    stack_.insert(stack_.end(), ready_.begin(), ready_.end());
  }

  /// The block of `i` is now held for one task only.
  void consider_last_consumer(std::uint32_t i) {
    for (std::uint32_t e = p_.graph.succ_begin[i + 1]; e-- > p_.graph.succ_begin[i];) {
      const std::uint32_t s = p_.graph.succ[e];
      if (tasks_[s].now == state::placed) continue;
      consider(s);
      return;
    }
  }

  /// Places `s` next if that does not grow memory.
  void consider(std::uint32_t s) {
    if (tasks_[s].now != state::fresh || tasks_[s].missing > most_missing || tasks_[s].tries == most_tries) return;
    ++tasks_[s].tries;
    std::int64_t gain = 0;
    std::int64_t cost = tasks_[s].bytes;
    std::int64_t made = 0;
    for (std::int64_t e = p_.pred_begin[s]; e < p_.pred_begin[s + 1]; ++e) {
      const std::uint32_t i = p_.pred[static_cast<std::size_t>(e)];
      const std::int64_t bytes = tasks_[i].bytes;
      const std::int64_t share = bytes / static_cast<std::int64_t>(tasks_[i].uses);
      if (tasks_[i].now == state::placed) {
        gain += share;
      } else {
        cost += bytes - share;
        made += bytes + tasks_[i].weight;
      }
    }
    if (cost > gain) return;
    if (tasks_[s].missing == 0) {
      ready_.push_back(s);
    } else if (2 * gain >= made && quickly_made(s)) {  // not for little: making a large block to be rid of a small one
      stack_.push_back(s);
    }
  }

  /// What `s` misses are few tasks, and none of them is being made: that one would wait for `s`, and `s` for it.
  bool quickly_made(std::uint32_t s) {
    explored_.assign(1, s);
    int left = most_explored;
    while (!explored_.empty()) {
      const std::uint32_t t = explored_.back();
      explored_.pop_back();
      if (p_.pred_begin[t + 1] - p_.pred_begin[t] > most_explored && t != s) return false;
      for (std::int64_t e = p_.pred_begin[t]; e < p_.pred_begin[t + 1]; ++e) {
        const std::uint32_t i = p_.pred[static_cast<std::size_t>(e)];
        if (tasks_[i].now == state::placed) continue;
        if (tasks_[i].now == state::open || --left < 0) return false;
        explored_.push_back(i);
      }
    }
    return true;
  }

  plan& p_;
  order_options options_;
  std::vector<task_notes> tasks_;
  std::vector<std::uint32_t> stack_;  // an open task lies below its inputs; a task may stand here more than once
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> explored_;
};

/// Fills rank and order. @pre successors are known
inline void make_order(plan& p, order_options options = {}) { order_maker(p, options).run(); }

}  // namespace ashlar::detail
