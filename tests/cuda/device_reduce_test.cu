// Reductions of float64 on a GPU: states and results of every reducer against its host entries, bit for bit. Returns 77
// (skipped) where there is no device. By hand:
//
//   nvcc -std=c++20 --extended-lambda -O2 --fmad=false -Xcompiler=-ffp-contract=off -arch=native -Iinclude
//     tests/cuda/device_reduce_test.cu -o device_reduce_test && ./device_reduce_test
#include "device_reduce_checks.hpp"

#include <ashlar/detail/summary_ops.hpp>

namespace {

using namespace device_reduce;
using tag = dt::backend_tag;
using in = double;

template <class P>
checker check(test_queue& q) {
  checker c{q, dt::fold_reducer<P, tag>};
  c.all();
  return c;
}

void run(test_queue& q) {
  auto sum = check<dt::sum_policy<in, double>>(q);
  sum.large();
  sum.finish(dt::sum_finisher<double, in, tag>, 0);
  sum.finish(dt::mean_finisher<double, in, tag>, 0);
  sum.finish(dt::moment_finisher<float, tag>, 1);
  check<dt::product_policy<in, double>>(q).finish(dt::product_finisher<double, in, tag>, 0);
  using low = dt::min_policy<in>;
  check<low>(q).finish(dt::extremum_finisher<low, tag>, 0);
  using high = dt::max_policy<in>;
  auto max = check<high>(q);
  max.large();
  max.finish(dt::extremum_finisher<high, tag>, 0);
  using any = dt::any_policy<in>;
  check<any>(q).finish(dt::plain_finisher<any, tag>, 0);
  using all = dt::all_policy<in>;
  check<all>(q).finish(dt::plain_finisher<all, tag>, 0);
  using count = dt::count_policy<in>;
  check<count>(q).finish(dt::plain_finisher<count, tag>, 0);
  check<dt::arg_policy<in, false>>(q).finish(dt::arg_finisher<false, tag>, 0);
  check<dt::arg_policy<in, true>>(q).large();
  check<dt::nanmin_policy<in>>(q);
  check<dt::nanmax_policy<in>>(q);
  check<dt::nanarg_policy<in, true>>(q);
  checker moments{q, dt::moments_reducer<in, tag>};
  moments.all();
  moments.large();
  moments.finish(dt::var_finisher<in, tag>, 0);
  moments.finish(dt::std_finisher<in, tag>, 1);
  moments.finish(dt::std_finisher<float, tag>, 7);
  checker nan_moments{q, dt::nan_moments_reducer<in, tag>};
  nan_moments.all();
  nan_moments.large();
  nan_moments.finish(dt::nanvar_finisher<in, tag>, 0);
  nan_moments.finish(dt::nanstd_finisher<in, tag>, 2);
}

}  // namespace

int main() {
  return device_check::run([] {
    test_queue q(std::int64_t{4} << 30);
    run(q);
  });
}
