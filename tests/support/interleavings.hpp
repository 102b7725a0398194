/// \file
/// Tries the interleavings of a few small threads, to check protocols that a stress test meets once a year.
///
/// The threads are coroutines on stacks of their own. Before each operation on an explored atomic or mutex the explorer
/// chooses who goes on; a depth-first search over these choices runs the scenario again and again until every sequence
/// within the bound has been tried. Two kinds of choice cost one unit of the bound each: taking the processor from a
/// thread that could go on, and holding a store back in the thread's store buffer, as x86 does, until its next fence,
/// read-modify-write or end. Few units find nearly every fault (Musuvathi and Qadeer, "Iterative context bounding",
/// 2007). Loads are otherwise sequentially consistent: weaker orders than x86's are not explored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ucontext.h>

namespace test_support {

class explorer {
 public:
  /// Starts a scenario: makes its objects anew and adds the threads. A later call is another execution.
  using scenario = std::function<void(explorer&)>;

  struct outcome {
    std::int64_t executions = 0;
    bool complete = false;  // every sequence within the bound was tried
    std::string failure;    // empty: none found
  };

  static explorer*& current() {
    static explorer* e = nullptr;
    return e;
  }

  /// @param bound units of the costly choices in one execution
  static outcome explore(const scenario& make, int bound, std::int64_t most_executions = 2'000'000) {
    outcome result;
    std::vector<choice> path;
    while (result.executions < most_executions) {
      explorer e(path, bound);
      current() = &e;
      make(e);
      e.run();
      current() = nullptr;
      ++result.executions;
      result.failure = e.failure_;
      if (!result.failure.empty()) return result;
      while (!path.empty() && path.back().taken + 1 >= path.back().options) path.pop_back();
      if (path.empty()) {
        result.complete = true;
        return result;
      }
      ++path.back().taken;
    }
    return result;
  }

  void thread(std::function<void()> body) {
    auto t = std::make_unique<fiber>();
    t->body = std::move(body);
    threads_.push_back(std::move(t));
  }

  /// After all threads have ended.
  void at_end(std::function<void()> check) { at_end_ = std::move(check); }

  void require(bool good, const char* what) {
    if (!good && failure_.empty()) failure_ = what;
  }

  /// A point before an operation: others may get in between.
  void step() {
    if (running_ == nullptr) return;  // while the scenario is being made
    if (++steps_ > 5000) {
      require(false, "an execution does not end");
      running_->blocked = [] { return true; };
    }
    yield();
  }

  /// Waits until `ready`; the thread takes no part in the search meanwhile.
  void wait(std::function<bool()> ready) {
    if (running_ == nullptr) return;
    drain();
    while (!ready()) {
      running_->blocked = [&ready] { return !ready(); };
      yield();
      running_->blocked = nullptr;
    }
  }

  std::uint64_t load(const std::uint64_t* at) const {
    if (running_ != nullptr) {
      for (std::size_t k = running_->stores.size(); k-- > 0;) {
        if (running_->stores[k].first == at) return running_->stores[k].second;
      }
    }
    return *at;
  }

  void store(std::uint64_t* at, std::uint64_t value) {
    if (running_ == nullptr) {
      *at = value;
    } else if (!running_->stores.empty() || choose_costly()) {  // stores leave the buffer in order
      running_->stores.emplace_back(at, value);
    } else {
      *at = value;
    }
  }

  /// Fences and read-modify-writes: everything that was held back is seen by all.
  void drain() {
    if (running_ == nullptr) return;
    for (const auto& [at, value] : running_->stores) *at = value;
    running_->stores.clear();
  }

 private:
  struct choice {
    int taken;
    int options;
  };

  struct fiber {
    ucontext_t context = {};
    static constexpr std::size_t stack_size = 64 << 10;
    std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(stack_size);
    std::function<void()> body;
    std::function<bool()> blocked;
    std::deque<std::pair<std::uint64_t*, std::uint64_t>> stores;
    bool ended = false;
  };

  explorer(std::vector<choice>& path, int bound) : path_(path), left_(bound) {}

  int choose(int options) {
    if (options <= 1) return 0;
    if (at_ < path_.size()) return path_[at_++].taken;
    path_.push_back({0, options});
    ++at_;
    return 0;
  }

  bool choose_costly() {
    if (left_ == 0 || choose(2) == 0) return false;
    --left_;
    return true;
  }

