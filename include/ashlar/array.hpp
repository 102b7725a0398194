/// \file
/// array<T>: a lazy chunked array, and what arrays and expressions have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/chunks.hpp>
#include <ashlar/execution/compute.hpp>
#include <ashlar/expression.hpp>
#include <ashlar/movement.hpp>
#include <ashlar/ndarray.hpp>
#include <ashlar/reduction_members.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/scans.hpp>
#include <ashlar/views.hpp>

namespace ashlar {

/// Options of arrays that are made.
struct creation_options {
  /// How the array is cut into blocks; automatic when left out.
  ashlar::chunks chunks = {};
};

namespace detail {

template <class T>
result_target target_of(const ndarray<T>& out) {
  return {out.data(), out.strides()};
}

/// A list of one; nvcc loses the braces of `{target_of(out)}` where the type depends on a template parameter.
template <class T>
std::vector<result_target> targets_of(const ndarray<T>& out) {
  return std::vector<result_target>(1, target_of(out));
}

}  // namespace detail

/// The members that arrays and expressions share. `Self` is array<T> or an expression; `T` its element type.
template <class Self, class T>
class lazy_members : public view_members<Self, T>,
                     public movement_members<Self, T>,
                     public reduction_members<Self>,
                     public scan_members<Self> {
  using here = std::source_location;

 public:
  using value_type = T;

  int ndim() const { return self().shape().ndim(); }

  /// Number of elements.
  std::int64_t size() const { return self().shape().size(); }

  /// Bytes of all elements.
  std::int64_t nbytes() const { return size() * static_cast<std::int64_t>(sizeof(T)); }

  static constexpr ashlar::dtype dtype() noexcept { return dtype_of<T>; }

  /// Every element converted to To; complex to real does not compile, complex to bool does.
  template <element To, class Tag = detail::backend_tag>
  auto astype() const {
    return detail::make_expression<Tag>(detail::astype_op<detail::kernel_type_t<To>>{}, self());
  }

  /// Computes on the default executor (threads, when <ashlar/threads.hpp> is included; else serial). May be called from
  /// several threads at once, for the same array too.
  ///
  /// Cost: planning, linear in tasks and their inputs, each time; then one pass over what is read, and a second one
  /// where a reduction's result meets the elements that it was made from. Holds the result and, beside it, a few blocks
  /// a worker (explain() has the figure). Nothing is kept for the next compute(); persist() does that.
  /// @returns all elements, row-major, in host memory
  /// @throws task_error for a failure inside the run (the cause is nested); memory_error when the system cannot give
  ///         the memory or one task needs more than memory_limit; chunk_error for more tasks than a plan holds;
  ///         value_error for a number of workers that no run can have; cancelled, timeout_error, callback_error and
  ///         file_error as run_options says
  ndarray<T> compute(const run_options& options = {}, here where = here::current()) const {
    return compute_on(detail::default_ref(), options, where);
  }

  /// Computes on `on`: `serial{}`, `threads{.workers = 8}`, … The same bits, cost and errors.
  template <executor Where>
  ndarray<T> compute(const Where& on, const run_options& options = {}, here where = here::current()) const {
    return compute_on(detail::ref(on), options, where);
  }

  /// Computes into memory of the caller, any strides. It may be memory that the array is computed from; unless it is
  /// the very view that is read, element by element, the result is then made in memory of its own and copied. After an
  /// error the elements of `out` are unspecified. Cost: as compute(), without memory for the result.
  /// @throws shape_error when the shapes differ; what compute() throws
  void compute_into(const ndarray<T>& out, const run_options& options = {}, here where = here::current()) const {
    compute_into_on(detail::default_ref(), out, options, where);
  }
  template <executor Where>
  void compute_into(const Where& on, const ndarray<T>& out, const run_options& options = {},
                    here where = here::current()) const {
    compute_into_on(detail::ref(on), out, options, where);
  }

  /// Computes now and keeps all blocks, in one piece of memory of nbytes() that lives as long as an array over them.
  /// memory_limit does not count it. What was persisted depends on nothing that it was made from any more. Cost: as
  /// compute(). @throws what compute() throws
  array<T> persist(const run_options& options = {}, here where = here::current()) const {
    return persist_on(detail::default_ref(), options, where);
  }
  template <executor Where>
  array<T> persist(const Where& on, const run_options& options = {}, here where = here::current()) const {
    return persist_on(detail::ref(on), options, where);
  }

  /// Where its elements are: the device on which all that it is made from is, else the host. compute(), persist() and
  /// the like run there when no executor is named. Cost: linear in the nodes above arrays on devices.
  ashlar::place place(here where = here::current()) const { return detail::place_of(detail::node_of(self(), where)); }

  /// A copy of all elements elsewhere, as persist() on the executor there makes it: to(cuda::device(1)),
  /// to(place::host()). @throws device_error when nothing runs there; what persist() throws
  template <executor Where>
  array<T> to(const Where& on, const run_options& options = {}, here where = here::current()) const {
    return persist_on(detail::ref(on), options, where);
  }
  array<T> to(ashlar::place there, const run_options& options = {}, here where = here::current()) const {
    return persist_on(detail::executor_at(there), options, where);
  }

  /// What compute() with the same arguments would do: layers, tasks, bytes read and held, predicted peak, how the run
  /// keeps to memory_limit, and what it would be without optimizing. Nothing runs. Cost: that of planning twice.
  /// @throws chunk_error for more tasks than a plan holds; value_error for a number of workers that no run can have
  std::string explain(const run_options& options = {}, here where = here::current()) const {
    return detail::explain_nodes(detail::default_ref(), {detail::node_of(self(), where)}, options);
  }
  template <executor Where>
  std::string explain(const Where& on, const run_options& options = {}, here where = here::current()) const {
    return detail::explain_nodes(detail::ref(on), {detail::node_of(self(), where)}, options);
  }

  /// Draws the plan of compute(): a box a layer with its shape, chunks, tasks and bytes, or, with `.blocks`, a box a
  /// task. By the end of the path's name .svg, .png and .pdf, which Graphviz's program `dot` draws, or .dot, its text,
  /// which needs nothing. Nothing is computed.
  /// @throws value_error when there are more than `max_nodes` boxes, a report is missing or of another run, or the
  ///         name ends otherwise; file_error when the file cannot be written or Graphviz is not installed
  void visualize(const std::string& path, const graph_options& options = {}, here where = here::current()) const {
    detail::draw_nodes({detail::node_of(self(), where)}, detail::default_executor().load()().lanes, path, options);
  }

  /// The text of the picture, in Graphviz's DOT. @throws value_error as visualize()
  std::string to_dot(const graph_options& options = {}, here where = here::current()) const {
    return detail::dot_of_nodes({detail::node_of(self(), where)}, detail::default_executor().load()().lanes, options);
  }

  /// An array has no truth value: use any(), all(), or item() of a computed 0-d result.
  explicit operator bool() const = delete;

 private:
  const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  ndarray<T> compute_on(const detail::executor_ref& on, const run_options& options, here where) const {
    detail::node_ptr n = detail::node_of(self(), where);
    ndarray<T> out(n->shape);
    detail::compute_into_targets(on, {std::move(n)}, detail::targets_of(out), options);
    return out;
  }

  void compute_into_on(const detail::executor_ref& on, const ndarray<T>& out, const run_options& options,
                       here where) const {
    detail::node_ptr n = detail::node_of(self(), where);
    if (n->shape != out.shape()) {
      throw shape_error("compute_into: the array has shape " + n->shape.to_string() + " and the output " +
                        out.shape().to_string() + "; they must be equal");
    }
    detail::compute_into_targets(on, {std::move(n)}, detail::targets_of(out), options);
  }

  array<T> persist_on(const detail::executor_ref& on, const run_options& options, here where) const;
};

/// A lazy chunked array: a handle on a node of the graph. Copies are cheap and share the node; nothing about an array
/// changes, `+=` and friends rebind the handle.
template <class T>
class array : public lazy_members<array<T>, T> {
  static_assert(element<T>,
                "ashlar: array<T> holds bool, integers of 8 to 64 bits, float, double, or std::complex of them");

