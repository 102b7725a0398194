// Arrays put together and taken apart.
#include <ashlar/ashlar.hpp>
#include <iostream>
#include <tuple>

int main() {
  namespace ash = ashlar;
  const auto print = [](const char* what, const ash::lazy auto& x) { std::cout << what << x.compute() << '\n'; };

  // One behind the other along an axis, or along a new one.
  const auto a = ash::arange<int>(3);
  const auto b = ash::arange<int>(10, 13);
  print("concatenate     ", ash::concatenate({a, b}));
  print("stack\n", ash::stack({a, b}));
  print("as columns\n", ash::stack({a, b}, 1));

  // The result has the blocks of its parts, and each is copied straight from where its elements are.
  const auto long_one = ash::concatenate({ash::zeros<int>({4}, {.chunks = {2}}), ash::ones<int>({3}, {.chunks = {3}})});
  std::cout << "blocks          " << long_one.chunks().to_string() << '\n';

  // A list holds arrays of one type; a tuple may hold expressions, and types that meet in one.
  print("of two types    ", ash::concatenate(std::tuple{a, b / 4}));

  // NumPy's short forms.
  print("rows\n", ash::vstack({a, b}));
  print("side by side    ", ash::hstack({a, b}));
  print("columns\n", ash::column_stack({a, b}));
  std::cout << "in depth        " << ash::dstack({a, b}).shape() << '\n';
  const auto one = ash::ones<int>({2, 2});
  const auto nil = ash::zeros<int>({2, 1});
  const ash::array<int> two = 2 * one;  // lists are of arrays
  print("a matrix of blocks\n", ash::block({{one, nil}, {two, nil}}));

  // Parts of an axis are views: equal ones, nearly equal ones, or between positions.
  const auto x = ash::arange<int>(7);
  const auto thirds = ash::array_split(x, 3);
  print("array_split     ", thirds[0]);
  print("                ", thirds[1]);
  print("                ", thirds[2]);
  print("split, at 2, 5  ", ash::split(x, {2, 5})[1]);
  const auto cube = ash::arange<int>(64).reshape({4, 4, 4});
  std::cout << "in halves       " << ash::split(cube, 2)[0].shape() << ash::vsplit(cube, 2)[0].shape()
            << ash::hsplit(cube, 2)[0].shape() << ash::dsplit(cube, 2)[0].shape() << '\n';

  // Copies with more or fewer elements.
  print("append          ", ash::append(a, b));
  print("a row more\n", ash::append(one, 3 * ash::ones<int>({1, 2}), 0));
  print("insert          ", ash::insert(x, 2, -1, 0));
  print("several         ", ash::insert(x, ash::last, b, 0));
  print("delete_         ", ash::delete_(x, 0, 0));
  print("every other     ", ash::delete_(x, ash::slice{.step = 2}, 0));
}

// Output:
// concatenate     [ 0  1  2 10 11 12]
// stack
// [[ 0  1  2]
//  [10 11 12]]
// as columns
// [[ 0 10]
//  [ 1 11]
//  [ 2 12]]
// blocks          ((2, 2, 3),)
// of two types    [0.   1.   2.   2.5  2.75 3.  ]
// rows
// [[ 0  1  2]
//  [10 11 12]]
// side by side    [ 0  1  2 10 11 12]
// columns
// [[ 0 10]
//  [ 1 11]
//  [ 2 12]]
// in depth        (1, 3, 2)
// a matrix of blocks
// [[1 1 0]
//  [1 1 0]
//  [2 2 0]
//  [2 2 0]]
// array_split     [0 1 2]
//                 [3 4]
//                 [5 6]
// split, at 2, 5  [2 3 4]
// in halves       (2, 4, 4)(2, 4, 4)(4, 2, 4)(4, 4, 2)
// append          [ 0  1  2 10 11 12]
// a row more
// [[1 1]
//  [1 1]
//  [3 3]]
// insert          [ 0  1 -1  2  3  4  5  6]
// several         [ 0  1  2  3  4  5 10 11 12  6]
// delete_         [1 2 3 4 5 6]
// every other     [1 3 5]
