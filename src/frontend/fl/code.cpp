// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/fl/code.h"

#include <fmt/format.h>

namespace fenceline::frontend::fl {

bool Code::emits(SourcePos pos) {
  if (muted()) return false;
  if (++effort_.instructions > kMaxInstructions)
    diagnostics_.fatal(pos,
                       fmt::format("the program is too large: more than {} instructions", kMaxInstructions),
                       "procedures are copied to each call, and threads for each of their numbers");
  return true;
}

void Code::count_registers(size_t count, SourcePos pos) {
  registers_ += count;
  if (registers_ > kMaxCells)
    diagnostics_.fatal(pos,
                       fmt::format("more than {} local variables and elements in one thread", kMaxCells));
}

RegId Code::reg(const std::string& name, Value init, std::optional<Range> declared, SourcePos pos) {
  if (muted()) return RegId(0);
  count_registers(1, pos);
  return builder_.reg(name, init, declared);
}

RegId Code::reg_array(const std::string& name, const std::vector<Value>& init, std::optional<Range> declared,
                      SourcePos pos) {
  if (muted()) return RegId(0);
  count_registers(init.size(), pos);
  return builder_.reg_array(name, init, declared);
}

}  // namespace fenceline::frontend::fl
