/// \file
/// The inside of a task pool: one queue in order of priority, threads, deadlines, errors that nobody has seen.
///
/// One mutex guards it all; tasks that are worth submitting take microseconds, and graphs of small ones are the
/// business of delayed(). Tasks are linked through their own states, so a submission allocates nothing here.
///
/// Why nothing waits for ever, with any number of threads: a worker that waits for a task that nobody has begun runs
/// it, or what that one waits for. So it only sleeps while somebody else runs what it needs. Of all running tasks one
/// at least does not sleep, unless tasks wait for one another in a circle. Further threads in place of sleeping workers
/// keep the processors busy; nothing depends on them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/execution/future_state.hpp>
#include <ashlar/execution/worker_seat.hpp>

namespace ashlar::detail {

class pool_core final : public use_count, private worker_seat {
 public:
  using clock = std::chrono::steady_clock;

  explicit pool_core(int workers) : workers_(workers) {}
  ~pool_core() override = default;

  int workers() const noexcept { return workers_; }
  std::size_t unfinished() const noexcept { return unfinished_.load(std::memory_order_acquire); }

  /// Room for a task of that priority, and one thread at least. @throws error when the system gives none
  void prepare(int priority) {
    const std::lock_guard<std::mutex> lock(mutex_);
    line_of(priority);
    if (threads_.empty() && !closing_ && !start_thread()) {
      throw error("submit: the system gives no thread for the pool");
    }
  }

  void add_task() noexcept { unfinished_.fetch_add(1, std::memory_order_relaxed); }
  void end_task() noexcept {
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    all_done_.notify_all();
  }

