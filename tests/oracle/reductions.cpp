// Reductions and scans.
#include <ashlar/reductions.hpp>
#include <ashlar/scans.hpp>
#include <ashlar/summaries.hpp>

#include "program.hpp"

namespace oracle {

namespace {

template <class T>
value totals(const std::string& op, const ash::array<T>& x, const ash::axes& which, bool keepdims, double ddof) {
  const ash::reduce_options o{.keepdims = keepdims, .split_every = 2};
  if (op == "sum") return x.sum(which, o);
  if (op == "prod") return x.prod(which, o);
  if (op == "mean") return x.mean(which, o);
  if (op == "var") return x.var(which, {.ddof = ddof, .keepdims = keepdims});
  if (op == "any") return x.any(which, o);
  if (op == "all") return x.all(which, o);
  return x.count_nonzero(which, o);
}

template <class T>
value extrema(const std::string& op, const ash::array<T>& x, const ash::axes& which, bool keepdims) {
  const ash::reduce_options o{.keepdims = keepdims, .split_every = 2};
  if (op == "min") return x.min(which, o);
  if (op == "max") return x.max(which, o);
  if (op == "argmin") return x.argmin(which, o);
  return x.argmax(which, o);
}

template <class T>
value scan(const std::string& op, const ash::array<T>& x, const ash::axes& which) {
  std::optional<std::int64_t> axis;
  if (!which.all()) axis = which[0];
  if (op == "cumsum") return cumsum(x, axis);
  if constexpr (ash::kind(ash::dtype_of<T>) != ash::dtype_kind::complex) {
    if (op == "cummin") return cummin(x, axis);
    if (op == "cummax") return cummax(x, axis);
  }
  return cumprod(x, axis);
}

bool among(const char* names, const std::string& operation) {
  return std::string(names).find(" " + operation + " ") != std::string::npos;
}

}  // namespace

bool make_reduction(const std::string& operation, arguments& a, value& out) {
  if (among(" cumsum cumprod cummin cummax ", operation)) {
    const value x = a.operand();
    const ash::axes which = a.axes();
    out = visit(x, types<std::int32_t, std::uint8_t, float, double, std::complex<double>>{},
                [&](const auto& from) { return scan(operation, from, which); });
    return true;
  }
  const bool total = among(" sum prod mean var any all count_nonzero ", operation);
  if (!total && !among(" min max argmin argmax ", operation)) return false;
  const value x = a.operand();
  const ash::axes which = a.axes();
  const bool keepdims = a.integer() != 0;
  const double ddof = a.more() ? a.number() : 0;
  if (total) {
    using list = types<bool, std::int32_t, std::int64_t, std::uint8_t, float, double, std::complex<double>>;
    out = visit(x, list{}, [&](const auto& from) { return totals(operation, from, which, keepdims, ddof); });
  } else {
    using list = types<bool, std::int32_t, std::int64_t, std::uint8_t, float, double>;
    out = visit(x, list{}, [&](const auto& from) { return extrema(operation, from, which, keepdims); });
  }
  return true;
}

}  // namespace oracle
