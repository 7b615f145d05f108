// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/buffer/abstraction.h"
#include "env/option_group.h"

namespace fenceline::coherence {

struct CoherenceOptions {
  std::optional<buffer::Abstraction>
      abstraction;  // without its values; none: fd0, fd1, ... until one decides
  buffer::Abstraction::Values buffer_values = buffer::Abstraction::Values::kExact;
  uint64_t max_order = buffer::kMaxOrder;  // where raising K ends

  // The abstraction, or `otherwise`, with the selected values.
  buffer::Abstraction chosen(buffer::Abstraction otherwise) const;
};

// "auto" (none), "set", "fd1", ... Throws UsageError for anything else.
std::optional<buffer::Abstraction> parse_chosen_abstraction(std::string_view name);

OptionGroup coherence_options();

}  // namespace fenceline::coherence
