/// \file
/// A worker of a pool that is about to wait gives up its seat meanwhile, so that another thread may work in its place.
/// Only where it really sleeps: while it works itself, as the first lane of a run too, its seat is taken.
#pragma once

namespace ashlar::detail {

class worker_seat {
 public:
  /// @returns whether somebody works on, or nothing is queued
  virtual bool leave() noexcept = 0;
  virtual void take() noexcept = 0;

  /// The seat of this thread, null for threads that are no workers and for workers that have left.
  static worker_seat*& current() noexcept {
    static thread_local worker_seat* seat = nullptr;
    return seat;
  }

 protected:
  ~worker_seat() = default;
};

/// Leaves the seat for as long as it lives.
class off_seat {
 public:
  off_seat() noexcept : seat_(worker_seat::current()) {
    if (seat_ == nullptr) return;
    worker_seat::current() = nullptr;
    work_goes_on_ = seat_->leave();
  }
  off_seat(const off_seat&) = delete;
  off_seat& operator=(const off_seat&) = delete;
  /// False when everybody sleeps but this thread, and no other could be had: it should rather work.
  bool work_goes_on() const noexcept { return work_goes_on_; }

  ~off_seat() {
    if (seat_ == nullptr) return;
    seat_->take();
    worker_seat::current() = seat_;
  }

 private:
  worker_seat* seat_;
  bool work_goes_on_ = true;
};

}  // namespace ashlar::detail
