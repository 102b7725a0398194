/// \file
/// How shipping.cpp sends a kernel to a second process of the same program: modules, messages, pipe and worker.
#pragma once

#include <elf.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/kernel.hpp>
#include <ashlar/graph/reducer.hpp>

namespace shipping {

using bytes = std::vector<unsigned char>;
using module_id = std::array<unsigned char, 20>;

inline constexpr const char* worker_word = "--worker";

// --- modules ---

struct segment {
  std::uintptr_t begin;
  std::uintptr_t end;
};

/// An executable or library that is loaded here.
struct loaded_module {
  std::uintptr_t base = 0;
  module_id id{};  // zero where the linker left none
  std::vector<segment> segments;

  bool holds(std::uintptr_t address, std::size_t size) const {
    for (const segment& s : segments) {
      if (address >= s.begin && address < s.end && size <= s.end - address) return true;
    }
    return false;
  }
};

inline void read_build_id(std::uintptr_t note, std::size_t size, std::size_t align, module_id& id) {
  const auto padded = [align](std::size_t n) { return (n + align - 1) / align * align; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) h;
    std::memcpy(&h, reinterpret_cast<const void*>(note), sizeof h);
    const std::size_t all = sizeof h + padded(h.n_namesz) + padded(h.n_descsz);
    if (all > size) return;
    const auto* name = reinterpret_cast<const char*>(note + sizeof h);
    if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::memcpy(id.data(), name + padded(h.n_namesz), h.n_descsz < id.size() ? h.n_descsz : id.size());
      return;
    }
    note += all;
    size -= all;
  }
}

inline std::vector<loaded_module> loaded_modules() {
  std::vector<loaded_module> all;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        loaded_module m;
        m.base = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& p = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + p.p_vaddr;
          if (p.p_type == PT_LOAD && (p.p_flags & PF_R) != 0) m.segments.push_back({begin, begin + p.p_memsz});
          if (p.p_type == PT_NOTE) read_build_id(begin, p.p_memsz, p.p_align == 8 ? 8 : 4, m.id);
        }
        static_cast<std::vector<loaded_module>*>(out)->push_back(std::move(m));
        return 0;
      },
      &all);
  return all;
}

// --- messages ---

enum class work : std::uint32_t { kernel = 1, reducer = 2 };

struct header {
  module_id build_id{};
  work kind{};
  std::int64_t offset = 0;  // of the descriptor from the module's load base
  std::uint64_t type_hash = 0;
  std::uint32_t parameter_bytes = 0;
  std::int32_t inputs = 0;
  std::int64_t elements = 0;
};

template <class Change>
bytes with_header(bytes message, Change change) {
  header h;
  std::memcpy(static_cast<void*>(&h), message.data(), sizeof h);
  change(h);
  std::memcpy(message.data(), &h, sizeof h);
  return message;
}

inline void append(bytes& to, const void* data, std::size_t size) {
  const auto* p = static_cast<const unsigned char*>(data);
  to.insert(to.end(), p, p + size);
}

inline header header_for(const void* descriptor) {
  const auto address = reinterpret_cast<std::uintptr_t>(descriptor);
  for (const loaded_module& m : loaded_modules()) {
    if (!m.holds(address, 1)) continue;
    header h;
    h.build_id = m.id;
    h.offset = static_cast<std::int64_t>(address - m.base);
    return h;
  }
  throw ashlar::error("the kernel's descriptor is in no module that is loaded");
}

/// The type's name in what type_text() gave.
inline std::string type_name(std::string_view text) {
  const std::size_t begin = text.find("T = ") + 4;
  return std::string(text.substr(begin, text.rfind(']') - begin));
}

