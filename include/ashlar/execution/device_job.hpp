/// \file
/// The dispatcher: a plan on one device. Groups of ready tasks (execution/device_ready.hpp) are given to it, as many at
/// once as may hold memory; the host waits once, at the end.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/execution/device_check.hpp>
#include <ashlar/execution/device_movement.hpp>
#include <ashlar/execution/device_ready.hpp>
#include <ashlar/execution/device_reduction_tasks.hpp>
#include <ashlar/execution/device_scans.hpp>
#include <ashlar/execution/device_sources.hpp>
#include <ashlar/execution/plan_executor.hpp>
#include <ashlar/execution/task.hpp>

namespace ashlar::detail {

/// Bytes that one group may newly hold in chunks and room.
inline constexpr std::int64_t device_group_bytes = std::int64_t{512} << 20;

class device_job final : public plan_job, private device_values {
 public:
  device_job(std::unique_ptr<device_api> api, run_state& run, std::int64_t memory_limit)
      : api_(std::move(api)),
        run_(run),
        plan_(run.plan()),
        counts_(plan_.tasks()),
        context_{*api_, plan_, *this, counts_} {
    check_plan(plan_, *api_);
    std::int64_t free = 0;
    try {
      free = api_->free_bytes();
    } catch (const error& e) {
      throw_for_run(e);
    }
    account_.limit = memory_limit > 0 && memory_limit < free ? memory_limit : free;
    group_bytes_ = std::min(device_group_bytes, account_.limit / 4);
  }

  int lanes() const noexcept override { return 1; }
  std::int64_t done() const noexcept override { return done_.load(std::memory_order_relaxed); }
  std::string describe() const override {
    return std::to_string(done()) + " of " + std::to_string(plan_.tasks()) + " tasks were given to " +
           to_string(api_->place());
  }

  void run_lane(int, lane_host& host) noexcept override {
    const job_scope scope(*this);
    try {
      give_all();
    } catch (...) {
      fail(std::current_exception());
    }
    release_all();
    host.finish();
  }

  void keep_results() override { keep_results_ = true; }

  source_ptr kept() override {
    if (!keep_results_) {
      return std::make_shared<device_blocks_source>(std::move(kept_), std::move(kept_memory_), api_->fetcher());
    }
    const node& n = root_node(0);
    return std::make_shared<device_memory_source>(row_major_strides(n.shape), std::move(kept_memory_), api_->fetcher());
  }

 private:
  struct slab {
    device_piece memory;
    std::int64_t live = 0;
  };
  struct timed_group {
    int end;  // note of the device
    std::vector<std::uint32_t> tasks;
  };

  unsigned char* chunk(std::uint32_t task) const noexcept override { return chunk_[task]; }
  unsigned char* result(int root) const noexcept override {
    return keep_results_ ? static_cast<unsigned char*>(kept_memory_.data()) : results_[to_index(root)].data();
  }

  // --- the run ---

  /// Errors of tasks name them; what goes wrong around them is told with what the run was to make.
  void give_all() {
    try {
      dispatch();
    } catch (const task_error&) {
      throw;
    } catch (const memory_error&) {
      throw;
    } catch (const error& e) {
      throw_for_run(e);
    }
  }

  [[noreturn]] void throw_for_run(const error& e) const {
    std::string text = "compute";
    if (!plan_.layers.empty()) text = plan_.layers.back().name + ", from " + line_text(plan_.layers.back().where);
    std::throw_with_nested(device_error(text + ", on " + to_string(api_->place()) + ": " + e.what()));
  }

  void dispatch() {
    const std::uint32_t n = plan_.tasks();
    chunk_.assign(n, nullptr);
    slab_of_.assign(n, -1);
    uses_.resize(n);
    for (std::uint32_t t = 0; t < n; ++t) uses_[t] = plan_.graph.succ_begin[t + 1] - plan_.graph.succ_begin[t];
    make_results();
    watcher* const notes = run_.notes();
    const bool timed = notes != nullptr && notes->times();
    ready_groups ready(plan_);
    const auto bytes_of = [this](const layer& l, std::uint32_t t) { return new_bytes(l, t); };
    for (;;) {
      const std::vector<std::uint32_t> group = ready.next(group_bytes_, bytes_of);
      if (group.empty()) break;
      if (stopping()) return;
      if (timed && marks_.empty()) begin_ = api_->mark();
      submit(plan_.layers[plan_.layer_of[group.front()]], group);
      if (timed) {
        marks_.push_back({api_->mark(), group});
      } else if (notes != nullptr) {
        for (const std::uint32_t t : group) notes->lane(0).end(t, 0, span_kind::task);
      }
      ready.submitted(group);
      done_.fetch_add(static_cast<std::int64_t>(group.size()), std::memory_order_relaxed);
    }
    copy_results_out();
    api_->wait();
    note_times();
    set_finished();
  }

