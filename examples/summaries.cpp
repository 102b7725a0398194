// Reductions that pass NaN over, weighted means, ranges, traces, norms.
#include <ashlar/ashlar.hpp>
#include <iostream>
#include <limits>

int main() {
  namespace ash = ashlar;
  const auto print = [](const char* what, const ash::lazy auto& x) { std::cout << what << x.compute() << '\n'; };
  const double gap = std::numeric_limits<double>::quiet_NaN();
  const auto x = ash::array<double>::from({{3, gap, 1}, {4, 5, gap}, {8, 7, 4}}, {.chunks = {2, 2}});

  print("sum          ", ash::nansum(x, 0));
  print("product      ", ash::nanprod(x, 0));
  print("mean         ", x.nanmean(0));
  print("variance     ", x.nanvar(0, {.ddof = 1}));
  print("deviation    ", x.nanstd());
  print("extrema      ", x.nanmin(1) + 10 * x.nanmax(1));
  print("where        ", x.nanargmin(1) + 10 * x.nanargmax(1));

  const auto table = ash::nan_to_num(x);
  print("range        ", table.ptp(0));
  print("third moment ", table.moment(3));
  print("trace        ", table.trace());
  print("mean         ", ash::average(table, ash::array<double>::from({1, 1, 2}), 0));
  const auto [mean, weight] = ash::average_and_weight(table, table, 1);
  print("by itself    ", mean);
  print("weights      ", weight);

  print("lengths      ", ash::linalg::norm(table, 1));
  print("Frobenius    ", ash::linalg::norm(table));
  print("largest      ", ash::linalg::norm(table, 1, {.ord = std::numeric_limits<double>::infinity()}));
  for (const ash::linalg::norm_order ord : {ash::linalg::norm_order(1), ash::linalg::fro}) {
    std::cout << "of order " << ord.to_string() << ": "
              << ash::linalg::norm(table, ash::all_axes, {.ord = ord}).compute() << '\n';
  }
  try {
    print("nuclear", ash::linalg::norm(table, ash::all_axes, {.ord = ash::linalg::nuc}));
  } catch (const ash::value_error& e) {
    std::cout << e.what() << '\n';
  }
  print("of all       ", ash::linalg::vector_norm(table, ash::all_axes, {.ord = 1}));
}

// Output:
// sum          [15. 12.  5.]
// product      [96. 35.  4.]
// mean         [5.  6.  2.5]
// variance     [7.  2.  4.5]
// deviation    2.194613070819602
// extrema      [31. 54. 84.]
// where        [ 2 10  2]
// range        [5. 7. 4.]
// third moment 2.7873799725651622
// trace        12.0
// mean         [5.75 4.75 2.25]
// by itself    [2.5        4.55555556 6.78947368]
// weights      [ 4.  9. 19.]
// lengths      [ 3.16227766  6.40312424 11.35781669]
// Frobenius    13.416407864998739
// largest      [3. 5. 8.]
// of order 1: 15.0
// of order fro: 13.416407864998739
// norm: order nuc over 2 axes of an array of shape (3, 3) is made of singular values of matrices, ...
// of all       32.0
