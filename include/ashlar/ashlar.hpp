/// \file
/// Everything for arrays on CPU threads. Other places to run, and other libraries, have headers of their own beside it.
#pragma once

#include <ashlar/array.hpp>
#include <ashlar/blockwise.hpp>
#include <ashlar/chunks.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/custom_reduction.hpp>
#include <ashlar/error.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/linalg.hpp>
#include <ashlar/literals.hpp>
#include <ashlar/map_overlap.hpp>
#include <ashlar/nan_reductions.hpp>
#include <ashlar/ndarray.hpp>
#include <ashlar/print.hpp>
#include <ashlar/print_lazy.hpp>
#include <ashlar/random.hpp>
#include <ashlar/recompute.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/report.hpp>
#include <ashlar/scans.hpp>
#include <ashlar/std_threads.hpp>
#include <ashlar/summaries.hpp>
#include <ashlar/threads.hpp>
#include <ashlar/version.hpp>