/// @throws ashlar::error for a kernel whose parameters cannot be sent as bytes
inline bytes kernel_message(const ashlar::detail::kernel& k, const std::vector<const void*>& in, std::int64_t n) {
  const ashlar::detail::kernel_descriptor& d = *k.descriptor;
  if (!d.trivially_copyable) {
    throw ashlar::error(
        std::string(d.name) + ": " + (d.obstacle == nullptr ? "a parameter" : type_name(d.obstacle)) +
        " is not trivially copyable and cannot be sent to another process; hold numbers by value instead "
        "of strings, vectors or pointers, or run it on threads");
  }
  header h = header_for(&d);
  h.kind = work::kernel;
  h.type_hash = d.type_hash;
  h.parameter_bytes = d.size;
  h.inputs = d.inputs;
  h.elements = n;
  bytes message;
  append(message, &h, sizeof h);
  append(message, k.parameters.get(), d.size);
  for (std::size_t s = 0; s < in.size(); ++s) {
    append(message, in[s], static_cast<std::size_t>(n * ashlar::itemsize(d.input[s])));
  }
  return message;
}

inline bytes reducer_message(const ashlar::detail::reducer_descriptor& d, const void* in, std::int64_t n) {
  header h = header_for(&d);
  h.kind = work::reducer;
  h.type_hash = d.type_hash;
  h.inputs = 1;
  h.elements = n;
  bytes message;
  append(message, &h, sizeof h);
  append(message, in, static_cast<std::size_t>(n * ashlar::itemsize(d.input)));
  return message;
}

/// The fields of the state of one row of `n` elements, one after the other.
inline bytes partial_state(const ashlar::detail::reducer_descriptor& d, const void* in, std::int64_t n) {
  alignas(16) unsigned char field[ashlar::detail::max_fields][16] = {};
  const ashlar::detail::state_ref state{{field[0], field[1]}};
  d.host[static_cast<int>(ashlar::detail::current_isa())].rows(in, 0, 1, n, {.first = 0, .row_step = n, .step = 1},
                                                               state);
  bytes all;
  for (int f = 0; f < d.fields; ++f) append(all, field[f], static_cast<std::size_t>(ashlar::itemsize(d.field[f])));
  return all;
}

// --- the worker ---

/// Takes a message apart; what it hands out is aligned for every element type and vector register.
class reader {
 public:
  explicit reader(const bytes& message) : message_(message) {}

  const void* take(std::size_t size, const char* what) {
    if (size > message_.size() - at_) {
      throw ashlar::error("the message ends after " + std::to_string(message_.size()) + " bytes, within its " + what +
                          " of " + std::to_string(size) + " bytes");
    }
    struct alignas(64) line {
      unsigned char byte[64];
    };
    auto copy = std::make_shared<std::vector<line>>(size / sizeof(line) + 1);
    std::memcpy(copy->data(), message_.data() + at_, size);
    at_ += size;
    owners_.push_back(copy);
    return copy->data();
  }

 private:
  const bytes& message_;
  std::size_t at_ = 0;
  std::vector<std::shared_ptr<const void>> owners_;
};

/// @throws ashlar::error unless there is a descriptor of type D with this magic and hash at the header's place
template <class D>
const D& find_descriptor(const header& h, std::uint32_t magic) {
  for (const loaded_module& m : loaded_modules()) {
    if (m.id != h.build_id) continue;
    const std::uintptr_t address = m.base + static_cast<std::uintptr_t>(h.offset);
    const std::string place = "offset " + std::to_string(h.offset);
    if (!m.holds(address, sizeof(D))) throw ashlar::error(place + " is outside the module's segments");
    if (address % alignof(D) != 0) throw ashlar::error(place + " is not aligned for a descriptor");
    const D& d = *reinterpret_cast<const D*>(address);
    if (d.magic != magic) throw ashlar::error("there is no descriptor at " + place);
    if (d.type_hash != h.type_hash) {
      throw ashlar::error(std::string("the descriptor at ") + place + ", " + d.name +
                          ", is of another type than the sender's");
    }
    return d;
  }
  throw ashlar::error(
      "the module of the kernel is not loaded here: the sender is another program, or another build of it");
}

inline void require_equal(std::int64_t sent, std::int64_t here, const char* what) {
  if (sent == here) return;
  throw ashlar::error(std::string("the message has ") + std::to_string(sent) + " " + what + ", the descriptor " +
                      std::to_string(here));
}

