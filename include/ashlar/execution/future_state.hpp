/// \file
/// What futures share: the state of one submitted task, from waiting for its inputs to its result or error.
///
/// A state is counted; whoever touches it holds a use, so nobody finds it gone: neither a waiter that returns while it
/// is still being notified, nor a worker whose task was cancelled under it. Its stage changes under its mutex, and user
/// code never runs under a mutex.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <source_location>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/detail/config.hpp>
#include <ashlar/error.hpp>

namespace ashlar {

/// Options of one submitted task.
struct submit_options {
  /// Appears in errors; without it the name of the function's type, or what kind of function it is.
  std::string name = {};
  /// Of the tasks that are queued, those of higher priority run first; equal ones in the order in which they came.
  int priority = 0;
  /// How often the task is run again when it throws. Each run needs the arguments: what can only be moved, by a
  /// function that takes it for itself, is a value_error of submit().
  int retries = 0;
  /// From submission to the end; then the future fails with timeout_error, and a function that still runs is asked to
  /// stop: by its stop token, and by this_task::stop_requested(). 0, or more than a year: no limit.
  std::chrono::duration<double> timeout{0};
  /// Cancels the task.
  std::stop_token stop = {};
  /// For errors; the line where the options are written.
  std::source_location where = std::source_location::current();
};

namespace detail {

class job;
class pool_core;
class future_state;

/// Counted objects of the pool.
template <class T>
class counted_ref {
 public:
  counted_ref() = default;
  explicit counted_ref(T* p) noexcept : object_(p) {}  // takes over one use
  counted_ref(const counted_ref& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->add_use();
  }
  counted_ref(counted_ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  counted_ref& operator=(counted_ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~counted_ref() {
    if (object_ != nullptr) object_->drop_use();
  }
  static counted_ref share(T* p) noexcept {
    p->add_use();
    return counted_ref(p);
  }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  T* release() noexcept { return std::exchange(object_, nullptr); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

class use_count {
 public:
  use_count() = default;
  use_count(const use_count&) = delete;
  use_count& operator=(const use_count&) = delete;
  virtual ~use_count() = default;

  void add_use() noexcept { uses_.fetch_add(1, std::memory_order_relaxed); }
  void drop_use() noexcept {
    if (uses_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<std::uint32_t> uses_{1};
};

using future_ref = counted_ref<future_state>;

/// Told when a state is ready.
class completion_listener : public use_count {
 public:
  virtual void completed(future_state& s) noexcept = 0;
};

/// What the library submits itself.
struct call_kind {
  bool at_once = false;       // run by whoever makes the last input ready; for calls that only move results
  bool plain_errors = false;  // what is thrown stays as it is
};

class future_state : public completion_listener {
 public:
  enum class stage : std::uint8_t {
    waiting,  // for its inputs
    queued,   // anyone may claim it
    running,
    committing,  // the result is being put in its place
    ready,
    abandoned  // ready with an error, while the function still runs
  };

  future_state(pool_core& pool, submit_options&& options, const char* function_type);
  ~future_state() override;

  bool is_ready() const noexcept {
    const stage s = stage_.load(std::memory_order_acquire);
    return s == stage::ready || s == stage::abandoned;
  }
  pool_core& pool() const noexcept { return *pool_; }
  int priority() const noexcept { return options_.priority; }
  const submit_options& options() const noexcept { return options_; }
  std::string name() const;

  /// Begins the life of a state whose inputs are known: it is queued when they are ready. `inputs` stay alive until the
  /// task has ended. @throws error when no thread can be had
  void start(std::vector<future_ref> inputs, call_kind kind);

  /// Waits as get() does, without looking at the result. On a worker, tasks that this one needs are run meanwhile.
  /// @throws error for a task that waits for itself
  void wait();
  /// @returns whether it is ready. Runs nothing meanwhile. @throws value_error for a negative time, or no number
  bool wait_for(std::chrono::duration<double> time);
  /// Throws the error, if there is one; the error counts as seen.
  void rethrow();
  /// The error is passed on to somebody who will throw it.
  void mark_seen() noexcept;

  /// Ends the task with an error unless it has ended. `quiet`: the error is no fault that wait_all() should report.
  /// `cause`: the input whose error it is, which counts as seen then. @returns whether it did
  bool abandon(std::exception_ptr error, bool quiet, future_state* cause = nullptr) noexcept;
  bool cancel() noexcept;
  /// The error of tasks that the end of their pool cancels.
  std::exception_ptr pool_ended() const;

  /// Calls `who` when the state is ready, at once when it is.
  void notify(counted_ref<completion_listener> who);

  /// For a queued task: true for the one who has to run it.
  bool claim() noexcept;
  /// Runs a claimed task to its end, or to the queue again.
  void run() noexcept;
  /// What a waiting thread can do for a task.
  enum class progress : std::uint8_t {
    made,       // it was run, if not to its end
    elsewhere,  // another task has to end first
    soon,       // it is about to be queued or run
    sleep       // somebody else runs it
  };
  progress help(future_ref& elsewhere) noexcept;

  // Under the pool's mutex: its queue. A task that was claimed stays there until somebody comes upon it.
  future_state* next_queued = nullptr;
  bool in_line = false;
  // Under the pool's mutex too: its list of errors that nobody has seen.
  future_state* previous_unseen = nullptr;
  future_state* next_unseen = nullptr;
  bool unseen = false;  // in that list
  bool seen = false;
  bool forgotten = false;  // counted only: the list was full

  // Handles that users and arguments hold.
  void add_handle() noexcept { handles_.fetch_add(1, std::memory_order_relaxed); }
  void drop_handle() noexcept { handles_.fetch_sub(1, std::memory_order_acq_rel); }
  bool has_one_handle() const noexcept { return handles_.load(std::memory_order_acquire) == 1; }

  /// Where the result lies, once ready without an error.
  virtual void* value() noexcept = 0;

  /// An input is ready.
  void completed(future_state& input) noexcept override;

 protected:
  /// Calls the function and, if begin_commit() says so, puts the result in its place.
  virtual void invoke() = 0;
  /// Gives up function and arguments.
  virtual void forget_call() noexcept = 0;

  bool begin_commit() noexcept;
  bool may_move_arguments() const noexcept { return options_.retries == 0; }
  std::stop_token stop_token();

 private:
  struct subscription {
    counted_ref<completion_listener> who;
    future_ref of;
    subscription* next;
  };

  void input_is_there() noexcept;
  void put_in_queue() noexcept;
  void sleep_until_ready();
  void finish(std::unique_lock<std::mutex>& lock, stage last) noexcept;
  static void deliver(subscription* list) noexcept;

  counted_ref<pool_core> pool_;
  submit_options options_;
  const char* function_type_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<stage> stage_{stage::waiting};
  std::atomic<std::uint32_t> handles_{0};
  std::atomic<std::size_t> inputs_left_{1};
  std::vector<future_ref> inputs_;  // under the mutex once started
  call_kind kind_;
  int attempts_ = 0;
  job* job_ = nullptr;  // while the function runs
  std::exception_ptr error_;
  bool quiet_ = false;
  subscription* subscriptions_ = nullptr;
  std::optional<std::stop_source> stop_;
  std::chrono::steady_clock::time_point deadline_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;  // last: gone before what its function uses
};

}  // namespace detail
}  // namespace ashlar
