// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/written_spans.h"

#include <llvm/IR/InstrTypes.h>

#include <algorithm>

#include "frontend/c/effects.h"

namespace fenceline::frontend::c {

// The elements of an array that lies behind something else: all from the first one on.
bool WrittenSpans::add_elements(const llvm::Value& pointer, const Targets& targets) {
  const auto has_stride = [](const Target& target) { return target.stride != 0; };
  const auto bound = bound_of(pointer, layout_);
  if (!bound || !llvm::any_of(targets.locations, has_stride)) return false;
  const Targets roots = points_to_.of(*bound->root);
  if (roots.unknown || roots.locations.empty() || llvm::any_of(roots.locations, has_stride)) return false;
  for (const Target& root : roots.locations)
    spans_.push_back({root.object, root.offset + bound->least, kEndOfObject});
  return true;
}

void WrittenSpans::add(const llvm::Instruction& instruction) {
  const Effects effects = effects_of(instruction, layout_);
  anywhere_ |= effects.writes_anywhere;
  for (const Effects::Write& write : effects.writes) {
    const Targets targets = points_to_.of(*write.pointer);
    anywhere_ |= targets.unknown;
    if (add_elements(*write.pointer, targets)) continue;
    for (const Target& target : targets.locations)
      if (write.frees && !llvm::isa<llvm::CallBase>(points_to_.object(target.object).origin))
        continue;
      else if (!write.bytes)
        objects_.insert(target.object);
      else if (target.stride != 0)
        spans_.push_back({target.object, target.first(), kEndOfObject});
      else
        spans_.push_back({target.object, target.offset, target.offset + static_cast<int64_t>(*write.bytes)});
  }
}

bool WrittenSpans::overlaps(const ByteSpan& span) const {
  if (anywhere_ || objects_.contains(span.object)) return true;
  return std::any_of(spans_.begin(), spans_.end(), [&](const ByteSpan& other) {
    return other.object == span.object && other.begin < span.end && span.begin < other.end;
  });
}

}  // namespace fenceline::frontend::c
