/// \file
/// The records of a watched run as a trace file: the JSON of Chrome's trace events, which ui.perfetto.dev and
/// chrome://tracing open. A lane is a thread with a span ("X") for each task; bytes in memory are a counter ("C");
/// where a block goes to another lane there is an arrow ("s", "f").
///
/// The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format).
/// The file is written in pieces, so a trace of ten million tasks needs no more memory than its records.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ashlar/detail/quoted_text.hpp>
#include <ashlar/error.hpp>
#include <ashlar/execution/watcher.hpp>
#include <ashlar/io/file_descriptor.hpp>
#include <ashlar/io/write_all.hpp>

namespace ashlar::detail {

/// What a trace says of tasks; asked once the run has ended.
class trace_names {
 public:
  virtual ~trace_names() = default;

  /// Appends the event's members `name` and `cat`, with a comma between them.
  virtual void title(std::string& json, std::uint32_t task) const = 0;

  /// Appends members of the event's `args`, with commas between them.
  virtual void details(std::string& json, std::uint32_t task) const = 0;

  /// The tasks whose blocks the task read.
  virtual const std::uint32_t* inputs_begin(std::uint32_t task) const = 0;
  virtual const std::uint32_t* inputs_end(std::uint32_t task) const = 0;
};

/// A file that is there before the run, so that a path nobody can write to is an error before hours of work.
class trace_file {
 public:
  /// @throws file_error
  explicit trace_file(const std::string& path) : path_(path) {
    if (path.find('\0') != std::string::npos) throw file_error("trace: the path holds a null character");
    file_ = file_descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file_) throw_file_error("trace", "create", path, errno);
  }
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;

  /// Half a trace is none.
  ~trace_file() {
    if (file_) remove();
  }

  void add(std::string_view text) {
    text_ += text;
    if (text_.size() >= piece) flush();
  }

  /// Room for what is to be added next; end it with done().
  std::string& text() noexcept { return text_; }
  void done() {
    if (text_.size() >= piece) flush();
  }

  /// @throws file_error
  void close() {
    flush();
    if (const int code = file_.close(); code != 0) throw_file_error("trace", "write", path_, code);
  }

 private:
  static constexpr std::size_t piece = 1 << 18;

  void flush() {
    if (const int code = write_all(file_.get(), text_.data(), text_.size()); code != 0) {
      throw_file_error("trace", "write", path_, code);
    }
    text_.clear();
  }

  void remove() noexcept {
    struct ::stat status = {};
    if (::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path_.c_str());
  }

  std::string path_;
  file_descriptor file_;
  std::string text_;
};

class trace_writer {
 public:
  /// Arrows in one file; of more, each second, third … is left out. Viewers become slow far above.
  static constexpr std::int64_t most_arrows = 20000;

  trace_writer(trace_file& file, const watcher& notes, std::uint32_t tasks, const trace_names& names)
      : file_(file), notes_(notes), tasks_(tasks), names_(names) {}

  void write() {
    file_.add("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    lanes();
    std::int64_t dropped = 0;
    for (int k = 0; k < notes_.lanes(); ++k) {
      notes_.lane(k).for_each_record([this](const span_record& r) { event(r); });
      dropped += notes_.lane(k).dropped();
    }
    const std::int64_t left_out = arrows();
    file_.add("\n],\"otherData\":{\"peak_bytes\":" + std::to_string(notes_.peak_bytes()) + ",\"arrows_left_out\":" +
              std::to_string(left_out) + ",\"records_dropped_for_want_of_memory\":" + std::to_string(dropped) + "}}\n");
  }

 private:
  void begin_event() {
    if (!first_) file_.text() += ",\n";
    first_ = false;
  }

  void lanes() {
    begin_event();
    file_.add("{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"ashlar\"}}");
    for (int k = 0; k < notes_.lanes(); ++k) {
      const std::string lane = "{\"ph\":\"M\",\"pid\":1,\"tid\":" + std::to_string(k);
      begin_event();
      file_.add(lane + ",\"name\":\"thread_name\",\"args\":{\"name\":\"lane " + std::to_string(k) +
                (k == 0 ? " (calls compute)\"}}" : "\"}}"));
      begin_event();
      file_.add(lane + ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" + std::to_string(k) + "}}");
    }
  }

