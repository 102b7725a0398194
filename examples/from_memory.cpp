// Arrays over memory that is there already: ndarray, vector, span. Only the vector that is passed by copy is copied.
#include <ashlar/ashlar.hpp>
#include <iostream>
#include <span>
#include <vector>

int main() {
  namespace ash = ashlar;

  // An ndarray shares its memory with the lazy array, whatever its strides.
  const auto table = ash::ndarray<double>::from({{1, 2, 3}, {4, 5, 6}});
  const auto x = ash::from(table.transpose(), {.chunks = {2, 2}});
  std::cout << x.shape() << " in " << x.chunks().to_string() << "\n" << x.sum(0).compute() << '\n';

  // What is written there before a run is seen by the run.
  table(0, 0) = 100;
  std::cout << x.sum(0).compute() << '\n';

  // A few values in the program's text.
  std::cout << ash::array<int>::from({{1, 2}, {3, 4}}).sum(1).compute() << '\n';

  // A vector that is moved in is taken over.
  std::vector<float> measured{0.5F, 1.5F, 2.5F};
  const auto owned = ash::from(std::move(measured));
  std::cout << owned.mean().compute() << '\n';

  // A span is a view: the caller keeps the memory valid until the last run has ended.
  const std::vector<int> counts{3, 1, 4, 1, 5, 9, 2, 6};
  const auto view = ash::from(std::span(counts), {.chunks = {4}});
  std::cout << view.max().compute() << " at " << view.argmax().compute() << '\n';

  // Memory of another library, row-major or with strides of its own (in elements).
  double raw[6] = {1, 2, 3, 4, 5, 6};
  const auto columns = ash::ndarray<double>::view(raw, {2, 3}, ash::column_major_strides({2, 3}));
  std::cout << ash::from(columns).compute() << '\n';
}

// Output:
// (3, 2) in ((2, 1), (2,))
// [ 6. 15.]
// [105.  15.]
// [3 7]
// 1.5
// 9 at 5
// [[1. 3. 5.]
//  [2. 4. 6.]]
