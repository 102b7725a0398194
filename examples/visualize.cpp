// What compute() would do, as a picture: a box a layer, or a box a task.
#include <ashlar/ashlar.hpp>
#include <iostream>
#include <string>

int main() {
  namespace ash = ashlar;
  const auto x = ash::random::normal<double>({400, 600}, {.chunks = {200, 200}});
  const ash::array<double> z = (x - x.mean(0)) / x.std(0);

  // .svg, .png and .pdf are drawn by Graphviz's program `dot`; .dot is its text and needs nothing.
  z.max().visualize("layers.dot");
  try {
    z.max().visualize("layers.svg");
  } catch (const ash::file_error& e) {
    std::cerr << e.what() << '\n';  // Graphviz is not installed
  }

  // Several results in one picture, each task a box, red where the most bytes go through.
  ash::visualize("blocks.dot", {.blocks = true, .color = ash::color_by::bytes}, z.min(), z.max());

  std::cout << x.sum(0).to_dot();

  // Pictures that nobody could read are refused.
  const auto large = ash::random::normal<double>({20000, 20000}, {.chunks = {500, 500}});
  try {
    std::cout << ash::to_dot({.blocks = true}, large.min(0), large.max(0));
  } catch (const ash::value_error& e) {
    std::cout << '\n' << e.what() << '\n';
  }
}

// Output:
// digraph ashlar {
//   rankdir=TB;
//   node [...];
//   edge [...];
//   l0 [label="sum (partial)\n6 tasks\nreads 0 B, writes ...", tooltip="...visualize.cpp:...", fillcolor="#cfdff5"];
//   s0 [shape=cylinder, ... label="normal\nfloat64 (400, 600)\nin 6 blocks of (200, 200)"];
//   s0 -> l0;
//   l1 [label="sum (combine)\nfloat64 (600,)\nin 3 blocks of (200,)\n3 tasks\nreads ...", fillcolor="#f5e3c0"];
//   l0 -> l1;
//   r0 [shape=ellipse, ... label="result 0\nfloat64 (600,)"];
//   l1 -> r0;
// }
//
// visualize: the picture would have ... tasks, and max_nodes is 1000; draw layers instead of blocks, ...
