// Random arrays. Element i is a function of the seed and of i: the same for every chunking and number of workers.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;

  const auto dice = ash::random::integers<int>({2, 8}, {.low = 1, .high = 7, .seed = 1});
  std::cout << dice.compute() << '\n';

  const auto whole = ash::random::uniform<double>({100, 100}, {.seed = 5, .chunks = ash::full});
  const auto cut = ash::random::uniform<double>({100, 100}, {.seed = 5, .chunks = {7, 13}});
  std::cout << "other chunks, same numbers: " << ash::all(whole == cut).compute() << '\n';

  const auto x = ash::random::normal<float>({1000, 1000}, {.mean = 3, .stddev = 2, .seed = 9});
  const auto [mean, deviation] = ash::compute(x.mean(), x.std());
  std::cout << "mean " << int(mean.item() * 10 + 0.5F) / 10.0 << ", deviation "
            << int(deviation.item() * 10 + 0.5F) / 10.0 << '\n';

  // Two equal calls are one array; another seed gives another.
  const auto again = ash::random::normal<float>({1000, 1000}, {.mean = 3, .stddev = 2, .seed = 9});
  const auto other = ash::random::normal<float>({1000, 1000}, {.mean = 3, .stddev = 2, .seed = 10});
  std::cout << (x - again).any().compute() << ' ' << (x - other).any().compute() << '\n';
}

// Output:
// [[6 3 4 3 5 5 4 5]
//  [2 2 2 3 2 6 1 3]]
// other chunks, same numbers: True
// mean 3, deviation 2
// False True
