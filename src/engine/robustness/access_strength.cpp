// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/robustness/access_strength.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace fenceline::robustness {
namespace {

using Tags = std::vector<std::string>;

template <size_t N>
bool any_of(const Tags& tags, const std::array<std::string_view, N>& names) {
  return std::ranges::any_of(
      tags, [&](const std::string& tag) { return std::ranges::find(names, tag) != names.end(); });
}

// Q is LDAPR. Acq and AcqRel are RISC-V's; what it has that is seq_cst is so by fences.
constexpr std::array<std::string_view, 8> kAcquire = {"ACQ", "CON", "ACQ_REL", "SC",
                                                      "A",   "Q",   "Acq",     "AcqRel"};
constexpr std::array<std::string_view, 6> kRelease = {"REL", "ACQ_REL", "SC", "L", "Rel", "AcqRel"};
constexpr std::array<std::string_view, 2> kSequentialRead = {"SC", "A"};
constexpr std::array<std::string_view, 2> kSequentialWrite = {"SC", "L"};
constexpr std::array<std::string_view, 1> kNotAtomic = {"NA"};
constexpr std::array<std::string_view, 3> kNoMatter = {"X", "EX", "AMO"};

// The tags that mean something on the model, or certainly nothing. A program in the language of one model may be checked on
// another, for which its orders are mere words.
constexpr std::array<std::string_view, 6> kOrders = {"ACQ", "CON", "ACQ_REL", "SC", "REL", "RLX"};
constexpr std::array<std::string_view, 3> kArm = {"A", "Q", "L"};
constexpr std::array<std::string_view, 3> kRiscv = {"Acq", "Rel", "AcqRel"};
constexpr std::array<std::string_view, 1> kPower = {"ISYNC"};

bool known(const Tags& tags, const MemoryModel& model) {
  return std::ranges::all_of(tags, [&](const std::string& tag) {
    const Tags one{tag};
    return any_of(one, kNotAtomic) || any_of(one, kNoMatter) ||
           (model.name == "rc11" && any_of(one, kOrders)) || (model.name == "armv8" && any_of(one, kArm)) ||
           (model.name == "riscv" && any_of(one, kRiscv)) || (model.name == "power" && any_of(one, kPower));
  });
}

}  // namespace

bool strengths_known(const MemoryModel& model) {
  if (model.cat != nullptr || model.table != nullptr) return false;  // a user's
  return model.name == "rc11" || model.name == "armv8" || model.name == "riscv" || model.name == "power";
}

bool has_unknown_tag(const Instruction& instruction, const MemoryModel& model) {
  return !known(instruction.tags, model) || !known(instruction.write_tags, model);
}

bool tagged_not_atomic(const Instruction& instruction) { return any_of(instruction.tags, kNotAtomic); }

// Behind a fence that is called ISYNC, nothing is taken to acquire: it depends on branches what does.
ReadStrength read_strength(const Instruction& instruction, bool written) {
  const Tags& tags = instruction.tags;
  const bool isync = any_of(tags, kPower) || (written && any_of(instruction.write_tags, kPower));
  return {isync || any_of(tags, kAcquire), any_of(tags, kSequentialRead)};
}

WriteStrength write_strength(const Instruction& instruction) {
  const Tags& tags = instruction.kind == InstrKind::kRmw ? instruction.write_tags : instruction.tags;
  return {any_of(tags, kRelease), any_of(tags, kSequentialWrite)};
}

FenceStrength fence_strength(const Instruction& instruction) {
  const FenceKinds kinds = instruction.fence;
  const Tags& tags = instruction.tags;
  const bool sequential =
      any_of(tags, std::array<std::string_view, 1>{"SC"}) || kinds.includes(FenceKinds::full());
  return {
      .acquire = sequential || any_of(tags, kAcquire) || (kinds.has_load_load() && kinds.has_load_store()),
      .release = sequential || any_of(tags, kRelease) || (kinds.has_load_store() && kinds.has_store_store()),
      .sequential = sequential};
}

}  // namespace fenceline::robustness
