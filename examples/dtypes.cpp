// Element types, and which type comes out of an operation. The rules are NumPy 2's.
#include <ashlar/ashlar.hpp>
#include <complex>
#include <iostream>
#include <type_traits>

int main() {
  namespace ash = ashlar;
  const auto small = ash::full({3}, std::int8_t{100});
  const auto real = ash::ones<float>({3});

  // Two arrays: the smallest type that holds both. Integers wrap around.
  std::cout << (small + small).dtype() << ' ' << (small + small).compute() << '\n';
  std::cout << (small + ash::ones<std::int32_t>({3})).dtype() << ' ' << (small * real).dtype() << ' '
            << (ash::ones<std::int64_t>({3}) * real).dtype() << '\n';

  // A C++ number is weak: it takes the array's type, so float stays float.
  std::cout << (real * 2.0).dtype() << ' ' << (small + 1).dtype() << ' ' << (small * 0.5).dtype() << '\n';

  // Sums have room: bool and small integers are added in 64 bits, means of integers are double.
  std::cout << small.sum().dtype() << ' ' << small.mean().dtype() << ' ' << (real > 0).sum().dtype() << '\n';

  // Complex numbers.
  const auto z = ash::full({2}, std::complex<double>(3, 4));
  std::cout << (z * z).compute() << ' ' << ash::abs(z).compute() << ' ' << z.var().dtype() << '\n';
  std::cout << (ash::conj(z) * z).compute() << ' ' << (ash::real(z) + ash::imag(z)).compute() << '\n';

  // The same rules on types and on tags.
  static_assert(std::is_same_v<ash::promote_t<std::int32_t, float>, double>);
  static_assert(std::is_same_v<ash::weak_t<float, double>, float>);
  static_assert(ash::element<std::uint16_t> && !ash::element<char>);
  static_assert(ash::promote(ash::dtype::uint8, ash::dtype::int8) == ash::dtype::int16);
  static_assert(std::is_same_v<ash::type_of<ash::dtype_of<double>>, double>);
  std::cout << ash::name(ash::dtype::complex64) << ' ' << ash::itemsize(ash::dtype::complex64) << " bytes\n";
}

// Output:
// int8 [-56 -56 -56]
// int32 float32 float64
// float32 int8 float64
// int64 float64 int64
// [-7.+24.j -7.+24.j] [5. 5.] float64
// [25.+0.j 25.+0.j] [7. 7.]
// complex64 8 bytes
