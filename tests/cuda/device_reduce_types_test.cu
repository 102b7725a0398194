// Reductions of the other element types on a GPU: states and results of every reducer against its host entries, bit for
// bit. Returns 77 (skipped) where there is no device. By hand:
//
//   nvcc -std=c++20 --extended-lambda -O2 --fmad=false -Xcompiler=-ffp-contract=off -arch=native -Iinclude
//     tests/cuda/device_reduce_types_test.cu -o device_reduce_types_test && ./device_reduce_types_test
#include "device_reduce_checks.hpp"

namespace {

using namespace device_reduce;
using tag = dt::backend_tag;

template <class P>
checker check(test_queue& q) {
  checker c{q, dt::fold_reducer<P, tag>};
  c.all();
  return c;
}

template <class In>
using sum_of = dt::sum_policy<In, dt::accumulator_t<In>>;

void run(test_queue& q) {
  using complex = ash::complex<double>;
  check<sum_of<float>>(q).finish(dt::sum_finisher<double, float, tag>, 0);
  check<dt::max_policy<float>>(q).finish(dt::extremum_finisher<dt::max_policy<float>, tag>, 0);
  check<dt::arg_policy<float, false>>(q);
  check<sum_of<std::int32_t>>(q);
  check<dt::arg_policy<std::int8_t, true>>(q);
  check<dt::min_policy<std::int8_t>>(q);
  check<dt::product_policy<std::uint64_t, std::uint64_t>>(q);
  check<sum_of<bool>>(q);
  check<dt::any_policy<bool>>(q);
  check<sum_of<complex>>(q).finish(dt::mean_finisher<complex, complex, tag>, 0);
  check<sum_of<ash::complex<float>>>(q).finish(dt::sum_finisher<complex, ash::complex<float>, tag>, 0);
  checker moments{q, dt::moments_reducer<float, tag>};
  moments.all();
  moments.finish(dt::var_finisher<float, tag>, 0);
  checker{q, dt::moments_reducer<std::int16_t, tag>}.all();
  checker{q, dt::moments_reducer<complex, tag>}.all();
  checker{q, dt::nan_moments_reducer<float, tag>}.all();
  checker{q, dt::nan_moments_reducer<complex, tag>}.all();
}

}  // namespace

int main() {
  return device_check::run([] {
    test_queue q(std::int64_t{4} << 30);
    run(q);
  });
}