 public:
  /// An array over a node that is there already; for code that makes nodes.
  explicit array(detail::node_ptr n) : node_(std::move(n)) {}

  // Handles are assigned, elements are not: `x(slice{0, 3}) = y` would assign to a handle that is gone at once.
  array(const array&) = default;
  array(array&&) noexcept = default;
  array& operator=(const array&) & = default;
  array& operator=(array&&) & noexcept = default;

  /// From an expression over elements of the same type (else use astype<T>()). The whole expression becomes one node,
  /// computed in one pass. Cost: O(operands), and O(blocks along an axis) where operands are cut unevenly.
  /// @throws chunk_error when the operands' blocks are too many to be cut again, or of unknown lengths
  template <class Tag, class Op, class... A>
    requires std::is_same_v<typename expression<Tag, Op, A...>::value_type, T>
  array(const expression<Tag, Op, A...>& e, std::source_location where = std::source_location::current())
      : node_(e.node(where)) {}

  /// From braced values, in <ashlar/creation.hpp>: `array<double>::from({{1, 2}, {3, 4}}, {.chunks = {1, 2}})`; a lone
  /// number gives a 0-d array. @throws shape_error when the lists are ragged, dtype_error when T cannot hold an integer
  static array from(detail::nested_list<T> values, const creation_options& options = {},
                    std::source_location where = std::source_location::current());

