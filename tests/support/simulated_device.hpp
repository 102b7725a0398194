// A device without a device: the dispatcher's interface (execution/device_api.hpp) on memory of the host. What is asked
// for goes into a queue that is worked off later, so that what is read too late, given back too early or written twice
// shows; the n-th call can be made to fail. Nothing of it is fast.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ashlar/execution/device_job.hpp>
#include <ashlar/execution/executor.hpp>

#include "simulated_machine.hpp"
#include "simulated_work.hpp"

namespace simulated_device {

/// What nvcc would have made for an expression and a reducer.
struct computed_passes : dt::device_fused {
  element_reader elements;
};

/// Lets the reductions of a plan compute their elements as they read them, where one step makes these.
class computed_reductions {
 public:
  /// Before the job is made of the plan, which is this run's alone.
  void add(const dt::plan& p) {
    for (const dt::layer& l : p.layers) {
      for (const dt::reducer_use& use : l.reducers) {
        for (const dt::tape_step& s : l.tape.steps) {
          if (l.kind != dt::layer_kind::partial || s.output != use.value || s.inputs == 0) continue;
          computed_passes& made = passes_.emplace_back();
          made.elements = {use.reducer, s.call};
          const_cast<dt::reducer_use&>(use).fused = &made;
        }
      }
    }
  }

 private:
  std::deque<computed_passes> passes_;
};

/// The stream of one run.
class queued_device final : public dt::device_api {
 public:
  explicit queued_device(machine& m, computed_reductions computed = {})
      : m_(m), computed_(std::move(computed)), dice_(m.chosen.seed * 2 + 1), pace_(m.chosen.when) {
    if (pace_ == pace::own_thread) worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }
  ~queued_device() override {
    worker_ = {};
    lost_ = true;
    while (!queue_.empty()) step();
  }

  ashlar::place place() const noexcept override { return m_.place(); }
  void* stream() const noexcept override { return nullptr; }

  void* allocate(std::int64_t bytes) override {
    try {
      enter("allocation of " + std::to_string(bytes) + " bytes");
    } catch (const violation&) {
      throw;
    } catch (const ashlar::device_error&) {
      if (m_.chosen.allocate_throws) throw;
      return nullptr;
    }
    const std::lock_guard lock(m_.mutex());
    return m_.memory().take(bytes);
  }
  void release(void* data, std::int64_t bytes) noexcept override {
    {
      const std::lock_guard lock(m_.mutex());
      try {
        m_.memory().give_back(data, bytes);
      } catch (const violation& e) {
        return m_.note(e.what());
      }
    }
    put({"release", true, [data](shadowed_memory& m) { m.drop(data); }});
  }

  ashlar::memory_resource& resource() override { return m_.resource(); }
  void (*fetcher() const)(void*, const void*, std::int64_t, ashlar::place) override {
    return [](void* to, const void* from, std::int64_t bytes, ashlar::place where) {
      machine& m = machine_at(where.index());
      m.call("copy of " + std::to_string(bytes) + " bytes home");
      const std::lock_guard lock(m.mutex());
      m.memory().read_all(to, from, bytes);
    };
  }

  void copy_in(void* to, const void* from, const dt::byte_rows& w) override {
    add("copy to the device", [=](shadowed_memory& m) {
      for (std::int64_t r = 0; r < w.rows; ++r) m.write(at(to, r * w.to_pitch), at(from, r * w.from_pitch), w.width);
    });
  }
  void copy_out(void* to, const void* from, const dt::byte_rows& w) override {
    add("copy to the host", [=](shadowed_memory& m) {
      for (std::int64_t r = 0; r < w.rows; ++r) m.read_all(at(to, r * w.to_pitch), at(from, r * w.from_pitch), w.width);
    });
  }
  void upload(void* to, const void* from, std::int64_t size) override {
    const auto* const first = static_cast<const unsigned char*>(from);
    add("upload", [to, held = byte_list(first, first + size)](shadowed_memory& m) {
      m.write(to, held.data(), static_cast<std::int64_t>(held.size()));
    });
  }
  void copy(dt::device_queue&, const dt::device_copy& w) override {
    add("copy", [w](shadowed_memory& m) { copy_elements(m, w); });
  }

  bool runs(const dt::kernel_descriptor& k) const override { return m_.chosen.user_functions || k.equal != nullptr; }
  bool runs(const dt::reducer_descriptor&) const override { return true; }
  bool runs(const dt::finisher_descriptor&) const override { return true; }
  bool runs(const dt::scan_descriptor&) const override { return true; }
  bool runs(const dt::source&) const override { return m_.chosen.fills; }

