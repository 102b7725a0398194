/// \file
/// How one waits for the first of several tasks, and how a pool ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <ashlar/execution/future_state_impl.hpp>
#include <ashlar/execution/pool_core.hpp>
#include <ashlar/execution/task_pool.hpp>

namespace ashlar {

namespace detail {

class completion_queue {
 public:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::size_t> ready;  // room for all is there from the start
  std::size_t taken = 0;

  bool has_next() const noexcept { return ready.size() > taken; }
};

class completion_entry final : public completion_listener {
 public:
  completion_entry(std::shared_ptr<completion_queue> queue, std::size_t position)
      : queue_(std::move(queue)), position_(position) {}

  void completed(future_state&) noexcept override {
    const std::lock_guard<std::mutex> lock(queue_->mutex);
    queue_->ready.push_back(position_);
    queue_->changed.notify_one();
  }

 private:
  std::shared_ptr<completion_queue> queue_;
  std::size_t position_;
};

ASHLAR_DETAIL_SEPARATE std::shared_ptr<completion_queue> make_completion_queue(const std::vector<future_ref>& wanted) {
  auto queue = std::make_shared<completion_queue>();
  queue->ready.reserve(wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    wanted[k]->notify(counted_ref<completion_listener>(new completion_entry(queue, k)));
  }
  return queue;
}

/// Runs one of the tasks, or one that they wait for. Keeps a pool that is out of threads going. @returns false when
/// there is none that could be
inline bool run_one_of(const std::vector<future_ref>& wanted) noexcept {
  for (const future_ref& w : wanted) {
    if (w->is_ready()) continue;
    future_ref s = w;
    future_ref next;
    future_state::progress made = s->help(next);
    while (made == future_state::progress::elsewhere) {
      s = std::move(next);
      made = s->help(next);
    }
    if (made == future_state::progress::made) return true;
  }
  return false;
}

ASHLAR_DETAIL_SEPARATE std::size_t next_completed(completion_queue& queue, const std::vector<future_ref>& wanted) {
  std::unique_lock<std::mutex> lock(queue.mutex);
  while (!queue.has_next()) {
    lock.unlock();
    {
      // Not by running one of them here, while others can: it may be the one that ends last.
      const off_seat away;
      if (away.work_goes_on()) {
        lock.lock();
        queue.changed.wait(lock, [&queue] { return queue.has_next(); });
        break;
      }
    }
    if (!run_one_of(wanted)) std::this_thread::yield();
    lock.lock();
  }
  return queue.ready[queue.taken++];
}

ASHLAR_DETAIL_SEPARATE void pool_core::watch_deadlines() noexcept {
  std::unique_lock<std::mutex> lock(timer_mutex_);
  while (!timer_ended_) {
    if (deadlines_.empty()) {
      timer_changed_.wait(lock);
      continue;
    }
    const clock::time_point next = deadlines_.begin()->first;
    if (clock::now() < next) {
      timer_changed_.wait_until(lock, next);
      continue;
    }
    future_ref s = std::move(deadlines_.begin()->second);
    deadlines_.erase(deadlines_.begin());
    lock.unlock();
    const std::chrono::duration<double> limit = s->options().timeout;
    s->abandon(std::make_exception_ptr(timeout_error(s->name() + ", from " + line_text(s->options().where) +
                                                     ": not done within " + std::to_string(limit.count()) + " s")),
               false);
    s = future_ref();
    lock.lock();
  }
}

ASHLAR_DETAIL_SEPARATE void pool_core::close() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
    wake_.notify_all();
  }
  for (;;) {
    future_ref s;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      s = pop();
    }
    if (!s) break;
    s->abandon(s->pool_ended(), true);
  }
  std::vector<future_ref> running;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (future_state* s : running_) running.push_back(future_ref::share(s));
  }
  for (const future_ref& s : running) s->abandon(s->pool_ended(), true);
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& t : threads) {
    if (t.get_id() == std::this_thread::get_id()) {
      t.detach();  // a task owned the pool: its thread ends after it
    } else {
      t.join();
    }
  }
  {
    const std::lock_guard<std::mutex> lock(timer_mutex_);
    timer_ended_ = true;
    timer_changed_.notify_all();
  }
  if (timer_.get_id() == std::this_thread::get_id()) {
    timer_.detach();  // a task that timed out owned the pool
  } else if (timer_.joinable()) {
    timer_.join();
  }
  std::multimap<clock::time_point, future_ref> deadlines;
  {
    const std::lock_guard<std::mutex> lock(timer_mutex_);
    deadlines.swap(deadlines_);
  }
  std::vector<future_ref> unseen;
  const std::lock_guard<std::mutex> lock(mutex_);
  while (first_unseen_ != nullptr) {
    future_state* const s = first_unseen_;
    unlink_unseen(s);
    unseen.push_back(future_ref(s));
  }
}

}  // namespace detail

ASHLAR_DETAIL_SEPARATE task_pool::task_pool(pool_options options)
    : core_(new detail::pool_core(detail::worker_count(options.workers, "task_pool"))) {}

ASHLAR_DETAIL_SEPARATE task_pool::~task_pool() { core_->close(); }

ASHLAR_DETAIL_SEPARATE int task_pool::workers() const noexcept { return core_->workers(); }

ASHLAR_DETAIL_SEPARATE void task_pool::wait_all() {
  for (const detail::running_task* r = detail::running_task::innermost(); r != nullptr; r = r->outer) {
    if (&r->state->pool() != core_.get()) continue;
    throw error("wait_all: the task " + r->state->name() + " (" + detail::line_text(r->state->options().where) +
                ") of this pool would wait for itself");
  }
  core_->wait_all();
}

ASHLAR_DETAIL_SEPARATE std::size_t task_pool::unfinished() const noexcept { return core_->unfinished(); }

ASHLAR_DETAIL_SEPARATE task_pool& default_pool() {
  static task_pool pool;
  return pool;
}

}  // namespace ashlar
