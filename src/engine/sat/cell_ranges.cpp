// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/cell_ranges.h"

#include <optional>
#include <utility>

#include "env/errors.h"

namespace fenceline::sat {
namespace {

class Propagation {
 public:
  Propagation(const Overlay& overlay, const Unfolding& unfolding)
      : overlay_(overlay),
        program_(overlay.program()),
        unfolding_(unfolding),
        behind_(unfolding.nodes().size()) {
    for (const Value value : program_.initial_memory()) cells_.push_back(ValueSet::single(value));
    next_ = cells_;
  }

  std::vector<ValueSet> run() {
    size_t stores = 0;
    for (const Unfolding::Node& node : unfolding_.nodes())
      if (!node.beyond) stores += overlay_.at(node.thread, node.point).writes_memory();
    for (size_t iteration = 0; iteration <= stores; ++iteration) {
      for (uint32_t i = 0; i < unfolding_.nodes().size(); ++i) visit(i);
      if (next_ == cells_) break;
      cells_ = next_;
    }
    return cells_;
  }

 private:
  // Two registers that share their set are copies of each other.
  using Registers = std::vector<std::shared_ptr<const ValueSet>>;

  void visit(uint32_t index) {
    const Unfolding::Node& node = unfolding_.nodes()[index];
    const size_t thread = node.thread.index();
    std::optional<Registers> state;
    if (index == unfolding_.entries()[thread]) {
      state.emplace();
      for (const Register& reg : program_.threads[thread].registers)
        state->push_back(std::make_shared<ValueSet>(ValueSet::single(reg.init)));
    }
    for (const Unfolding::Edge& edge : node.in) {
      if (behind_[edge.from].empty()) continue;
      const std::optional<Registers>& before = behind_[edge.from][edge.slot];
      if (!before) continue;
      if (!state) {
        state = before;
        continue;
      }
      for (size_t reg = 0; reg < state->size(); ++reg)
        if ((*state)[reg] != (*before)[reg])
          (*state)[reg] = std::make_shared<ValueSet>((*state)[reg]->join(*(*before)[reg]));
    }
    behind_[index].clear();
    if (!state || node.beyond) return;
    registers_ = std::move(*state);
    reachable_ = true;
    behind_[index].resize(node.out.size());
    const Instruction& instruction = overlay_.at(node.thread, node.point);
    if (instruction.kind == InstrKind::kBranch) {
      const Registers before = registers_;
      for (const size_t slot : {size_t{0}, size_t{1}}) {
        registers_ = before;
        reachable_ = true;
        learn(instruction.a, slot == 0 ? may_hold : may_not_hold);
        if (reachable_) behind_[index][slot] = registers_;
      }
      return;
    }
    execute(node.thread, instruction);
    if (!reachable_) return;
    for (std::optional<Registers>& out : behind_[index]) out = registers_;
  }

  const ValueSet& of(RegId reg) const { return *registers_[reg.index()]; }
  ValueSet values(ExprId id) const {
    return values_of(program_, id, [&](RegId reg) -> const ValueSet& { return of(reg); });
  }

  void learn(ExprId id, const Outcome& outcome) {
    if (!outcome(values(id))) reachable_ = false;
    narrow_registers(
        program_, id, outcome, [&](RegId reg) -> const ValueSet& { return of(reg); },
        [&](RegId reg, ValueSet narrowed) {
          if (narrowed.is_empty()) reachable_ = false;
          const auto old = registers_[reg.index()];
          const auto now = std::make_shared<ValueSet>(std::move(narrowed));
          for (auto& copy : registers_)
            if (copy == old) copy = now;
        });
  }

  // The cells that the access can have.
  template <class F>
  void for_cells(const Address& address, const ValueSet& offset, const F& f) {
    const Object& object = program_.object(address.object);
    offset.for_each_in({0, static_cast<Value>(object.size()) - 1}, [&](Value i) {
      if (object.admits(i, address.bytes)) f(object.first_cell.index() + static_cast<size_t>(i));
    });
  }

  void write(const Address& address, const ValueSet& offset, ValueSet value) {
    if (const auto& declared = program_.object(address.object).declared) value = value.meet(*declared);
    if (value.is_empty()) return;
    for_cells(address, offset, [&](size_t cell) { next_[cell] = next_[cell].join(value); });
  }

