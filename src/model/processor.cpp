// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/processor.h"

#include <array>
#include <string_view>

#include "model/memory_model.h"

namespace fenceline {
namespace {

struct OfModel {
  std::string_view model;
  Processor processor;
};

constexpr std::array kProcessors = {
    OfModel{"tso", Processor::kX86},     OfModel{"x86tso", Processor::kX86},
    OfModel{"armv8", Processor::kArm},   OfModel{"riscv", Processor::kRiscv},
    OfModel{"power", Processor::kPower},
};

}  // namespace

Processor processor_of(const MemoryModel& model) {
  for (const OfModel& one : kProcessors)
    if (one.model == model.name) return one.processor;
  return Processor::kAny;
}

}  // namespace fenceline
