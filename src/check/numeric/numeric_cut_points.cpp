// SPDX-License-Identifier: GPL-3.0-or-later
//
// Say that a state of the machine is completed when every thread has executed its local instructions up to a cut point.
// The checker shows that all completions of all reachable states are subsumed, by induction over the steps of
// the machine:
//
//   - a local step leads to a state whose completions are among those of the state before;
//   - a step at a cut point, and a flush, can be done after the others have been completed just as well as before,
//     because what is local neither reads what others write nor writes what others read, and appends to a
//     buffer from which others take only the other end. The exception is `sync`, which tests whether the
//     buffers of others are empty: in programs that have it, pending stores are no local steps;
//   - a completion exists, because no cycle is without a cut point.
//
// It remains to show that a bad state has a bad completion. Errors have: they are found during the completion.
// So have final states, which are their own completions. For never and always the formula looks at any state.
// Memory does not change by completing (stores that go to memory at once and that the formula could see are no
// local steps). For the other formulas:
//
//   - labels: a thread that comes to a label while it is completed makes at(label) true. If the formula only
//     gets worse by that, fine. Otherwise all that leads to the label must be a cut point;
//   - registers: the best is if whatever writes a register of the formula is a cut point. If it is none, then the
//     states between the cut point before and it have a completion in which the register is another one.
//     But if nothing that others or the formula could observe has happened in between, and neither was the
//     step at the cut point of that kind, then the thread could as well have waited at that cut point, and
//     the state in which it did is just as bad. (That state has at(label) for the cut point, which again must
//     only make it worse.)
#include "check/numeric/numeric_cut_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/graph.h"
#include "check/statespace/certificate_steps.h"
#include "ir/analysis/constructs.h"
#include "ir/walk.h"

namespace fenceline::check {
namespace {

enum class Effect : uint8_t { kWorse, kBetter, kAny };  // of a label becoming true, on the formula

Effect reversed(Effect effect) {
  return effect == Effect::kAny ? effect : effect == Effect::kWorse ? Effect::kBetter : Effect::kWorse;
}

// What a formula looks at.
struct Monitored {
  std::vector<std::vector<bool>> cells;      // by object and offset
  std::vector<std::vector<bool>> registers;  // by thread and register
  std::vector<std::vector<bool>> labels;     // by thread and point of the program
  std::vector<std::vector<bool>> repairing;  // of these: those that may make it better
  bool labels_only_worsen = true;
  bool failing = false;  // it may have no value, and labels may decide about that
};

class FormulaReader {
 public:
  FormulaReader(const Program& program, Monitored& monitored) : program_(program), monitored_(monitored) {}

  // As a condition, 0 or not.
  void truth(ExprId id, Effect effect) {
    const Expr& e = program_.expr(id);
    if (e.op == ExprOp::kAt) {
      monitored_.labels[e.thread.index()][e.point.index()] = true;
      if (effect == Effect::kWorse) return;
      monitored_.repairing[e.thread.index()][e.point.index()] = true;
      monitored_.labels_only_worsen = false;
      return;
    }
    switch (class_of(e.op)) {
      case OperatorClass::kNot:
        return truth(e.a, reversed(effect));
      case OperatorClass::kLazy:
        truth(e.a, effect);
        return truth(e.b, effect);
      case OperatorClass::kSelect:
        truth(e.a, Effect::kAny);
        truth(e.b, effect);
        return truth(e.c, effect);
      case OperatorClass::kLess:
        value(e.a, reversed(effect));
        return value(e.b, effect);
      case OperatorClass::kGreater:
        value(e.a, effect);
        return value(e.b, reversed(effect));
      case OperatorClass::kLeaf:
      case OperatorClass::kNeg:
      case OperatorClass::kBitNot:
      case OperatorClass::kWrap:
      case OperatorClass::kAdd:
      case OperatorClass::kSub:
      case OperatorClass::kMul:
      case OperatorClass::kDivide:
      case OperatorClass::kEqual:
      case OperatorClass::kUnsignedLess:
      case OperatorClass::kBitwise:
      case OperatorClass::kShift:
      case OperatorClass::kModular:
        break;
    }
    return value(id, Effect::kAny);
  }

