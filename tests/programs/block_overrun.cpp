// Under the address sanitizer a function of blocks that touches an element beside its block is stopped where it does
// so. Each case runs in a child process; without the sanitizer only the good one does.
#include <cstdint>
#include <cstdio>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/blockwise.hpp>
#include <ashlar/map_overlap.hpp>

namespace ash = ashlar;

namespace {

/// What the child writes to stderr.
template <class F>
std::string report_of(F f) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    f();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t n = 0; (n = read(ends[0], piece, sizeof piece)) > 0;) text.append(piece, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return text;
}

void run(std::int64_t read, std::int64_t write) {
  const auto x = ash::ones<double>({4, 6}, {.chunks = {2, 3}});
  const auto y = ash::map_blocks(
      [=](ash::ndarray<const double> in, ash::ndarray<float> out) {
        out.fill(static_cast<float>(in.data()[read]));
        out.data()[write] = 1;
      },
      x + 1.0);
  static_cast<void>((y + y).compute(ash::serial{}));
}

/// Reads at (read, 0) of what lies around a block, and writes to the block.
void run_overlap(std::int64_t read, std::int64_t write) {
  const auto x = ash::ones<double>({6, 6}, {.chunks = {2, 3}}).persist(ash::serial{});
  const auto y = ash::map_overlap(
      [=](ash::halo_block<double> in, ash::ndarray<float> out) {
        out.fill(static_cast<float>(in.row(read)[0]));
        out.data()[write] = 1;
      },
      x, {.depth = {{2, 1}, 0}, .boundary = ash::boundary::edge});
  static_cast<void>(y.compute(ash::serial{}));
}

}  // namespace

int main() {
  int failures = 0;
  const auto expect = [&](std::int64_t read, std::int64_t write, bool stopped,
                          void (*function)(std::int64_t, std::int64_t) = run) {
    const std::string text = report_of([=] { function(read, write); });
    if ((text.find("use-after-poison") != std::string::npos) == stopped) return;
    std::fprintf(stderr, "read %lld, write %lld: %s\n", static_cast<long long>(read), static_cast<long long>(write),
                 text.c_str());
    ++failures;
  };
  expect(5, 5, false);
  if (ash::detail::has_red_zones) {
    expect(6, 0, true);
    expect(-1, 0, true);
    expect(0, 6, true);
    expect(0, -1, true);
    expect(0, 20, true);
  }
  expect(-2, 5, false, run_overlap);
  expect(2, 0, false, run_overlap);
  if (ash::detail::has_red_zones) {
    expect(-3, 0, true, run_overlap);
    expect(3, 0, true, run_overlap);
    expect(0, 6, true, run_overlap);
    expect(0, -1, true, run_overlap);
  }
  return failures;
}
