#include <ashlar/progress.hpp>

#include <ashlar/creation.hpp>

#include "support/text.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

using ashlar::progress_bar;
using ashlar::progress_info;
using testing_support::contains;

namespace {

/// A terminal of 60 columns; what is written to stream() is what a user would see coming.
class terminal {
 public:
  terminal() {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(master_ >= 0);
    REQUIRE(::grantpt(master_) == 0);
    REQUIRE(::unlockpt(master_) == 0);
    const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    REQUIRE(slave >= 0);
    struct ::termios raw = {};
    REQUIRE(::tcgetattr(slave, &raw) == 0);
    ::cfmakeraw(&raw);
    REQUIRE(::tcsetattr(slave, TCSANOW, &raw) == 0);
    struct ::winsize size = {};
    size.ws_col = 60;
    REQUIRE(::ioctl(slave, TIOCSWINSZ, &size) == 0);
    REQUIRE(::fcntl(master_, F_SETFL, O_NONBLOCK) == 0);
    stream_ = ::fdopen(slave, "w");
  }
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;
  ~terminal() {
    std::fclose(stream_);
    ::close(master_);
  }

  std::FILE* stream() const { return stream_; }

  std::string written() const {
    std::string text;
    char some[4096];
    for (;;) {
      const ::ssize_t n = ::read(master_, some, sizeof some);
      if (n <= 0) return text;
      text.append(some, static_cast<std::size_t>(n));
    }
  }

 private:
  int master_ = -1;
  std::FILE* stream_ = nullptr;
};

progress_info at(std::int64_t done, std::int64_t tasks, double seconds) { return {done, tasks, seconds}; }

}  // namespace

TEST_CASE("progress_bar: label, percentage, bar, tasks, and the time that is left") {
  CHECK(progress_bar::text("mean", at(0, 8, 0), 46) == "mean   0% [>                      ] 0/8 tasks");
  CHECK(progress_bar::text("mean", at(2, 8, 10), 60) == "mean  25% [======>                   ] 2/8 tasks, 0:30 left");
  CHECK(progress_bar::text("", at(8, 8, 3), 40) == "100% [======================] 8/8 tasks");
  CHECK(progress_bar::text("x", at(1, 3, 1), 20) == "x  33% 1/3 tasks, 0");
  CHECK(progress_bar::text("x", at(0, 0, 1), 200).size() < 70);
  for (const std::int64_t columns : {1, 10, 30, 59, 80, 300}) {
    CHECK(static_cast<std::int64_t>(progress_bar::text("a label", at(5, 1000, 1e9), columns).size()) < columns);
  }
}

TEST_CASE("progress_bar: share and time go by bytes where they are known") {
  progress_info info{1, 100, 10};
  info.bytes_done = 50;
  info.bytes = 100;
  CHECK(progress_bar::text("", info, 46) == " 50% [=======>       ] 1/100 tasks, 0:10 left");
  info.bytes_done = 300;
  CHECK(contains(progress_bar::text("", info, 60), "100% ["));
  info.tasks_done = 100;
  info.bytes_done = 99;
  CHECK(contains(progress_bar::text("", info, 60), "100% ["));
}

TEST_CASE("progress_bar: times") {
  CHECK(progress_bar::clock_text(0.2) == "0:00");
  CHECK(progress_bar::clock_text(7.4) == "0:07");
  CHECK(progress_bar::clock_text(723) == "12:03");
  CHECK(progress_bar::clock_text(3600 + 59.7) == "1:01:00");
  CHECK(progress_bar::clock_text(1e300) == "long");
}

TEST_CASE("progress_bar: draws on a terminal, not more than ten times a second, and clears its line") {
  const terminal screen;
  {
    const progress_bar bar("x", screen.stream());
    bar(at(1, 100, 0.10));
    const std::string first = screen.written();
    CHECK(first == "\r" + progress_bar::text("x", at(1, 100, 0.10), 60));
    bar(at(2, 100, 0.12));
    CHECK(screen.written().empty());
    bar(at(50, 100, 0.21));
    CHECK(contains(screen.written(), "50/100 tasks, 0:00 left"));
    bar(at(100, 100, 0.22));
    const std::string last = screen.written();
    CHECK(last.front() == '\r');
    CHECK(last.back() == '\r');
    CHECK(last.find_first_not_of(' ', 1) == last.size() - 1);
    bar(at(100, 100, 0.3));
    CHECK(screen.written().empty());
    bar(at(1, 7, 0.1));  // another run
    CHECK(contains(screen.written(), "1/7 tasks"));
  }
  CHECK(screen.written().back() == '\r');
}

TEST_CASE("progress_bar: prints nothing where there is no terminal") {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  {
    const progress_bar bar("x", file);
    bar(at(1, 10, 1));
    bar(at(10, 10, 2));
  }
  CHECK(std::ftell(file) == 0);
  std::fclose(file);
}

TEST_CASE("progress_bar: follows a run, and clears its line when the run fails") {
  const terminal screen;
  const auto slow = [](std::int64_t i) {
    ::usleep(40000);
    if (i == 9) throw std::runtime_error("stop here");
    return 1.0;
  };
  const auto x = ashlar::fromfunction(slow, {9}, {.chunks = {1}});
  CHECK(x.compute(ashlar::serial{}, {.progress = progress_bar("run", screen.stream())}).size() == 9);
  const std::string text = screen.written();
  CHECK(contains(text, "run "));
  CHECK(contains(text, "/9 tasks"));
  CHECK(text.back() == '\r');
  const auto y = ashlar::fromfunction(slow, {10}, {.chunks = {1}});
  CHECK_THROWS_AS(y.compute(ashlar::serial{}, {.progress = progress_bar("run", screen.stream())}), ashlar::task_error);
  CHECK(screen.written().back() == '\r');
}
