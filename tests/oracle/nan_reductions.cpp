// Reductions that pass NaN over.
#include <ashlar/nan_reductions.hpp>

#include "program.hpp"

namespace oracle {

bool make_nan_reduction(const std::string& operation, arguments& a, value& out) {
  if (operation.rfind("nan", 0) != 0 || operation == "nan_to_num") return false;
  const value v = a.operand();
  const ash::axes which = a.axes();
  const ash::reduce_options o{.keepdims = a.integer() != 0, .split_every = 2};
  const double ddof = a.more() ? a.number() : 0;
  out = visit(v, float_types{}, [&](const auto& x) {
    if (operation == "nansum") return value(nansum(x, which, o));
    if (operation == "nanprod") return value(nanprod(x, which, o));
    if (operation == "nanmean") return value(nanmean(x, which, o));
    if (operation == "nanvar") return value(nanvar(x, which, {.ddof = ddof, .keepdims = o.keepdims}));
    if (operation == "nanmin") return value(nanmin(x, which, o));
    if (operation == "nanmax") return value(nanmax(x, which, o));
    if (operation == "nanargmin") return value(nanargmin(x, which, o));
    if (operation == "nanargmax") return value(nanargmax(x, which, o));
    throw bad_program("no operation: " + operation);
  });
  return true;
}

}  // namespace oracle
