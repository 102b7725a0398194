// Operations on three arrays.
#include <ashlar/functions.hpp>

#include "program.hpp"

namespace oracle {

bool make_choice(const std::string& operation, arguments& a, value& out) {
  if (operation != "where" && operation != "clip") return false;
  const value first = a.operand();
  const value second = a.operand();
  const value third = a.operand();
  if (operation == "where") {
    const ash::array<bool> condition = visit(first, types<bool>{}, [](const auto& c) { return c; }).as<bool>();
    out = visit(second, every_type{}, [&]<class T>(const ash::array<T>& x) {
      if (third.node->type != ash::dtype_of<T>) throw bad_program("operands of two types");
      return value(where(condition, x, third.as<T>()));
    });
    return true;
  }
  out = visit(first, types<std::int8_t, std::int32_t, std::int64_t, std::uint8_t, float, double>{},
              [&]<class T>(const ash::array<T>& x) {
                if (second.node->type != ash::dtype_of<T> || third.node->type != ash::dtype_of<T>) {
                  throw bad_program("operands of two types");
                }
                return value(clip(x, second.as<T>(), third.as<T>()));
              });
  return true;
}

}  // namespace oracle
