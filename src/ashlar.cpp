// The planner, the executors and what else needs no type of the user, compiled once, for programs that define
// ASHLAR_SEPARATE.
#include <ashlar/detail/normalize_chunks.hpp>
#include <ashlar/execution/compute_impl.hpp>
#include <ashlar/execution/delayed_run_impl.hpp>
#include <ashlar/execution/executor_impl.hpp>
#include <ashlar/execution/parallel_parts_impl.hpp>
#include <ashlar/execution/std_threads_impl.hpp>
#include <ashlar/execution/task_pool_impl.hpp>
#include <ashlar/execution/threads_impl.hpp>
#include <ashlar/graph/make_after_impl.hpp>
#include <ashlar/graph/make_axes_impl.hpp>
#include <ashlar/graph/make_blockwise_impl.hpp>
#include <ashlar/graph/make_differences_impl.hpp>
#include <ashlar/graph/make_movement_impl.hpp>
#include <ashlar/graph/make_node_impl.hpp>
#include <ashlar/graph/make_patchwork_impl.hpp>
#include <ashlar/graph/make_repeated_impl.hpp>
#include <ashlar/graph/make_scan_impl.hpp>
#include <ashlar/graph/make_view_impl.hpp>
#include <ashlar/graph/task_node_impl.hpp>
#include <ashlar/linalg.hpp>

template ashlar::array<double> ashlar::linalg::detail::norm<ashlar::detail::host_backend>(const array<double>&,
                                                                                          const axes&,
                                                                                          const norm_options&, double,
                                                                                          std::source_location);
