/// \file
/// How a submitted task goes from stage to stage, and how it is waited for.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/execution/job.hpp>
#include <ashlar/execution/pool_core.hpp>
#include <ashlar/execution/std_threads_impl.hpp>
#include <ashlar/execution/task_error_text.hpp>
#include <ashlar/execution/time_span.hpp>
#include <ashlar/graph/source_line.hpp>
#include <ashlar/graph/task_node.hpp>

namespace ashlar {

namespace detail {

/// The tasks that this thread is in the middle of, innermost first.
struct running_task {
  const future_state* state;
  running_task* outer;

  static running_task*& innermost() noexcept {
    static thread_local running_task* top = nullptr;
    return top;
  }
};

/// A submitted task as the job of its thread: it can only be stopped.
class task_job final : public job {
 public:
  int lanes() const noexcept override { return 1; }
  void run_lane(int, lane_host&) noexcept override {}
  std::int64_t done() const noexcept override { return 0; }
};

ASHLAR_DETAIL_SEPARATE future_state::future_state(pool_core& pool, submit_options&& options, const char* function_type)
    : pool_(counted_ref<pool_core>::share(&pool)), options_(std::move(options)), function_type_(function_type) {
  if (options_.retries < 0) {
    throw value_error("submit: retries is " + std::to_string(options_.retries) + "; it is 0 or more");
  }
  check_time(options_.timeout, "submit: the timeout");
}

ASHLAR_DETAIL_SEPARATE future_state::~future_state() = default;

ASHLAR_DETAIL_SEPARATE std::string future_state::name() const {
  return options_.name.empty() ? function_name(function_type_) : options_.name;
}

ASHLAR_DETAIL_SEPARATE void future_state::start(std::vector<future_ref> inputs, call_kind kind) {
  pool_->prepare(options_.priority);
  kind_ = kind;
  inputs_left_.store(inputs.size() + 1, std::memory_order_relaxed);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    inputs_ = inputs;
  }
  pool_->add_task();
  try {
    if (is_time_limit(options_.timeout)) {  // before anybody can end the task, and look for its deadline
      deadline_ = end_of_time(options_.timeout);
    }
    if (options_.stop.stop_possible()) on_stop_.emplace(options_.stop, [this] { cancel(); });
    if (is_time_limit(options_.timeout)) {
      pool_->add_deadline(deadline_, this);
      if (is_ready()) pool_->remove_deadline(deadline_, this);  // stopped already
    }
    for (const future_ref& input : inputs)
      input->notify(counted_ref<completion_listener>(future_ref::share(this).release()));
    input_is_there();
  } catch (...) {
    abandon(std::current_exception(), false);
  }
}

ASHLAR_DETAIL_SEPARATE void future_state::input_is_there() noexcept {
  if (inputs_left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stage_.load(std::memory_order_relaxed) != stage::waiting) return;
    stage_.store(stage::queued, std::memory_order_release);
  }
  if (kind_.at_once) {
    if (claim()) run();
  } else {
    put_in_queue();
  }
}

ASHLAR_DETAIL_SEPARATE void future_state::put_in_queue() noexcept {
  if (pool_->enqueue(future_ref::share(this))) return;
  abandon(pool_ended(), true);
}

ASHLAR_DETAIL_SEPARATE std::exception_ptr future_state::pool_ended() const {
  return std::make_exception_ptr(
      cancelled(name() + ", from " + line_text(options_.where) + ": the pool ended before the task did"));
}

ASHLAR_DETAIL_SEPARATE void future_state::completed(future_state& input) noexcept {
  if (input.error_ == nullptr) {
    input_is_there();
    return;
  }
  abandon(input.error_, input.quiet_, &input);
}

ASHLAR_DETAIL_SEPARATE bool future_state::claim() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stage_.load(std::memory_order_relaxed) != stage::queued) return false;
  stage_.store(stage::running, std::memory_order_release);
  ++attempts_;
  return true;
}