 private:
  // As a number: the effect is that of its becoming larger.
  void value(ExprId id, Effect effect) {
    const Expr& e = program_.expr(id);
    if (e.op == ExprOp::kAt) return truth(id, effect);
    switch (class_of(e.op)) {
      case OperatorClass::kNot:
      case OperatorClass::kLazy:
      case OperatorClass::kLess:
      case OperatorClass::kGreater:
        return truth(id, effect);
      case OperatorClass::kAdd:
        value(e.a, effect);
        return value(e.b, effect);
      case OperatorClass::kSub:
        value(e.a, effect);
        return value(e.b, reversed(effect));
      case OperatorClass::kLeaf:
        leaf(e);
        break;
      case OperatorClass::kDivide:
      case OperatorClass::kShift:
        may_fail();
        break;
      case OperatorClass::kNeg:
      case OperatorClass::kBitNot:
      case OperatorClass::kWrap:
      case OperatorClass::kMul:
      case OperatorClass::kEqual:
      case OperatorClass::kUnsignedLess:
      case OperatorClass::kBitwise:
      case OperatorClass::kModular:
      case OperatorClass::kSelect:
        break;
    }
    // What is not understood: labels must not matter.
    for (const ExprId operand : Operands(e)) value(operand, Effect::kAny);
  }

  void leaf(const Expr& e) {
    if (e.op == ExprOp::kThreadReg) monitored_.registers[e.thread.index()][e.reg.index()] = true;
    if (e.op == ExprOp::kThreadRegAt)
      for (uint32_t i = 0; i < e.count; ++i) monitored_.registers[e.thread.index()][e.reg.index() + i] = true;
    if (e.op == ExprOp::kCell) monitor(monitored_.cells[e.object.index()], program_.expr(e.a));
    if (arity(e.op) == 1 && program_.expr(e.a).op != ExprOp::kConst) may_fail();  // the index
  }

  void may_fail() {
    monitored_.failing = true;
    monitored_.labels_only_worsen = false;
  }
  static void monitor(std::vector<bool>& cells, const Expr& offset) {
    for (size_t i = 0; i < cells.size(); ++i)
      if (offset.op != ExprOp::kConst || offset.imm == static_cast<Value>(i)) cells[i] = true;
  }

  const Program& program_;
  Monitored& monitored_;
};

class CutPointChecker {
 public:
  CutPointChecker(const Task& task, const Overlay& overlay, const NumericCertificate& certificate)
      : task_(task),
        program_(task.program),
        overlay_(overlay),
        certificate_(certificate),
        has_sync_(has_sync(overlay)) {
    for (const Object& object : program_.objects) monitored_.cells.emplace_back(object.size(), false);
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      monitored_.registers.emplace_back(program_.threads[t].registers.size(), false);
      monitored_.labels.emplace_back(overlay.points(ThreadId(t)), false);
      monitored_.repairing.emplace_back(overlay.points(ThreadId(t)), false);
      inside_.push_back(inside_sections_of(overlay, ThreadId(t)));
    }
    const PropertyKind kind = task.property.kind;
    if (kind == PropertyKind::kNever || kind == PropertyKind::kAlways)
      FormulaReader(program_, monitored_)
          .truth(task.property.formula, kind == PropertyKind::kNever ? Effect::kWorse : Effect::kBetter);
  }

  void check() const {
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      const ThreadId thread(t);
      need_cut_points_on_cycles(thread);
      const std::vector<std::vector<Point>> before = predecessors(thread);
      for (size_t p = 0; p < overlay_.points(thread); ++p) {
        const Point point(p);
        if (inside_[t][p]) continue;
        if (!is_cut_point(thread, point) && !is_local(thread, overlay_.at(thread, point)))
          complain(thread, point,
                   "other threads may observe it or be observed by it, and it is no cut point");
        if (monitored_.labels[t][p]) check_label(thread, point, before);
        if (!is_cut_point(thread, point) && writes_monitored(thread, overlay_.at(thread, point)))
          check_writer(thread, point, before);
      }
    }
  }

 private:
  bool is_cut_point(ThreadId thread, Point point) const {
    return certificate_.cut_points[thread.index()][point.index()];
  }

  [[noreturn]] void complain(ThreadId thread, Point point, const char* what) const {
    throw NotProved{fmt::format("{}, point {}: {}", program_.thread(thread).name, point.index(), what)};
  }

  std::vector<std::vector<Point>> predecessors(ThreadId thread) const {
    std::vector<std::vector<Point>> before(overlay_.points(thread));
    for (size_t p = 0; p < before.size(); ++p)
      for (size_t slot = 0; slot < overlay_.at(thread, Point(p)).next.size(); ++slot)
        before[overlay_.next(thread, Point(p), slot).index()].push_back(Point(p));
    return before;
  }

  void need_cut_points_on_cycles(ThreadId thread) const {
    std::vector<std::vector<uint32_t>> graph(overlay_.points(thread));
    for (size_t p = 0; p < graph.size(); ++p) {
      if (is_cut_point(thread, Point(p))) continue;
      for (size_t slot = 0; slot < overlay_.at(thread, Point(p)).next.size(); ++slot) {
        const Point next = overlay_.next(thread, Point(p), slot);
        if (!is_cut_point(thread, next)) graph[p].push_back(next.value());
      }
    }
    if (!cyclic_components(graph).empty())
      throw NotProved{fmt::format("{} has a cycle without a cut point", program_.thread(thread).name)};
  }

