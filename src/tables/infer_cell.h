// SPDX-License-Identifier: GPL-3.0-or-later
//
// One cell of a table about fences: how many does it take, with this abstraction?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "synth/inference.h"
#include "tables/measure.h"

namespace fenceline::tables {

struct InferredCell {
  Synthesis inference;
  size_t fences = 0;  // in the text; kFound only
  double seconds = 0;

  // The counterexample that no fences prevent is spurious.
  bool too_coarse() const;
  // "2", "none" (no placement is proved sufficient) or "unknown".
  std::string fences_word() const;
  // Why `fences` is the least: "proved" by counterexamples alone, "with these buffers" if spurious ones were
  // needed.
  std::string minimum_word() const;
};

enum class InferenceMethod : uint8_t {
  kLazy,   // one placement after the other
  kAvoid,  // from all states of the unfenced program, as in the paper
};

// Full fences after stores. The limits of the context hold for the cell as a whole.
InferredCell infer_cell(const BenchContext& context, const engine::Engine& engine, const Subject& subject,
                        std::string_view model, std::string_view abstraction,
                        InferenceMethod method = InferenceMethod::kLazy);

}  // namespace fenceline::tables
