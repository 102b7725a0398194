// Only astype<float>() drops digits.
// expect-gcc: conversion from .*double.* to non-scalar type .*array<float>
// expect-clang: no viable conversion from .*double.* to .*array<float>
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  const ashlar::array<float> y = x;
  return y.ndim();
}