  void assign(ThreadId thread, const Dest& dest, const ValueSet& value) {
    if (!dest.valid()) return;
    const std::vector<Register>& declared = program_.thread(thread).registers;
    const ValueSet index = dest.is_element() ? values(dest.index) : ValueSet::single(0);
    for (uint32_t i = 0; i < dest.count; ++i) {
      if (!index.contains(i)) continue;
      const size_t reg = dest.reg.index() + i;
      const ValueSet kept = declared[reg].declared ? value.meet(*declared[reg].declared) : value;
      registers_[reg] = std::make_shared<ValueSet>(
          dest.is_element() && !index.is_single() ? of(RegId(reg)).join(kept) : kept);
    }
  }

  void execute(ThreadId thread, const Instruction& instruction) {
    switch (instruction.kind) {
      case InstrKind::kAssign:
        if (const Expr& from = program_.expr(instruction.a);
            from.op == ExprOp::kReg && !instruction.dest.is_element() &&
            !program_.thread(thread).registers[instruction.dest.reg.index()].declared) {
          registers_[instruction.dest.reg.index()] = registers_[from.reg.index()];
          return;
        }
        return assign(thread, instruction.dest, values(instruction.a));
      case InstrKind::kHavoc:
        return assign(thread, instruction.dest, instruction.havoc_range);
      case InstrKind::kAssume:
      case InstrKind::kAssert:
        return learn(instruction.a, may_hold);
      case InstrKind::kLoad:
      case InstrKind::kStore:
      case InstrKind::kRmw:
        return access(thread, instruction);
      case InstrKind::kFence:
      case InstrKind::kBranch:
      case InstrKind::kChoose:
      case InstrKind::kAtomicBegin:
      case InstrKind::kAtomicEnd:
      case InstrKind::kMark:
      case InstrKind::kHalt:
        break;
    }
    return;
  }

  void access(ThreadId thread, const Instruction& instruction) {
    const Address& address = instruction.address;
    learn(address.offset, inside_of(program_.object(address.object), address.bytes));
    if (!reachable_) return;
    const ValueSet offset = values(address.offset);
    if (instruction.kind == InstrKind::kStore) return write(address, offset, values(instruction.a));
    ValueSet read;
    for_cells(address, offset, [&](size_t cell) { read = read.join(cells_[cell]); });
    if (instruction.kind == InstrKind::kLoad) return assign(thread, instruction.dest, read);
    const ValueSet a = values(instruction.a);
    switch (instruction.rmw) {
      case RmwOp::kCas:
      case RmwOp::kCasValue: {
        const ValueSet equal = apply_values(ExprOp::kEq, read, a);
        if (equal.contains(1)) write(address, offset, values(instruction.b));
        return assign(thread, instruction.dest, instruction.rmw == RmwOp::kCas ? equal : read);
      }
      case RmwOp::kXchg:
        write(address, offset, a);
        break;
      case RmwOp::kFetchAdd:
      case RmwOp::kFetchAnd:
      case RmwOp::kFetchOr:
      case RmwOp::kFetchXor:
        write(address, offset, fetch_values(instruction.rmw, read, a, instruction.wrap));
        break;
    }
    return assign(thread, instruction.dest, read);
  }

  const Overlay& overlay_;
  const Program& program_;
  const Unfolding& unfolding_;
  std::vector<ValueSet> cells_;  // of the last iteration
  std::vector<ValueSet> next_;   // of this iteration
  Registers registers_;          // at the current node
  bool reachable_ = true;
  std::vector<std::vector<std::optional<Registers>>> behind_;  // by node, by slot
};

}  // namespace

Outcome inside_of(const Object& object, uint8_t bytes) {
  const Range inside{0, static_cast<Value>(object.size()) - 1};
  if (object.cell_bytes.empty()) return [inside](const ValueSet& offset) { return offset.meets(inside); };
  return [inside, bytes, &object](const ValueSet& offset) {
    bool admitted = false;
    offset.for_each_in(inside, [&](Value i) { admitted = admitted || object.admits(i, bytes); });
    return admitted;
  };
}

std::vector<ValueSet> cell_ranges(const Overlay& overlay, const Unfolding& unfolding) {
  return Propagation(overlay, unfolding).run();
}

}  // namespace fenceline::sat
