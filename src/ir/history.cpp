// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/history.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace fenceline {

std::string to_string(const HistoryStep& step) {
  constexpr std::array<std::string_view, 6> kNames = {"load", "store", "rollback", "rfin", "commit", "abort"};
  const std::string_view name = kNames[static_cast<size_t>(step.op)];
  if (has_variable(step.op)) return fmt::format("{} v{} by t{}", name, step.variable + 1, step.thread + 1);
  return fmt::format("{} by t{}", name, step.thread + 1);
}

}  // namespace fenceline
