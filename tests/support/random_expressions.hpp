// Random expressions over small arrays: element-wise operations, views, movement, reductions, scans, over leaves in
// memory, generated, and persisted, in any blocks, of which some are empty.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/joining.hpp>
#include <ashlar/movement.hpp>
#include <ashlar/padding.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/scans.hpp>
#include <ashlar/std_threads.hpp>
#include <ashlar/views.hpp>

namespace random_expressions {

namespace ash = ashlar;
using real = ash::array<double>;

class generator {
 public:
  /// `persist` puts an array somewhere, for instance on a device.
  generator(std::uint64_t seed, std::function<real(const real&)> persist)
      : state_(seed * 2654435761u + 12345), persist_(std::move(persist)) {}

  /// Some results that share what they are made from.
  std::vector<real> results() {
    std::vector<real> made{leaf(random_shape())};
    made.push_back(leaf(made[0].shape()));
    const std::int64_t operations = 1 + dice(6);
    for (std::int64_t k = 0; k < operations; ++k) {
      const real& x = made[static_cast<std::size_t>(dice(static_cast<std::int64_t>(made.size())))];
      real y = step(x, made);
      if (y.size() <= 6000) made.push_back(std::move(y));
    }
    std::vector<real> chosen{made.back()};
    for (std::int64_t k = dice(3); k > 0; --k) {
      chosen.push_back(made[static_cast<std::size_t>(dice(static_cast<std::int64_t>(made.size())))]);
    }
    return chosen;
  }

  /// What was done, for messages.
  const std::string& trail() const noexcept { return trail_; }