  const ashlar::shape& shape() const noexcept { return node_->shape; }

  /// How the array is cut into blocks.
  const block_grid& chunks() const noexcept { return node_->grid; }

  const detail::node_ptr& node() const noexcept { return node_; }

  template <operand X, class Tag = detail::backend_tag>
  array& operator+=(const X& x) & {
    return rebind(*this + x);
  }
  template <operand X, class Tag = detail::backend_tag>
  array& operator-=(const X& x) & {
    return rebind(*this - x);
  }
  template <operand X, class Tag = detail::backend_tag>
  array& operator*=(const X& x) & {
    return rebind(*this * x);
  }
  template <operand X, class Tag = detail::backend_tag>
  array& operator/=(const X& x) & {
    return rebind(*this / x);
  }
  template <operand X, class Tag = detail::backend_tag>
  array& operator%=(const X& x) & {
    return rebind(*this % x);
  }
  template <operand X, class Tag = detail::backend_tag>
  array& operator&=(const X& x) & {
    return rebind(*this & x);
  }
  template <operand X, class Tag = detail::backend_tag>
  array& operator|=(const X& x) & {
    return rebind(*this | x);
  }
  template <operand X, class Tag = detail::backend_tag>
  array& operator^=(const X& x) & {
    return rebind(*this ^ x);
  }
  template <operand X, class Tag = detail::backend_tag>
  array& operator<<=(const X& x) & {
    return rebind(*this << x);
  }
  template <operand X, class Tag = detail::backend_tag>
  array& operator>>=(const X& x) & {
    return rebind(*this >> x);
  }

 private:
  // an operator cannot know its line; messages name the one where the array was made
  template <class E>
  array& rebind(const E& e) {
    static_assert(std::is_same_v<typename E::value_type, T>,
                  "ashlar: += and its like keep the element type, and the result has another one; write x = (x + "
                  "y).astype<T>(), or make a new array");
    if constexpr (std::is_same_v<typename E::value_type, T>) node_ = e.node(node_->where);
    return *this;
  }

  detail::node_ptr node_;
};

/// A lazy element-wise expression; see expression.hpp. Has every member that array has.
template <class Tag, class Op, class... A>
class expression
    : public lazy_members<expression<Tag, Op, A...>,
                          detail::user_type_t<typename detail::bind<0, expression<Tag, Op, A...>>::type::value_type>> {
 public:
  using value_type = detail::user_type_t<typename detail::bind<0, expression<Tag, Op, A...>>::type::value_type>;

  expression(Op op, detail::pack<A...> operands) : op_(std::move(op)), operands_(std::move(operands)) {}

  const Op& op() const noexcept { return op_; }
  const detail::pack<A...>& operands() const noexcept { return operands_; }

  ashlar::shape shape() const { return shape_of_operands(operands_); }

  /// How the result would be cut into blocks. Makes a node each time; prefer assigning to an array first.
  /// @throws chunk_error when the operands' blocks are too many to be cut again, or of unknown lengths
  block_grid chunks() const { return node(std::source_location::current())->grid; }

  detail::node_ptr node(std::source_location where) const {
    using bound = detail::bind<0, expression>;
    std::vector<detail::node_ptr> leaves;
    auto kernel = bound::make(*this, leaves);
    return detail::make_elementwise(detail::make_kernel<Tag>(std::move(kernel)), std::move(leaves), where);
  }

 private:
  template <class... P>
  static ashlar::shape shape_of_operands(const detail::pack<P...>& p) {
    if constexpr (sizeof...(P) == 0) {
      return {};
    } else {
      return broadcast_shapes(detail::shape_of(p.head), shape_of_operands(p.tail), detail::operation_name<Op>());
    }
  }

  Op op_;
  detail::pack<A...> operands_;
};

template <class Self, class T>
array<T> lazy_members<Self, T>::persist_on(const detail::executor_ref& on, const run_options& options,
                                           here where) const {
  const detail::node_ptr n = detail::node_of(self(), where);
  if (detail::source_ptr kept = detail::keep_on_device(on, n, options)) {
    return array<T>(detail::make_source(std::move(kept), n->type, n->shape, n->grid, where));
  }
  if (n->kind == detail::node_kind::reduction) {
    ndarray<T> out(n->shape);
    detail::compute_into_targets(on, {n}, detail::targets_of(out), options);
    auto from = std::make_shared<detail::memory_source>(detail::memory_view{out.data(), out.strides()},
                                                        std::make_shared<const buffer>(out.owner()), "persisted");
    return array<T>(detail::make_source(std::move(from), n->type, n->shape, n->grid, where));
  }
  return array<T>(detail::make_source(detail::compute_into_blocks(on, n, options), n->type, n->shape, n->grid, where));
}

}  // namespace ashlar

#include <ashlar/several.hpp>
