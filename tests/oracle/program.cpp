// The words of statements, and leaves: arrays whose elements are a formula of their position, from all kinds of
// sources.
#include "program.hpp"

#include <limits>
#include <memory>
#include <sstream>

#include <ashlar/creation.hpp>
#include <ashlar/npy.hpp>

namespace oracle {

namespace {

std::vector<std::string> pieces(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string piece; std::getline(in, piece, separator);) out.push_back(piece);
  return out;
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Element of that style; the checker has the same formulas. Floating-point numbers are eighths, so that most sums are
/// exact. Style 1 has what is special in it, style 2 only small numbers above zero, style 3 few different ones.
template <class T>
T element(std::uint64_t h, int style) {
  if constexpr (std::is_same_v<T, bool>) {
    return (h >> 5) % 2 != 0;
  } else if constexpr (std::is_integral_v<T>) {
    const std::uint64_t sort = (h >> 8) % 8;
    if (style == 1 && sort < 2) return sort == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    if (style == 2) return static_cast<T>(h % 5 + 1);
    if (style == 3 || std::is_unsigned_v<T>) return static_cast<T>(h % (style == 3 ? 3 : 17));
    return static_cast<T>(static_cast<int>(h % 17) - 8);
  } else if constexpr (std::is_floating_point_v<T>) {
    const std::uint64_t sort = (h >> 8) % 8;
    if (style == 1 && sort == 0) return std::numeric_limits<T>::quiet_NaN();
    if (style == 1 && sort == 1) {
      return (h >> 16) % 2 == 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    }
    if (style == 1 && sort == 2) return T(-0.0);
    if (style == 2) return static_cast<T>(h % 33) / 8 + T(0.25);
    if (style == 3) return static_cast<T>(static_cast<int>(h % 3) - 1);
    return static_cast<T>(static_cast<int>(h % 65) - 32) / 4;
  } else {
    using part = typename T::value_type;
    const int plain = style == 1 ? 0 : style;
    const bool nan = style == 1 && (h >> 8) % 8 == 0;
    return {nan ? std::numeric_limits<part>::quiet_NaN() : element<part>(h, plain), element<part>(mixed(h + 1), plain)};
  }
}

template <class T>
struct formula {
  std::uint64_t seed;
  int style;
  void operator()(std::int64_t first, std::int64_t n, T* out) const {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = element<T>(mixed(seed + static_cast<std::uint64_t>(first + i) * 0x9e3779b97f4a7c15U), style);
    }
  }
  bool operator==(const formula&) const noexcept = default;
  std::size_t hash() const noexcept { return static_cast<std::size_t>(seed); }
};

/// An ndarray of the elements that lies in memory as asked: c, f (first axis fastest), r (every axis backwards with a
/// gap between elements).
template <class T>
ash::ndarray<T> in_memory(const formula<T>& f, const ash::shape& shape, char order) {
  const std::int64_t n = shape.size();
  ash::strides steps = order == 'f' ? ash::column_major_strides(shape) : ash::row_major_strides(shape);
  const std::int64_t gap = order == 'r' ? 2 : 1;
  ash::buffer bytes = ash::buffer::allocate(static_cast<std::size_t>(gap * n + 1) * sizeof(T));
  T* base = static_cast<T*>(bytes.data());
  if (order == 'r') {
    ash::strides turned;
    for (int a = 0; a < shape.ndim(); ++a) turned.push_back(-gap * steps[a]);
    steps = turned;
    if (n > 0) base += gap * (n - 1);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t at = 0;
    std::int64_t rest = i;
    for (int a = shape.ndim() - 1; a >= 0; --a) {
      at += rest % shape[a] * steps[a];
      rest /= shape[a];
    }
    f(i, 1, base + at);
  }
  return ash::ndarray<T>(bytes, base, shape, steps);
}

template <class T>
value leaf(arguments& a) {
  const ash::shape shape = a.shape();
  const ash::chunks chunks = a.chunks();
  const std::string source = a.word();
  if (source == "npy") return ash::from_npy<T>(a.word(), {.chunks = chunks});
  const int style = static_cast<int>(a.integer());
  const formula<T> f{static_cast<std::uint64_t>(a.integer()), style};
  if (source == "generated" || source == "persisted") {
    const ash::array<T> x = ash::detail::make_generator<T>(f, "formula", shape, chunks, {});
    return source == "generated" ? x : x.persist(ash::serial{});
  }
  return ash::from(in_memory(f, shape, source.back()), {.chunks = chunks});
}

template <class... T>
value leaf_of(const std::string& type, arguments& a, types<T...>) {
  value out;
  const bool found = (... || (type == ash::name(ash::dtype_of<T>) && (out = leaf<T>(a), true)));
  if (!found) throw bad_program("no element type: " + type);
  return out;
}

}  // namespace

const std::string& arguments::word() {
  if (!more()) throw bad_program("a statement ends too early");
  return words_[next_++];
}

const value& arguments::operand() {
  const std::string& w = word();
  if (w.size() < 2 || w[0] != '%') throw bad_program("no value: " + w);
  return values_.at(std::stoul(w.substr(1)));
}

std::vector<value> arguments::operands() {
  std::vector<value> out;
  while (more() && words_[next_][0] == '%') out.push_back(operand());
  return out;
}

std::vector<std::int64_t> arguments::list() {
  std::vector<std::int64_t> out;
  const std::string& w = word();
  if (w == "-") return out;
  for (const std::string& p : pieces(w, ',')) out.push_back(std::stoll(p));
  return out;
}

ash::axes arguments::axes() {
  if (more() && words_[next_] == "all") {
    ++next_;
    return ash::all_axes;
  }
  return ash::axes(std::span<const std::int64_t>(list()));
}

ash::chunks arguments::chunks() {
  std::vector<ash::chunk_spec> out;
  const std::string& w = word();
  if (w == "-") return {};
  for (const std::string& axis : pieces(w, '/')) {
    std::vector<std::int64_t> lengths;
    for (const std::string& p : pieces(axis, '+')) lengths.push_back(std::stoll(p));
    out.emplace_back(lengths);
  }
  return out;
}

std::vector<ash::detail::index_item> arguments::index() {
  std::vector<ash::detail::index_item> out;
  while (more()) {
    const std::string& w = word();
    if (w == "new") {
      out.emplace_back(ash::newaxis);
    } else if (w == "all") {
      out.emplace_back(ash::all);
    } else if (w == "...") {
      out.emplace_back(ash::ellipsis);
    } else if (w.find(':') == std::string::npos) {
      out.emplace_back(std::stoll(w));
    } else {
      const std::vector<std::string> parts = pieces(w + ":", ':');
      ash::slice s;
      if (!parts.at(0).empty()) s.start = std::stoll(parts[0]);
      if (!parts.at(1).empty()) s.stop = std::stoll(parts[1]);
      if (parts.size() > 2 && !parts[2].empty()) s.step = std::stoll(parts[2]);
      out.emplace_back(s);
    }
  }
  return out;
}

bool make_leaf(const std::string& operation, arguments& a, value& out) {
  if (operation != "leaf") return false;
  const std::string type = a.word();
  out = leaf_of(type, a, every_type{});
  return true;
}

}  // namespace oracle
