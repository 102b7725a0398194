/// \file
/// Results of a run lie in one piece of memory that is planned before it; each is destroyed by the last task that takes
/// it. A task costs one indirect call, its edges, and no allocation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/execution/delayed_run.hpp>
#include <ashlar/execution/delayed_work.hpp>
#include <ashlar/execution/graph_job.hpp>
#include <ashlar/execution/task_error_text.hpp>
#include <ashlar/graph/delayed_plan.hpp>
#include <ashlar/graph/picture.hpp>
#include <ashlar/graph/task_dot.hpp>

namespace ashlar::detail {

class delayed_run {
 public:
  explicit delayed_run(const std::vector<task_input>& roots) : plan_(delayed_planner().make(roots)) {
    graph_ = make_task_graph(plan_);
    if (plan_.has_priorities) {
      sort_by_priority(plan_, graph_);
      graph_ = make_task_graph(plan_);
    }
    memory_ = static_cast<unsigned char*>(::operator new(8 * plan_.words, std::align_val_t(plan_.alignment)));
    if (plan_.destroys) alive_.resize(plan_.tasks());
  }
  delayed_run(const delayed_run&) = delete;
  delayed_run& operator=(const delayed_run&) = delete;
  ~delayed_run() {
    for (std::uint32_t t = 0; t < alive_.size(); ++t) {
      if (alive_[t] != 0) plan_.nodes[t]->type->destroy_result(slot(t));
    }
    ::operator delete(memory_, std::align_val_t(plan_.alignment));
  }

  void execute(const executor_ref& where, const run_options& options, run_watch& watch) {
    const int lane_count = where.lanes < 1 ? 1 : where.lanes;
    std::vector<std::uint32_t> order;
    if (lane_count == 1) {
      order.resize(plan_.tasks());
      std::iota(order.begin(), order.end(), 0u);
    }
    if (watch.wanted()) watch.planned(std::make_unique<delayed_work>(plan_), {lane_count, lane_count, 0, 0, false});
    notes_ = watch.notes();
    try {
      graph_job<delayed_run> work(graph_, *this, lane_count, order.data());
      run_job(where, work, plan_.tasks(), options, notes_);
    } catch (...) {
      watch.finish_failed();
      throw;
    }
    watch.finish(true);
  }

  /// The body of the job.
  void run(int lane, std::uint32_t t) {
    if (notes_ == nullptr) {
      call(t);
      return;
    }
    lane_watch& notes = notes_->lane(lane);
    const std::int64_t begin = notes.now();
    try {
      call(t);
    } catch (...) {
      notes.end(t, begin, span_kind::failed_task);
      throw;
    }
    notes.end(t, begin, span_kind::task);
  }

  void call(std::uint32_t t) {
    const task_node& n = *plan_.nodes[t];
    const std::uint32_t begin = plan_.pred_begin[t];
    task_frame frame{plan_.pred.data() + begin, plan_.place.data(), plan_.uses.data(), memory_};
    try {
      n.type->call(n, frame, slot(t));
    } catch (...) {
      std::rethrow_exception(nested_task_error(task_name(n), n.where));
    }
    if (alive_.empty()) return;  // nothing has to be destroyed
    if (n.type->destroy_result != nullptr) {
      alive_[t] = 1;
      if (plan_.uses[t] == 0) destroy(t);
    }
    for (std::uint32_t e = begin; e < plan_.pred_begin[t + 1]; ++e) {
      const std::uint32_t from = plan_.pred[e];
      if (drop_use(from) && alive_[from] != 0) destroy(from);
    }
  }

  std::string describe(std::uint32_t t) const {
    return task_name(*plan_.nodes[t]) + " from " + line_text(plan_.nodes[t]->where);
  }

  input_slot take(std::size_t i) noexcept {
    const std::uint32_t t = plan_.roots[i];
    return {slot(t), --plan_.uses[t] == 0};
  }

 private:
  void* slot(std::uint32_t t) const noexcept { return memory_ + std::size_t{plan_.place[t]} * 8; }

  bool drop_use(std::uint32_t t) noexcept {
    const std::atomic_ref<std::uint32_t> uses(plan_.uses[t]);
    return uses.load(std::memory_order_acquire) == 1 || uses.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  void destroy(std::uint32_t t) noexcept {
    alive_[t] = 0;
    plan_.nodes[t]->type->destroy_result(slot(t));
  }

  delayed_plan plan_;
  task_graph graph_;
  std::vector<unsigned char> alive_;  // results that were made and have a destructor to be called
  unsigned char* memory_ = nullptr;
  watcher* notes_ = nullptr;  // while it runs
};

ASHLAR_DETAIL_SEPARATE delayed_results::delayed_results(const executor_ref& where, const std::vector<task_input>& roots,
                                                        const run_options& options) {
  run_watch watch(options);
  auto run = std::make_unique<delayed_run>(roots);
  run->execute(where, options, watch);
  run_ = run.release();
}

ASHLAR_DETAIL_SEPARATE delayed_results::~delayed_results() { delete run_; }

ASHLAR_DETAIL_SEPARATE input_slot delayed_results::take(std::size_t i) noexcept { return run_->take(i); }

ASHLAR_DETAIL_SEPARATE std::vector<task_description> describe_tasks(const std::vector<task_input>& roots) {
  const delayed_plan p = delayed_planner().make(roots);
  std::vector<task_description> list(p.tasks());
  for (std::uint32_t t = 0; t < p.tasks(); ++t) {
    const task_node& n = *p.nodes[t];
    list[t].name = task_name(n);
    list[t].where = n.where;
    if (n.extra != nullptr) list[t].priority = n.extra->options.priority;
    list[t].inputs.assign(p.pred.begin() + p.pred_begin[t], p.pred.begin() + p.pred_begin[t + 1]);
  }
  for (const delayed_plan::edge& c : p.control) list[c.to].after.push_back(c.from);
  return list;
}

ASHLAR_DETAIL_SEPARATE std::string dot_of_delayed(const std::vector<task_input>& roots, const graph_options& options) {
  return dot_of_tasks(describe_tasks(roots), options);
}

ASHLAR_DETAIL_SEPARATE void draw_delayed(const std::vector<task_input>& roots, const std::string& path,
                                         const graph_options& options) {
  draw_dot(dot_of_delayed(roots, options), path);
}

}  // namespace ashlar::detail
