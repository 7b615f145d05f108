// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/thread_nodes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/executions/pointer_flow.h"
#include "ir/walk.h"

namespace fenceline::executions {
namespace {

// A pointer with a constant offset, as an address.
struct Field {
  ObjectId object;
  Value offset = 0;

  friend auto operator<=>(const Field&, const Field&) = default;
};

class NodeSearch {
 public:
  NodeSearch(const Overlay& overlay, const AccessedCells& accessed, const ThreadGroup& group,
             const std::vector<BitSet>& own, ThreadId starter)
      : overlay_(overlay),
        program_(overlay.program()),
        accessed_(accessed),
        group_(group),
        own_(own),
        starter_(starter),
        initial_(program_.initial_memory()) {}

  std::optional<ThreadNodes> run() {
    if (!find_arguments()) return std::nullopt;
    PointerFlow flow(overlay_, accessed_, arguments_);
    flow_ = &flow;
    // Fields are found by following pointers, and pointers by following fields.
    size_t known = 0;
    do {
      known = fields_.size();
      flow.run(corresponding_cells());
      find_fields();
    } while (fields_.size() > known);
    flow.run(corresponding_cells());
    if (!is_renamed_alike() || !cells_correspond()) return std::nullopt;
    result_.pointer_cells = flow.cells();
    return result_;
  }

 private:
  bool is_constant(ExprId id) const { return program_.expr(id).op == ExprOp::kConst; }

  // In one cell of each thread, the starter stores another constant than in those of the others.
  bool find_arguments() {
    for (const Point point : group_.differ) {
      std::vector<Value> values;
      BitSet cells;
      for (size_t member = 0; member < own_.size(); ++member)
        if (const std::optional<Value> value = stored_in(accessed_.at(group_.threads[member], point))) {
          values.push_back(*value);
          cells |= accessed_.at(group_.threads[member], point);
        }
      const std::set<Value> different(values.begin(), values.end());
      if (different.size() <= 1 || cells.subset_of(arguments_)) continue;
      if (values.size() != own_.size() || different.size() != values.size() || different.contains(0) ||
          !arguments_.empty())
        return false;
      result_.pointers = values;
      arguments_ = cells;
    }
    return !arguments_.empty();
  }

  std::optional<Value> stored_in(const BitSet& cells) const {
    for (size_t p = 0; p < overlay_.points(starter_); ++p) {
      const Instruction& i = overlay_.at(starter_, Point(p));
      if (i.kind == InstrKind::kStore && is_constant(i.a) && accessed_.at(starter_, Point(p)).meets(cells))
        return program_.expr(i.a).imm;
    }
    return std::nullopt;
  }

  bool is_node_pointer(Value value) const {
    return std::find(result_.pointers.begin(), result_.pointers.end(), value) != result_.pointers.end();
  }

  // ---- Addresses

  // The address is a register that holds pointers, perhaps with a constant added.
  std::optional<Field> field_of(ThreadId thread, const Address& address) const {
    const Expr& e = program_.expr(address.offset);
    const auto is_pointer = [&](ExprId id) {
      return program_.expr(id).op == ExprOp::kReg && flow_->is_pointer(thread, id);
    };
    if (is_pointer(address.offset)) return Field{address.object, 0};
    if (e.op != ExprOp::kAdd) return std::nullopt;
    if (is_pointer(e.a) && is_constant(e.b)) return Field{address.object, program_.expr(e.b).imm};
    if (is_pointer(e.b) && is_constant(e.a)) return Field{address.object, program_.expr(e.a).imm};
    return std::nullopt;
  }

  std::optional<size_t> cell_of(const Field& field, Value pointer) const {
    const Object& object = program_.object(field.object);
    if (pointer < 0 || field.offset < 0 || pointer > object.size() || field.offset > object.size() ||
        !object.admits(pointer + field.offset, 0))
      return std::nullopt;
    return object.first_cell.index() + static_cast<size_t>(pointer + field.offset);
  }

  template <typename Visit>
  void for_each_instruction(const Visit& visit) const {
    for (size_t t = 0; t < program_.threads.size(); ++t)
      for (size_t p = 0; p < overlay_.points(ThreadId(t)); ++p) visit(ThreadId(t), Point(p));
  }

