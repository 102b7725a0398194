/// \file
/// Which tasks go to a device together. A task is ready when its inputs were given to the device, since the stream
/// keeps their order. The ready tasks of one layer form a group, beginning with the layer whose ready task comes first
/// in the static order; a scan is one group, as its blocks follow each other within one launch.
///
/// Cost: O(log n) for each task.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include <ashlar/graph/plan.hpp>

namespace ashlar::detail {

class ready_groups {
 public:
  explicit ready_groups(const plan& p)
      : plan_(p), waits_(p.graph.waits.begin(), p.graph.waits.end()), first_(by_rank{&p}) {
    ready_.resize(p.layers.size(), ready_queue(by_rank{&p}));
    submitted_.assign(p.tasks(), 0);
    for (std::uint32_t t = 0; t < p.tasks(); ++t) {
      if (layer_of(t).kind != layer_kind::scan) continue;
      for (std::int64_t e = p.pred_begin[t]; e < p.pred_begin[t + 1]; ++e) {
        if (p.layer_of[p.pred[static_cast<std::size_t>(e)]] == p.layer_of[t]) --waits_[t];
      }
    }
    for (std::uint32_t t = 0; t < p.tasks(); ++t) {
      if (waits_[t] == 0) enter(t);
    }
  }

  /// The next group, by rank: as many tasks as need at most `most` bytes together by `bytes_of(layer, task)`, at least
  /// one. Empty when nothing is left.
  template <class BytesOf>
  std::vector<std::uint32_t> next(std::int64_t most, BytesOf bytes_of) {
    std::vector<std::uint32_t> group;
    while (!first_.empty() && submitted_[first_.top()] != 0) first_.pop();
    if (first_.empty()) return group;
    const layer& l = layer_of(first_.top());
    ready_queue& queue = ready_[plan_.layer_of[first_.top()]];
    std::int64_t bytes = 0;
    while (!queue.empty()) {
      const std::uint32_t t = queue.top();
      const std::int64_t more = bytes_of(l, t);
      if (!group.empty() && bytes + more > most && l.kind != layer_kind::scan) break;
      queue.pop();
      group.push_back(t);
      bytes += more;
    }
    return group;
  }

  /// A group was given to the device.
  void submitted(const std::vector<std::uint32_t>& group) {
    for (const std::uint32_t t : group) {
      submitted_[t] = 1;
      const bool scan = layer_of(t).kind == layer_kind::scan;
      for (std::uint32_t e = plan_.graph.succ_begin[t]; e < plan_.graph.succ_begin[t + 1]; ++e) {
        const std::uint32_t to = plan_.graph.succ[e];
        if (scan && plan_.layer_of[to] == plan_.layer_of[t]) continue;
        if (--waits_[to] == 0) enter(to);
      }
    }
  }

 private:
  struct by_rank {
    const plan* p;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return p->rank[a] > p->rank[b]; }
  };
  using ready_queue = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, by_rank>;

  const layer& layer_of(std::uint32_t task) const { return plan_.layers[plan_.layer_of[task]]; }

  void enter(std::uint32_t t) {
    ready_queue& queue = ready_[plan_.layer_of[t]];
    queue.push(t);
    if (layer_of(t).kind != layer_kind::scan) {
      first_.push(t);
    } else if (static_cast<std::int64_t>(queue.size()) == layer_of(t).task_count) {
      first_.push(queue.top());
    }
  }

  const plan& plan_;
  std::vector<std::uint32_t> waits_;
  ready_queue first_;               // of all layers; tasks that went with others of their layer are still in it
  std::vector<ready_queue> ready_;  // by layer
  std::vector<char> submitted_;
};

}  // namespace ashlar::detail
