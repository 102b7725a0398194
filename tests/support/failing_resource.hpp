// A resource that throws memory_error after a number of allocations.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <ashlar/error.hpp>
#include <ashlar/memory.hpp>

namespace ashlar::test {

class failing_resource final : public memory_resource {
 public:
  explicit failing_resource(std::int64_t allocations_before_failure, memory_resource& upstream = host_memory())
      : left_(allocations_before_failure), upstream_(upstream) {}

  place where() const noexcept override { return upstream_.where(); }

 private:
  void* do_allocate(std::size_t bytes) override {
    if (left_.fetch_sub(1) <= 0) throw memory_error("failing_resource: fails on purpose");
    return upstream_.allocate(bytes);
  }
  void do_release(void* data, std::size_t bytes) noexcept override { upstream_.release(data, bytes); }

  std::atomic<std::int64_t> left_;
  memory_resource& upstream_;
};

}  // namespace ashlar::test
