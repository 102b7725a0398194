/// \file
/// How nodes of scans are made and checked.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/make_movement.hpp>
#include <ashlar/graph/make_scan.hpp>

namespace ashlar::detail {

ASHLAR_DETAIL_SEPARATE node_ptr make_scan(node_ptr input, const scan_spec& spec, std::source_location where) {
  const scan_descriptor& scan = *spec.scan;
  if (!spec.axis && input->shape.ndim() != 1) input = make_reshaped(std::move(input), {-1}, "ravel", where);
  const int along = normalize_axis(spec.axis.value_or(0), input->shape, scan.name);
  input->grid.require_known(scan.name);
  auto n = std::make_shared<node>();
  n->kind = node_kind::scan;
  n->type = scan.output;
  n->shape = input->shape;
  n->grid = input->grid;
  n->where = where;
  n->scan = &scan;
  n->sequential = spec.sequential && scan.fields > 1;  // the others are so anyway
  n->axes.push_back(along);
  n->pending = input->pending;
  n->inputs.push_back(std::move(input));
  return n;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_cumulative(node_ptr input, const scan_spec& spec, node_ptr initial,
                                                const char* name, std::source_location where) {
  if (!spec.axis && input->shape.ndim() != 1) {
    throw axis_error(std::string(name) + ": " + array_text(input->shape.ndim(), &input->shape) +
                     "; name the axis, which can be left out for one axis only");
  }
  const int along = normalize_axis(spec.axis.value_or(0), input->shape, name);
  node_ptr scanned = make_scan(std::move(input), spec, where);
  if (initial == nullptr) return scanned;
  ashlar::shape first = scanned->shape;
  first[along] = 1;
  std::vector<node_ptr> parts;
  parts.push_back(make_broadcast(std::move(initial), first, where));
  parts.push_back(std::move(scanned));
  return make_concatenated(std::move(parts), along, name, where);
}

}  // namespace ashlar::detail
