// How far a run is, on a terminal. Where standard error is no terminal, as in the tests, the bar prints nothing.
#include <ashlar/ashlar.hpp>
#include <ashlar/progress.hpp>
#include <iostream>
#include <stdexcept>

int main() {
  namespace ash = ashlar;
  const auto x = ash::random::normal<double>({4000, 4000}, {.seed = 8, .chunks = {500, 500}});

  // On a terminal: "deviation  42% [========>           ] 420/1000 tasks, 0:07 left".
  const auto result = x.std(0).compute({.progress = ash::progress_bar("deviation")});
  std::cout << result.shape() << '\n';

  // A function of your own is called about ten times a second, from a thread of its own, and once more at the end.
  bool complete = false;
  x.mean(0).compute({.progress = [&](const ash::progress_info& p) { complete = p.bytes_done == p.bytes; }});
  std::cout << "complete: " << complete << '\n';

  // What it throws ends the run, and comes out of compute() nested in a callback_error.
  try {
    x.mean(0).compute(
        {.progress = [](const ash::progress_info&) { throw std::runtime_error("the window is closed"); }});
  } catch (const ash::callback_error& e) {
    std::cout << e.what() << '\n';
  }
}

// Output:
// (4000,)
// complete: 1
// compute: the progress function threw: the window is closed
