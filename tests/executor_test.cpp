// Executors of a user's own: what they owe a run, and what happens when they do not give it.
#include <doctest/doctest.h>

#include <cstdint>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/execution/job.hpp>
#include <ashlar/reductions.hpp>

namespace ash = ashlar;

namespace {

/// Lends the caller's thread, and counts runs.
struct counting {
  int* runs;
  std::int64_t memory_limit = 0;
  int lanes() const { return 1; }
  void execute(ash::detail::job& work) const {
    ++*runs;
    ash::serial{}.execute(work);
  }
};

struct lazy_one {
  std::int64_t memory_limit = 0;
  int lanes() const { return 2; }
  void execute(ash::detail::job&) const {}
};

static_assert(ash::executor<counting>);
static_assert(ash::executor<lazy_one>);
static_assert(!ash::executor<int>);

}  // namespace

TEST_CASE("any type with lanes, a memory limit and execute is an executor") {
  int runs = 0;
  CHECK(ash::ones<double>({4, 5}, {.chunks = {2, 2}}).sum().compute(counting{&runs}).item() == 20);
  CHECK(runs == 1);
}

TEST_CASE("an executor that speaks of no lanes has one") {
  struct none : counting {
    int lanes() const { return 0; }
  };
  int runs = 0;
  CHECK(ash::ones<double>({4, 5}, {.chunks = {2, 2}}).sum().compute(none{{&runs}}).item() == 20);
}

TEST_CASE("an executor that does not run the job is named, and no result comes out") {
  CHECK_THROWS_WITH_AS(ash::ones<double>({4}).sum().compute(lazy_one{}),
                       "compute: the executor came back before the run had ended; its execute(job) calls "
                       "job.run_lane(0, host) and returns when that does",
                       ash::error);
}