  void run(dt::device_queue&, const dt::kernel& k, const dt::device_elementwise& w) override {
    const int operands = k.descriptor->inputs + 1;
    std::vector<void*> only;
    if (w.items == 1) only.assign(w.table, w.table + operands);
    std::vector<std::int64_t> strides;
    for (int j = 0; j + 1 < operands; ++j)
      strides.insert(strides.end(), w.in_stride[j], w.in_stride[j] + dt::device_axes);
    add(k.descriptor->name, [=](shadowed_memory& m) {
      std::int64_t in_stride[dt::max_kernel_inputs][dt::device_axes] = {};
      if (!strides.empty()) std::memcpy(in_stride, strides.data(), strides.size() * sizeof(std::int64_t));
      compute_elements(m, k, w, in_stride, only);
    });
  }
  void run(dt::device_queue&, const dt::reducer_descriptor& r, const dt::device_rows& w) override {
    add(r.name, [&r, w](shadowed_memory& m) { reduce_rows(m, {&r}, w); });
  }
  void run(dt::device_queue&, const dt::reducer_descriptor& r, const dt::device_columns& w) override {
    add(r.name, [&r, w](shadowed_memory& m) { reduce_columns(m, {&r}, w); });
  }
  void run(dt::device_queue&, const dt::reducer_descriptor& r, const dt::device_lift& w) override {
    add(r.name, [&r, w](shadowed_memory& m) { lift_elements(m, r, w); });
  }
  void run(dt::device_queue&, const dt::reducer_descriptor& r, const dt::device_fold& w) override {
    add(r.name, [&r, w](shadowed_memory& m) { fold_states(m, r, w); });
  }
  void run(dt::device_queue&, const dt::reducer_descriptor& r, const dt::device_tree& w) override {
    add(r.name, [&r, w](shadowed_memory& m) { pair_states(m, r, w); });
  }
  void run(dt::device_queue&, const dt::device_fused& f, const void*, const dt::device_rows& w) override {
    const element_reader e = static_cast<const computed_passes&>(f).elements;
    add("rows of an expression", [e, w](shadowed_memory& m) { reduce_rows(m, e, w); });
  }
  void run(dt::device_queue&, const dt::device_fused& f, const void*, const dt::device_columns& w) override {
    const element_reader e = static_cast<const computed_passes&>(f).elements;
    add("columns of an expression", [e, w](shadowed_memory& m) { reduce_columns(m, e, w); });
  }
  void run(dt::device_queue&, const dt::finisher_descriptor& f, const dt::device_finish& w) override {
    add(f.name, [&f, w](shadowed_memory& m) { finish_states(m, f, w); });
  }
  void run(dt::device_queue&, const dt::scan_descriptor& s, const dt::device_scan& w) override {
    const std::int64_t n = w.lines * w.blocks;
    add(s.name, [&s, w, length = std::vector<std::int64_t>(w.length, w.length + w.blocks),
                 in = std::vector<const void*>(w.in, w.in + n), out = std::vector<void*>(w.out, w.out + n)](
                    shadowed_memory& m) { scan_lines(m, s, w, length, in, out); });
  }
  void run(dt::device_queue&, const dt::source& generator, const dt::device_fill& w) override {
    add(generator.name(), [&generator, w](shadowed_memory& m) { fill_elements(m, generator, w); });
  }

  int mark() override {
    const int number = marks_++;
    add("mark", [this](shadowed_memory&) { times_.push_back(std::chrono::steady_clock::now()); });
    return number;
  }
  double seconds(int from, int to) override {
    const auto span = times_.at(static_cast<std::size_t>(to)) - times_.at(static_cast<std::size_t>(from));
    return std::chrono::duration<double>(span).count();
  }

  /// When the call fails, nothing more is done for this run, but what was given back is.
  void wait() override {
    std::exception_ptr error;
    try {
      enter("wait");
    } catch (...) {
      error = std::current_exception();
      const std::lock_guard lock(queue_mutex_);
      lost_ = true;
    }
    if (pace_ == pace::own_thread) {
      std::unique_lock lock(queue_mutex_);
      idle_.wait(lock, [&] { return queue_.empty() && !busy_; });
    } else {
      while (!queue_.empty()) step();
    }
    if (error == nullptr) error = wrong();
    if (error != nullptr) std::rethrow_exception(error);
  }

