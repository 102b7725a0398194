// The main() of a test program that needs a device: 77, which the tests report as skipped, where there is none.
#pragma once

#include <iostream>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <ashlar/cuda/device.hpp>

int main(int argc, char** argv) {
  if (!ashlar::cuda::is_available()) {
    std::cout << "SKIPPED: " << ashlar::cuda::device_summary();
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
