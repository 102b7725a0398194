// .npy files, as NumPy writes them: read block by block, written block by block, never whole in memory.
#include <ashlar/ashlar.hpp>
#include <ashlar/npy.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;

  // Each block goes into the file as it is finished. The file gets its name when it is complete.
  const auto numbers = ash::random::integers<std::int16_t>({1000, 800}, {.low = -100, .high = 100, .seed = 6});
  ash::to_npy(numbers, "numbers.npy");

  // Nothing is read until a run needs it, and then only the pages under its blocks.
  const auto x = ash::from_npy<std::int16_t>("numbers.npy", {.chunks = {250, ash::full}});
  std::cout << x.shape() << " in " << x.chunks().count()
            << " blocks, same numbers: " << ash::all(x == numbers).compute() << '\n';

  // When the element type is not known beforehand: ask, or take any.
  std::cout << ash::npy_dtype("numbers.npy") << '\n';
  std::cout << "sum "
            << ash::visit_npy("numbers.npy", [](const auto& any) { return ash::to_string(any.sum().compute()); })
            << '\n';

  // On an executor of your choice; and back at once, all of it.
  ash::to_npy(ash::serial{}, x.max(0) - x.min(0), "range.npy");
  const ash::ndarray<std::int16_t> range = ash::load_npy<std::int16_t>("range.npy");
  std::cout << range.shape() << '\n';

  try {
    ash::from_npy<double>("numbers.npy");
  } catch (const ash::dtype_error& e) {
    std::cout << e.what() << '\n';
  }
  try {
    ash::from_npy<double>("nowhere.npy");
  } catch (const ash::file_error& e) {
    std::cout << e.what() << '\n';
  }
}

// Output:
// (1000, 800) in 4 blocks, same numbers: True
// int16
// sum -367967
// (800,)
// from_npy<double>: 'numbers.npy' holds int16, not float64; call from_npy<std::int16_t>(path)...
// open: cannot read 'nowhere.npy': No such file or directory
