// Triangles and diagonals of matrices, and coordinate matrices. None of them takes memory before it is computed.
#include <ashlar/ashlar.hpp>
#include <iostream>
#include <tuple>

int main() {
  namespace ash = ashlar;
  const auto print = [](const char* what, const ash::lazy auto& x) { std::cout << what << x.compute() << '\n'; };

  // Ones at and below a diagonal.
  print("tri\n", ash::tri<int>(3));
  print("wider, higher\n", ash::tri<int>(2, {.columns = 5, .diagonal = 1}));

  // The part of a matrix below or above a diagonal, and zeros elsewhere; of more axes, for the last two.
  const auto m = ash::arange<int>(1, 10).reshape({3, 3});
  print("tril\n", ash::tril(m));
  print("triu, without the diagonal\n", ash::triu(m, 1));

  // From a line to a matrix and back.
  print("diag\n", ash::diag(ash::arange<int>(1, 4)));
  print("above\n", ash::diag(ash::arange<int>(1, 3), 1));
  print("back          ", ash::diag(m));

  // Distances from a point on a grid: x along the columns, y along the rows.
  const auto [x, y] = ash::meshgrid(ash::arange<double>(4), ash::arange<double>(3));
  print("distances\n", ash::hypot(x - 1, y - 1));
  const auto [i, j] = ash::meshgrid(std::tuple{ash::arange<int>(2), ash::arange<int>(3)}, ash::mesh_indexing::ij);
  print("row and column\n", 10 * i + j);
}

// Output:
// tri
// [[1 0 0]
//  [1 1 0]
//  [1 1 1]]
// wider, higher
// [[1 1 0 0 0]
//  [1 1 1 0 0]]
// tril
// [[1 0 0]
//  [4 5 0]
//  [7 8 9]]
// triu, without the diagonal
// [[0 2 3]
//  [0 0 6]
//  [0 0 0]]
// diag
// [[1 0 0]
//  [0 2 0]
//  [0 0 3]]
// above
// [[0 1 0]
//  [0 0 2]
//  [0 0 0]]
// back          [1 5 9]
// distances
// [[1.41421356 1.         1.41421356 2.23606798]
//  [1.         0.         1.         2.        ]
//  [1.41421356 1.         1.41421356 2.23606798]]
// row and column
// [[ 0  1  2]
//  [10 11 12]]