  static void enter(unsigned high, unsigned low) {
    auto* const self = reinterpret_cast<explorer*>((std::uintptr_t{high} << 32) | low);
    fiber* const me = self->running_;
    me->body();
    self->step();  // others may still run before the last stores are seen
    self->drain();
    me->ended = true;
    self->yield();
  }

  void yield() { swapcontext(&running_->context, &main_); }

  void run() {
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    for (auto& t : threads_) {
      getcontext(&t->context);
      t->context.uc_stack.ss_sp = t->stack.get();
      t->context.uc_stack.ss_size = fiber::stack_size;
      t->context.uc_link = &main_;
      makecontext(&t->context, reinterpret_cast<void (*)()>(&explorer::enter), 2, static_cast<unsigned>(self >> 32),
                  static_cast<unsigned>(self & 0xffffffffu));
    }
    fiber* last = nullptr;
    for (;;) {
      std::vector<fiber*> able;
      bool all_ended = true;
      const bool last_is_able = last != nullptr && !last->ended && (!last->blocked || !last->blocked());
      if (last_is_able) able.push_back(last);
      for (auto& t : threads_) {
        all_ended = all_ended && t->ended;
        if (t.get() != last && !t->ended && (!t->blocked || !t->blocked())) able.push_back(t.get());
      }
      if (all_ended) break;
      if (able.empty()) {
        require(false, "every thread waits: a wake-up was lost");
        break;
      }
      if (!failure_.empty()) break;
      int pick = 0;
      if (!last_is_able) {
        pick = choose(static_cast<int>(able.size()));
      } else if (left_ > 0) {
        pick = choose(static_cast<int>(able.size()));
        if (pick != 0) --left_;
      }
      last = able[static_cast<std::size_t>(pick)];
      running_ = last;
      swapcontext(&main_, &last->context);
      running_ = nullptr;
    }
    if (failure_.empty() && at_end_) at_end_();
  }

  std::vector<choice>& path_;
  std::size_t at_ = 0;
  int left_;
  int steps_ = 0;
  std::vector<std::unique_ptr<fiber>> threads_;
  std::function<void()> at_end_;
  fiber* running_ = nullptr;
  ucontext_t main_ = {};
  std::string failure_;
};

/// An atomic whose operations the explorer orders.
template <class T>
class explored_atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

 public:
  explored_atomic() = default;
  explored_atomic(T value) : bits_(pack(value)) {}
  explored_atomic(const explored_atomic&) = delete;
  explored_atomic& operator=(const explored_atomic&) = delete;

  template <class... Order>
  T load(Order...) const {
    if (explorer* const e = explorer::current()) {
      e->step();
      return unpack(e->load(&bits_));
    }
    return unpack(bits_);
  }

  template <class... Order>
  void store(T value, Order...) {
    if (explorer* const e = explorer::current()) {
      e->step();
      e->store(&bits_, pack(value));
    } else {
      bits_ = pack(value);
    }
  }

  template <class... Order>
  T fetch_add(T n, Order...) {
    before_update();
    const T old = unpack(bits_);
    bits_ = pack(static_cast<T>(old + n));
    return old;
  }

  template <class... Order>
  T fetch_sub(T n, Order...) {
    before_update();
    const T old = unpack(bits_);
    bits_ = pack(static_cast<T>(old - n));
    return old;
  }

  template <class... Order>
  bool compare_exchange_strong(T& expected, T desired, Order...) {
    before_update();
    if (bits_ != pack(expected)) {
      expected = unpack(bits_);
      return false;
    }
    bits_ = pack(desired);
    return true;
  }

 private:
  static void before_update() {
    if (explorer* const e = explorer::current()) {
      e->step();
      e->drain();
    }
  }
  static std::uint64_t pack(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  static T unpack(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  std::uint64_t bits_ = 0;
};

class explored_mutex {
 public:
  void lock() {
    if (explorer* const e = explorer::current()) {
      e->step();
      e->wait([this] { return !locked_; });
    }
    locked_ = true;
  }
  void unlock() {
    if (explorer* const e = explorer::current()) e->drain();
    locked_ = false;
  }

 private:
  bool locked_ = false;
};

/// The policy for work_queue and lane_gate under the explorer. `Fences` off: to see that the explorer finds what fences
/// are for.
template <bool Fences = true>
struct explored_policy {
  template <class T>
  using atomic = explored_atomic<T>;
  using mutex = explored_mutex;

  static void fence() {
    if (explorer* const e = explorer::current(); e != nullptr && Fences) {
      e->step();
      e->drain();
    }
  }
};

}  // namespace test_support
