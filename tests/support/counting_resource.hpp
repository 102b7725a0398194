// A resource that counts what passes through it to another one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <ashlar/memory.hpp>

namespace ashlar::test {

class counting_resource final : public memory_resource {
 public:
  explicit counting_resource(memory_resource& upstream = host_memory()) : upstream_(upstream) {}

  place where() const noexcept override { return upstream_.where(); }

  std::int64_t allocations() const noexcept { return allocations_.load(); }
  std::int64_t releases() const noexcept { return releases_.load(); }

 private:
  void* do_allocate(std::size_t bytes) override {
    void* const data = upstream_.allocate(bytes);
    ++allocations_;
    return data;
  }
  void do_release(void* data, std::size_t bytes) noexcept override {
    ++releases_;
    upstream_.release(data, bytes);
  }

  memory_resource& upstream_;
  std::atomic<std::int64_t> allocations_{0};
  std::atomic<std::int64_t> releases_{0};
};

}  // namespace ashlar::test
