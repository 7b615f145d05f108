// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/store_buffer/system.h"

#include <fmt/format.h>

#include "domain/buffer/fifo_buffer.h"
#include "machine/store_buffer/machine_system.h"

namespace fenceline::machine {

static_assert(buffer::StoreBuffer<buffer::FifoBuffer>);

std::string store_buffer_unsupported_reason(const Program& program, const MemoryModel& model) {
  // A havoc is expanded value by value; tables of states leave room for this many successors at a time.
  constexpr uint64_t kMaxHavocValues = 4096;
  if (model.buffering == Buffering::kNoMachine)
    return fmt::format("has no machine for the model {}", model.name);
  for (const Thread& thread : program.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.kind == InstrKind::kHavoc &&
          static_cast<uint64_t>(instruction.havoc_range.hi) -
                  static_cast<uint64_t>(instruction.havoc_range.lo) >=
              kMaxHavocValues)
        return fmt::format("tries havoc values one by one, at most {} (line {} has more)", kMaxHavocValues,
                           instruction.pos.line);
  return "";
}

namespace {

Reduction::Fusing fusing(const SystemOptions& options) {
  if (options.reduce && options.fuse) return Reduction::Fusing::kAll;
  return options.fuse_local ? Reduction::Fusing::kLocal : Reduction::Fusing::kNothing;
}

}  // namespace

System::System(const Program& program, const FenceSet& fences, const MemoryModel& model,
               const Observed& observed, const Visibility& visibility, const SystemOptions& options)
    : overlay_(program, fences),
      code_(overlay_, model),
      layout_(code_, observed, options.liveness, options.abstraction, options.origins),
      reduction_(code_, visibility, fusing(options), options.reduce),
      growth_(find_growth(code_)),
      buffer_limit_(growth_ ? options.buffer_limit : 0),
      options_(options) {}

std::unique_ptr<TransitionSystem> System::worker() const {
  require(!options_.abstraction, "an exact machine of an abstract system");
  return std::make_unique<MachineSystem<buffer::FifoBuffer>>(code_, layout_, reduction_, buffer_limit_);
}

}  // namespace fenceline::machine
