// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fences written into the source text, and what changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "env/source.h"
#include "ir/instruction.h"
#include "ir/program.h"
#include "task/synthesis.h"

namespace fenceline::report {

// A fence to be written after a statement.
struct FenceText {
  StatementEnd statement;
  FenceKinds kinds;
};
std::vector<FenceText> fence_texts(const std::vector<CandidatePosition>& candidates,
                                   const Placement& placement);

// The text with the fences in it, laid out as its author did: on a line of its own, indented like the
// statement, if that is alone on its line; else behind it. Braces are put around what needs them.
std::string patched_text(const SourceFile& source, const std::vector<FenceText>& fences);

// The lines that differ, with a line or two around them, as `diff -u` shows them without its heads. Both
// texts must have most lines in common.
std::string changed_lines(std::string_view before, std::string_view after);

}  // namespace fenceline::report
