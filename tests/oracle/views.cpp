// Views.
#include <ashlar/views.hpp>

#include "program.hpp"

namespace oracle {

namespace {

using strings = std::string;

template <class T>
value view(const strings& op, const ash::array<T>& x, arguments& a) {
  if (op == "index") return value(ash::detail::make_indexed(x.node(), a.index(), std::source_location{}));
  if (op == "transpose") return transpose(x, a.axes());
  if (op == "squeeze") return squeeze(x, a.axes());
  if (op == "flip") return flip(x, a.axes());
  if (op == "flipud") return flipud(x);
  if (op == "fliplr") return fliplr(x);
  if (op == "expand_dims") return expand_dims(x, a.axes());
  if (op == "broadcast_to") return broadcast_to(x, a.shape());
  if (op == "atleast_1d") return atleast_1d(x);
  if (op == "atleast_2d") return atleast_2d(x);
  if (op == "atleast_3d") return atleast_3d(x);
  const std::vector<std::int64_t> n = a.list();
  if (op == "swapaxes") return swapaxes(x, n.at(0), n.at(1));
  if (op == "diagonal") return diagonal(x, n.at(0), n.at(1), n.at(2));
  if (op == "rot90") return rot90(x, n.at(0), n.at(1), n.at(2));
  const ash::axes second = a.axes();
  if (op == "moveaxis") return moveaxis(x, ash::axes(std::span<const std::int64_t>(n)), second);
  return sliding_window_view(x, ash::shape(std::span<const std::int64_t>(n)), second);
}

}  // namespace

bool make_view(const std::string& operation, arguments& a, value& out) {
  static const std::string names =
      " index transpose squeeze flip flipud fliplr expand_dims broadcast_to atleast_1d atleast_2d atleast_3d swapaxes "
      "diagonal rot90 moveaxis windows ";
  if (names.find(" " + operation + " ") == std::string::npos) return false;
  out = visit(a.operand(), every_type{}, [&](const auto& x) { return view(operation, x, a); });
  return true;
}

}  // namespace oracle
