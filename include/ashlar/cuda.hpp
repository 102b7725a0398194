/// \file
/// Everything for GPUs. Needs the CUDA toolkit, and links its runtime (the CMake target ashlar::cuda). What is here so
/// compiles with any C++ compiler; kernels of one's own need nvcc.
#pragma once

#include <ashlar/cuda/check.hpp>
#include <ashlar/cuda/device.hpp>
#include <ashlar/cuda/event.hpp>
#include <ashlar/cuda/memory.hpp>
#include <ashlar/cuda/runner.hpp>
#include <ashlar/cuda/stream.hpp>
