/// \file
/// A progress bar on a terminal, for run_options::progress.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include <ashlar/execution/options.hpp>

namespace ashlar {

/// `x.compute({.progress = progress_bar("mean")})` shows, at most ten times a second,
///
///     mean  42% [========>           ] 420/1000 tasks, 0:07 left
///
/// on one line of a terminal, and clears that line when the run has ended, by an error too. Share and time left go by
/// bytes, where they are known, since tasks differ in size. Where the stream is no terminal nothing is printed. Copies
/// share the line; they may be called by several runs at once, which then take turns on it.
class progress_bar {
 public:
  /// @param stream stays open while a copy of the bar lives
  explicit progress_bar(std::string label = {}, std::FILE* stream = stderr)
      : line_(std::make_shared<line>(std::move(label), stream)) {}

  void operator()(const progress_info& info) const { line_->update(info); }

  /// The line for a terminal of `columns` columns, without anything that moves the cursor. The time left assumes that
  /// bytes (or tasks, where bytes are not known) go on at the average speed so far.
  static std::string text(const std::string& label, const progress_info& info, std::int64_t columns) {
    const std::int64_t tasks = info.tasks < 1 ? 1 : info.tasks;
    const std::int64_t done = info.tasks_done < 0 ? 0 : info.tasks_done > tasks ? tasks : info.tasks_done;
    const double fraction = share(info, done, tasks);
    const std::string percent = std::to_string(static_cast<int>(fraction * 100));
    const std::string begin = label + (label.empty() ? "" : " ") + std::string(3 - percent.size(), ' ') + percent + "%";
    std::string end = " " + std::to_string(done) + "/" + std::to_string(tasks) + " tasks";
    if (fraction > 0 && done < tasks) end += ", " + clock_text(info.seconds * (1 - fraction) / fraction) + " left";
    const std::int64_t room = columns - 1 - static_cast<std::int64_t>(begin.size() + end.size()) - 3;
    const std::int64_t width = room > 40 ? 40 : room;
    std::string bar;
    if (width >= 5) {
      const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(width));
      bar = " [" + std::string(filled, '=');
      if (done < tasks) bar += '>';
      bar.resize(static_cast<std::size_t>(width) + 2, ' ');
      bar += ']';
    }
    std::string whole = begin + bar + end;
    if (columns > 0 && static_cast<std::int64_t>(whole.size()) >= columns)
      whole.resize(static_cast<std::size_t>(columns - 1));
    return whole;
  }

  /// "0:07", "12:03", "1:00:00".
  static std::string clock_text(double seconds) {
    if (!(seconds >= 0) || seconds > 3.6e8) return "long";
    const auto total = static_cast<std::int64_t>(std::llround(seconds));
    const auto two_digits = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    const std::int64_t hours = total / 3600;
    const std::int64_t minutes = total / 60 % 60;
    return (hours > 0 ? std::to_string(hours) + ":" + two_digits(minutes) : std::to_string(minutes)) + ":" +
           two_digits(total % 60);
  }

 private:
  static double share(const progress_info& info, std::int64_t done, std::int64_t tasks) {
    if (info.bytes <= 0 || done == tasks) return static_cast<double>(done) / static_cast<double>(tasks);
    const double bytes = static_cast<double>(info.bytes_done) / static_cast<double>(info.bytes);
    return bytes < 0 ? 0 : bytes > 1 ? 1 : bytes;
  }

  class line {
   public:
    line(std::string label, std::FILE* stream)
        : label_(std::move(label)), stream_(stream), terminal_(::isatty(::fileno(stream)) == 1) {}
    line(const line&) = delete;
    line& operator=(const line&) = delete;
    ~line() { clear(); }

    void update(const progress_info& info) {
      if (!terminal_) return;
      const std::lock_guard<std::mutex> lock(mutex_);
      if (info.tasks_done >= info.tasks) {
        clear();
        return;
      }
      if (shown_ > 0 && info.seconds >= drawn_ && info.seconds - drawn_ < 0.095) return;
      drawn_ = info.seconds;
      const std::string now = text(label_, info, columns());
      std::string out = "\r" + now;
      if (now.size() < shown_) out.append(shown_ - now.size(), ' ');
      shown_ = now.size();
      put(out);
    }

   private:
    std::int64_t columns() const {
      struct ::winsize size = {};
      return ::ioctl(::fileno(stream_), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    }

    void clear() {
      if (shown_ == 0) return;
      put("\r" + std::string(shown_, ' ') + "\r");
      shown_ = 0;
    }

    /// A terminal that takes nothing is no reason to stop a run.
    void put(const std::string& out) {
      std::fwrite(out.data(), 1, out.size(), stream_);
      std::fflush(stream_);
    }

    std::string label_;
    std::FILE* stream_;
    bool terminal_;
    std::mutex mutex_;
    std::size_t shown_ = 0;  // characters on the line
    double drawn_ = 0;
  };

  std::shared_ptr<line> line_;
};

}  // namespace ashlar
