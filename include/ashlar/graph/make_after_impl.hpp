/// \file
/// How arrays are made whose tasks wait for other arrays, of which they read nothing.
///
/// A *mark* of an array is a function of its blocks that looks at none of them: a task a block, and one that waits for
/// all of those. So an edge for each task that is to wait suffices, and the blocks go as soon as they are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ashlar/detail/flat_index.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/make_blockwise.hpp>

namespace ashlar::detail {

class mark_function final : public block_function {
 public:
  const char* name() const noexcept override { return "after"; }
  void call(const block_call& c) const override {
    const std::int64_t n = c.out.where.size();
    for (std::int64_t k = 0; k < n; ++k) static_cast<bool*>(c.out.data)[k] = true;
  }
};

ASHLAR_DETAIL_SEPARATE node_ptr make_mark(node_ptr input, std::source_location where) {
  if (input->kind == node_kind::source && input->controls == 0) return input;
  const auto mark = [&](node_ptr of, bool whole) {
    blockwise_spec spec;
    spec.function = std::make_shared<mark_function>();
    spec.type = dtype::boolean;
    const int nd = of->shape.ndim();
    spec.inputs.push_back(std::move(of));
    if (nd > 0 && !whole) spec.chunks = ashlar::chunks(1);
    label_map_blocks(spec, whole ? axes() : axes::none(), axes::none());
    return make_blockwise(std::move(spec), where);
  };
  node_ptr blocks = mark(std::move(input), false);
  return blocks->shape.ndim() == 0 ? blocks : mark(std::move(blocks), true);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_after(const node_ptr& input, const std::vector<node_ptr>& marks,
                                           std::source_location where) {
  flat_index index;  // by address: position among the copies
  std::vector<node_ptr> copies;
  struct frame {
    const node* at;
    std::size_t next;
  };
  std::vector<frame> stack{{input.get(), 0}};
  const auto key = [](const node* n) { return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(n)); };
  while (!stack.empty()) {
    frame& top = stack.back();
    const node* const n = top.at;
    const std::size_t read = n->inputs.size() - static_cast<std::size_t>(n->controls);
    if (top.next < read) {
      const node* const child = n->inputs[top.next++].get();
      if (index.find(key(child)) < 0) stack.push_back({child, 0});
      continue;
    }
    stack.pop_back();
    if (index.find(key(n)) >= 0) continue;
    if (n->kind == node_kind::source && n->from->pending()) {
      throw value_error(
          "after: the array is made of what delayed calls give, which are called before the arrays of a run; give the "
          "order to the calls, delayed(f).after(…), and to_delayed(x) for an array that they wait for");
    }
    std::vector<node_ptr> inputs;
    inputs.reserve(n->inputs.size() + marks.size());
    for (std::size_t k = 0; k < n->inputs.size(); ++k) {
      const node_ptr& i = n->inputs[k];
      inputs.push_back(k < read ? copies[static_cast<std::size_t>(index.find(key(i.get())))] : i);
    }
    const bool waits = n->kind == node_kind::source || n->kind == node_kind::blockwise;
    if (waits) inputs.insert(inputs.end(), marks.begin(), marks.end());
    const std::shared_ptr<node> copy = node::copy(*n, std::move(inputs));
    if (waits) copy->controls += static_cast<int>(marks.size());
    if (n == input.get() && n->where.line() == 0) copy->where = where;
    index.set(key(n), static_cast<int>(copies.size()));
    copies.push_back(copy);
  }
  return copies.back();
}

}  // namespace ashlar::detail
