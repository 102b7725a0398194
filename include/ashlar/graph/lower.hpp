/// \file
/// From nodes to a plan, in four steps: analysis, layers, tasks, order.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <ashlar/graph/analyse.hpp>
#include <ashlar/graph/finish.hpp>
#include <ashlar/graph/make_layers.hpp>
#include <ashlar/graph/make_tasks.hpp>
#include <ashlar/graph/plan.hpp>

namespace ashlar::detail {

/// Plans one run that computes all of `roots`.
/// @throws chunk_error when there would be more tasks than a plan holds, before anything is made for them
inline std::shared_ptr<const plan> make_plan(std::vector<node_ptr> roots, int lane_count, bool fuse = true,
                                             result_kind results = result_kind::arrays) {
  auto p = std::make_shared<plan>();
  p->lanes = lane_count;
  p->results = results;
  p->keep_alive = std::move(roots);
  const analysis nodes = analyse(p->keep_alive, fuse);
  const layer_maker layers(*p, nodes);
  make_tasks(*p);
  finish_plan(*p);
  return p;
}

}  // namespace ashlar::detail
