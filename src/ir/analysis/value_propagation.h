// SPDX-License-Identifier: GPL-3.0-or-later
//
// What instructions do to sets of values: those that registers and cells can have, anywhere in a program. Who propagates
// values says where they are kept, what a load can return, and when it is enough; what each instruction does is here.
//
// Derived has
//   const ValueSet& register_values(RegId) const
//   ValueSet loaded_from(size_t cell) const     what a load of the cell can return
//   void store(const Address&, const ValueSet&)
//   void assign(const Dest&, const ValueSet&)
#pragma once

#include "base/value_set.h"
#include "ir/analysis/value_sets.h"
#include "ir/program.h"

namespace fenceline {

template <class Derived>
class ValuePropagation {
 protected:
  explicit ValuePropagation(const Program& program) : program_(program) {}

  void apply(const Instruction& i) {
    switch (i.kind) {
      case InstrKind::kLoad:
        return derived().assign(i.dest, loaded(i.address));
      case InstrKind::kStore:
        return derived().store(i.address, values(i.a));
      case InstrKind::kRmw:
        return apply_rmw(i);
      case InstrKind::kAssign:
        return derived().assign(i.dest, values(i.a));
      case InstrKind::kHavoc:
        return derived().assign(i.dest, ValueSet(i.havoc_range));
      case InstrKind::kFence:
      case InstrKind::kBranch:
      case InstrKind::kChoose:
      case InstrKind::kAssume:
      case InstrKind::kAssert:
      case InstrKind::kAtomicBegin:
      case InstrKind::kAtomicEnd:
      case InstrKind::kMark:
      case InstrKind::kHalt:
        return;
    }
  }

  ValueSet values(ExprId id) const {
    return values_of(program_, id,
                     [this](RegId reg) -> const ValueSet& { return derived().register_values(reg); });
  }

  // Calls f for each cell that the access can have.
  template <class F>
  void for_cells(const Address& address, const F& f) const {
    const Object& object = program_.object(address.object);
    values(address.offset).for_each_in({0, static_cast<Value>(object.size()) - 1}, [&](Value offset) {
      if (object.admits(offset, address.bytes)) f(object.first_cell.index() + static_cast<size_t>(offset));
    });
  }

  const Program& program_;

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }
  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  void apply_rmw(const Instruction& i) {
    const ValueSet old = loaded(i.address), a = values(i.a);
    switch (shape_of(i.rmw)) {
      case RmwShape::kCompare:
        derived().store(i.address, values(i.b));
        break;
      case RmwShape::kExchange:
        derived().store(i.address, a);
        break;
      case RmwShape::kFetch:
        derived().store(i.address, fetch_values(i.rmw, old, a, i.wrap));
        break;
    }
    derived().assign(i.dest, i.rmw == RmwOp::kCas ? ValueSet(Range{0, 1}) : old);
  }

  ValueSet loaded(const Address& address) const {
    ValueSet result;
    for_cells(address, [&](size_t cell) { result = result.join(derived().loaded_from(cell)); });
    return result;
  }
};

}  // namespace fenceline