  std::int64_t free_bytes() override {
    enter("free_bytes");
    const std::lock_guard lock(m_.mutex());
    return m_.memory().size() - m_.memory().live();
  }

 private:
  struct order {
    const char* name;
    bool always;  // even when the device is lost
    std::function<void(shadowed_memory&)> work;
  };

  std::uint64_t roll(std::uint64_t n) {
    dice_ = dice_ * 6364136223846793005ull + 1442695040888963407ull;
    return (dice_ >> 33) % n;
  }

  std::exception_ptr wrong() {
    const std::lock_guard lock(queue_mutex_);
    return wrong_;
  }

  void enter(const std::string& what) {
    if (const std::exception_ptr e = wrong(); e != nullptr) std::rethrow_exception(e);
    m_.call(what);
  }

  void add(const char* name, std::function<void(shadowed_memory&)> work) {
    enter(name);
    put({name, false, std::move(work)});
  }

  void put(order o) {
    {
      const std::lock_guard lock(queue_mutex_);
      queue_.push_back(std::move(o));
    }
    if (pace_ == pace::own_thread) {
      wake_.notify_one();
    } else if (pace_ == pace::at_once) {
      while (!queue_.empty()) step();
    } else if (pace_ == pace::random && roll(4) == 0) {
      for (std::uint64_t n = roll(8); n > 0 && !queue_.empty(); --n) step();
    }
  }

  /// Does what comes first.
  void step() {
    order o;
    bool lost = false;
    {
      const std::lock_guard lock(queue_mutex_);
      o = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lost = lost_ || wrong_ != nullptr;
    }
    std::exception_ptr error;
    if (o.always || !lost) {
      const std::lock_guard lock(m_.mutex());
      try {
        m_.memory().begin_launch(o.name);
        o.work(m_.memory());
      } catch (const violation& e) {
        m_.note(e.what());
        error = std::current_exception();
      } catch (...) {
        error = std::current_exception();
      }
    }
    o.work = nullptr;
    const std::lock_guard lock(queue_mutex_);
    if (wrong_ == nullptr) wrong_ = error;
    busy_ = false;
    if (queue_.empty()) idle_.notify_all();
  }

  void work(const std::stop_token& stop) {
    std::uint64_t dice = m_.chosen.seed + 7;
    for (;;) {
      {
        std::unique_lock lock(queue_mutex_);
        if (!wake_.wait(lock, stop, [&] { return !queue_.empty(); })) return;
      }
      dice = dice * 6364136223846793005ull + 1442695040888963407ull;
      if ((dice >> 60) == 0) std::this_thread::sleep_for(std::chrono::microseconds((dice >> 40) % 100));
      step();
    }
  }

  machine& m_;
  computed_reductions computed_;
  std::uint64_t dice_;
  pace pace_;
  std::mutex queue_mutex_;
  std::condition_variable_any wake_;
  std::condition_variable idle_;
  std::deque<order> queue_;
  std::exception_ptr wrong_;
  bool busy_ = false;
  bool lost_ = false;
  int marks_ = 0;
  std::vector<std::chrono::steady_clock::time_point> times_;
  std::jthread worker_;
};

inline std::unique_ptr<dt::plan_job> machine::prepare(dt::run_state& run, std::int64_t memory_limit) const {
  computed_reductions computed;
  if (chosen.fused) computed.add(run.plan());
  auto device = std::make_unique<queued_device>(machine_at(index_), std::move(computed));
  return std::make_unique<dt::device_job>(std::move(device), run, memory_limit);
}

/// The caller's thread.
class caller final : public dt::lane_host {
 public:
  bool park(int) noexcept override { return false; }
  bool call(int) noexcept override { return false; }
  void finish() noexcept override {}
};

/// The executor.
class simulated {
 public:
  explicit simulated(const settings& chosen = {}, int index = 0) : machine_(&machine_at(index)) {
    machine_->start(chosen);
  }

  std::int64_t memory_limit = 0;

  int lanes() const noexcept { return 1; }
  void execute(dt::job& work) const {
    caller host;
    work.run_lane(0, host);
  }
  const dt::plan_executor* plans() const noexcept { return machine_; }

  machine& on() const noexcept { return *machine_; }
  ashlar::place place() const noexcept { return machine_->place(); }

 private:
  machine* machine_;
};

}  // namespace simulated_device
