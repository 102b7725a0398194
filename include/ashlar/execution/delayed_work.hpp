/// \file
/// A run of delayed calls as reports and traces see it: groups are functions of one name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <ashlar/detail/quoted_text.hpp>
#include <ashlar/execution/run_watch.hpp>
#include <ashlar/graph/delayed_plan.hpp>

namespace ashlar::detail {

class delayed_work final : public watched_work {
 public:
  /// @param p outlives this object
  explicit delayed_work(const delayed_plan& p) : plan_(p) {
    std::unordered_map<std::string, std::uint32_t> known;
    group_of_.reserve(p.tasks());
    for (const task_node* n : p.nodes) {
      const std::string name = task_name(*n);
      const auto [at, added] = known.emplace(name, static_cast<std::uint32_t>(layers_.size()));
      if (added) layers_.push_back({name, line_text(n->where), 0, 0, 0, 0, 0});
      ++layers_[at->second].planned_tasks;
      group_of_.push_back(at->second);
    }
  }

  std::uint32_t tasks() const override { return plan_.tasks(); }

  /// How long a call takes cannot be told beforehand.
  watched_groups groups() const override { return {group_of_.data(), std::vector<std::int64_t>(layers_.size()), 0}; }

  std::vector<layer_report> layers() const override { return layers_; }

  void title(std::string& json, std::uint32_t task) const override {
    json += "\"name\":";
    append_json(json, layers_[group_of_[task]].name);
    json += ",\"cat\":\"task\"";
  }

  void details(std::string& json, std::uint32_t task) const override {
    json += "\"task\":" + std::to_string(task) + ",\"line\":";
    append_json(json, line_text(plan_.nodes[task]->where));
  }

  const std::uint32_t* inputs_begin(std::uint32_t task) const override {
    return plan_.pred.data() + plan_.pred_begin[task];
  }
  const std::uint32_t* inputs_end(std::uint32_t task) const override {
    return plan_.pred.data() + plan_.pred_begin[task + 1];
  }

 private:
  const delayed_plan& plan_;
  std::vector<std::uint32_t> group_of_;
  std::vector<layer_report> layers_;
};

}  // namespace ashlar::detail
