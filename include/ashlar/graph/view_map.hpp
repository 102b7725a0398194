/// \file
/// Views as affine maps: index i of what is viewed is start[i] plus the sum of step * (index of a result axis) over its
/// terms. Slices, transposes, new axes, broadcasting, diagonals and sliding windows are all of this form, and so are
/// views of views. Nothing is moved: a task turns its box into the box that it reads, and a cursor walks it by strides.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ashlar/graph/box.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

struct view_term {
  int input_axis;
  int axis;  // of the result
  std::int64_t step;

  friend bool operator==(const view_term&, const view_term&) = default;
};

struct view_map {
  int ndim = 0;                  // axes of the result
  strides start;                 // by axis of what is viewed
  std::vector<view_term> terms;  // sorted by axis of what is viewed, then of the result; none with step 0

  int inputs() const noexcept { return start.ndim(); }

  friend bool operator==(const view_map& a, const view_map& b) {
    return a.ndim == b.ndim && a.start == b.start && a.terms == b.terms;
  }
};

using view_ptr = std::shared_ptr<const view_map>;

inline view_map identity_view(int ndim) {
  view_map m;
  m.ndim = ndim;
  m.start = strides::filled(ndim, 0);
  for (int a = 0; a < ndim; ++a) m.terms.push_back({a, a, 1});
  return m;
}

/// An operand of `ndim` axes and shape `from` as it stands in an operation of shape `to`: axes matched from the right,
/// an extent of 1 beside another is read again and again.
inline view_map broadcast_view(const shape& from, const shape& to) {
  view_map m;
  m.ndim = to.ndim();
  m.start = strides::filled(from.ndim(), 0);
  for (int a = 0; a < from.ndim(); ++a) {
    const int axis = a + to.ndim() - from.ndim();
    if (from[a] == to[axis]) m.terms.push_back({a, axis, 1});
  }
  return m;
}

/// Adds a term to those of an axis of what is viewed; sorted, and terms of one axis are added up.
inline void add_term(view_map& m, const view_term& t) {
  std::size_t k = 0;
  while (k < m.terms.size() && (m.terms[k].input_axis < t.input_axis ||
                                (m.terms[k].input_axis == t.input_axis && m.terms[k].axis < t.axis))) {
    ++k;
  }
  const bool there = k < m.terms.size() && m.terms[k].input_axis == t.input_axis && m.terms[k].axis == t.axis;
  const auto at = m.terms.begin() + static_cast<std::ptrdiff_t>(k);
  if (!there) {
    if (t.step != 0) m.terms.insert(at, t);
    return;
  }
  at->step += t.step;
  if (at->step == 0) m.terms.erase(at);
}

/// The view `outer` of the view `inner`.
inline view_map compose(const view_map& outer, const view_map& inner) {
  view_map m;
  m.ndim = outer.ndim;
  m.start = inner.start;
  for (const view_term& t : inner.terms) {
    m.start[t.input_axis] += t.step * outer.start[t.axis];
    for (const view_term& u : outer.terms) {
      if (u.input_axis == t.axis) add_term(m, {t.input_axis, u.axis, t.step * u.step});
    }
  }
  return m;
}

/// The smallest box that holds all elements that `part` of the result reads; empty when `part` is.
inline box input_box(const view_map& m, const box& part) {
  box b;
  b.ndim = m.inputs();
  const bool empty = part.size() == 0;
  for (int a = 0; a < b.ndim; ++a) {
    b.offset[a] = m.start[a];
    b.length[a] = empty ? 0 : 1;
  }
  if (empty) return b;
  for (const view_term& t : m.terms) {
    const std::int64_t span = t.step * (part.length[t.axis] - 1);
    b.offset[t.input_axis] += t.step * part.offset[t.axis] + (span < 0 ? span : 0);
    b.length[t.input_axis] += span < 0 ? -span : span;
  }
  return b;
}

/// Step through what is viewed, whose elements lie at `stride`, from one index of each result axis to the next.
inline strides view_strides(const view_map& m, const strides& stride) {
  strides s = strides::filled(m.ndim, 0);
  for (const view_term& t : m.terms) s[t.axis] += t.step * stride[t.input_axis];
  return s;
}

/// Whether the result reads no element twice because an axis is repeated.
inline bool repeats_nothing(const view_map& m, const shape& result) noexcept {
  for (int a = 0; a < m.ndim; ++a) {
    bool found = result[a] <= 1;
    for (const view_term& t : m.terms) found = found || t.axis == a;
    if (!found) return false;
  }
  for (std::size_t k = 1; k < m.terms.size(); ++k) {  // windows overlap
    if (m.terms[k].input_axis == m.terms[k - 1].input_axis) return false;
  }
  return true;
}

/// Whether every element of what is viewed is read.
inline bool covers(const view_map& m, const shape& result, const shape& viewed) noexcept {
  for (int a = 0; a < viewed.ndim(); ++a) {
    std::int64_t reached = 1;
    int terms = 0;
    for (const view_term& t : m.terms) {
      if (t.input_axis != a) continue;
      ++terms;
      if (t.step == 1 || t.step == -1) reached += result[t.axis] - 1;
    }
    if (terms > 0 && result.ndim() > 0 && reached < viewed[a]) return false;
    if (terms == 0 && viewed[a] != 1) return false;
  }
  std::vector<char> used(static_cast<std::size_t>(m.ndim), 0);  // on a diagonal two axes follow one
  for (const view_term& t : m.terms) {
    if (used[static_cast<std::size_t>(t.axis)]++ != 0) return false;
  }
  for (int a = 0; a < result.ndim(); ++a) {
    if (result[a] == 0) return false;
  }
  return true;
}

}  // namespace ashlar::detail
