// Programs that leave device memory, streams and events in static and thread-local objects end with 0, fifty times:
// nothing of it calls CUDA when CUDA may be gone. Without a device they leave what they could not fill.
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ashlar/cuda.hpp>
#include <ashlar/memory.hpp>

namespace ash = ashlar;

extern char** environ;

namespace {

struct things {
  std::vector<ash::buffer> memory;
  std::optional<ash::cuda::stream> stream;
  std::optional<ash::cuda::event> event;

  void fill() {
    event.emplace();
    try {
      memory.push_back(ash::buffer::allocate(std::size_t{1} << 20, ash::cuda::device_pool()));
      memory.push_back(ash::buffer::allocate(std::size_t{1} << 20, ash::cuda::pinned_pool()));
      stream.emplace();
      stream->record(*event);
    } catch (const ash::device_error&) {
      if (ash::cuda::is_available()) throw;
    }
  }
};

things before_main;               // destroyed after CUDA's own handlers have run
thread_local things of_a_thread;  // of main: destroyed before them

int child(bool by_exit) {
  before_main.fill();
  of_a_thread.fill();
  std::thread([] { of_a_thread.fill(); }).join();
  static things after_cuda;  // destroyed while CUDA is still there
  after_cuda.fill();
  auto* const leaked = new things;
  leaked->fill();
  static things& never_destroyed = *leaked;
  never_destroyed.event.reset();
  if (by_exit) std::exit(0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return child(std::string(argv[1]) == "exit");
  for (int run = 0; run < 50; ++run) {
    std::string how = run % 2 == 0 ? "exit" : "return";
    char* arguments[] = {argv[0], how.data(), nullptr};
    ::pid_t process = 0;
    int status = 0;
    if (::posix_spawn(&process, argv[0], nullptr, nullptr, arguments, environ) != 0 ||
        ::waitpid(process, &status, 0) != process) {
      std::cerr << "cannot start " << argv[0] << '\n';
      return 1;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      std::cerr << "run " << run << ", which ends by " << how << ", ended with status " << status << '\n';
      return 1;
    }
  }
  std::cout << "50 programs ended with 0\n";
  return 0;
}
