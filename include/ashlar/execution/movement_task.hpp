/// \file
/// One task of a movement layer: a block of the result is put together from the parts of the operands, each copied from
/// the block in which it lies straight to where it belongs.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <ashlar/detail/copy_elements.hpp>
#include <ashlar/execution/leaf_cursor.hpp>

namespace ashlar::detail {

/// Where the elements of a part belong: the first one, and by axis of the part the distance in bytes to the next.
struct moved_to {
  unsigned char* data;
  std::int64_t step[max_ndim];
};

/// Copies elements whose distances are given in bytes by axis.
inline void copy_stepped(const ashlar::shape& extents, std::int64_t size, const unsigned char* from,
                         const std::int64_t* from_step, unsigned char* to, const std::int64_t* to_step) {
  strides in = strides::filled(extents.ndim(), 0);
  strides out = in;
  for (int a = 0; a < extents.ndim(); ++a) {
    in[a] = from_step[a] / size;
    out[a] = to_step[a] / size;
  }
  copy_elements(size, extents, from, in, to, out);
}

/// Calls f(box) for pieces of `part` that lie in one block each, where the leaf is stored in blocks.
template <class F>
void for_each_in_one_block(const leaf& l, bool in_blocks, const box& part, F f) {
  followed_axis follows[max_ndim];
  if (!in_blocks || blocks_under(l.grid, stored_box(l, part)).single(l.grid.ndim()) || !follows_one_each(l, follows)) {
    return f(part);
  }
  std::vector<std::int64_t> cut;  // beginnings of pieces, and the end, axis by axis
  std::int64_t first[max_ndim + 1];
  first[0] = 0;
  for (int a = 0; a < part.ndim; ++a) {
    const followed_axis& t = follows[a];
    const std::int64_t end = part.offset[a] + part.length[a];
    std::int64_t j = part.offset[a];
    while (j < end) {
      cut.push_back(j);
      if (t.axis < 0) break;
      const axis_blocks& blocks = l.grid.axis(t.axis);
      const std::int64_t at = t.start + t.step * j;
      const std::int64_t b = blocks.find(at);
      j += t.step > 0 ? (blocks.offset(b + 1) - 1 - at) / t.step + 1 : (at - blocks.offset(b)) / -t.step + 1;
    }
    cut.push_back(end);
    first[a + 1] = static_cast<std::int64_t>(cut.size());
  }
  box piece;
  piece.ndim = part.ndim;
  std::int64_t at[max_ndim];
  for (int a = 0; a < part.ndim; ++a) at[a] = first[a];
  for (;;) {
    for (int a = 0; a < part.ndim; ++a) {
      piece.offset[a] = cut[static_cast<std::size_t>(at[a])];
      piece.length[a] = cut[static_cast<std::size_t>(at[a]) + 1] - piece.offset[a];
    }
    f(static_cast<const box&>(piece));
    int a = part.ndim - 1;
    while (a >= 0 && at[a] + 2 == first[a + 1]) {
      at[a] = first[a];
      --a;
    }
    if (a < 0) return;
    ++at[a];
  }
}

/// Copies `piece` of a leaf. A generator fills rows where they belong, or a tile in scratch where they are not packed.
inline void move_piece(const run_state& run, lane_memory& lane, const leaf& f, const box& piece, const moved_to& to) {
  const scratch_stack::mark mark = lane.scratch.here();
  leaf_cursor c;
  c.reset(piece.ndim);
  open_leaf(c, run, lane.scratch, f, piece, piece.ndim);
  ashlar::shape extents;
  for (int a = 0; a < piece.ndim; ++a) extents.push_back(piece.length[a]);
  if (c.data != nullptr) {
    copy_stepped(extents, c.size, c.data, c.stride, to.data, to.step);
  } else {
    const int last = piece.ndim - 1;
    const std::int64_t n = last < 0 ? 1 : piece.length[last];
    const std::int64_t step = last < 0 ? 1 : c.stride[last];
    const bool packed = n == 1 || to.step[last] == c.size;
    unsigned char* const tile = packed ? nullptr : lane.scratch.take(tile_elements * c.size);
    std::int64_t i[max_ndim] = {};
    std::int64_t from = c.start;
    unsigned char* row = to.data;
    for (;;) {
      for (std::int64_t k = 0; k < n; k += tile_elements) {
        const std::int64_t m = n - k < tile_elements ? n - k : tile_elements;
        unsigned char* const target = packed ? row + k * c.size : tile;
        if (step == 1 || m == 1) {
          c.generator->fill(from + k * step, m, target);
        } else if (step == 0) {
          c.generator->fill(from, 1, target);
          for (std::int64_t done = 1; done < m; done *= 2) {
            const std::int64_t more = done < m - done ? done : m - done;
            std::memcpy(target + done * c.size, target, static_cast<std::size_t>(more * c.size));
          }
        } else {
          for (std::int64_t e = 0; e < m; ++e) c.generator->fill(from + (k + e) * step, 1, target + e * c.size);
        }
        if (!packed) scatter(row + k * to.step[last], to.step[last], tile, m, c.size);
      }
      int a = last - 1;
      for (; a >= 0; --a) {
        from += c.stride[a];
        row += to.step[a];
        if (++i[a] < piece.length[a]) break;
        from -= c.stride[a] * piece.length[a];
        row -= to.step[a] * piece.length[a];
        i[a] = 0;
      }
      if (a < 0) break;
    }
  }
  lane.scratch.rewind(mark);
}

/// Copies `part` of a leaf, of which element 0 belongs at to.data.
inline void move_part(const run_state& run, lane_memory& lane, const leaf& f, const box& part, const moved_to& to) {
  const bool in_blocks = f.from == nullptr ? !f.in_result : f.from->blocks() != nullptr;
  for_each_in_one_block(f, in_blocks, part, [&](const box& piece) {
    moved_to there = to;
    for (int a = 0; a < piece.ndim; ++a) there.data += (piece.offset[a] - part.offset[a]) * to.step[a];
    move_piece(run, lane, f, piece, there);
  });
}

/// Whether each group of a reshape lies in `stride` as one run, so that its elements are equally far apart.
inline bool groups_are_runs(const movement_rule& r, const box& b, const std::int64_t* stride) noexcept {
  for (const reshape_group& g : r.groups) {
    std::int64_t behind = 1;
    int last = -1;
    for (int a = g.out_end - 1; a >= g.out; --a) {
      if (b.length[a] == 1) continue;
      if (last >= 0 && stride[a] != stride[last] * behind) return false;
      if (last < 0) last = a;
      behind *= b.length[a];
    }
  }
  return true;
}

inline void run_movement(run_state& run, lane_memory& lane, const layer& l, const std::int64_t* coords,
                         unsigned char* chunk) {
  const box b = task_box(l, coords);
  if (b.size() == 0) return;
  const movement_rule& rule = *l.movement;
  const layer_output& out = l.outputs[0];
  const std::int64_t size = itemsize(out.type);
  std::int64_t stride[max_ndim];
  unsigned char* const target = open_block(run, out, b, chunk, stride);
  if (!rule.reshapes()) {
    const operand_range operands = operands_in(rule, l.tape.leaves.size(), b);
    for (std::size_t k = operands.first; k < operands.end; ++k) {
      const leaf& f = l.tape.leaves[k];
      const box part = placed_part(rule, k, f.shape, b);
      if (part.size() == 0) continue;
      moved_to to{target, {}};
      for (int a = 0; a < b.ndim; ++a) {
        const std::int64_t start = rule.places.empty() ? 0 : rule.places[k].start[a];
        const std::int64_t step = rule.places.empty() ? 1 : rule.places[k].step[a];
        to.data += (start + step * part.offset[a] - b.offset[a]) * stride[a];
        to.step[a] = step * stride[a];
      }
      move_part(run, lane, f, part, to);
    }
    return;
  }
  const leaf& f = l.tape.leaves[0];
  const bool direct = groups_are_runs(rule, b, stride);
  unsigned char* const made = direct ? target : lane.scratch.take(b.size() * size);
  // a packed block's strides by group, and those of the target, differ by a factor a group
  for (const reshaped_part& p : reshaped_parts(rule, f.shape, out.made_by->shape, b)) {
    moved_to to{made, {}};
    std::int64_t rest = p.start;
    std::int64_t behind = b.size();
    for (const reshape_group& g : rule.groups) {
      std::int64_t n = 1;
      std::int64_t unit = size;
      for (int a = g.out; a < g.out_end; ++a) {
        n *= b.length[a];
        if (direct && b.length[a] != 1) unit = stride[a];
      }
      behind /= n;
      if (!direct) unit = behind * size;
      to.data += rest / behind * unit;
      rest %= behind;
      for (int a = g.in; a < g.in_end; ++a) to.step[a] = p.step[a] / behind * unit;
    }
    move_part(run, lane, f, p.from, to);
  }
  if (direct) return;
  ashlar::shape extents;
  std::int64_t packed[max_ndim];
  std::int64_t next = size;
  for (int a = 0; a < b.ndim; ++a) extents.push_back(b.length[a]);
  for (int a = b.ndim - 1; a >= 0; --a) {
    packed[a] = next;
    next *= b.length[a];
  }
  copy_stepped(extents, size, made, packed, target, stride);
}

}  // namespace ashlar::detail
