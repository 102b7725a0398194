// Operations on two arrays of one type, and on an array and a number.
#include <ashlar/functions.hpp>

#include "program.hpp"

namespace oracle {

namespace {

template <class T>
value number_pair(const std::string& op, const ash::array<T>& x, const ash::array<T>& y) {
  if (op == "add") return x + y;
  if (op == "subtract") return x - y;
  if (op == "multiply") return x * y;
  return x / y;
}

template <class T>
value real_pair(const std::string& op, const ash::array<T>& x, const ash::array<T>& y) {
  if (op == "minimum") return minimum(x, y);
  if (op == "maximum") return maximum(x, y);
  if (op == "less") return x < y;
  if (op == "less_equal") return x <= y;
  if (op == "greater") return x > y;
  return x >= y;
}

template <class T>
value whole_pair(const std::string& op, const ash::array<T>& x, const ash::array<T>& y) {
  if (op == "floor_divide") return floor_divide(x, y);
  if (op == "remainder") return x % y;
  return fmod(x, y);
}

template <class T>
value bit_pair(const std::string& op, const ash::array<T>& x, const ash::array<T>& y) {
  if (op == "bitwise_and") return x & y;
  if (op == "bitwise_or") return x | y;
  return x ^ y;
}

template <class T>
value float_pair(const std::string& op, const ash::array<T>& x, const ash::array<T>& y) {
  if (op == "fmin") return fmin(x, y);
  if (op == "fmax") return fmax(x, y);
  if (op == "copysign") return copysign(x, y);
  if (op == "arctan2") return arctan2(x, y);
  return hypot(x, y);
}

template <class T>
value with_number(const std::string& op, const ash::array<T>& x, double number) {
  const auto n = static_cast<int>(number);
  if (op == "add_number") return x + n;
  if (op == "multiply_number") return n * x;
  return x == n;
}

template <class T>
ash::array<T> in(const value& v) {
  if (v.node->type != ash::dtype_of<T>) throw bad_program("operands of two types");
  return v.as<T>();
}

bool among(const char* names, const std::string& operation) {
  return std::string(names).find(" " + operation + " ") != std::string::npos;
}

}  // namespace

bool make_arithmetic(const std::string& operation, arguments& a, value& out) {
  const auto pair = [&](auto list, auto f) {
    const value x = a.operand();
    const value y = a.operand();
    out = visit(x, list, [&]<class T>(const ash::array<T>& left) { return f(operation, left, in<T>(y)); });
    return true;
  };
#define ORACLE_PAIR(list, f) \
  pair(list{}, [](const std::string& op, const auto& x, const auto& y) { return f(op, x, y); })
  if (among(" add subtract multiply divide ", operation)) return ORACLE_PAIR(number_types, number_pair);
  if (among(" minimum maximum less less_equal greater greater_equal ", operation)) {
    return ORACLE_PAIR(real_types, real_pair);
  }
  if (among(" floor_divide remainder fmod ", operation)) {
    using list = types<std::int8_t, std::int32_t, std::int64_t, std::uint8_t, float, double>;
    return ORACLE_PAIR(list, whole_pair);
  }
  if (among(" bitwise_and bitwise_or bitwise_xor ", operation)) return ORACLE_PAIR(bit_types, bit_pair);
  if (among(" fmin fmax copysign arctan2 hypot ", operation)) return ORACLE_PAIR(float_types, float_pair);
#undef ORACLE_PAIR
  if (operation == "equal" || operation == "not_equal") {
    return pair(every_type{}, [](const std::string& op, const auto& x, const auto& y) {
      return op == "equal" ? value(x == y) : value(x != y);
    });
  }
  if (among(" logical_and logical_or logical_xor ", operation)) {
    return pair(every_type{}, [](const std::string& op, const auto& x, const auto& y) {
      return op == "logical_and" ? value(x && y) : op == "logical_or" ? value(x || y) : value(logical_xor(x, y));
    });
  }
  if (operation == "left_shift" || operation == "right_shift") {
    return pair(integer_types{}, [](const std::string& op, const auto& x, const auto& y) {
      return op == "left_shift" ? value(x << y) : value(x >> y);
    });
  }
  if (operation == "power") {
    return pair(types<std::int32_t, std::int64_t, double>{},
                [](const std::string&, const auto& x, const auto& y) { return value(pow(x, y)); });
  }
  if (among(" add_number multiply_number equal_number ", operation)) {
    const value x = a.operand();
    const double number = a.number();
    out = visit(x, number_types{}, [&](const auto& left) { return with_number(operation, left, number); });
    return true;
  }
  return false;
}

}  // namespace oracle
