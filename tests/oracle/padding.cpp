// pad, which reduces and calculates in some of its modes and so takes long to compile: fewer types than elsewhere.
#include <ashlar/padding.hpp>

#include "program.hpp"

namespace oracle {

namespace {

template <class T>
value pad_of(const ash::array<T>& x, arguments& a) {
  static const char* const modes[] = {"constant", "edge",    "empty",   "linear_ramp", "maximum", "mean",
                                      "median",   "minimum", "reflect", "symmetric",   "wrap"};
  const std::string mode = a.word();
  ash::pad_options o;
  for (std::size_t k = 0; k < std::size(modes); ++k) {
    if (mode == modes[k]) o.mode = static_cast<ash::pad_mode>(k);
  }
  const std::vector<std::int64_t> n = a.list();
  const std::vector<std::int64_t> ends = a.list();  // of each axis
  std::vector<ash::pad_pair<ash::detail::any_number>> value;
  for (std::size_t k = 0; k + 1 < ends.size(); k += 2) value.push_back({ends[k], ends[k + 1]});
  o.value = value;
  const std::vector<std::int64_t> lengths = a.list();
  std::vector<ash::pad_pair<std::int64_t>> length;
  for (std::size_t k = 0; k + 1 < lengths.size(); k += 2) length.push_back({lengths[k], lengths[k + 1]});
  o.stat_length = length;
  o.odd = a.integer() != 0;
  std::vector<ash::pad_width> widths;
  for (std::size_t k = 0; k + 1 < n.size(); k += 2) widths.push_back({n[k], n[k + 1]});
  return ash::pad(x, widths, o);
}

}  // namespace

bool make_padding(const std::string& operation, arguments& a, value& out) {
  if (operation != "pad") return false;
  using list = types<bool, std::int32_t, std::uint8_t, float, double, std::complex<double>>;
  out = visit(a.operand(), list{}, [&](const auto& x) { return pad_of(x, a); });
  return true;
}

}  // namespace oracle
