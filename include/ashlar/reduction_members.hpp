/// \file
/// The members of arrays and expressions that reduce.
#pragma once

#include <cstdint>
#include <source_location>

#include <ashlar/nan_reductions.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/summaries.hpp>

namespace ashlar {

/// `Self` is array<T> or an expression.
template <class Self>
class reduction_members {
  using here = std::source_location;

 public:
  /// @name Reductions
  /// Over the given axes, all when left out; each is the free function of the same name. Nothing is computed yet.
  /// @throws axis_error, shape_error (an extremum of nothing)
  /// @{
  template <class Tag = detail::backend_tag>
  auto sum(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::sum<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto prod(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::prod<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto mean(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::mean<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto var(const axes& which = all_axes, const moment_options& options = {}, here where = here::current()) const {
    return detail::var<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto std(const axes& which = all_axes, const moment_options& options = {}, here where = here::current()) const {
    return detail::std<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto min(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::min<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto max(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::max<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto any(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::any<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto all(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::all<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto count_nonzero(const axes& which = all_axes, const reduce_options& options = {},
                     here where = here::current()) const {
    return detail::count_nonzero<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto argmin(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::argmin<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto argmax(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::argmax<Tag>(self(), which, options, where);
  }
  /// @}

  /// @name Reductions that pass NaN over
  /// @throws axis_error, shape_error (an extremum of nothing)
  /// @{
  template <class Tag = detail::backend_tag>
  auto nansum(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::nansum<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto nanprod(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::nanprod<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto nanmean(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::nanmean<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto nanvar(const axes& which = all_axes, const moment_options& options = {}, here where = here::current()) const {
    return detail::nanvar<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto nanstd(const axes& which = all_axes, const moment_options& options = {}, here where = here::current()) const {
    return detail::nanstd<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto nanmin(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::nanmin<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto nanmax(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::nanmax<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto nanargmin(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::nanargmin<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto nanargmax(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::nanargmax<Tag>(self(), which, options, where);
  }
  /// @}

  /// @name Summaries
  /// @throws axis_error, shape_error (ptp of nothing), value_error (an order below 0)
  /// @{
  template <class Tag = detail::backend_tag>
  auto ptp(const axes& which = all_axes, const reduce_options& options = {}, here where = here::current()) const {
    return detail::ptp<Tag>(self(), which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto moment(int order, const axes& which = all_axes, const moment_options& options = {},
              here where = here::current()) const {
    return detail::moment<Tag>(self(), order, which, options, where);
  }
  template <class Tag = detail::backend_tag>
  auto trace(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
             here where = here::current()) const {
    return detail::trace<Tag>(self(), offset, axis1, axis2, where);
  }
  /// @}

 private:
  const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

}  // namespace ashlar
