// One model on several executors, each with a part of the rows: here two pools of two threads; with GPUs the same lines
// and std::vector{ash::cuda::device(0), ash::cuda::device(1)}.
#include <ashlar/ashlar.hpp>
#include <ashlar/data_parallel.hpp>
#include <iostream>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace ash = ashlar;

int main() {
  const std::vector<ash::threads> devices(2, ash::threads{.workers = 2});

  // A linear model: x has a row for each sample, w a weight for each column.
  const auto x = ash::arange<double>(0, 15, 1).reshape({5, 3});
  const ash::array<double> w = ash::array<double>::from({0.5, -1, 2});
  const auto model = [](const auto& rows, const auto& weights) { return (rows * weights).sum(1) + 0.25; };

  // All in one: cut, call, put together. What the function captures goes to each executor in each call.
  const auto y = ash::data_parallel([&](const auto& rows) { return model(rows, w); }, x, devices);
  std::cout << y.compute() << '\n';
  std::cout << "same bits: " << ash::array_equal(y.compute(), model(x, w).compute()) << '\n';

  // The same step by step. Data and weights stay where they are, for as many rounds as one likes.
  const auto parts = ash::scatter(x, devices);      // 3 rows, 2 rows
  const auto weights = ash::replicate(w, devices);  // a copy each
  std::vector<std::tuple<ash::array<double>, ash::array<double>>> inputs;
  for (std::size_t k = 0; k < parts.size(); ++k) inputs.emplace_back(parts[k], weights[k]);
  const auto results = ash::parallel_apply(model, inputs, devices);
  std::cout << results[0].compute() << ' ' << results[1].compute() << '\n';
  std::cout << ash::gather(results, ash::place::host()).compute() << '\n';

  // Samples and labels are cut alike; several results are put together one by one.
  const ash::array<double> labels = ash::zeros<double>({5});
  const auto step = [&](const auto& rows, const auto& wanted) {
    const auto error = model(rows, w) - wanted;
    return std::tuple{error, error * error};
  };
  const auto [error, squares] = ash::data_parallel(step, std::tuple{x, labels}, devices);
  std::cout << squares.mean().compute() << ' ' << ash::abs(error).max().compute() << '\n';

  try {
    ash::data_parallel(
        [](const ash::array<double>& rows) {
          if (rows.shape()[0] == 2) throw std::domain_error("two rows are too few");
          return rows * 2.0;
        },
        x, devices);
  } catch (const ash::task_error& e) {
    std::cout << e.what() << '\n';
  }
}

// Output:
// [ 3.25  7.75 12.25 16.75 21.25]
// same bits: 1
// [ 3.25  7.75 12.25] [16.75 21.25]
// [ 3.25  7.75 12.25 16.75 21.25]
// 190.5625 21.25
// data_parallel: part 1 of 2 failed: two rows are too few
