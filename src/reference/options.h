// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the command line reaches this folder: --search and --layout put what is here in the place of an engine's own.
#pragma once

#include <cstdint>

#include "env/option_group.h"

namespace fenceline {

enum class PaperRefinement : uint8_t { kNone, kAll };  // the flushes that are remembered

struct ReferenceOptions {
  PaperRefinement refine = PaperRefinement::kNone;
};

OptionGroup reference_options();

}  // namespace fenceline
