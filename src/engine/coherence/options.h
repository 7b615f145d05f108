// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/buffer/abstraction.h"
#include "env/option_group.h"

namespace fenceline {

struct CoherenceOptions {
  std::optional<Abstraction> abstraction;  // without its values; none: fd0, fd1, ... until one decides
  Abstraction::Values buffer_values = Abstraction::Values::kExact;
  uint64_t max_order = kMaxOrder;  // where raising K ends

  // The abstraction, or `otherwise`, with the selected values.
  Abstraction chosen(Abstraction otherwise) const;
};

// "auto" (none), "set", "fd1", ... Throws UsageError for anything else.
std::optional<Abstraction> parse_chosen_abstraction(std::string_view name);

OptionGroup coherence_options();

}  // namespace fenceline
