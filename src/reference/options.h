// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options that select this folder: --search and --layout replace parts of an engine by those here.
#pragma once

#include <cstdint>

#include "env/option_group.h"

namespace fenceline::reference {

enum class PaperRefinement : uint8_t { kNone, kAll };  // the flushes that are recorded

struct ReferenceOptions {
  PaperRefinement refine = PaperRefinement::kNone;
};

OptionGroup reference_options();

}  // namespace fenceline::reference
