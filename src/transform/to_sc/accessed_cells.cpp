// SPDX-License-Identifier: GPL-3.0-or-later
#include "transform/to_sc/accessed_cells.h"

namespace fenceline::transform {

AccessedCells::Access AccessedCells::of(ThreadId thread, const Instruction& instruction) const {
  const Address& address = instruction.address;
  const Object& object = program_.object(address.object);
  const Range inside{0, static_cast<Value>(object.size()) - 1};
  const Range offsets = range_of(program_, ranges_, thread, address.offset);
  Access access;
  access.constant = program_.expr(address.offset).op == ExprOp::kConst;
  access.sure = inside.contains(offsets) && !may_fail(program_, ranges_, thread, address.offset);
  const Range there = offsets.meet(inside);
  for (Value offset = there.lo; offset <= there.hi; ++offset) {
    if (object.admits(offset, address.bytes))
      access.cells.emplace_back(object.first_cell.index() + static_cast<size_t>(offset));
    else
      access.sure = false;
  }
  return access;
}

bool AccessedCells::may_exceed_range(ThreadId thread, const Instruction& store) const {
  const Object& object = program_.object(store.address.object);
  return object.declared && !object.declared->contains(range_of(program_, ranges_, thread, store.a));
}

}  // namespace fenceline::transform