  void find_fields() {
    for_each_instruction([&](ThreadId thread, Point point) {
      const Instruction& i = overlay_.at(thread, point);
      if (!i.is_memory_access()) return;
      if (const std::optional<Field> field = field_of(thread, i.address)) fields_.insert(*field);
    });
  }

  std::vector<BitSet> corresponding_cells() const {
    std::vector<BitSet> result;
    for (const Field& field : fields_) {
      BitSet& cells = result.emplace_back();
      for (const Value pointer : result_.pointers)
        if (const std::optional<size_t> cell = cell_of(field, pointer)) cells.add(*cell);
    }
    return result;
  }

  // ---- Does all code do the same with renamed pointers?

  bool is_renamed_alike() {
    bool alike = true;
    for_each_instruction([&](ThreadId thread, Point point) {
      alike = alike && is_renamed_alike(thread, overlay_.at(thread, point), accessed_.at(thread, point));
    });
    return alike && initial_values_are_fixed();
  }

  bool is_renamed_alike(ThreadId thread, const Instruction& i, const BitSet& cells) {
    if (i.is_memory_access() && !field_of(thread, i.address) && mentions_pointer(thread, i.address.offset))
      return false;
    for (const ExprId id : {i.a, i.b})
      if (id.valid() && !is_renamed_alike(thread, id)) return false;
    if (i.dest.is_element() && mentions_pointer(thread, i.dest.index)) return false;
    const bool moves_pointers = (i.is_memory_access() && cells.meets(flow_->cells())) ||
                                (i.dest.valid() && flow_->registers(thread).has(i.dest.reg.index()));
    if (!moves_pointers) return true;
    if (i.kind == InstrKind::kHavoc || (i.kind == InstrKind::kRmw && is_fetch(i.rmw))) return false;
    // It gets 0 or 1, which are numbers.
    if (i.kind == InstrKind::kRmw && i.rmw == RmwOp::kCas && i.dest.valid() &&
        flow_->registers(thread).has(i.dest.reg.index()))
      return false;
    if (i.dest.is_element() ||
        (i.dest.valid() && program_.thread(thread).registers[i.dest.reg.index()].declared))
      return false;
    const Object* object = i.is_memory_access() ? &program_.object(i.address.object) : nullptr;
    if (object != nullptr && (object->declared || object->stamp || object->transactional)) return false;
    // The constants that become pointers, or are compared with them.
    if (thread == starter_ && i.kind == InstrKind::kStore && cells.subset_of(arguments_)) return true;
    for (const ExprId id : {i.a, i.b})
      if (id.valid() && (!is_copy(id) || !fix_constants(id))) return false;
    return true;
  }

  bool mentions_pointer(ThreadId thread, ExprId id) const {
    bool found = false;
    for_each_expr(program_, id, [&](const Expr& e) {
      for (uint32_t r = 0; r < e.count && (e.op == ExprOp::kReg || e.op == ExprOp::kRegAt); ++r)
        found = found || flow_->registers(thread).has(e.reg.index() + r);
    });
    return found;
  }

  // Pointers are copied, compared for equality, and tested.
  bool is_renamed_alike(ThreadId thread, ExprId id) {
    const Expr& e = program_.expr(id);
    if (!mentions_pointer(thread, id)) return true;
    switch (class_of(e.op)) {
      case OperatorClass::kLeaf:
        return e.op == ExprOp::kReg;
      case OperatorClass::kEqual:
        if ((flow_->is_pointer(thread, e.a) || flow_->is_pointer(thread, e.b)) &&
            (!is_copy(e.a) || !is_copy(e.b) || !fix_constants(e.a) || !fix_constants(e.b)))
          return false;
        return is_renamed_alike(thread, e.a) && is_renamed_alike(thread, e.b);
      case OperatorClass::kNot:
        return is_renamed_alike(thread, e.a);
      case OperatorClass::kLazy:
        return is_renamed_alike(thread, e.a) && is_renamed_alike(thread, e.b);
      case OperatorClass::kSelect:
        if (flow_->is_pointer(thread, id) && (!is_copy(id) || !fix_constants(id))) return false;
        return is_renamed_alike(thread, e.a) && is_renamed_alike(thread, e.b) &&
               is_renamed_alike(thread, e.c);
      case OperatorClass::kNeg:
      case OperatorClass::kBitNot:
      case OperatorClass::kWrap:
      case OperatorClass::kAdd:
      case OperatorClass::kSub:
      case OperatorClass::kMul:
      case OperatorClass::kDivide:
      case OperatorClass::kLess:
      case OperatorClass::kGreater:
      case OperatorClass::kUnsignedLess:
      case OperatorClass::kBitwise:
      case OperatorClass::kModular:
      case OperatorClass::kShift:
        break;
    }
    // The operands may be results of comparisons, which are numbers.
    for (const ExprId operand : Operands(e))
      if (!is_number(thread, operand)) return false;
    return true;
  }

