// Element-wise functions by subject. Names and results are NumPy's.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto print = [](const char* what, const ash::lazy auto& x) { std::cout << what << x.compute() << '\n'; };
  const auto x = ash::linspace<double>(-1, 1, 5);
  const auto n = ash::arange<int>(5);

  print("inverses     ", ash::rint(100 * (ash::arcsin(x) + ash::arccos(x) - ash::arctan(x))));
  print("by C++ names ", ash::asin(x) == ash::arcsin(x) && ash::acos(x) == ash::arccos(x) &&
                             ash::atan(x) == ash::arctan(x) && ash::arctan2(x, 2) == ash::atan2(x, 2));
  print("hyperbolic   ", ash::rint(100 * (ash::sinh(x) + ash::cosh(x))));
  print("inverse      ", ash::rint(100 * (ash::arcsinh(x) + ash::arccosh(n + 1) + ash::arctanh(x / 2))));
  print("by C++ names ", ash::asinh(x) == ash::arcsinh(x) && ash::acosh(n + 1) == ash::arccosh(n + 1) &&
                             ash::atanh(x / 2) == ash::arctanh(x / 2));
  print("cube roots   ", ash::cbrt(n * n * n));
  print("logarithms   ", ash::log2(ash::exp2(n)) + ash::log10(ash::power(10, n)));
  print("sums of them ", ash::logaddexp(1000 * n, 1000 * n) - ash::logaddexp2(1000 * n, 1000 * n));
  print("degrees      ", ash::rad2deg(ash::deg2rad(n)) + ash::degrees(ash::radians(n)));
  print("sinc         ", ash::sinc(2 * x));

  print("whole parts  ", ash::trunc(3 * x) - ash::fix(2 * x));
  print("digits       ", ash::round(x / 3, 2) + ash::around(100 * n, -2));
  print("remainders   ", ash::fmod(-n, 3) + 10 * ash::remainder(-n, 3) + 100 * ash::mod(n, -3));
  const auto [quotient, rest] = ash::divmod(n, 3);
  print("of division  ", 3 * quotient + rest);
  print("magnitudes   ", ash::fabs(x) + ash::reciprocal(n + 1.0) * ash::positive(n));
  print("in double    ", ash::float_power(n, -1));

  print("signs        ", ash::copysign(n, x) + ash::astype<int>(ash::signbit(x)));
  print("neighbours   ", (ash::nextafter(x, 9) - x) / ash::spacing(x));
  const auto [mantissa, exponent] = ash::frexp(n);
  print("mantissa     ", mantissa);
  print("exponent     ", exponent);
  print("together     ", ash::ldexp(mantissa, exponent));
  const auto [fraction, whole] = ash::modf(2.5 * x);
  print("parts        ", fraction);
  print("of numbers   ", whole);

  print("bits         ", (n & 1) + (n | 8) + (n ^ 2) + ~n);
  print("by name      ", ash::bitwise_and(n, 1) + ash::bitwise_or(n, 8) + ash::bitwise_xor(n, 2) + ash::invert(n));
  print("shifts       ", (n << 2) + (n >> 1) + ash::left_shift(n, 40) + ash::right_shift(-n, 40));
  print("of bool      ", ~(x > 0) ^ ash::bitwise_not(n > 2));

  const auto odd = ash::where(n == 1, 0.0, x) / ash::where(n == 2, 0.0, n);  // -inf and NaN among the numbers
  print("numbers win  ", ash::fmin(odd, x) + ash::fmax(odd, x));
  print("cleaned      ", ash::nan_to_num(odd, {.nan = -1, .neginf = -2}));
  print("infinities   ", ash::isneginf(odd) || ash::isposinf(odd));
  print("close        ", ash::isclose(x, 0.5, {.rtol = 0, .atol = 0.5}));
  std::cout << "all close    " << ash::allclose(ash::sin(x) / ash::cos(x), ash::tan(x)).compute() << '\n';
  print("in a list    ", ash::isin(n, {1, 4, 9}));

  print("first true   ", ash::select<double>({x < 0, x < 1}, {-10 * x, x}, 7));
  print("by index     ", ash::choose<double>(n, {x, 10 * x, 100 * x}, {.mode = ash::choose_mode::clip}));
  print("in pieces    ", ash::piecewise(
                             x, {x<0, x> 0.5}, [](double v) { return v * v; }, 9));

  const auto z = ash::astype<std::complex<double>>(x) + std::complex<double>(0, 1);
  print("parts        ", ash::real(z) + ash::imag(ash::conj(z)) + ash::imag(ash::conjugate(z)));
  print("angles       ", ash::angle(z, {.degrees = true}));
  print("which        ", ash::isreal(z * z) || ash::iscomplex(x));
}

// Output:
// inverses     [236. 203. 157. 111.  79.]
// by C++ names [ True  True  True  True  True]
// hyperbolic   [ 37.  61. 100. 165. 272.]
// inverse      [-143.   58.  176.  280.  372.]
// by C++ names [ True  True  True  True  True]
// cube roots   [0. 1. 2. 3. 4.]
// logarithms   [0. 2. 4. 6. 8.]
// sums of them [-0.30685282 -0.30685282 -0.30685282 -0.30685282 -0.30685282]
// degrees      [0. 2. 4. 6. 8.]
// sinc         [-0.  0.  1. -0.  0.]
// whole parts  [-1.  0.  0.  0.  1.]
// digits       [-3.3000e-01  9.9830e+01  2.0000e+02  3.0017e+02  4.0033e+02]
// remainders   [   0 -181  -92    0 -181]
// of division  [0 1 2 3 4]
// magnitudes   [1.         1.         0.66666667 1.25       1.8       ]
// in double    [       inf 1.         0.5        0.33333333 0.25      ]
// signs        [1. 0. 2. 3. 4.]
// neighbours   [-0.5 -0.5  1.   1.   1. ]
// mantissa     [0.   0.5  0.5  0.75 0.5 ]
// exponent     [0 1 2 2 3]
// together     [0. 1. 2. 3. 4.]
// parts        [-0.5  -0.25  0.    0.25  0.5 ]
// of numbers   [-2. -1.  0.  1.  2.]
// bits         [ 9 11  7  9 13]
// by name      [ 9 11  7  9 13]
// shifts       [ 0  3  8 12 17]
// of bool      [False False False False False]
// numbers win  [       -inf -0.5         0.          0.66666667  1.25      ]
// cleaned      [-2.          0.         -1.          0.16666667  0.25      ]
// infinities   [ True False False False False]
// close        [False False  True  True  True]
// all close    True
// in a list    [False  True False False  True]
// first true   [10.   5.   0.   0.5  7. ]
// by index     [ -1.  -5.   0.  50. 100.]
// in pieces    [1.   0.25 0.   0.   9.  ]
// parts        [-3.  -2.5 -2.  -1.5 -1. ]
// angles       [135.         116.56505118  90.          63.43494882  45.        ]
// which        [False False  True False False]
