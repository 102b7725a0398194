#include <ashlar/cuda.hpp>
#include <cstdio>

int main() {
  std::printf("%s", ashlar::cuda::device_summary().c_str());
  return ashlar::cuda::is_available() == (ashlar::cuda::device_count() > 0) ? 0 : 1;
}