  /// Tasks of a group are told to have taken equal parts of its time.
  void note_times() {
    if (marks_.empty()) return;
    int before = begin_;
    for (const timed_group& g : marks_) {
      const double seconds = api_->seconds(before, g.end) / static_cast<double>(g.tasks.size());
      for (const std::uint32_t t : g.tasks) {
        run_.notes()->lane(0).end_on_device(t, static_cast<std::int64_t>(seconds * 1e9));
      }
      before = g.end;
    }
    run_.notes()->set_device_seconds(api_->seconds(begin_, before));
  }

  /// Bytes that a task will newly hold: its chunk, what is put together or brought in for it, values in between.
  std::int64_t new_bytes(const layer& l, std::uint32_t task) const {
    std::int64_t bytes = plan_.chunk_bytes[task];
    if (l.kind == layer_kind::combine) return bytes;
    std::int64_t coords[max_ndim];
    task_coords(l.counts, static_cast<std::int64_t>(task) - l.first_task, coords);
    const box b = task_box(l, coords);
    bytes += device_tape::bytes_between(l.tape, b.size(), l.kind == layer_kind::elementwise ? l.outputs[0].value : -1);
    if (l.kind == layer_kind::movement) {  // operands of other axes than the block; of all of them about a block
      const std::int64_t moved = round_up(b.size() * itemsize(l.outputs[0].type), device_alignment);
      bool read = false;
      for (const leaf& f : l.tape.leaves) read = read || (f.from != nullptr && f.from->where() != api_->place());
      return bytes + (read ? moved : 0) + (l.movement->reshapes() ? moved : 0);
    }
    for (const leaf& f : l.tape.leaves) {
      if (f.from == nullptr || (f.from->where() == api_->place() && f.view == nullptr && f.grid == l.grid)) continue;
      bytes += round_up(operand_box(b, f.shape).size() * itemsize(f.type), device_alignment);
    }
    return l.kind == layer_kind::partial ? bytes + device_partial_group::bytes_between(l, b) : bytes;
  }

