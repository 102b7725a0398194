// Operations on arrays of two types, differences, and what else reads one array in several places.
#include <ashlar/differences.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/summaries.hpp>

#include "program.hpp"

namespace oracle {

namespace {

template <class A, class B>
bool mix(const std::string& op, const value& x, const value& y, value& out) {
  if (x.node->type != ash::dtype_of<A> || y.node->type != ash::dtype_of<B>) return false;
  const ash::array<A> a = x.as<A>();
  const ash::array<B> b = y.as<B>();
  out = op == "mixed_add" ? value(a + b) : op == "mixed_less" ? value(a < b) : value(a * b);
  return true;
}

}  // namespace

bool make_mixed(const std::string& operation, arguments& a, value& out) {
  if (operation == "diff") {
    const value x = a.operand();
    const std::int64_t times = a.integer();
    const std::int64_t axis = a.integer();
    out = visit(x, types<bool, std::uint8_t, std::int32_t, double>{},
                [&](const auto& from) { return value(ash::diff(from, times, axis)); });
    return true;
  }
  if (operation == "trace") {
    const value x = a.operand();
    const std::vector<std::int64_t> n = a.list();
    out = visit(x, types<std::uint8_t, std::int32_t, double>{},
                [&](const auto& from) { return value(trace(from, n.at(0), n.at(1), n.at(2))); });
    return true;
  }
  if (operation.rfind("mixed_", 0) != 0) return false;
  const value x = a.operand();
  const value y = a.operand();
  const bool found = mix<std::uint8_t, std::int8_t>(operation, x, y, out) ||
                     mix<std::int32_t, float>(operation, x, y, out) ||
                     mix<std::int64_t, double>(operation, x, y, out) || mix<float, double>(operation, x, y, out) ||
                     mix<bool, std::int64_t>(operation, x, y, out);
  if (!found) throw bad_program("no operation on these two types");
  return true;
}

}  // namespace oracle
