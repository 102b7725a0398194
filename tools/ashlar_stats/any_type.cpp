#include <type_traits>

#include <ashlar/functions.hpp>
#include <ashlar/npy.hpp>

#include "statistics.hpp"

namespace ashlar_stats {

/// The type in which T is reduced.
template <class T>
using reduced_as =
    std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::uint64_t>, T,
                       std::conditional_t<std::is_integral_v<T>, std::int64_t, std::complex<double>>>;

nodes make_statistics(const ashlar::npy_input& input, const stats_options& options) {
  return ashlar::visit_npy(input,
                           [&]<class T>(const ashlar::array<T>& x) {
                             using R = reduced_as<T>;
                             if constexpr (std::is_same_v<R, T>) {
                               return make_statistics<R>(x, ashlar::dtype_of<T>, options);
                             } else {
                               return make_statistics<R>(x.template astype<R>(), ashlar::dtype_of<T>, options);
                             }
                           },
                           {.chunks = options.chunks});
}

}  // namespace ashlar_stats
