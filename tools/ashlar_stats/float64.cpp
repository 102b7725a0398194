#include "make_statistics.hpp"

namespace ashlar_stats {

template nodes make_statistics(const ashlar::array<double>&, ashlar::dtype, const stats_options&);

}  // namespace ashlar_stats
