// What a run did: a table of layers, a picture coloured by time, and a trace for https://ui.perfetto.dev.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto x = ash::random::normal<double>({4000, 4000}, {.seed = 8, .chunks = {500, 500}});
  const ash::array<double> z = (x - x.mean(0)) / x.std(0);
  const auto low = z.min();
  const auto high = z.max();

  ash::report report;
  ash::compute(ash::threads{.workers = 2}, {.trace = "run.json", .report = &report}, low, high);
  std::cout << report;

  // In numbers: which layer took longest, and how many workers had nothing to do.
  const ash::layer_report* longest = &report.layers.front();
  for (const ash::layer_report& l : report.layers) {
    if (l.seconds > longest->seconds) longest = &l;
  }
  std::cout << "most time in " << longest->name << ", " << longest->tasks
            << " tasks, peak below the prediction: " << (report.peak_bytes <= report.predicted_peak_bytes) << '\n';

  // The same layers as a picture, red where the time went.
  ash::visualize("time.dot", {.color = ash::color_by::time, .report = &report}, low, high);
}

// Output:
// layer ... tasks ... time ... share ... a task ... read ... written
// mean, std (partial) ...
// mean, std (combine) ...
// min, max (partial) ...
// ... tasks in ... after ... of planning, 2 workers, ...% idle
// peak of blocks and scratch ..., predicted ...
// most time in ... (partial), 64 tasks, peak below the prediction: 1
