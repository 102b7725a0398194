// The eager array: what compute() returns. A handle on strided memory; views share it, copy() does not.
#include <ashlar/ndarray.hpp>
#include <ashlar/print.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto a = ash::ndarray<double>::from({{1, 2, 3}, {4, 5, 6}});
  std::cout << a.ndim() << " axes, shape " << a.shape() << ", strides " << a.strides() << ", " << a.size()
            << " elements, " << a.nbytes() << " bytes of " << a.dtype() << '\n';

  // Views: nothing is copied, so writing to one is writing to all.
  const auto columns = a.transpose();
  const auto backwards = a.slice(1, 2, -1, -1);  // axis, start, stop, step
  const auto row = a.slice(0, 1, 2).squeeze();
  columns(0, 1) = 40;
  std::cout << backwards << '\n' << row << '\n';
  std::cout << "row major " << columns.is_c_contiguous() << ", column major " << columns.is_f_contiguous() << ", "
            << a.owner().use_count() << " handles\n";

  // New memory.
  const auto copy = columns.contiguous();
  copy.fill(0);
  copy.assign(columns);
  std::cout << "equal " << ash::array_equal(copy, columns) << ", same memory " << (copy.data() == a.data()) << '\n';

  std::cout << a.reshape({3, 2}) << '\n';
  std::cout << row.broadcast_to({2, 3}) << '\n';
  std::cout << ash::ndarray<int>::full({2, 2}, 7).copy() << '\n';
  std::cout << ash::to_string(ash::ndarray<double>::from({1.0 / 3, 2}), {.precision = 3}) << '\n';

  double sum = 0;
  for (const double v : columns) sum += v;  // in C order, for any strides
  std::cout << sum << '\n';

  // Shapes and axes are values too.
  std::cout << ash::broadcast_shapes({4, 1, 3}, {2, 3}) << ' ' << ash::row_major_strides({4, 2, 3}) << ' '
            << ash::normalize_axis(-1, 3, "here") << ' ' << ash::normalize_axes({-1, 0}, 3, "here").count() << '\n';
}

// Output:
// 2 axes, shape (2, 3), strides (3, 1), 6 elements, 48 bytes of float64
// [[ 3.  2.  1.]
//  [ 6.  5. 40.]]
// [40.  5.  6.]
// row major 0, column major 1, 4 handles
// equal 1, same memory 0
// [[ 1.  2.]
//  [ 3. 40.]
//  [ 5.  6.]]
// [[40.  5.  6.]
//  [40.  5.  6.]]
// [[7 7]
//  [7 7]]
// [0.333 2.   ]
// 57
// (4, 2, 3) (6, 3, 1) 2 2
