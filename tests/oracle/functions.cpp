// Functions of one array, and conversions.
#include <ashlar/functions.hpp>

#include "program.hpp"

namespace oracle {

namespace {

template <class From, class... To>
value converted(const ash::array<From>& x, const std::string& type, types<To...>) {
  value out;
  const auto one = [&]<class T>(std::type_identity<T>) {
    if constexpr (ash::kind(ash::dtype_of<From>) == ash::dtype_kind::complex &&
                  ash::kind(ash::dtype_of<T>) != ash::dtype_kind::complex && !std::is_same_v<T, bool>) {
      throw bad_program("complex to real");
    } else {
      out = x.template astype<T>();
    }
  };
  const bool found = (... || (type == ash::name(ash::dtype_of<To>) && (one(std::type_identity<To>{}), true)));
  if (!found) throw bad_program("no conversion to " + type);
  return out;
}

template <class T>
value of_number(const std::string& op, const ash::array<T>& x) {
  if (op == "negative") return -x;
  if (op == "absolute") return abs(x);
  return square(x);
}

template <class T>
value of_real(const std::string& op, const ash::array<T>& x) {
  if (op == "sign") return sign(x);
  if (op == "floor") return floor(x);
  if (op == "ceil") return ceil(x);
  if (op == "trunc") return trunc(x);
  return rint(x);
}

template <class T>
value of_float(const std::string& op, const ash::array<T>& x) {
  if (op == "sqrt") return sqrt(x);
  if (op == "exp") return exp(x);
  if (op == "sin") return sin(x);
  if (op == "cos") return cos(x);
  if (op == "arctan") return arctan(x);
  if (op == "tanh") return tanh(x);
  if (op == "reciprocal") return reciprocal(x);
  if (op == "signbit") return signbit(x);
  if (op == "isnan") return isnan(x);
  if (op == "isfinite") return isfinite(x);
  return nan_to_num(x, {.nan = 1.5, .posinf = 9, .neginf = -9});
}

bool among(const char* names, const std::string& operation) {
  return std::string(names).find(" " + operation + " ") != std::string::npos;
}

}  // namespace

bool make_function(const std::string& operation, arguments& a, value& out) {
  const auto one = [&](auto list, auto f) {
    out = visit(a.operand(), list, [&](const auto& x) { return f(operation, x); });
    return true;
  };
  if (operation == "astype") {
    const value x = a.operand();
    const std::string type = a.word();
    using targets = types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, float, double,
                          std::complex<double>>;
    out = visit(x, every_type{}, [&](const auto& from) { return converted(from, type, targets{}); });
    return true;
  }
  if (among(" negative absolute square ", operation)) {
    return one(number_types{}, [](const std::string& op, const auto& x) { return of_number(op, x); });
  }
  if (among(" floor ceil trunc rint sign ", operation)) {
    using list = types<std::int8_t, std::int32_t, std::int64_t, std::uint8_t, float, double>;
    return one(list{}, [](const std::string& op, const auto& x) { return of_real(op, x); });
  }
  if (among(" sqrt exp sin cos arctan tanh reciprocal signbit isnan isfinite nan_to_num ", operation)) {
    return one(float_types{}, [](const std::string& op, const auto& x) { return of_float(op, x); });
  }
  if (among(" real imag conj ", operation)) {
    return one(types<std::complex<double>, double, std::int32_t>{}, [](const std::string& op, const auto& x) {
      return op == "real" ? value(real(x)) : op == "imag" ? value(imag(x)) : value(conj(x));
    });
  }
  if (operation == "invert") return one(bit_types{}, [](const std::string&, const auto& x) { return value(~x); });
  if (operation == "logical_not") return one(every_type{}, [](const std::string&, const auto& x) { return value(!x); });
  return false;
}

}  // namespace oracle