  // It may depend on pointers, but is none.
  bool is_number(ThreadId thread, ExprId id) {
    if (!mentions_pointer(thread, id)) return true;
    const OperatorClass c = class_of(program_.expr(id).op);
    if (c == OperatorClass::kLeaf || c == OperatorClass::kSelect) return false;
    return is_renamed_alike(thread, id);
  }

  // One of some registers and constants.
  bool is_copy(ExprId id) const {
    const Expr& e = program_.expr(id);
    if (e.op == ExprOp::kSelect) return is_copy(e.b) && is_copy(e.c);
    return e.op == ExprOp::kConst || e.op == ExprOp::kReg;
  }

  // Constants that are used as pointers are not renamed.
  bool fix_constants(ExprId id) {
    bool fixed = true;
    flow_->for_each_source(id, [&](const Expr& e) {
      if (e.op == ExprOp::kConst) fixed = fix(e.imm) && fixed;
    });
    return fixed;
  }
  bool fix(Value value) {
    fixed_.insert(value);
    return !is_node_pointer(value);
  }

  bool initial_values_are_fixed() {
    bool fixed = true;
    flow_->cells().for_each([&](size_t cell) { fixed = fix(initial_[cell]) && fixed; });
    for (size_t t = 0; t < program_.threads.size(); ++t)
      flow_->registers(ThreadId(t)).for_each([&](size_t reg) {
        fixed = fix(program_.threads[t].registers[reg].init) && fixed;
      });
    return fixed;
  }

  // ---- The nodes

  bool cells_correspond() {
    BitSet nodes;
    result_.cells.resize(result_.pointers.size());
    for (const Field& field : fields_) {
      const std::optional<size_t> first = cell_of(field, result_.pointers.front());
      for (size_t member = 0; member < result_.pointers.size(); ++member) {
        const std::optional<size_t> cell = cell_of(field, result_.pointers[member]);
        if (!cell || !first || nodes.has(*cell) || initial_[*cell] != initial_[*first] ||
            bytes_at(field, result_.pointers[member]) != bytes_at(field, result_.pointers.front()))
          return false;
        nodes.add(*cell);
        result_.cells[member].emplace_back(*cell);
      }
    }
    // A pointer that is not renamed leads to none of them.
    for (const Field& field : fields_)
      for (const Value pointer : fixed_)
        if (const std::optional<size_t> cell = cell_of(field, pointer); cell && nodes.has(*cell))
          return false;
    bool by_pointers = true;
    for_each_instruction([&](ThreadId thread, Point point) {
      const Instruction& i = overlay_.at(thread, point);
      by_pointers = by_pointers && (!i.is_memory_access() || field_of(thread, i.address) ||
                                    !accessed_.at(thread, point).meets(nodes));
    });
    for (const BitSet& own : own_) by_pointers = by_pointers && !own.meets(nodes);
    return by_pointers;
  }

  size_t bytes_at(const Field& field, Value pointer) const {
    const Object& object = program_.object(field.object);
    return object.cell_bytes.empty() ? 0 : object.cell_bytes[static_cast<size_t>(pointer + field.offset)];
  }

  const Overlay& overlay_;
  const Program& program_;
  const AccessedCells& accessed_;
  const ThreadGroup& group_;
  const std::vector<BitSet>& own_;
  const ThreadId starter_;
  const std::vector<Value> initial_;
  BitSet arguments_;  // the cells
  const PointerFlow* flow_ = nullptr;
  std::set<Field> fields_;
  std::set<Value> fixed_;  // pointers that are not renamed
  ThreadNodes result_;
};

}  // namespace

std::optional<ThreadNodes> thread_nodes(const Overlay& overlay, const AccessedCells& accessed,
                                        const ThreadGroup& group, const std::vector<BitSet>& own,
                                        ThreadId starter) {
  return NodeSearch(overlay, accessed, group, own, starter).run();
}

}  // namespace fenceline::executions