inline bytes perform(const bytes& message) {
  reader r(message);
  const header h = *static_cast<const header*>(r.take(sizeof(header), "header"));
  if (h.elements < 0 || h.elements > (std::int64_t{1} << 32)) {
    throw ashlar::error("a tile of " + std::to_string(h.elements) + " elements");
  }
  const auto n = static_cast<std::size_t>(h.elements);
  if (h.kind == work::reducer) {
    const auto& d = find_descriptor<ashlar::detail::reducer_descriptor>(h, ashlar::detail::reducer_magic);
    return partial_state(d, r.take(n * static_cast<std::size_t>(ashlar::itemsize(d.input)), "input"), h.elements);
  }
  const auto& d = find_descriptor<ashlar::detail::kernel_descriptor>(h, ashlar::detail::descriptor_magic);
  require_equal(h.parameter_bytes, d.size, "bytes of parameters");
  require_equal(h.inputs, d.inputs, "inputs");
  const void* parameters = r.take(d.size, "parameters");
  const void* in[ashlar::detail::max_kernel_inputs] = {};
  for (int s = 0; s < d.inputs; ++s)
    in[s] = r.take(n * static_cast<std::size_t>(ashlar::itemsize(d.input[s])), "input");
  bytes out(n * static_cast<std::size_t>(ashlar::itemsize(d.output)));
  d.host[static_cast<int>(ashlar::detail::current_isa())](parameters, in, out.data(), h.elements);
  return out;
}

// --- the pipe ---

inline bytes read_all(int fd) {
  bytes all;
  unsigned char piece[4096];
  for (;;) {
    const ssize_t got = read(fd, piece, sizeof piece);
    if (got > 0) append(all, piece, static_cast<std::size_t>(got));
    if (got == 0) return all;
    if (got < 0 && errno != EINTR) throw ashlar::error(std::string("read: ") + std::strerror(errno));
  }
}

inline void write_all(int fd, const bytes& all) {
  for (std::size_t done = 0; done < all.size();) {
    const ssize_t put = write(fd, all.data() + done, all.size() - done);
    if (put > 0) done += static_cast<std::size_t>(put);
    if (put < 0 && errno != EINTR) throw ashlar::error(std::string("write: ") + std::strerror(errno));
  }
}

/// The child's part: one message from standard input, one answer, 'y' and the bits or 'n' and a text.
inline int serve() {
  bytes answer;
  try {
    answer = perform(read_all(0));
    answer.insert(answer.begin(), 'y');
  } catch (const std::exception& e) {
    answer.assign(1, 'n');
    append(answer, e.what(), std::strlen(e.what()));
  }
  write_all(1, answer);
  return 0;
}

struct reply {
  bool ok = false;
  bytes payload;
  std::string text() const { return ok ? std::string("accepted") : std::string(payload.begin(), payload.end()); }
};

/// The parent's part: starts this program again, at another address where the system randomises them.
inline reply ask_child(const bytes& message) {
  int to[2];
  int from[2];
  if (pipe(to) != 0 || pipe(from) != 0) throw ashlar::error(std::string("pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  for (const int fd : {to[0], to[1], from[0], from[1]}) posix_spawn_file_actions_addclose(&actions, fd);
  std::string self = "/proc/self/exe";
  std::string word = worker_word;
  char* arguments[] = {self.data(), word.data(), nullptr};
  pid_t child = 0;
  const int status = posix_spawn(&child, self.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  if (status != 0) throw ashlar::error(std::string("posix_spawn: ") + std::strerror(status));
  write_all(to[1], message);
  close(to[1]);
  bytes answer = read_all(from[0]);
  close(from[0]);
  int ended = 0;
  waitpid(child, &ended, 0);
  if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0 || answer.empty()) throw ashlar::error("the child died");
  const bool ok = answer[0] == 'y';
  answer.erase(answer.begin());
  return {ok, std::move(answer)};
}

}  // namespace shipping