  // What is checked when it executes (fences that find pending stores, assumptions, errors) is local here.
  bool is_local(ThreadId thread, const Instruction& i) const {
    const bool buffered = task_.model.buffering != Buffering::kUnbuffered;
    const bool smashed = i.is_memory_access() && certificate_.smashed[i.address.object.index()].has_value();
    switch (class_of(i.kind)) {
      case InstrClass::kRmw:
      case InstrClass::kAtomicBegin:
      case InstrClass::kAtomicEnd:
      case InstrClass::kHalt:
        return false;
      case InstrClass::kFence:
        return !buffered || !i.fence.has_process_wide();
      case InstrClass::kLoad:
        return smashed || !others_access(thread, i.address, false);
      case InstrClass::kStore:
        if (smashed) return true;
        if (buffered) return !has_sync_;
        return !others_access(thread, i.address, true) && !writes_monitored_cell(i.address);
      case InstrClass::kLocal:
        break;
    }
    return true;
  }

  // Can another thread write the cell, or read it?
  bool others_access(ThreadId thread, const Address& address, bool reads_too) const {
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      if (t == thread.index()) continue;
      for (const Instruction& i : program_.threads[t].code)
        if ((i.writes_memory() || (reads_too && i.reads_memory())) && may_meet(i.address, address))
          return true;
    }
    return false;
  }

  bool may_meet(const Address& a, const Address& b) const {
    if (a.object != b.object) return false;
    const Expr &x = program_.expr(a.offset), &y = program_.expr(b.offset);
    return x.op != ExprOp::kConst || y.op != ExprOp::kConst || x.imm == y.imm;
  }

  bool writes_monitored_cell(const Address& address) const {
    const std::vector<bool>& cells = monitored_.cells[address.object.index()];
    const Expr& offset = program_.expr(address.offset);
    for (size_t i = 0; i < cells.size(); ++i)
      if (cells[i] && (offset.op != ExprOp::kConst || offset.imm == static_cast<Value>(i))) return true;
    return false;
  }

  bool writes_monitored(ThreadId thread, const Instruction& i) const {
    const bool writes = i.kind == InstrKind::kLoad || i.kind == InstrKind::kRmw ||
                        i.kind == InstrKind::kAssign || i.kind == InstrKind::kHavoc;
    if (!writes || !i.dest.valid()) return false;
    const auto first = monitored_.registers[thread.index()].begin() + i.dest.reg.value();
    return std::find(first, first + (i.dest.is_element() ? i.dest.count : 1), true) !=
           first + (i.dest.is_element() ? i.dest.count : 1);
  }

  void check_label(ThreadId thread, Point point, const std::vector<std::vector<Point>>& before) const {
    if (!is_cut_point(thread, point))
      complain(thread, point, "the formula refers to this label, and it is no cut point");
    if (!monitored_.failing && !monitored_.repairing[thread.index()][point.index()]) return;
    for (const Point from : before[point.index()])
      if (!is_cut_point(thread, from) && !inside_[thread.index()][from.index()])
        complain(thread, from, "it leads to a label that the formula refers to, and is no cut point");
  }

  // Backwards from the writer to all cut points from which it is reached by local steps.
  void check_writer(ThreadId thread, Point writer, const std::vector<std::vector<Point>>& before) const {
    const auto reject = [&] {
      complain(thread, writer, "it writes a register of the formula, and is no cut point");
    };
    if (!monitored_.labels_only_worsen) reject();
    std::vector<bool> seen(before.size(), false);
    std::vector<Point> open{writer};
    seen[writer.index()] = true;
    while (!open.empty()) {
      const Point point = open.back();
      open.pop_back();
      if (point == program_.thread(thread).entry) reject();  // there is no cut point to wait at
      for (const Point from : before[point.index()]) {
        const Instruction& i = overlay_.at(thread, from);
        if (i.writes_memory() || inside_[thread.index()][from.index()] || writes_monitored(thread, i))
          reject();
        if (is_cut_point(thread, from) || seen[from.index()]) continue;
        seen[from.index()] = true;
        open.push_back(from);
      }
    }
  }

  const Task& task_;
  const Program& program_;
  const Overlay& overlay_;
  const NumericCertificate& certificate_;
  Monitored monitored_;
  std::vector<std::vector<bool>> inside_;  // by thread and point: inside an atomic section
  const bool has_sync_;
};

}  // namespace

void need_right_cut_points(const Task& task, const Overlay& overlay, const NumericCertificate& certificate) {
  CutPointChecker(task, overlay, certificate).check();
}

}  // namespace fenceline::check