ASHLAR_DETAIL_SEPARATE bool future_state::begin_commit() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stage_.load(std::memory_order_relaxed) != stage::running) return false;
  stage_.store(stage::committing, std::memory_order_release);
  return true;
}

ASHLAR_DETAIL_SEPARATE void future_state::run() noexcept {
  std::exception_ptr error;
  // What this_task::stop_requested() asks; no part of a task that waits on this thread and may be stopped itself.
  const job* const waiting = std::exchange(job_of_this_thread(), nullptr);
  task_job job;
  job_of_this_thread() = waiting;
  running_task*& innermost = running_task::innermost();
  running_task frame{this, innermost};
  innermost = &frame;
  try {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      job_ = &job;
      if (stage_.load(std::memory_order_relaxed) == stage::abandoned) job.stop();
    }
    const job_scope scope(job);
    if (!job.stopping()) invoke();  // else it was ended between claim() and here
  } catch (...) {
    error = kind_.plain_errors
                ? std::current_exception()
                : nested_task_error(attempts_ > 1 ? name() + ", attempt " + std::to_string(attempts_) : name(),
                                    options_.where);
  }
  innermost = frame.outer;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    job_ = nullptr;
    const stage now = stage_.load(std::memory_order_relaxed);
    if (now == stage::running && error != nullptr && attempts_ <= options_.retries) {
      stage_.store(stage::queued, std::memory_order_release);
      lock.unlock();
      put_in_queue();
      return;
    }
    if (now != stage::abandoned) {
      stage_.store(stage::committing, std::memory_order_release);  // nobody else ends the task from here on
      error_ = std::move(error);
      lock.unlock();
      forget_call();
      lock.lock();
      finish(lock, stage::ready);
      return;
    }
  }
  forget_call();
  pool_->end_task();
}

ASHLAR_DETAIL_SEPARATE bool future_state::abandon(std::exception_ptr error, bool quiet, future_state* cause) noexcept {
  std::optional<std::stop_source> stop;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const stage now = stage_.load(std::memory_order_relaxed);
    if (now == stage::committing || now == stage::ready || now == stage::abandoned) return false;
    if (cause != nullptr) cause->mark_seen();  // before this one ends, and with it perhaps somebody's wait_all()
    error_ = std::move(error);
    quiet_ = quiet;
    stop = stop_;
    if (job_ != nullptr) job_->stop();
    if (now == stage::running) {
      finish(lock, stage::abandoned);
    } else {
      stage_.store(stage::committing, std::memory_order_release);
      lock.unlock();
      forget_call();
      lock.lock();
      finish(lock, stage::ready);
    }
  }
  if (stop) stop->request_stop();
  return true;
}

ASHLAR_DETAIL_SEPARATE bool future_state::cancel() noexcept {
  return abandon(std::make_exception_ptr(cancelled(name() + ", from " + line_text(options_.where) + ": cancelled")),
                 true);
}

/// Makes the state ready, and tells everybody. Unlocks.
ASHLAR_DETAIL_SEPARATE void future_state::finish(std::unique_lock<std::mutex>& lock, stage last) noexcept {
  const future_ref self = future_ref::share(this);
  std::vector<future_ref> inputs = std::exchange(inputs_, {});
  subscription* list = std::exchange(subscriptions_, nullptr);
  const bool failed = error_ != nullptr && !quiet_;
  stage_.store(last, std::memory_order_release);
  lock.unlock();
  changed_.notify_all();
  if (failed) pool_->add_unseen(this);
  if (is_time_limit(options_.timeout)) pool_->remove_deadline(deadline_, this);
  subscription* reversed = nullptr;  // first come, first told
  while (list != nullptr) {
    subscription* const next = std::exchange(list->next, reversed);
    reversed = list;
    list = next;
  }
  deliver(reversed);
  if (last != stage::abandoned) pool_->end_task();  // else when the function has returned
}

