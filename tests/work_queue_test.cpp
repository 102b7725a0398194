// The queue of a lane and the protocol of parking, over every interleaving within a bound.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <ashlar/execution/lane_gate.hpp>
#include <ashlar/execution/work_queue.hpp>

#include "support/interleavings.hpp"

using ashlar::detail::lane_gate;
using ashlar::detail::work_item;
using ashlar::detail::work_queue;
using test_support::explored_atomic;
using test_support::explored_policy;
using test_support::explorer;

namespace {

/// The owner pushes `pushes` entries, popping after those that `pops_after` marks, then pops what is left; thieves
/// steal a few times. Every entry has to be taken exactly once.
template <class Policy>
explorer::scenario owner_and_thieves(std::uint32_t pushes, unsigned pops_after, int thieves, int steals,
                                     std::size_t capacity) {
  return [=](explorer& e) {
    struct state {
      explicit state(std::size_t n) : queue(n) {}
      work_queue<Policy> queue;
      std::vector<int> taken;
    };
    const auto s = std::make_shared<state>(capacity);
    s->taken.assign(pushes, 0);
    e.thread([=] {
      work_item item;
      for (std::uint32_t k = 0; k < pushes; ++k) {
        s->queue.push(work_item::task(k));
        if ((pops_after >> k & 1) != 0 && s->queue.pop(item)) ++s->taken[item.first];
      }
      while (s->queue.pop(item)) ++s->taken[item.first];
    });
    for (int t = 0; t < thieves; ++t) {
      e.thread([=] {
        work_item item;
        for (int k = 0; k < steals; ++k) {
          if (s->queue.steal(item)) ++s->taken[item.first];
        }
      });
    }
    e.at_end([s, &e] {
      for (const int n : s->taken) {
        e.require(n >= 1, "an entry was lost");
        e.require(n <= 1, "an entry was taken twice");
      }
    });
  };
}

/// One lane makes work and never takes any itself; the other has to get all of it, parking in between.
template <class Policy>
explorer::scenario maker_and_parker(int works) {
  return [=](explorer& e) {
    struct state {
      work_queue<Policy> queue{4};
      lane_gate<Policy> gate{2};
      explored_atomic<int> called{0};
      int got = 0;
    };
    const auto s = std::make_shared<state>();
    s->gate.take();  // lane 1 works already
    e.thread([=] {
      for (int k = 0; k < works; ++k) {
        s->queue.push(work_item::task(0));
        Policy::fence();
        if (s->gate.anyone() && s->gate.take() >= 0) s->called.fetch_add(1);
      }
    });
    e.thread([=, &e] {
      work_item item;
      while (s->got < works) {
        if (s->queue.steal(item)) {
          ++s->got;
          continue;
        }
        s->gate.enter(1);
        if (!s->queue.empty() && s->gate.withdraw(1)) continue;
        e.wait([s] { return s->called.load() > 0; });
        s->called.fetch_sub(1);
      }
    });
  };
}

}  // namespace

TEST_CASE("entries come out newest first for the owner and oldest first for thieves") {
  work_queue<> q(4);
  for (std::uint32_t k = 0; k < 100; ++k) q.push({k, k + 1});
  work_item item;
  CHECK(q.steal(item));
  CHECK(item.first == 0);
  CHECK(item.last == 1);
  CHECK(q.pop(item));
  CHECK(item.first == 99);
  for (std::uint32_t k = 98; k >= 1; --k) {
    REQUIRE(q.pop(item));
    CHECK(item.first == k);
  }
  CHECK_FALSE(q.pop(item));
  CHECK_FALSE(q.steal(item));
  CHECK(q.empty());
  q.push(work_item::task(5));
  CHECK_FALSE(q.empty());
  CHECK(q.pop(item));
  CHECK(item.is_task());
}

TEST_CASE("no interleaving loses an entry or gives it out twice") {
  for (unsigned pops = 0; pops < 8; pops += 3) {
    CAPTURE(pops);
    const auto r = explorer::explore(owner_and_thieves<explored_policy<>>(3, pops, 1, 2, 4), 2);
    CHECK(r.failure == "");
    CHECK(r.complete);
    CHECK(r.executions > 100);
  }
  const auto two = explorer::explore(owner_and_thieves<explored_policy<>>(2, 0, 2, 1, 4), 3);
  CHECK(two.failure == "");
  CHECK(two.complete);
}

TEST_CASE("a queue that grows under a thief loses nothing") {
  const auto r = explorer::explore(owner_and_thieves<explored_policy<>>(4, 0, 1, 2, 2), 2);
  CHECK(r.failure == "");
  CHECK(r.complete);
}

TEST_CASE("the explorer finds what happens without the fences of the queue") {
  const auto r = explorer::explore(owner_and_thieves<explored_policy<false>>(2, 0, 1, 2, 4), 3);
  CHECK(r.failure == "an entry was taken twice");
}

TEST_CASE("no interleaving leaves a lane parked while there is work") {
  for (int works = 1; works <= 3; ++works) {
    const auto r = explorer::explore(maker_and_parker<explored_policy<>>(works), 3);
    CHECK(r.failure == "");
    CHECK(r.complete);
    CHECK(r.executions > 100);
  }
}

TEST_CASE("the explorer finds the wake-up that is lost without the fence of the gate") {
  const auto r = explorer::explore(maker_and_parker<explored_policy<false>>(1), 3);
  CHECK(r.failure == "every thread waits: a wake-up was lost");
}
