// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/edit/overlay.h"

#include "env/errors.h"

namespace fenceline {

Overlay::Overlay(const Program& program, const FenceSet& fences) : program_(program) {
  inserted_.reserve(fences.size());  // code_ points into it: it must not move
  for (size_t t = 0; t < program.threads.size(); ++t) {
    std::vector<Node> code;
    for (const Instruction& instruction : program.threads[t].code)
      code.push_back({&instruction, Point(), Point()});
    for (const auto& [position, kinds] : fences.all()) {
      const auto& [thread, after] = position;
      if (thread.index() != t) continue;
      require(after.index() < program.threads[t].code.size(), "a fence after a point that is not there");
      const Instruction& before = program.threads[t].at(after);
      require(before.next.size() == 1, "a fence after an instruction that branches");
      Instruction fence;
      fence.kind = InstrKind::kFence;
      fence.pos = before.pos;
      fence.fence = kinds;
      fence.next = before.next;
      inserted_.push_back(std::move(fence));
      code[after.index()].redirected = Point(code.size());
      code.push_back({&inserted_.back(), Point(), after});
    }
    code_.push_back(std::move(code));
  }
}

}  // namespace fenceline
