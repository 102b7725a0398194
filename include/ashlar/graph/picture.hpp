/// \file
/// A picture file of DOT text. Graphviz draws it: its program `dot` is started without a shell, reads the text from an
/// unlinked temporary file (a pipe would be a SIGPIPE when it stops reading) and writes the picture itself. Nothing of
/// Graphviz is needed to compile or link.
#pragma once

#include <cerrno>
#include <cstddef>
#include <string>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ashlar/error.hpp>
#include <ashlar/io/file_descriptor.hpp>
#include <ashlar/io/unnamed_file.hpp>
#include <ashlar/io/write_all.hpp>

namespace ashlar::detail {

inline void write_whole(const file_descriptor& file, const std::string& text, const std::string& path) {
  if (const int code = write_all(file.get(), text.data(), text.size()); code != 0) {
    throw_file_error("visualize", "write", path, code);
  }
}

/// Starts `dot -Tformat -o path` and waits for it. @throws file_error with what dot says
inline void run_graphviz(const std::string& text, const std::string& format, const std::string& path) {
  const std::string folder = temporary_directory();
  const file_descriptor input = unnamed_file(folder);
  const file_descriptor complaints = input ? unnamed_file(folder) : file_descriptor();
  if (!complaints) throw_file_error("visualize", "create a temporary file for '" + path + "' in", folder, errno);
  write_whole(input, text, path);
  if (::lseek(input.get(), 0, SEEK_SET) != 0) throw_file_error("visualize", "write", path, errno);

  std::string arguments[] = {"dot", "-T" + format, "-o", path};
  char* argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(), arguments[3].data(), nullptr};
  ::posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input.get(), 0);
  ::posix_spawn_file_actions_adddup2(&files, complaints.get(), 1);
  ::posix_spawn_file_actions_adddup2(&files, complaints.get(), 2);
  ::pid_t child = 0;
  const int code = ::posix_spawnp(&child, "dot", &files, nullptr, argv, environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (code == ENOENT) {
    throw file_error("visualize: '" + path +
                     "' is drawn by the program 'dot' of Graphviz, which is not installed (Debian: apt-get install "
                     "graphviz); a name that ends in .dot gives the text that it would draw");
  }
  if (code != 0) throw_file_error("visualize", "start Graphviz's program 'dot' for", path, code);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno == ECHILD) break;  // a program that ignores SIGCHLD gets no status
    if (errno != EINTR) throw_file_error("visualize", "wait for Graphviz's program 'dot' for", path, errno);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  char words[1024];
  const ::ssize_t said = ::pread(complaints.get(), words, sizeof words, 0);
  std::string reason(words, said > 0 ? static_cast<std::size_t>(said) : 0);
  while (!reason.empty() && reason.back() == '\n') reason.pop_back();
  if (reason.empty()) reason = WIFSIGNALED(status) ? "it was killed" : "it failed and said nothing";
  throw file_error("visualize: Graphviz's program 'dot' did not draw '" + path + "': " + reason);
}

/// Writes `text`, as it is or drawn, by the end of the path's name.
/// @throws value_error for another end than .svg, .png, .pdf, .dot, .gv; file_error
inline void draw_dot(const std::string& text, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.rfind('.');
  const std::string end =
      dot == std::string::npos || (slash != std::string::npos && dot < slash) ? "" : path.substr(dot + 1);
  if (path.find('\0') != std::string::npos) throw file_error("visualize: the path holds a null character");
  if (end == "svg" || end == "png" || end == "pdf") return run_graphviz(text, end, path);
  if (end != "dot" && end != "gv") {
    throw value_error("visualize: '" + path +
                      "' says no kind of picture; its name may end in .svg, .png, .pdf, or in " +
                      ".dot for Graphviz's text");
  }
  file_descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) throw_file_error("visualize", "create", path, errno);
  write_whole(file, text, path);
  if (const int code = file.close(); code != 0) throw_file_error("visualize", "write", path, code);
}

}  // namespace ashlar::detail
