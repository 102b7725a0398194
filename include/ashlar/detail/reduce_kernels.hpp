/// \file
/// The loops of reducers behind plain pointers, once for each instruction set.
#pragma once

#include <ashlar/detail/fold_loops.hpp>
#include <ashlar/detail/moments_loops.hpp>
#include <ashlar/graph/reducer.hpp>

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // loops over pairs and complex numbers stay scalar, and right
#endif

namespace ashlar::detail {

#define ASHLAR_DETAIL_REDUCER_ENTRIES(suffix, target)                                                                  \
  template <class L, class Tag>                                                                                        \
  target __attribute__((noinline)) typename L::state leaf_##suffix(const typename L::in_type* p, int n,                \
                                                                   std::int64_t index, std::int64_t step, bool more) { \
    return L::leaf(p, n, index, step, more);                                                                           \
  }                                                                                                                    \
  template <class L, class Tag>                                                                                        \
  target void rows_##suffix(const void* in, std::int64_t row_stride, std::int64_t rows, std::int64_t n,                \
                            index_map index, state_ref out) {                                                          \
    L::template rows<&leaf_##suffix<L, Tag>>(in, row_stride, rows, n, index, out);                                     \
  }                                                                                                                    \
  template <class L, class Tag>                                                                                        \
  target void feed_##suffix(void* running, const void* in, std::int64_t n, index_map index) {                          \
    L::template feed<&leaf_##suffix<L, Tag>>(running, in, n, index);                                                   \
  }                                                                                                                    \
  template <class L, class Tag>                                                                                        \
  target void end_##suffix(void* running, state_ref out) {                                                             \
    L::end(running, out);                                                                                              \
  }                                                                                                                    \
  template <class L, class Tag>                                                                                        \
  target void columns_##suffix(const void* in, std::int64_t row_stride, int rows, std::int64_t n, index_map index,     \
                               state_ref out) {                                                                        \
    L::columns(in, row_stride, rows, n, index, out);                                                                   \
  }                                                                                                                    \
  template <class L, class Tag>                                                                                        \
  target void merge_##suffix(state_ref out, state_ref a, state_ref b, std::int64_t n, std::int64_t na,                 \
                             std::int64_t nb) {                                                                        \
    L::merge(out, a, b, n, na, nb);                                                                                    \
  }                                                                                                                    \
  template <class L, class Tag>                                                                                        \
  constexpr reducer_entries entries_##suffix() {                                                                       \
    return {&rows_##suffix<L, Tag>, &feed_##suffix<L, Tag>, &end_##suffix<L, Tag>, &columns_##suffix<L, Tag>,          \
            &merge_##suffix<L, Tag>};                                                                                  \
  }

ASHLAR_DETAIL_REDUCER_ENTRIES(baseline, )
ASHLAR_DETAIL_REDUCER_ENTRIES(avx2, ASHLAR_DETAIL_TARGET_AVX2)
ASHLAR_DETAIL_REDUCER_ENTRIES(avx512, ASHLAR_DETAIL_TARGET_AVX512)
#undef ASHLAR_DETAIL_REDUCER_ENTRIES

template <class L, class Tag>
constexpr void set_entries(reducer_descriptor& d) {
#if defined(ASHLAR_DETAIL_BASELINE_ONLY)
  d.host[0] = d.host[1] = d.host[2] = entries_baseline<L, Tag>();
#elif ASHLAR_DETAIL_X86 && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && \
    defined(__AVX512BW__)
  d.host[0] = d.host[1] = d.host[2] = entries_avx512<L, Tag>();
#elif ASHLAR_DETAIL_X86
  d.host[0] = entries_baseline<L, Tag>();
  d.host[1] = entries_avx2<L, Tag>();
  d.host[2] = entries_avx512<L, Tag>();
#else
  d.host[0] = d.host[1] = d.host[2] = entries_baseline<L, Tag>();
#endif
}

}  // namespace ashlar::detail

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