  void make_results() {
    if (keep_results_) {
      kept_memory_ = buffer::allocate(static_cast<std::size_t>(result_size(0)), api_->resource());
      return;
    }
    if (plan_.results == result_kind::arrays) {
      results_.resize(static_cast<std::size_t>(plan_.roots));
      for (int r = 0; r < plan_.roots; ++r) {
        results_[to_index(r)] = device_piece(*api_, account_, result_size(r), "compute: the result");
      }
    }
    if (plan_.results != result_kind::blocks) return;
    const layer& l = plan_.layers[to_index(plan_.root_value[0].first)];
    std::int64_t bytes = 0;
    for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t) {
      bytes += round_up(plan_.chunk_bytes[static_cast<std::size_t>(t)], device_alignment);
    }
    kept_memory_ = buffer::allocate(static_cast<std::size_t>(bytes), api_->resource());
    auto* at = static_cast<unsigned char*>(kept_memory_.data());
    for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t) {
      chunk_[static_cast<std::size_t>(t)] = at;
      kept_.push_back(at);
      at += round_up(plan_.chunk_bytes[static_cast<std::size_t>(t)], device_alignment);
    }
  }

  const node& root_node(int root) const {
    const auto [number, output] = plan_.root_value[to_index(root)];
    return *plan_.layers[to_index(number)].outputs[to_index(output)].made_by;
  }

  std::int64_t result_size(int root) const {
    const node& n = root_node(root);
    return n.shape.size() * itemsize(n.type);
  }

  void submit(const layer& l, const std::vector<std::uint32_t>& group) {
    std::int64_t coords[max_ndim];
    try {
      device_room room(*api_, account_);
      const std::unique_ptr<device_group> work = group_of(l, room);
      take_chunks(l, group);
      for (const std::uint32_t t : group) {
        if (!plan_.skipped.empty() && plan_.skipped[t] != 0) continue;
        task_coords(l.counts, static_cast<std::int64_t>(t) - l.first_task, coords);
        work->add(t, coords, chunk_[t]);
      }
      work->launch();
      if (plan_.results == result_kind::sinks) feed(l, group);
    } catch (const memory_error& e) {
      std::throw_with_nested(memory_error(group_text(l, group) + ": " + e.what()));
    } catch (const std::exception& e) {
      std::throw_with_nested(task_error(group_text(l, group) + ": " + e.what()));
    }
    for (const std::uint32_t t : group) {
      if (uses_[t] == 0) drop(t);
      for (std::int64_t e = plan_.pred_begin[t]; e < plan_.pred_begin[t + 1]; ++e) {
        const std::uint32_t from = plan_.pred[static_cast<std::size_t>(e)];
        if (--uses_[from] == 0) drop(from);
      }
    }
  }

  std::string group_text(const layer& l, const std::vector<std::uint32_t>& group) const {
    std::int64_t coords[max_ndim];
    task_coords(l.counts, static_cast<std::int64_t>(group.front()) - l.first_task, coords);
    std::string text = l.name + ", block (";
    for (int a = 0; a < l.counts.ndim(); ++a) text += (a > 0 ? ", " : "") + std::to_string(coords[a]);
    text += ")";
    if (group.size() > 1) text += " and " + std::to_string(group.size() - 1) + " more";
    return text + " of " + l.counts.to_string() + ", on " + to_string(api_->place()) + ", from " + line_text(l.where);
  }

  std::unique_ptr<device_group> group_of(const layer& l, device_room& room) const {
    switch (l.kind) {
      case layer_kind::partial:
        return std::make_unique<device_partial_group>(context_, l, room);
      case layer_kind::combine:
        return std::make_unique<device_combine_group>(context_, l, room);
      case layer_kind::scan:
        return std::make_unique<device_scan_group>(context_, l, room);
      case layer_kind::movement:
        return std::make_unique<device_movement_group>(context_, l, room);
      default:
        return std::make_unique<device_elementwise_group>(context_, l, room);
    }
  }

  void take_chunks(const layer& l, const std::vector<std::uint32_t>& group) {
    if (l.kept) return;
    std::int64_t bytes = 0;
    for (const std::uint32_t t : group) bytes += round_up(plan_.chunk_bytes[t], device_alignment);
    if (bytes == 0) return;
    slabs_.push_back({device_piece(*api_, account_, bytes, "compute: the blocks of a group"), 0});
    slab& s = slabs_.back();
    unsigned char* at = s.memory.data();
    for (const std::uint32_t t : group) {
      if (plan_.chunk_bytes[t] == 0) continue;
      chunk_[t] = at;
      slab_of_[t] = static_cast<std::int32_t>(slabs_.size() - 1);
      at += round_up(plan_.chunk_bytes[t], device_alignment);
      ++s.live;
    }
  }

  void drop(std::uint32_t task) {
    const std::int32_t s = std::exchange(slab_of_[task], -1);
    if (s < 0) return;
    slab& from = slabs_[static_cast<std::size_t>(s)];
    if (--from.live == 0) from.memory = device_piece();
  }

  /// Hands finished blocks to the sinks of results.
  void feed(const layer& l, const std::vector<std::uint32_t>& group) {
    bool wanted = false;
    for (const layer_output& out : l.outputs) wanted = wanted || out.sink >= 0;
    if (!wanted) return;
    std::vector<unsigned char> block;
    std::int64_t coords[max_ndim];
    for (const std::uint32_t t : group) {
      const std::int64_t bytes = plan_.chunk_bytes[t];
      block.resize(static_cast<std::size_t>(bytes));
      if (bytes > 0) api_->copy_out(block.data(), chunk_[t], {bytes, 1, bytes, bytes});
      api_->wait();
      task_coords(l.counts, static_cast<std::int64_t>(t) - l.first_task, coords);
      feed_sinks(run_, l, coords, block.data());
    }
  }

  void copy_results_out() {
    for (int r = 0; r < static_cast<int>(results_.size()); ++r) {
      const node& n = root_node(r);
      const std::int64_t bytes = result_size(r);
      if (bytes == 0) continue;
      const result_target& to = run_.target(r);
      if (n.shape.size() == 1 || to.strides == row_major_strides(n.shape)) {
        api_->copy_out(to.data, result(r), {bytes, 1, bytes, bytes});
        continue;
      }
      std::vector<unsigned char> packed(static_cast<std::size_t>(bytes));
      api_->copy_out(packed.data(), result(r), {bytes, 1, bytes, bytes});
      api_->wait();
      copy_elements(itemsize(n.type), n.shape, packed.data(), row_major_strides(n.shape), to.data, to.strides);
    }
  }

  /// Everything goes back before the job ends, after an error too: what is under way may still read the host's memory.
  void release_all() noexcept {
    slabs_.clear();
    results_.clear();
    if (finished()) return;
    try {
      api_->wait();
    } catch (...) {
      fail(std::current_exception());
    }
  }

  std::unique_ptr<device_api> api_;
  run_state& run_;
  const plan& plan_;
  device_account account_;
  std::int64_t group_bytes_ = 0;
  std::vector<std::int64_t> counts_;
  device_context context_;
  std::vector<unsigned char*> chunk_;
  std::vector<std::int32_t> slab_of_;
  std::vector<slab> slabs_;
  std::vector<std::uint32_t> uses_;
  std::vector<device_piece> results_;
  std::vector<const void*> kept_;
  buffer kept_memory_;
  bool keep_results_ = false;
  int begin_ = 0;
  std::vector<timed_group> marks_;
  std::atomic<std::int64_t> done_{0};
};

}  // namespace ashlar::detail
