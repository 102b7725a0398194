// Functions of your own as a lazy graph: calls are noted, compute() makes them, in parallel, each once.
#include <ashlar/ashlar.hpp>
#include <ashlar/delayed.hpp>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ash = ashlar;

std::string read_page(int number) { return "page " + std::to_string(number) + " of a book"; }

struct count_letters {
  std::size_t operator()(const std::string& text) const {
    std::size_t n = 0;
    for (char c : text) n += c >= 'a' && c <= 'z' ? 1u : 0u;
    return n;
  }
};

int main() {
  // A call of a delayed function is a handle on its result, and an argument of further calls, also in containers.
  std::vector<ash::delayed<std::size_t>> counts;
  for (int k = 1; k <= 10; ++k) {
    const ash::delayed<std::string> page = ash::delayed(read_page)(k);
    counts.push_back(ash::delayed(count_letters{})(page));
  }
  const auto total = ash::delayed(
      [](const std::vector<std::size_t>& all) {
        std::size_t n = 0;
        for (std::size_t c : all) n += c;
        return n;
      },
      {.name = "total"})(counts);
  std::cout << total.compute() << " letters\n";  // on all cores
  const auto [letters, first] = ash::compute(ash::threads{.workers = 2}, total, counts[0]);
  std::cout << first << " of " << letters << " are on the first page\n";

  // Results are shared: const& is never copied, and who takes a value gets it moved when nobody else wants it.
  const auto words = ash::delayed([] { return std::vector<std::string>{"one", "two"}; })();
  const auto longer = ash::delayed([](std::vector<std::string> w) {
    w.push_back("three");
    return w;
  })(words);
  std::cout << longer.compute().size() << " words\n";

  // Order without results, and priorities.
  const auto prepare = ash::delayed([] { std::cout << "prepare, "; }, {.name = "prepare", .priority = 1})();
  const auto work = ash::delayed([] { std::cout << "then work\n"; }).after(prepare)();
  work.compute();

  // A graph can be listed, for a picture say.
  for (const ash::task_description& task : longer.tasks()) {
    std::cout << task.name << " takes " << task.inputs.size() << " results\n";
  }

  // What a task throws arrives with the task's name and line around it.
  const auto broken = ash::delayed([](int) -> int { throw std::runtime_error("no such page"); }, {.name = "find"})(7);
  try {
    broken.compute();
  } catch (const ash::task_error& e) {
    std::cout << e.what() << '\n';
  }
}

// clang-format off
// Output:
// 110 letters
// 11 of 110 are on the first page
// 3 words
// prepare, then work
// lambda takes 0 results
// lambda takes 1 results
// find, on host, from ...delayed.cpp:59: no such page