  std::int64_t dice(std::int64_t n) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(n));
  }

 private:
  real note(const char* what, real x) {
    trail_ += std::string(" ") + what + x.shape().to_string();
    return x;
  }

  ash::shape random_shape() {
    static constexpr std::int64_t lengths[] = {1, 2, 3, 4, 5, 7, 17, 33};
    ash::shape s;
    const std::int64_t ndim = dice(5);
    for (std::int64_t a = 0; a < ndim; ++a) s.push_back(dice(25) == 0 ? 0 : lengths[dice(ndim > 2 ? 6 : 8)]);
    if (ndim == 1 && dice(4) == 0) s[0] = 600 + dice(900);  // several leaves along the last axis
    return s;
  }

  ash::chunks random_chunks(const ash::shape& s) {
    std::vector<ash::chunk_spec> specs;
    for (int a = 0; a < s.ndim(); ++a) {
      if (dice(2) == 0) {
        specs.emplace_back(s[a] > 40 ? 1 + s[a] / (1 + dice(5)) : 1 + dice(s[a] + 1));
        continue;
      }
      std::vector<std::int64_t> lengths;
      std::int64_t left = s[a];
      while (left > 0 || lengths.empty()) {
        const std::int64_t n = dice(4) == 0 ? 0 : left > 40 ? left / 2 + dice(left) % (left / 2 + 1) : dice(left + 1);
        lengths.push_back(n);
        left -= n;
      }
      specs.emplace_back(std::move(lengths));
    }
    return ash::chunks(std::move(specs));
  }

  ash::ndarray<double> numbers(const ash::shape& s) {
    ash::ndarray<double> x(s);
    for (double& v : x) v = static_cast<double>(dice(401) - 200) / 16;
    return x;
  }

  real leaf(const ash::shape& s) {
    switch (dice(6)) {
      case 0: {  // every other element, backwards
        ash::shape wide = s;
        for (int a = 0; a < s.ndim(); ++a) wide[a] = 2 * s[a];
        ash::ndarray<double> x = numbers(wide);
        for (int a = 0; a < s.ndim(); ++a) x = x.slice(a, s[a] == 0 ? 0 : 2 * s[a] - 1, s[a] == 0 ? 0 : -1, -2);
        if (x.shape() != s) break;
        return note("strided", ash::from(x, {.chunks = random_chunks(s)}));
      }
      case 1: {
        ash::shape turned;
        for (int a = s.ndim() - 1; a >= 0; --a) turned.push_back(s[a]);
        return note("turned", ash::from(numbers(turned).transpose(), {.chunks = random_chunks(s)}));
      }
      case 2:
        return note("arange",
                    ash::reshape(ash::arange<double>(0, static_cast<double>(s.size()), 1, {.chunks = {1 + dice(50)}}),
                                 ash::new_shape(s)));
      case 3:
        return note("full", ash::full(s, 1.5, {.chunks = random_chunks(s)}));
      case 4:
        return note("persisted", persist_(ash::from(numbers(s), {.chunks = random_chunks(s)})));
      default:
        break;
    }
    return note("memory", ash::from(numbers(s), {.chunks = random_chunks(s)}));
  }

  ash::axes some_axes(int ndim) {
    std::vector<std::int64_t> list;
    for (int a = 0; a < ndim; ++a) {
      if (dice(2) == 0) list.push_back(a);
    }
    if (list.empty()) list.push_back(dice(ndim));
    return ash::axes(std::span<const std::int64_t>(list));
  }

  /// Of the shape of x or one that broadcasts to it.
  real partner(const real& x, const std::vector<real>& made) {
    for (std::int64_t k = 0; k < 4; ++k) {
      const real& y = made[static_cast<std::size_t>(dice(static_cast<std::int64_t>(made.size())))];
      if (y.shape() == x.shape()) return y;
    }
    ash::shape s = x.shape();
    for (int a = 0; a < s.ndim(); ++a) {
      if (dice(3) == 0) s[a] = 1;
    }
    return leaf(s);
  }

  ash::slice random_slice(std::int64_t n) {
    const std::int64_t from = dice(n + 1);
    const std::int64_t to = dice(n + 1);
    const std::int64_t step = 1 + dice(3);
    return from <= to ? ash::slice{from, to, step} : ash::slice{from, to, -step};
  }

  real indexed(const real& x) {
    std::vector<ash::detail::index_item> items;
    for (int a = 0; a < x.ndim(); ++a) {
      const std::int64_t n = x.shape()[a];
      if (n > 0 && dice(5) == 0) {
        items.emplace_back(dice(n));
      } else {
        items.emplace_back(dice(3) == 0 ? ash::slice{} : random_slice(n));
      }
    }
    return real(ash::detail::make_indexed(x.node(), items, std::source_location::current()));
  }

  real reduced(const real& x) {
    const ash::axes which = some_axes(x.ndim());
    const bool keep = dice(2) == 0;
    switch (dice(6)) {
      case 0:
        return note("mean", x.mean(which, {.keepdims = keep}));
      case 1:
        return note("var", x.var(which, {.keepdims = keep}));
      case 2:
        return note("max", x.size() == 0 ? x : real(x.max(which, {.keepdims = keep})));
      case 3: {
        const std::int64_t axis = dice(x.ndim());
        return note("argmin", x.shape()[static_cast<int>(axis)] == 0 ? x : real(x.argmin(axis).astype<double>()));
      }
      default:
        return note("sum", x.sum(which, {.keepdims = keep}));
    }
  }

  real step(const real& x, const std::vector<real>& made) {
    const int nd = x.ndim();
    const std::int64_t kind = dice(nd == 0 ? 6 : 20);
    const std::int64_t axis = nd == 0 ? 0 : dice(nd);
    switch (kind) {
      case 0:
        return note("chain", ash::sqrt(ash::abs(x - 1.0)) * 0.5);
      case 1:
        return note("add", x + partner(x, made));
      case 2:
        return note("multiply", x * partner(x, made));
      case 3:
        return note("where", ash::where(x > 0.0, x, partner(x, made)));
      case 4:
        return note("centre", x - x.mean());
      case 5:
        return note("persist", persist_(x));
      case 6:
        return note("transpose", ash::transpose(x));
      case 7:
      case 8:
        return note("index", indexed(x));
      case 9:
      case 10:
      case 11:
        return reduced(x);
      case 12:
        return note("cumsum", ash::cumsum(x, axis));
      case 13:
        return note("rechunk", ash::rechunk(x, random_chunks(x.shape())));
      case 14:
        return note("concatenate", ash::concatenate(std::vector<real>{x, x + 1.0, x}, axis));
      case 15:
        return note("roll", ash::roll(x, dice(9) - 4, axis));
      case 16:
        return note("pad", ash::pad(x, dice(3),
                                    {.mode = x.size() == 0 || dice(2) == 0 ? ash::pad_mode::constant
                                                                           : ash::pad_mode::reflect}));
      case 17:
        return note("set", ash::set(x, 2.5, random_slice(x.shape()[0])));
      case 18:
        return note("ravel", ash::ravel(x));
      default:
        return note("flip", ash::flip(x, axis) + x);
    }
  }

  std::uint64_t state_;
  std::function<real(const real&)> persist_;
  std::string trail_;
};

}  // namespace random_expressions
