// Several results in one run: what they share is read and computed once.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto x = ash::random::uniform<double>({2000, 3000}, {.low = -1, .high = 1, .seed = 3, .chunks = {500, 500}});

  // Four reductions of the same data over the same axes are one pass over it.
  const auto [mean, deviation, least, most] = ash::compute(x.mean(0), x.std(0), x.min(0), x.max(0));
  std::cout << mean.shape() << ' ' << deviation.shape() << ' ' << least.shape() << ' ' << most.shape() << '\n';

  // The plan says so: one layer, x once.
  std::cout << ash::explain(x.mean(0), x.std(0), x.min(0), x.max(0));

  // Another way to get several results: into memory that is there already, any strides.
  ash::ndarray<double> both({2, 3000});
  ash::ndarray<double> first = both.slice(0, 0, 1).reshape({3000});
  x.mean(0).compute_into(first);
  std::cout << "same bits: " << ash::array_equal(first, mean) << '\n';
}

// Output:
// (3000,) (3000,) (3000,) (3000,)
// layer 0: partial mean, std, min, max (partial), ... tasks, reads uniform (2000, 3000), blocks up to ...
// layer 1: combine mean, std, min, max (combine), ... tasks, from layer 0...
// ... tasks, ... edges, ... worker...
// results 93.8 KiB, read from sources 0 B, predicted peak of blocks and scratch ...
// same bits: 1
