/// \file
/// An array run as reports and traces see it: groups are layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ashlar/execution/run_budget.hpp>
#include <ashlar/execution/run_watch.hpp>
#include <ashlar/graph/explain.hpp>
#include <ashlar/graph/layer_traffic.hpp>
#include <ashlar/graph/plan.hpp>

namespace ashlar::detail {

/// Tasks by layer, named by block and line.
class plan_work final : public watched_work {
 public:
  explicit plan_work(const plan& p) : plan_(p) {
    for (std::size_t i = 0; i < p.layers.size(); ++i) {
      std::string title = "\"name\":";
      append_json(title, p.layers[i].name);
      titles_.push_back(title + ",\"cat\":\"" + kind_text(p.layers[i].kind) + '"');
      std::string details = "\"layer\":" + std::to_string(i) + ",\"line\":";
      append_json(details, line_text(p.layers[i].where));
      details_.push_back(std::move(details));
    }
  }

  std::uint32_t tasks() const override { return plan_.tasks(); }

  watched_groups groups() const override {
    watched_groups groups;
    groups.group_of = plan_.layer_of.data();
    for (const layer& l : plan_.layers) {
      const std::int64_t work = traffic_of(plan_, l).work();
      groups.work.push_back(l.task_count > 0 ? (work + l.task_count - 1) / l.task_count : 0);
      groups.total_work += groups.work.back() * l.task_count;
    }
    return groups;
  }

  std::vector<layer_report> layers() const override {
    std::vector<layer_report> list;
    for (const layer& l : plan_.layers) {
      const layer_traffic bytes = traffic_of(plan_, l);
      list.push_back({l.name, line_text(l.where), 0, l.task_count, 0, bytes.read, bytes.written});
    }
    return list;
  }

  void title(std::string& json, std::uint32_t task) const override { json += titles_[plan_.layer_of[task]]; }

  void details(std::string& json, std::uint32_t task) const override {
    const std::uint32_t number = plan_.layer_of[task];
    json += details_[number] + ",\"block\":\"" + coords_text(plan_.layers[number], task) +
            "\",\"block_bytes\":" + std::to_string(plan_.chunk_bytes[task]);
  }

  const std::uint32_t* inputs_begin(std::uint32_t task) const override {
    return plan_.pred.data() + plan_.pred_begin[task];
  }
  const std::uint32_t* inputs_end(std::uint32_t task) const override {
    return plan_.pred.data() + plan_.pred_begin[task + 1];
  }

 private:
  const plan& plan_;
  std::vector<std::string> titles_;
  std::vector<std::string> details_;
};

/// Before the run.
inline void watch_plan(run_watch& watch, const plan& p, const run_budget& budget) {
  if (!watch.wanted()) return;
  watch.planned(std::make_unique<plan_work>(p),
                {p.lanes, budget.lanes, budget.predicted, static_cast<int>(p.results), true});
}

}  // namespace ashlar::detail
