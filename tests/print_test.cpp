#include <ashlar/print.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "support/counting.hpp"

using ashlar::axes;
using ashlar::dtype;
using ashlar::ndarray;
using ashlar::place;
using ashlar::shape;
using ashlar::strides;
using ashlar::to_string;
using testing_support::counting;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
using complex = std::complex<double>;

ndarray<double> doubles(ashlar::detail::nested_list<double> values) { return ndarray<double>::from(values); }
ndarray<float> floats(ashlar::detail::nested_list<float> values) { return ndarray<float>::from(values); }
ndarray<complex> complexes(ashlar::detail::nested_list<complex> values) { return ndarray<complex>::from(values); }

struct example {
  const char* behaviour;
  std::string text;
  const char* numpy;
};

}  // namespace

// The right column is what NumPy 2.4 prints.
TEST_CASE("arrays print as in NumPy") {
  const example examples[] = {
      {"whole floats keep their point", to_string(doubles({1, 2, 3})), "[1. 2. 3.]"},
      {"fractions line up at the point", to_string(doubles({1, 2.5, 3.125})), "[1.    2.5   3.125]"},
      {"negative numbers widen the column", to_string(doubles({{1, -2}, {3.5, 4}})),
       "[[ 1.  -2. ]\n"
       " [ 3.5  4. ]]"},
      {"at most eight digits follow the point", to_string(doubles({1.0 / 3, 2.0 / 3})), "[0.33333333 0.66666667]"},
      {"the eighth digit is rounded from the exact value", to_string(doubles({0.123456785, 1.00000001, 0.3})),
       "[0.12345678 1.00000001 0.3       ]"},
      {"nan and inf are right aligned", to_string(doubles({not_a_number, infinity, -infinity, 1.5})),
       "[ nan  inf -inf  1.5]"},
      {"only nan and inf", to_string(doubles({not_a_number, infinity})), "[nan inf]"},
      {"only -inf and nan", to_string(doubles({-infinity, not_a_number})), "[-inf  nan]"},
      {"negative zero", to_string(doubles({-0.0, 0.0})), "[-0.  0.]"},
      {"a wide range turns scientific", to_string(doubles({1e-3, 1, 1001})), "[1.000e-03 1.000e+00 1.001e+03]"},
      {"a small number turns scientific", to_string(doubles({0.00009, 0.01})), "[9.e-05 1.e-02]"},
      {"large numbers turn scientific", to_string(doubles({1e8, 2})), "[1.e+08 2.e+00]"},
      {"just below stays positional", to_string(doubles({99999999.0, 123456.5})), "[99999999.    123456.5]"},
      {"three-digit exponents pad the others", to_string(doubles({1e100, 1e-5, 0})), "[1.e+100 1.e-005 0.e+000]"},
      {"scientific with nan and negative", to_string(doubles({-1e10, not_a_number, 12345.678})),
       "[-1.0000000e+10            nan  1.2345678e+04]"},
      {"denormals", to_string(doubles({5e-324, 2.2250738585072014e-308})), "[4.94065646e-324 2.22507386e-308]"},
      {"floats have their own shortest digits", to_string(floats({0.1f, 0.2f, 0.7f})), "[0.1 0.2 0.7]"},
      {"floats turn scientific at 1e6", to_string(floats({1e6f, 999999.0f})), "[1.00000e+06 9.99999e+05]"},
      {"floats below 1e6", to_string(floats({999999.0f, 1234.5f})), "[999999.    1234.5]"},
      {"scientific floats are filled with exact digits", to_string(floats({1.5e-7f, 0.33333334f})),
       "[1.5000001e-07 3.3333334e-01]"},
      {"integers are right aligned", to_string(ndarray<int>::from({{1, 100}, {-20, 3}})),
       "[[  1 100]\n"
       " [-20   3]]"},
      {"bytes are numbers", to_string(ndarray<std::uint8_t>::from({65, 255, 0})), "[ 65 255   0]"},
      {"extreme integers", to_string(ndarray<std::int64_t>::from({std::numeric_limits<std::int64_t>::min(), 1})),
       "[-9223372036854775808                    1]"},
      {"large unsigned integers", to_string(ndarray<std::uint64_t>::from({18446744073709551615u, 1})),
       "[18446744073709551615                    1]"},
      {"booleans are padded", to_string(ndarray<bool>::from({true, false, true})), "[ True False  True]"},
      {"only true is padded as well", to_string(ndarray<bool>::from({true, true})), "[ True  True]"},
      {"complex columns", to_string(complexes({complex(1, 2), complex(-3.5, 0.25)})), "[ 1. +2.j   -3.5+0.25j]"},
      {"complex with nan, inf and -0", to_string(complexes({complex(not_a_number, infinity), complex(1, -0.0)})),
       "[nan+infj  1. -0.j]"},
      {"complex parts choose their notation apart", to_string(complexes({complex(1e-10, 1), complex(1, 2)})),
       "[1.e-10+1.j 1.e+00+2.j]"},
      {"a 0-d double prints as a number", to_string(doubles(3.0)), "3.0"},
      {"a 0-d double shows every digit", to_string(doubles(0.1 + 0.2)), "0.30000000000000004"},
      {"a large 0-d double", to_string(doubles(1e16)), "1e+16"},
      {"a small 0-d double", to_string(doubles(0.00001)), "1e-05"},
      {"a 0-d nan", to_string(doubles(not_a_number)), "nan"},
      {"a 0-d float", to_string(floats(16777216.0f)), "1.6777216e+07"},
      {"a 0-d boolean", to_string(ndarray<bool>::from(true)), "True"},
      {"a 0-d integer", to_string(ndarray<std::int8_t>::from(-7)), "-7"},
      {"a 0-d complex", to_string(complexes(complex(1.5, -2))), "(1.5-2j)"},
      {"a 0-d imaginary number", to_string(complexes(complex(0, 2))), "2j"},
      {"an empty array", to_string(ndarray<double>()), "[]"},
      {"an empty matrix", to_string(ndarray<double>(shape{3, 0})), "[]"},
      {"a column", to_string(doubles({{1}, {10}})),
       "[[ 1.]\n"
       " [10.]]"},
      {"blank lines part the matrices of a 3-d array", to_string(counting<std::int64_t>({2, 2, 3})),
       "[[[ 0  1  2]\n"
       "  [ 3  4  5]]\n"
       "\n"
       " [[ 6  7  8]\n"
       "  [ 9 10 11]]]"},
      {"two blank lines in four axes", to_string(counting<std::int64_t>({2, 1, 2, 2})),
       "[[[[0 1]\n"
       "   [2 3]]]\n"
       "\n"
       "\n"
       " [[[4 5]\n"
       "   [6 7]]]]"},
      {"long rows wrap before column 75", to_string(counting<std::int64_t>({30})),
       "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
       " 24 25 26 27 28 29]"},
      {"rows of a matrix wrap with their indent", to_string(counting<std::int64_t>({2, 26})),
       "[[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
       "  24 25]\n"
       " [26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49\n"
       "  50 51]]"},
      {"1000 elements are shown in full", to_string(counting<std::int64_t>({1000}).slice(0, 0, 1000, 50)),
       "[  0  50 100 150 200 250 300 350 400 450 500 550 600 650 700 750 800 850\n"
       " 900 950]"},
      {"more than 1000 elements are summarised", to_string(counting<std::int64_t>({1001})),
       "[   0    1    2 ...  998  999 1000]"},
      {"every long axis is summarised", to_string(counting<std::int64_t>({40, 50})),
       "[[   0    1    2 ...   47   48   49]\n"
       " [  50   51   52 ...   97   98   99]\n"
       " [ 100  101  102 ...  147  148  149]\n"
       " ...\n"
       " [1850 1851 1852 ... 1897 1898 1899]\n"
       " [1900 1901 1902 ... 1947 1948 1949]\n"
       " [1950 1951 1952 ... 1997 1998 1999]]"},
      {"short axes of a large array are not", to_string(counting<std::int64_t>({2, 6, 100})),
       "[[[   0    1    2 ...   97   98   99]\n"
       "  [ 100  101  102 ...  197  198  199]\n"
       "  [ 200  201  202 ...  297  298  299]\n"
       "  [ 300  301  302 ...  397  398  399]\n"
       "  [ 400  401  402 ...  497  498  499]\n"
       "  [ 500  501  502 ...  597  598  599]]\n"
       "\n"
       " [[ 600  601  602 ...  697  698  699]\n"
       "  [ 700  701  702 ...  797  798  799]\n"
       "  [ 800  801  802 ...  897  898  899]\n"
       "  [ 900  901  902 ...  997  998  999]\n"
       "  [1000 1001 1002 ... 1097 1098 1099]\n"
       "  [1100 1101 1102 ... 1197 1198 1199]]]"},
      {"the layout comes from the shown elements", to_string(counting<std::int64_t>({2000}).slice(0, 1999, -1, -1)),
       "[1999 1998 1997 ...    2    1    0]"},
      {"views print in their own order", to_string(counting<std::int64_t>({2, 3}).transpose()),
       "[[0 3]\n"
       " [1 4]\n"
       " [2 5]]"},
  };
  for (const example& e : examples) {
    CAPTURE(e.behaviour);
    CHECK(e.text == e.numpy);
  }
}

TEST_CASE("print options change precision, threshold, edges and width") {
  CHECK(to_string(doubles({1.0 / 3, 2}), {.precision = 3}) == "[0.333 2.   ]");
  CHECK(to_string(counting<std::int64_t>({9}), {.threshold = 5, .edge_items = 2}) == "[0 1 ... 7 8]");
  CHECK(to_string(counting<std::int64_t>({9}), {.line_width = 12}) == "[0 1 2 3 4\n 5 6 7 8]");
}

TEST_CASE("streams take arrays, shapes, strides, axes, types and places") {
  std::ostringstream out;
  out << doubles({1, 2}) << ' ' << shape{3, 4} << ' ' << strides{-1} << ' ' << axes{0, -1} << ' ' << dtype::float32
      << ' ' << place::device(1);
  CHECK(out.str() == "[1. 2.] (3, 4) (-1,) (0, -1) float32 cuda:1");
}
