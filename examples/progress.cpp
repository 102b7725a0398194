// How far a run is, on a terminal. Where standard error is no terminal, as in the tests, the bar prints nothing.
#include <ashlar/ashlar.hpp>
#include <ashlar/progress.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto x = ash::random::normal<double>({4000, 4000}, {.seed = 8, .chunks = {500, 500}});

  // On a terminal: "deviation  42% [========>           ] 420/1000 tasks, 0:07 left".
  const auto result = x.std(0).compute({.progress = ash::progress_bar("deviation")});
  std::cout << result.shape() << '\n';

  // A function of your own is called about ten times a second, from a thread of its own, and once at the end.
  bool complete = false;
  x.mean(0).compute({.progress = [&](const ash::progress_info& p) { complete = p.tasks_done == p.tasks; }});
  std::cout << "complete: " << complete << '\n';
}

// Output:
// (4000,)
// complete: 1