ASHLAR_DETAIL_SEPARATE void future_state::notify(counted_ref<completion_listener> who) {
  auto* s = new subscription{std::move(who), future_ref::share(this), nullptr};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_ready()) {
      s->next = subscriptions_;
      subscriptions_ = s;
      return;
    }
  }
  deliver(s);
}

/// A chain of tasks that end one another (one failed, say) is walked by a loop, not by recursion.
ASHLAR_DETAIL_SEPARATE void future_state::deliver(subscription* list) noexcept {
  struct queue {
    subscription* first = nullptr;
    subscription* last = nullptr;
    bool delivering = false;
  };
  static thread_local queue q;
  if (list == nullptr) return;
  (q.first == nullptr ? q.first : q.last->next) = list;
  while (list->next != nullptr) list = list->next;
  q.last = list;
  if (q.delivering) return;
  q.delivering = true;
  while (q.first != nullptr) {
    subscription* const s = q.first;
    q.first = s->next;
    s->who->completed(*s->of);
    delete s;
  }
  q.delivering = false;
}

ASHLAR_DETAIL_SEPARATE std::stop_token future_state::stop_token() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!stop_) stop_.emplace();
  return stop_->get_token();
}

ASHLAR_DETAIL_SEPARATE void future_state::rethrow() {
  if (error_ == nullptr) return;
  mark_seen();
  std::rethrow_exception(error_);
}

ASHLAR_DETAIL_SEPARATE void future_state::mark_seen() noexcept {
  if (error_ != nullptr) pool_->remove_unseen(this);
}

ASHLAR_DETAIL_SEPARATE future_state::progress future_state::help(future_ref& next) noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    switch (stage_.load(std::memory_order_relaxed)) {
      case stage::waiting:
        for (const future_ref& input : inputs_) {
          if (input->is_ready()) continue;
          next = input;
          return progress::elsewhere;
        }
        return progress::soon;
      case stage::queued:
        if (is_time_limit(options_.timeout)) return progress::sleep;  // whoever waits may go on when the time is over
        break;
      default:
        return progress::sleep;
    }
  }
  if (!claim()) return progress::soon;
  if (!pool_->add_running(this)) {
    abandon(pool_ended(), true);
    run();  // to its end, without the function
    return progress::made;
  }
  run();
  pool_->remove_running(this);
  return progress::made;
}

ASHLAR_DETAIL_SEPARATE void future_state::sleep_until_ready() {
  const off_seat away;
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return is_ready(); });
}

ASHLAR_DETAIL_SEPARATE void future_state::wait() {
  if (is_ready()) return;
  if (running_task::innermost() == nullptr) {
    sleep_until_ready();
    return;
  }
  std::vector<future_ref> path{future_ref::share(this)};  // each waits for the one behind it
  while (!is_ready()) {
    const future_ref s = path.back();
    if (s->is_ready()) {
      path.pop_back();
      continue;
    }
    future_ref next;
    switch (s->help(next)) {
      case progress::elsewhere:
        path.push_back(std::move(next));
        break;
      case progress::sleep:
        for (const running_task* r = running_task::innermost(); r != nullptr; r = r->outer) {
          if (r->state != s.get() || s->is_ready()) continue;
          throw error("future: the task " + s->name() + " (" + line_text(s->options().where) +
                      ") waits, directly or through others, for itself");
        }
        s->sleep_until_ready();
        break;
      case progress::soon:
        std::this_thread::yield();
        break;
      case progress::made:
        break;
    }
  }
}

ASHLAR_DETAIL_SEPARATE bool future_state::wait_for(std::chrono::duration<double> time) {
  check_time(time, "future: the time of wait_for");
  if (is_ready()) return true;
  const std::chrono::steady_clock::time_point deadline = end_of_time(time);
  const off_seat away;
  std::unique_lock<std::mutex> lock(mutex_);
  if (time > longest_time_limit) {
    changed_.wait(lock, [this] { return is_ready(); });
    return true;
  }
  return changed_.wait_until(lock, deadline, [this] { return is_ready(); });
}

}  // namespace detail

}  // namespace ashlar
