// SPDX-License-Identifier: GPL-3.0-or-later
//
// What C's memory orders become. A model of C11 has them by their names. To a processor they are fences
// around the access, or instructions of their own, as compilers emit them: docs/semantics.md has the table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/instruction.h"
#include "model/compilation_scheme.h"

namespace fenceline::frontend {

struct FencesAround {
  FenceKinds before, after;
};

FencesAround around_load(MemoryOrder order, CompilationScheme mapping);
FencesAround around_store(MemoryOrder order, CompilationScheme mapping);
FencesAround around_rmw(MemoryOrder order, CompilationScheme mapping);
// A compare-and-exchange that fails is a load, of an instruction that may have an order itself.
FencesAround around_failure(MemoryOrder order, CompilationScheme mapping);

// Does an access of this order acquire on Power? There, that is a branch which depends on what was read, and isync: less
// than any fence, since it orders no earlier access with a later one, and is not cumulative.
bool has_isync(MemoryOrder order, CompilationScheme mapping);
// The tag of that read, or of the write of an exchange that acquires if it succeeds; and of the instruction itself.
inline constexpr const char* kIsync = "ISYNC";

// What models call the access itself.
struct AccessTags {
  std::vector<std::string> tags, write_tags;  // as in Instruction
};

AccessTags tags_of_load(MemoryOrder order, CompilationScheme mapping);
AccessTags tags_of_store(MemoryOrder order, CompilationScheme mapping);
// `pair`: RISC-V has no single instruction for this one.
AccessTags tags_of_rmw(MemoryOrder order, CompilationScheme mapping, bool pair);

// The same for a read-modify-write of assembly, of which it is known what instruction it is: a single one, a
// single one whose result is dropped, or a pair.
enum class RmwInstruction : uint8_t { kSingle, kNoResult, kPair };
AccessTags tags_of_rmw(MemoryOrder order, CompilationScheme mapping, RmwInstruction instruction);

// The fence of C11 that orders no more than these kinds, if there is one.
std::optional<MemoryOrder> c11_fence_of(FenceKinds kinds);

}  // namespace fenceline::frontend
