// Running sums, products and extrema along an axis.
#include <ashlar/ashlar.hpp>
#include <iostream>
#include <limits>

int main() {
  namespace ash = ashlar;
  const auto print = [](const char* what, const auto& x) { std::cout << what << x.compute() << '\n'; };

  // Each element with all before it; x.cumsum() and cumsum(x) are the same.
  const auto x = ash::array<int>::from({3, 1, 4, 1, 5}, {.chunks = {2}});
  print("cumsum          ", x.cumsum());
  print("cumprod         ", ash::cumprod(x));
  print("cummax          ", ash::cummax(x));
  print("cummin          ", x.cummin());

  // Along an axis.
  const auto m = ash::fromfunction([](auto i, auto j) { return double(i + j); }, {2, 4}, {.chunks = {1, 2}});
  print("down            ", ash::cumsum(m, 0));
  print("to the right    ", m.cumprod(-1));

  // What lies below a scan is computed in it: one pass, in which each block goes on where the one before it ended.
  const auto steps = ash::random::normal<double>({1'000'000}, {.chunks = {100'000}});
  const ash::array<double> walk = ash::cumsum(0.01 * steps);
  std::cout << walk.explain(ash::serial{});

  // NaN stays once it has come, or is passed over.
  const auto gaps = ash::array<double>::from({1, std::numeric_limits<double>::quiet_NaN(), 2});
  print("cumsum          ", ash::cumsum(gaps));
  print("nancumsum       ", ash::nancumsum(gaps));
  print("nancumprod      ", ash::nancumprod(gaps));

  // float is added in double; NumPy adds it in float, one element after the other.
  const auto f = ash::array<float>::from({16777216, 1, 1});
  print("in double       ", f.cumsum());
  print("as NumPy        ", f.cumsum(0, {.method = ash::scan_method::sequential}));
}

// Output:
// cumsum          [ 3  4  8  9 14]
// cumprod         [ 3  3 12 12 60]
// cummax          [3 3 4 4 5]
// cummin          [3 1 1 1 1]
// down            [[0. 1. 2. 3.]
//  [1. 3. 5. 7.]]
// to the right    [[ 0.  0.  0.  0.]
//  [ 1.  2.  6. 24.]]
// layer 0: scan cumsum, 10 tasks, reads normal (1000000,), 1 operation fused, blocks up to 128 B
// 10 tasks, 9 edges, 1 worker
// results 7.6 MiB, read from sources 0 B, predicted peak of blocks and scratch 513.1 KiB
// not optimized it would be 2 layers instead of 1, 20 tasks, 19 edges, predicted peak of blocks and scratch 8.1 MiB
// cumsum          [ 1. nan nan]
// nancumsum       [1. 1. 3.]
// nancumprod      [1. 1. 2.]
// in double       [1.6777216e+07 1.6777216e+07 1.6777218e+07]
// as NumPy        [1.6777216e+07 1.6777216e+07 1.6777216e+07]
