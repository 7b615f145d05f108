// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/search/search_end.h"

#include <fmt/format.h>

namespace fenceline::engine {

Result incomplete_result(const SearchEnd& end, const Limits& limits, const std::string& how_far) {
  if (end.limit != LimitReached::kNone)
    return unknown_result(UnknownReason::kLimit, fmt::format("{} {}", limits.describe(end.limit), how_far));
  if (end.overflow)
    return unknown_result(UnknownReason::kOverflow,
                          "a value exceeds the 64-bit integers; the states beyond were not explored");
  return unknown_result(
      UnknownReason::kUndefined,
      "the formula of the property divides by zero, overflows or leaves an array in a reachable state");
}

}  // namespace fenceline::engine
