// Evaluates programs, one a line of the file that is named, and writes what each gives to standard output. A program is
// computed three ways, which must agree to the bit: by one thread, by three, and without optimizing.
//
//   P 0 ok 2            two results, each a line with type, shape and bytes, and the bytes in C order
//   P 1 error 3 text    statement 3 is refused, or the run of all (statement -1)
//   P 2 fault text      what is wrong whatever the right values are
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <sstream>

#include <ashlar/error.hpp>
#include <ashlar/execution/compute.hpp>
#include <ashlar/memory.hpp>
#include <ashlar/std_threads.hpp>
#include <ashlar/threads.hpp>

#include "program.hpp"

namespace oracle {

namespace {

value run_statement(const std::string& operation, arguments& a) {
  value out;
  for (const auto subject : {&make_leaf, &make_view, &make_movement, &make_padding, &make_arithmetic, &make_choice,
                             &make_mixed, &make_function, &make_nan_reduction, &make_reduction}) {
    if (subject(operation, a, out)) return out;
  }
  throw bad_program("no operation: " + operation);
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

struct result {
  std::vector<ash::buffer> bytes;
  std::string error;  // empty when there was none
};

std::size_t size_of(const ash::detail::node& n) {
  return static_cast<std::size_t>(n.shape.size() * ash::itemsize(n.type));
}

template <class Where>
result compute(const Where& on, const std::vector<ash::detail::node_ptr>& roots, bool optimize) {
  result r;
  std::vector<ash::detail::result_target> targets;
  for (const auto& n : roots) {
    r.bytes.push_back(ash::buffer::allocate(size_of(*n)));
    if (size_of(*n) > 0) std::memset(r.bytes.back().data(), 0xa5, size_of(*n));
    targets.push_back({r.bytes.back().data(), ash::row_major_strides(n->shape)});
  }
  try {
    ash::detail::compute_into_targets(ash::detail::ref(on), roots, targets, {.optimize = optimize});
  } catch (const ash::error& e) {
    r.error = e.what();
  }
  return r;
}

/// Empty when the blocks add up to the shape.
std::string wrong_grid(const ash::detail::node& n) {
  if (n.grid.ndim() != n.shape.ndim()) return "the grid has another number of axes than the shape";
  for (int a = 0; a < n.shape.ndim(); ++a) {
    std::int64_t total = 0;
    for (const std::int64_t length : n.grid.axis(a).lengths()) total += length;
    if (total != n.shape[a])
      return "the blocks of axis " + std::to_string(a) + " do not add up to " + n.shape.to_string();
  }
  return {};
}

std::string difference(const std::vector<ash::detail::node_ptr>& roots, const result& a, const result& b) {
  if (a.error.empty() != b.error.empty()) return "one run failed: " + one_line(a.error + b.error);
  for (std::size_t k = 0; a.error.empty() && k < roots.size(); ++k) {
    const std::size_t n = size_of(*roots[k]);
    if (n > 0 && std::memcmp(a.bytes[k].data(), b.bytes[k].data(), n) != 0) {
      return "result " + std::to_string(k) + " has other bits";
    }
  }
  return {};
}

void print_results(std::size_t index, const std::vector<ash::detail::node_ptr>& roots) {
  std::string fault;
  for (const auto& n : roots) fault += wrong_grid(*n);
  const result r = compute(ash::serial{}, roots, true);
  const auto check = [&](const result& other, const char* how) {
    const std::string d = difference(roots, r, other);
    if (!d.empty()) fault += std::string(how) + ": " + d + "; ";
  };
  if (index % 2 == 0) {
    check(compute(ash::threads{.workers = 3}, roots, true), "three threads");
  } else {
    check(compute(ash::std_threads{.workers = 3}, roots, true), "three threads");
  }
  check(compute(ash::serial{}, roots, false), "not optimized");
  if (!fault.empty()) {
    std::printf("P %zu fault %s\n", index, one_line(fault).c_str());
  } else if (!r.error.empty()) {
    std::printf("P %zu error -1 %s\n", index, one_line(r.error).c_str());
  } else {
    std::printf("P %zu ok %zu\n", index, roots.size());
    for (std::size_t k = 0; k < roots.size(); ++k) {
      const ash::detail::node& n = *roots[k];
      std::printf("%s ", std::string(ash::name(n.type)).c_str());
      for (int a = 0; a < n.shape.ndim(); ++a)
        std::printf("%s%lld", a == 0 ? "" : ",", static_cast<long long>(n.shape[a]));
      std::printf("%s %zu\n", n.shape.ndim() == 0 ? "-" : "", size_of(n));
      std::fwrite(r.bytes[k].data(), 1, size_of(n), stdout);
    }
  }
}

void run_program(std::size_t index, const std::string& text) {
  std::vector<value> values;
  std::vector<ash::detail::node_ptr> roots;
  std::istringstream statements(text);
  for (std::string statement; std::getline(statements, statement, ';');) {
    std::istringstream in(statement);
    std::string operation;
    in >> operation;
    std::vector<std::string> words;
    for (std::string w; in >> w;) words.push_back(w);
    arguments a(values, words);
    if (operation == "result") {
      for (const value& v : a.operands()) roots.push_back(v.node);
      continue;
    }
    try {
      values.push_back(run_statement(operation, a));
    } catch (const ash::error& e) {
      std::printf("P %zu error %zu %s\n", index, values.size(), one_line(e.what()).c_str());
      return;
    }
  }
  print_results(index, roots);
}

}  // namespace

}  // namespace oracle

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: ashlar_oracle FILE\n");
    return 2;
  }
  std::ifstream in(argv[1]);
  std::size_t index = 0;
  for (std::string line; std::getline(in, line); ++index) {
    try {
      oracle::run_program(index, line);
    } catch (const std::exception& e) {
      std::printf("P %zu fault no error of the library: %s\n", index, oracle::one_line(e.what()).c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}
