/// \file
/// Element-wise operators and functions over arrays, expressions and numbers. Each gives an expression; nothing is
/// computed. Numbers are weak: they take the array's type when it can hold them (float32 * 2.0 stays float32), an
/// integer that it cannot hold is a dtype_error. Shapes broadcast; shapes that do not are a shape_error that names
/// both.
#pragma once

#include <ashlar/functions/arithmetic.hpp>
#include <ashlar/functions/bits.hpp>
#include <ashlar/functions/complex_parts.hpp>
#include <ashlar/functions/elementary.hpp>
#include <ashlar/functions/float_parts.hpp>
#include <ashlar/functions/logic.hpp>
#include <ashlar/functions/map.hpp>
#include <ashlar/functions/operators.hpp>
#include <ashlar/functions/piecewise.hpp>
#include <ashlar/functions/rounding.hpp>
#include <ashlar/functions/selection.hpp>
