// Devices of this machine: what is said of them, and which one is meant.
#include <sstream>
#include <string>
#include <thread>

#include "gpu_main.hpp"

#include <ashlar/cuda.hpp>

namespace ash = ashlar;

TEST_CASE("properties are those that CUDA gives") {
  for (int i = 0; i < ash::cuda::device_count(); ++i) {
    const ash::cuda::device d(i);
    cudaDeviceProp p{};
    REQUIRE(cudaGetDeviceProperties(&p, i) == cudaSuccess);
    CHECK(d.index() == i);
    CHECK(d.name() == p.name);
    CHECK(d.capability() == ash::cuda::compute_capability{p.major, p.minor});
    CHECK(d.capability() >= ash::cuda::compute_capability{5, 0});
    CHECK(d.multiprocessors() == p.multiProcessorCount);
    CHECK(d.total_memory() == p.totalGlobalMem);
    CHECK(d.clock_rate() > 100);
    CHECK(d.clock_rate() < 10000);
    CHECK(d.attribute(cudaDevAttrWarpSize) == 32);
    CHECK(d.properties().warpSize == 32);
    CHECK(d.uuid().size() == 40);
    CHECK(d.uuid().starts_with("GPU-"));
    int same = -1;
    CHECK(cudaDeviceGetByPCIBusId(&same, d.pci_id().c_str()) == cudaSuccess);
    CHECK(same == i);
    CHECK(d.place() == ash::place::device(i));
    CHECK(d.can_access(d));
  }
}

TEST_CASE("free memory is part of the total") {
  const ash::cuda::device d;
  const ash::cuda::memory_room room = d.memory();
  CHECK(room.free > 0);
  CHECK(room.free < room.total);
  CHECK(room.total <= d.total_memory());
  CHECK(d.free_memory() > 0);
}

TEST_CASE("an attribute that there is not is an error") {
  CHECK_THROWS_AS(ash::cuda::device().attribute(cudaDevAttrMax), ash::device_error);
  // The program's own checks do not find it afterwards.
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("the summary has a line for each device") {
  const std::string text = ash::cuda::device_summary();
  CHECK(text.starts_with(std::to_string(ash::cuda::device_count()) + " CUDA device"));
  for (int i = 0; i < ash::cuda::device_count(); ++i) {
    std::ostringstream line;
    line << ash::cuda::device(i);
    CHECK(text.find(line.str()) != text.npos);
    CHECK(line.str().starts_with("cuda:" + std::to_string(i) + "  " + ash::cuda::device(i).name()));
  }
}

TEST_CASE("a device that there is not is named, with how many there are") {
  const int count = ash::cuda::device_count();
  try {
    ash::cuda::device d(count);
    FAIL("no error");
  } catch (const ash::device_error& e) {
    const std::string text = e.what();
    CHECK(text.find("there is no device " + std::to_string(count)) != text.npos);
    CHECK(text.find("this process sees " + std::to_string(count)) != text.npos);
    CHECK(text.find("CUDA_VISIBLE_DEVICES") != text.npos);
  }
  CHECK_THROWS_AS(ash::cuda::device(-1), ash::device_error);
  CHECK_THROWS_AS(ash::cuda::device_guard{count}, ash::device_error);
  CHECK_THROWS_AS(ash::cuda::set_default_device(count), ash::device_error);
  CHECK(ash::cuda::default_device() == 0);
}

TEST_CASE("guards nest, are of their thread, and restore what they found") {
  const int last = ash::cuda::device_count() - 1;
  CHECK(ash::cuda::current_device() == 0);
  {
    const ash::cuda::device_guard outer(last);
    CHECK(ash::cuda::current_device() == last);
    CHECK(ash::cuda::default_device() == last);
    CHECK(ash::cuda::device().index() == last);
    {
      const ash::cuda::device_guard inner(ash::cuda::device(0));
      CHECK(ash::cuda::current_device() == 0);
      CHECK(ash::cuda::default_device() == 0);
    }
    CHECK(ash::cuda::current_device() == last);
    std::thread([] {
      CHECK(ash::cuda::default_device() == 0);
      CHECK(ash::cuda::current_device() == 0);
    }).join();
  }
  CHECK(ash::cuda::current_device() == 0);
  CHECK(ash::cuda::default_device() == 0);
}

TEST_CASE("the default of the process is that of all threads") {
  const int last = ash::cuda::device_count() - 1;
  ash::cuda::set_default_device(last);
  std::thread([&] { CHECK(ash::cuda::device().index() == last); }).join();
  {
    const ash::cuda::device_guard other(0);
    CHECK(ash::cuda::device().index() == 0);
  }
  ash::cuda::set_default_device(0);
}

TEST_CASE("synchronizing a device with nothing to do returns") {
  for (int i = 0; i < ash::cuda::device_count(); ++i) ash::cuda::device(i).synchronize();
}
