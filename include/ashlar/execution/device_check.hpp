/// \file
/// What a device cannot run is refused before anything has run, by name and line: nothing falls back to the host by
/// itself.
#pragma once

#include <string>

#include <ashlar/error.hpp>
#include <ashlar/execution/device_api.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/source_line.hpp>

namespace ashlar::detail {

[[noreturn]] inline void refuse(const layer& l, const device_api& api, const std::string& what, const char* remedy) {
  throw device_error(l.name + ", from " + line_text(l.where) + ": " + what + ", so it cannot run on " +
                     to_string(api.place()) + "; " + remedy);
}

/// @throws device_error
inline void check_plan(const plan& p, const device_api& api) {
  for (const layer& l : p.layers) {
    if (l.kind == layer_kind::blockwise) {
      refuse(l, api, "a function of blocks is one of the host",
             "compute it on the host, or write it with element-wise operations");
    }
    if (l.kind == layer_kind::scan && !api.runs(*l.scan)) {
      refuse(l, api, "the scan '" + std::string(l.scan->name) + "' has no code for a device",
             "compute it on the host, or compile the file with nvcc");
    }
    for (const tape_step& s : l.tape.steps) {
      if (api.runs(*s.call->descriptor)) continue;
      refuse(l, api, "'" + std::string(s.call->descriptor->name) + "' has no code for a device",
             "write functions of your own with ASHLAR_FN, or as structs with ASHLAR_HD and a member type "
             "device_callable, in a file that nvcc compiles; complex functions are those of the host, but for + - * /");
    }
    for (const layer_output& out : l.outputs) {
      if (out.finisher == nullptr || api.runs(*out.finisher)) continue;
      refuse(l, api, "the results of '" + std::string(out.finisher->name) + "' are made by code of the host",
             "compute it on the host, or compile the file with nvcc");
    }
    for (const reducer_use& r : l.reducers) {
      if (api.runs(*r.reducer)) continue;
      refuse(l, api, "the reduction '" + std::string(r.reducer->name) + "' has no code for a device",
             "compute it on the host, use one of the library's reductions, or compile the file with nvcc");
    }
  }
}

}  // namespace ashlar::detail
