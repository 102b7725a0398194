// A kernel is a value, also for another process: this program starts itself again, and sends kernels through a pipe as
// (build-id of the module, offset of the descriptor from its load base, type hash, sizes, parameter bytes, input
// tiles). The child finds base + offset in its own image, checks what it finds there, runs the tile entry and sends the
// bits back; they must be the parent's. The same for reducers, whose partial states come back. And what must be
// refused, is.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>

#include "shipping_link.hpp"

namespace ash = ashlar;
using namespace shipping;

namespace {

int failures = 0;
int checks = 0;

void expect(bool holds, const std::string& what) {
  ++checks;
  if (holds) return;
  std::cerr << "failed: " << what << '\n';
  ++failures;
}

const void* data_of(const ash::detail::node_ptr& leaf) { return leaf->from->memory()->data; }

template <class T>
bytes message_of(const ash::array<T>& a) {
  std::vector<const void*> in;
  for (const ash::detail::node_ptr& leaf : a.node()->inputs) in.push_back(data_of(leaf));
  return kernel_message(a.node()->kernel, in, a.size());
}

template <class T>
void same_bits(const std::string& name, const ash::array<T>& a) {
  std::vector<const void*> in;
  for (const ash::detail::node_ptr& leaf : a.node()->inputs) in.push_back(data_of(leaf));
  bytes expected(static_cast<std::size_t>(a.size()) * sizeof(T));
  a.node()->kernel(in.data(), expected.data(), a.size());
  const reply got = ask_child(message_of(a));
  expect(got.ok, name + ": " + got.text());
  expect(got.payload == expected, name + ": the child's block has the same bits");
}

void same_states(const std::string& name, const ash::detail::node_ptr& reduction) {
  const ash::detail::reducer_descriptor& d = *reduction->reducer;
  const ash::detail::node_ptr& leaf = reduction->inputs[0];
  const std::int64_t n = leaf->shape.size();
  const bytes expected = partial_state(d, data_of(leaf), n);
  const reply got = ask_child(reducer_message(d, data_of(leaf), n));
  expect(got.ok, name + ": " + got.text());
  expect(got.payload == expected, name + ": the child's partial state has the same bits");
}

void refused(const std::string& name, const bytes& message, const std::string& text) {
  const reply got = ask_child(message);
  expect(!got.ok, name + " is refused");
  expect(got.text().find(text) != std::string::npos,
         name + ": the child says '" + got.text() + "', expected '" + text + "'");
}

/// A user's function that owns memory.
struct prefix_length {
  std::string prefix;
  double operator()(double x) const { return x + static_cast<double>(prefix.size()); }
};

void all() {
  std::vector<double> v(1000);
  std::vector<float> f(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = 0.37 * static_cast<double>(i) - 100;
    f[i] = static_cast<float>(v[i]);
  }
  v[17] = std::numeric_limits<double>::quiet_NaN();
  v[18] = -0.0;
  const ash::array<double> x = ash::from(std::span<const double>(v));
  const ash::array<float> y = ash::from(std::span<const float>(f));
  const double limit = 3.5;

  same_bits<double>("arithmetic", (x - y) * 2.5 / (x + 7));
  same_bits<float>("functions", ash::sin(y) + ash::exp(y / 100));
  same_bits<bool>("comparison", x > limit);
  same_bits<double>("a closure", ash::map([limit](double a, float b) { return a > limit ? a : b; }, x, y));

  same_states("sum", x.sum().node());
  same_states("moments", y.var().node());
  same_states("argmax", x.argmax().node());

  const bytes good = message_of(ash::array<double>(x + y));
  refused("a wrong hash", with_header(good, [](header& h) { h.type_hash ^= 1; }), "another type");
  refused("an offset outside", with_header(good, [](header& h) { h.offset += std::int64_t{1} << 40; }),
          "outside the module");
  refused("a negative offset", with_header(good, [](header& h) { h.offset = -4096; }), "outside the module");
  refused("an offset beside", with_header(good, [](header& h) { h.offset += 4; }), "not aligned");
  refused("an offset of something else", with_header(good, [](header& h) { h.offset += 8; }), "no descriptor");
  refused("a wrong parameter size", with_header(good, [](header& h) { h.parameter_bytes += 8; }), "parameters");
  refused("a wrong number of inputs", with_header(good, [](header& h) { h.inputs = 1; }), "inputs");
  refused("another program's kernel", with_header(good, [](header& h) { h.build_id[3] ^= 1; }), "not loaded here");
  refused("a negative length", with_header(good, [](header& h) { h.elements = -1; }), "elements");
  refused("a truncated message", bytes(good.begin(), good.end() - 100), "ends");
  refused("a truncated header", bytes(good.begin(), good.begin() + 10), "ends");
  refused("nothing", {}, "ends");

  const ash::array<double> owner = ash::sqrt(ash::map(prefix_length{"abc"}, x));
  std::string text;
  try {
    static_cast<void>(message_of(owner));
  } catch (const ash::error& e) {
    text = e.what();
  }
  expect(text.find("prefix_length") != std::string::npos && text.find("trivially copyable") != std::string::npos,
         "a function that owns memory is refused by name: '" + text + "'");
  expect(owner.compute()(999) == std::sqrt(v[999] + 3), "and runs in this process");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == worker_word) return serve();
  try {
    all();
  } catch (const std::exception& e) {
    std::cerr << "failed: " << e.what() << '\n';
    return 1;
  }
  std::cout << checks << " checks, " << failures << " failures\n";
  return failures == 0 ? 0 : 1;
}