  void event(const span_record& r) {
    begin_event();
    std::string& out = file_.text();
    if (r.kind == span_kind::memory) {
      out += R"({"ph":"C","pid":1,"name":"blocks and scratch","ts":)";
      append_microseconds(out, r.begin);
      out += R"(,"args":{"bytes":)" + std::to_string(r.duration) + "}}";
    } else {
      out += R"({"ph":"X","pid":1,"tid":)" + std::to_string(r.lane) + ",\"ts\":";
      append_microseconds(out, r.begin);
      out += ",\"dur\":";
      append_microseconds(out, r.duration);
      out += ',';
      if (r.kind == span_kind::spill || r.kind == span_kind::load) {
        out += r.kind == span_kind::spill ? R"("name":"spill","cat":"memory")" : R"("name":"load","cat":"memory")";
      } else {
        names_.title(out, r.task);
      }
      out += ",\"args\":{";
      names_.details(out, r.task);
      if (r.kind == span_kind::failed_task) out += ",\"failed\":true";
      out += "}}";
    }
    file_.done();
  }

  struct place_in_time {
    std::int64_t begin = -1;
    std::int64_t end = 0;
    std::uint16_t lane = 0;
  };

  /// @returns arrows that were left out
  std::int64_t arrows() {
    std::vector<place_in_time> ran(tasks_);
    for (int k = 0; k < notes_.lanes(); ++k) {
      notes_.lane(k).for_each_record([&ran](const span_record& r) {
        if (r.kind == span_kind::task) ran[r.task] = {r.begin, r.begin + r.duration, r.lane};
      });
    }
    std::int64_t all = 0;
    for_each_arrow(ran, [&all](std::uint32_t, std::uint32_t) { ++all; });
    const std::int64_t step = (all + most_arrows - 1) / most_arrows;
    std::int64_t seen = 0;
    std::int64_t drawn = 0;
    for_each_arrow(ran, [&](std::uint32_t from, std::uint32_t to) {
      if (seen++ % step != 0) return;
      const place_in_time& a = ran[from];
      // an arrow begins inside the span that it leaves, so not at its very end
      arrow_end("s", drawn, a.lane, a.end > a.begin ? a.end - 1 : a.begin);
      arrow_end("f", drawn, ran[to].lane, ran[to].begin);
      ++drawn;
    });
    return all - drawn;
  }

  template <class F>
  void for_each_arrow(const std::vector<place_in_time>& ran, F f) const {
    for (std::uint32_t t = 0; t < tasks_; ++t) {
      if (ran[t].begin < 0) continue;
      for (const std::uint32_t* p = names_.inputs_begin(t); p != names_.inputs_end(t); ++p) {
        if (ran[*p].begin >= 0 && ran[*p].lane != ran[t].lane) f(*p, t);
      }
    }
  }

  void arrow_end(const char* kind, std::int64_t number, int lane, std::int64_t at) {
    begin_event();
    std::string& out = file_.text();
    out += "{\"ph\":\"";
    out += kind;
    out += R"(","pid":1,"tid":)" + std::to_string(lane) + R"(,"id":)" + std::to_string(number) +
           R"(,"name":"block","cat":"block")" + (kind[0] == 'f' ? ",\"bp\":\"e\"" : "") + ",\"ts\":";
    append_microseconds(out, at);
    out += '}';
    file_.done();
  }

  /// The format counts in microseconds; with three decimals no nanosecond is lost.
  static void append_microseconds(std::string& out, std::int64_t nanoseconds) {
    const std::string rest = std::to_string(nanoseconds % 1000);
    out += std::to_string(nanoseconds / 1000) + '.' + std::string(3 - rest.size(), '0') + rest;
  }

  trace_file& file_;
  const watcher& notes_;
  std::uint32_t tasks_;
  const trace_names& names_;
  bool first_ = true;
};

}  // namespace ashlar::detail