  /// @returns false when the pool has ended
  bool enqueue(future_ref s) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closing_) return false;
    if (!std::exchange(s->in_line, true)) {
      line& l = line_of(s->priority());
      future_state* const state = s.release();
      state->next_queued = nullptr;
      (l.last == nullptr ? l.first : l.last->next_queued) = state;
      l.last = state;
      ++queued_;
    }
    call_worker();
    return true;
  }

  /// Tasks that the end of the pool asks to stop. @returns false when it has done so already
  bool add_running(future_state* s) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closing_) return false;
    note_running(s);
    return true;
  }
  void remove_running(future_state* s) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    forget_running(s);
  }

  void add_deadline(clock::time_point when, future_state* s) {
    const std::lock_guard<std::mutex> lock(timer_mutex_);
    if (timer_ended_) return;
    deadlines_.emplace(when, future_ref::share(s));
    if (timer_.joinable()) {
      timer_changed_.notify_one();
      return;
    }
    try {
      timer_ = std::thread([self = counted_ref<pool_core>::share(this)] { self->watch_deadlines(); });
    } catch (const std::system_error& e) {
      throw error(std::string("submit: the system gives no thread for the timeout: ") + e.what());
    }
  }
  void remove_deadline(clock::time_point when, future_state* s) noexcept {
    future_ref found;  // released behind the lock
    const std::lock_guard<std::mutex> lock(timer_mutex_);
    const auto [begin, end] = deadlines_.equal_range(when);
    for (auto at = begin; at != end; ++at) {
      if (at->second.get() != s) continue;
      found = std::move(at->second);
      deadlines_.erase(at);
      break;
    }
  }

  void add_unseen(future_state* s) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closing_ || s->seen) return;
    if (unseen_ >= most_unseen) {
      ++forgotten_;
      s->forgotten = true;
      return;
    }
    s->add_use();
    s->unseen = true;
    s->previous_unseen = last_unseen_;
    s->next_unseen = nullptr;
    (last_unseen_ == nullptr ? first_unseen_ : last_unseen_->next_unseen) = s;
    last_unseen_ = s;
    ++unseen_;
  }
  void remove_unseen(future_state* s) noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      s->seen = true;
      if (std::exchange(s->forgotten, false) && forgotten_ > 0) --forgotten_;
      if (!s->unseen) return;
      unlink_unseen(s);
    }
    s->drop_use();
  }

  /// @throws the first error that nobody has seen
  void wait_all() {
    future_ref first;
    std::size_t others = 0;
    std::vector<future_ref> seen;
    {
      const off_seat away;
      std::unique_lock<std::mutex> lock(mutex_);
      all_done_.wait(lock, [this] { return unfinished_.load(std::memory_order_acquire) == 0; });
      if (first_unseen_ == nullptr && forgotten_ == 0) return;
      seen.reserve(unseen_);
      others = unseen_ + std::exchange(forgotten_, 0u);
      while (first_unseen_ != nullptr) {
        future_state* const s = first_unseen_;
        unlink_unseen(s);
        s->seen = true;
        seen.push_back(future_ref(s));
      }
    }
    if (!seen.empty()) seen.front()->rethrow();
    throw task_error("wait_all: " + std::to_string(others) + " tasks failed, and nobody has asked for their results");
  }

  /// Cancels what has not begun, asks what runs to stop, joins all threads.
  void close() noexcept;

 private:
  static constexpr std::size_t most_unseen = 1000;  // errors that are kept; further ones are counted
  static constexpr std::size_t most_spares = 1000;  // threads in place of sleeping workers

  struct line {
    int priority;
    future_state* first;
    future_state* last;
  };

  /// There are few priorities in a program. Finds one that prepare() has made.
  line& line_of(int priority) {
    std::size_t k = 0;
    while (k < lines_.size() && lines_[k].priority > priority) ++k;
    if (k == lines_.size() || lines_[k].priority != priority) {
      lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(k), line{priority, nullptr, nullptr});
    }
    return lines_[k];
  }

  future_ref pop() noexcept {
    for (line& l : lines_) {
      if (l.first == nullptr) continue;
      future_state* const s = l.first;
      l.first = s->next_queued;
      s->in_line = false;
      if (l.first == nullptr) l.last = nullptr;
      --queued_;
      return future_ref(s);
    }
    return future_ref();
  }

  void note_running(future_state* s) noexcept {
    try {
      running_.push_back(s);
    } catch (...) {  // no memory: the end of the pool will not ask this one to stop
    }
  }
  /// Once: a task that is retried may have been noted by the next thread already.
  void forget_running(future_state* s) noexcept {
    for (future_state*& r : running_) {
      if (r != s) continue;
      r = running_.back();
      running_.pop_back();
      return;
    }
  }

  void unlink_unseen(future_state* s) noexcept {
    (s->previous_unseen == nullptr ? first_unseen_ : s->previous_unseen->next_unseen) = s->next_unseen;
    (s->next_unseen == nullptr ? last_unseen_ : s->next_unseen->previous_unseen) = s->previous_unseen;
    s->unseen = false;
    --unseen_;
  }

  /// Brings one more thread to the queue when that is wanted. Under the mutex.
  void call_worker() noexcept {
    if (queued_ == 0 || closing_ || busy_ + looking_ >= workers_) return;
    if (idle_ > 0) {
      --idle_;
      ++looking_;
      ++calls_;
      wake_.notify_one();
    } else if (threads_.size() < static_cast<std::size_t>(workers_) + most_spares) {
      start_thread();
    }
  }

  bool start_thread() noexcept {
    try {
      threads_.emplace_back([self = counted_ref<pool_core>::share(this)] { self->work(); });
      ++looking_;
      return true;
    } catch (...) {  // no more threads: those that there are do the same work
      return false;
    }
  }

  void work() noexcept {
    worker_seat::current() = this;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      if (closing_) return;  // what is queued then is cancelled by who closes
      if (queued_ > 0 && busy_ < workers_) {
        future_ref s = pop();
        note_running(s.get());  // under the lock that pops: it is in the queue or in this list, never between
        --looking_;
        ++busy_;
        call_worker();
        lock.unlock();
        if (s->claim()) s->run();
        remove_running(s.get());
        s = future_ref();
        lock.lock();
        --busy_;
        ++looking_;
        continue;
      }
      --looking_;
      ++idle_;
      wake_.wait(lock, [this] { return calls_ > 0 || closing_; });
      if (calls_ > 0) --calls_;  // whoever called has counted this thread as looking
    }
  }

  bool leave() noexcept override {
    const std::lock_guard<std::mutex> lock(mutex_);
    --busy_;
    call_worker();
    return queued_ == 0 || busy_ + looking_ > 0;
  }
  void take() noexcept override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++busy_;
  }

  void watch_deadlines() noexcept;

  const int workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable all_done_;
  std::vector<line> lines_;  // highest priority first
  std::size_t queued_ = 0;   // in all lines; some of them may have been claimed by waiting threads
  int busy_ = 0;             // threads that run a task and do not wait
  int looking_ = 0;          // threads on their way to the queue
  int idle_ = 0;
  int calls_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_;
  std::vector<future_state*> running_;
  future_state* first_unseen_ = nullptr;
  future_state* last_unseen_ = nullptr;
  std::size_t unseen_ = 0;
  std::size_t forgotten_ = 0;
  std::atomic<std::size_t> unfinished_{0};

  std::mutex timer_mutex_;
  std::condition_variable timer_changed_;
  std::multimap<clock::time_point, future_ref> deadlines_;
  std::thread timer_;
  bool timer_ended_ = false;
};

}  // namespace ashlar::detail
