/// \file
/// From nodes to results: plan, run on an executor, hand over. Everything here is free of element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/detail/copy_elements.hpp>
#include <ashlar/detail/flat_index.hpp>
#include <ashlar/execution/bounded_job.hpp>
#include <ashlar/execution/compute.hpp>
#include <ashlar/execution/explain_run.hpp>
#include <ashlar/execution/graph_job.hpp>
#include <ashlar/execution/make_pending.hpp>
#include <ashlar/execution/overlap.hpp>
#include <ashlar/execution/plan_executor.hpp>
#include <ashlar/execution/plan_work.hpp>
#include <ashlar/execution/run_budget.hpp>
#include <ashlar/execution/task.hpp>
#include <ashlar/graph/dot.hpp>
#include <ashlar/graph/lower.hpp>
#include <ashlar/graph/picture.hpp>

namespace ashlar {

namespace detail {

/// Elements of `size` bytes of one result to another of the same shape.
inline void copy_result(const ashlar::shape& shape, std::int64_t size, const result_target& from,
                        const result_target& to) {
  copy_elements(size, shape, from.data, from.strides, to.data, to.strides);
}

/// Calls f(), which runs the plan, and tells those who watch how it went.
template <class F>
void watched(run_state& run, run_watch& watch, F f) {
  run.watch(watch.notes());
  try {
    f();
  } catch (...) {
    watch.finish_failed();
    throw;
  }
  watch.finish(true);
}

/// Runs a plan within its budget.
inline void execute(const executor_ref& where, run_state& run, const run_budget& budget, const run_options& options,
                    run_watch& watch) {
  const plan& p = run.plan();
  watched(run, watch, [&] {
    if (where.plans != nullptr) {
      const std::unique_ptr<plan_job> work = where.plans->prepare(run, where.memory_limit);
      run_job(where, *work, p.stats.tasks, options, watch.notes());
    } else if (budget.mode == run_mode::free) {
      array_body body(run);
      graph_job<array_body> work(p.graph, body, p.lanes, p.order.data());
      run_job(where, work, p.stats.tasks, options, watch.notes());
    } else {
      array_body body(run, false);
      bounded_job<array_body> work(run, body, budget, options.spill_directory);
      run_job(where, work, p.stats.tasks, options, watch.notes());
    }
  });
}

/// Sources below a node that have to be made or brought in: f(source).
template <class F>
void for_each_pending(const node_ptr& root, F f) {
  flat_index seen;
  std::vector<const node*> stack;
  const auto enter = [&](const node_ptr& n) {
    const auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(n.get()));
    if (!n->pending || seen.find(key) >= 0) return;
    seen.set(key, 1);
    stack.push_back(n.get());
  };
  enter(root);
  while (!stack.empty()) {
    const node* const n = stack.back();
    stack.pop_back();
    if (n->kind == node_kind::source) f(*n->from);
    for (const node_ptr& i : n->inputs) enter(i);
  }
}

ASHLAR_DETAIL_SEPARATE ashlar::place place_of(const node_ptr& n) {
  ashlar::place common;
  bool one = true;
  for_each_pending(n, [&](const source& s) {
    if (s.pending()) return;
    one = one && (common.on_host() || common == s.where());
    common = s.where();
  });
  return one ? common : ashlar::place::host();
}

ASHLAR_DETAIL_SEPARATE executor_ref executor_at(ashlar::place where) {
  if (where.on_host()) return default_executor().load()();
  executor_ref (*const find)(ashlar::place) = place_executor().load();
  if (find == nullptr) {
    throw device_error("to: nothing in this program runs arrays on " + to_string(where) +
                       "; include <ashlar/cuda.hpp> in a file that nvcc compiles");
  }
  return find(where);
}

/// The executor that was named, or the one of the device on which all operands are.
inline executor_ref settle(const executor_ref& asked, const std::vector<node_ptr>& roots) {
  if (!asked.by_default || place_executor().load() == nullptr) return asked;
  ashlar::place common;
  for (const node_ptr& r : roots) {
    const ashlar::place p = place_of(r);
    if (p.on_host() || (!common.on_host() && common != p)) return asked;
    common = p;
  }
  return common.on_host() ? asked : place_executor().load()(common);
}

/// How a plan is run within the host's memory; executors that run plans themselves see to their own.
inline run_budget budget_of(const executor_ref& where, const plan& p, std::int64_t apart = 0) {
  return where.plans != nullptr ? run_budget{} : choose_budget(p, where.memory_limit, apart);
}

ASHLAR_DETAIL_SEPARATE void compute_into_targets(const executor_ref& asked, std::vector<node_ptr> roots,
                                                 const std::vector<result_target>& targets,
                                                 const run_options& options) {
  const executor_ref where = settle(asked, roots);
  run_watch watch(options);
  const std::shared_ptr<const plan> p =
      make_plan(make_pending(where, std::move(roots), options), where.lanes, options.optimize);
  std::vector<result_target> distinct(static_cast<std::size_t>(p->roots));
  std::vector<std::size_t> first(static_cast<std::size_t>(p->roots), targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto r = static_cast<std::size_t>(p->root_of[i]);
    if (first[r] == targets.size()) {
      first[r] = i;
      distinct[r] = targets[i];
    }
  }
  std::vector<std::int64_t> apart_bytes(distinct.size());  // results that would be written over what is to be read
  std::int64_t all_apart = 0;
  for (std::size_t r = 0; r < distinct.size(); ++r) {
    const node& n = *p->keep_alive[first[r]];
    if (overwrites_input(*p, n, distinct[r])) apart_bytes[r] = n.shape.size() * itemsize(n.type);
    all_apart += apart_bytes[r];
  }
  const run_budget budget = budget_of(where, *p, all_apart);
  std::vector<buffer> apart(distinct.size());
  for (std::size_t r = 0; r < distinct.size(); ++r) {
    if (apart_bytes[r] == 0) continue;
    apart[r] = buffer::allocate(static_cast<std::size_t>(apart_bytes[r]), host_memory());
    distinct[r] = {apart[r].data(), row_major_strides(p->keep_alive[first[r]]->shape)};
  }
  {
    watch_plan(watch, *p, budget);
    run_state run(p, distinct, {}, watch.memory());
    execute(where, run, budget, options, watch);
  }
  for (std::size_t r = 0; r < distinct.size(); ++r) {
    if (apart[r].data() == nullptr) continue;
    const node& n = *p->keep_alive[first[r]];
    copy_result(n.shape, itemsize(n.type), distinct[r], targets[first[r]]);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {  // results asked for twice
    const std::size_t from = first[static_cast<std::size_t>(p->root_of[i])];
    if (from == i) continue;
    const node& n = *p->keep_alive[i];
    copy_result(n.shape, itemsize(n.type), targets[from], targets[i]);
  }
}

ASHLAR_DETAIL_SEPARATE void compute_into_sink(const executor_ref& asked, const node_ptr& root, block_sink& sink,
                                              const run_options& options) {
  const executor_ref where = settle(asked, {root});
  run_watch watch(options);
  const std::shared_ptr<const plan> p =
      make_plan(make_pending(where, {root}, options), where.lanes, options.optimize, result_kind::sinks);
  const run_budget budget = budget_of(where, *p);
  watch_plan(watch, *p, budget);
  run_state run(p, {}, {&sink}, watch.memory());
  execute(where, run, budget, options, watch);
}

ASHLAR_DETAIL_SEPARATE source_ptr compute_into_blocks(const executor_ref& where, const node_ptr& root,
                                                      const run_options& options) {
  run_watch watch(options);
  const std::shared_ptr<const plan> p =
      make_plan(make_pending(where, {root}, options), where.lanes, options.optimize, result_kind::blocks);
  const run_budget budget = choose_budget(*p, where.memory_limit);
  watch_plan(watch, *p, budget);
  const layer& l = p->layers[static_cast<std::size_t>(p->root_value[0].first)];
  std::vector<const void*> blocks(static_cast<std::size_t>(l.task_count));
  buffer memory;
  {
    run_state run(p, {}, {}, watch.memory());
    memory = buffer::allocate(static_cast<std::size_t>(run.placed_bytes(l)));
    run.place_blocks(l, static_cast<unsigned char*>(memory.data()));
    execute(where, run, budget, options, watch);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      blocks[b] = run.chunk(static_cast<std::uint32_t>(l.first_task) + static_cast<std::uint32_t>(b));
    }
  }
  return std::make_shared<blocks_source>(std::move(blocks), std::make_shared<const buffer>(std::move(memory)));
}

ASHLAR_DETAIL_SEPARATE source_ptr keep_on_device(const executor_ref& asked, const node_ptr& root,
                                                 const run_options& options) {
  const executor_ref where = settle(asked, {root});
  if (where.plans == nullptr) return nullptr;
  const bool whole = root->kind == node_kind::reduction;
  run_watch watch(options);
  const std::shared_ptr<const plan> p = make_plan(make_pending(where, {root}, options), where.lanes, options.optimize,
                                                  whole ? result_kind::arrays : result_kind::blocks);
  watch_plan(watch, *p, {});
  run_state run(p, {result_target{}}, {}, watch.memory());
  source_ptr kept;
  watched(run, watch, [&] {
    const std::unique_ptr<plan_job> work = where.plans->prepare(run, where.memory_limit);
    if (whole) work->keep_results();
    run_job(where, *work, p->stats.tasks, options, watch.notes());
    kept = work->kept();
  });
  return kept;
}

ASHLAR_DETAIL_SEPARATE std::string explain_nodes(const executor_ref& where, const std::vector<node_ptr>& roots,
                                                 const run_options& options) {
  return explain_run(where, roots, options);
}

ASHLAR_DETAIL_SEPARATE std::string dot_of_nodes(std::vector<node_ptr> roots, int lane_count,
                                                const graph_options& options) {
  if (options.report == nullptr) {
    return dot_text(*make_plan(std::move(roots), lane_count, options.optimize), options);
  }
  const report::plan_key& measured = options.report->plan;
  if (measured.lanes < 1) throw value_error("visualize: the report holds no run; give it to compute() first");
  return dot_text(
      *make_plan(std::move(roots), measured.lanes, measured.optimized, static_cast<result_kind>(measured.results)),
      options);
}

ASHLAR_DETAIL_SEPARATE void draw_nodes(std::vector<node_ptr> roots, int lane_count, const std::string& path,
                                       const graph_options& options) {
  draw_dot(dot_of_nodes(std::move(roots), lane_count, options), path);
}

}  // namespace detail
}  // namespace ashlar
