// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/ir/random_program.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>

#include "ir/builder.h"

namespace fenceline {
namespace {

constexpr uint32_t kArrayCount = 3;

constexpr int kWidths[] = {1, 2, 8, 33, 64, -1, -2, -8, -63};

class Generator {
 public:
  explicit Generator(Rng& rng) : rng_(rng), b_({"random.fl", ""}) {}

  Program run() {
    objects_.push_back(b_.object("x", {rng_.between(-1, 2)}, maybe_range(), pos()));
    objects_.push_back(b_.object("a", {0, 1, 2}, maybe_range(), pos(), true));
    objects_.push_back(b_.object("y", {0}, std::nullopt, pos()));
    objects_.push_back(b_.object("h", {0, 0, 0, 0, 0}, std::nullopt, pos(), true));
    b_.cell_bytes(objects_.back(), {4, 0, 1, 0, 2});
    if (rng_.chance(50)) b_.include({"queue.h", ""});
    files_ = static_cast<uint16_t>(rng_.chance(50) ? b_.include({"a/b.h", ""}) : 0);
    const uint64_t threads = 1 + rng_.below(2);
    for (uint64_t i = 0; i < threads; ++i) thread(fmt::format("P[{}]", i));
    property(PropertyKind::kNever);
    property(PropertyKind::kFinally);
    property(PropertyKind::kObservations);
    b_.property({"live", PropertyKind::kNoDeadlock, ExprId(), pos()});
    return b_.finish();
  }

 private:
  SourcePos pos() {
    ++line_;
    return {line_, 1 + static_cast<uint32_t>(rng_.below(80)), static_cast<uint16_t>(rng_.below(files_ + 1u))};
  }

  std::optional<Range> maybe_range() {
    if (rng_.chance(50)) return std::nullopt;
    return Range{-rng_.between(1, 4), rng_.between(2, 9)};
  }

  void thread(const std::string& name) {
    t_ = &b_.thread(name, pos());
    r_ = t_->reg("r", rng_.between(0, 2));
    s_ = t_->reg("s", 0, maybe_range());
    array_ = t_->reg_array("l", {0, 1, 2}, maybe_range());
    temp_ = t_->temp();
    marks_.clear();
    block(3, false);
    ids_.push_back(t_->id());
    all_marks_.push_back(marks_);
  }

  Value constant() {
    static constexpr Value kEnds[] = {std::numeric_limits<Value>::min(), std::numeric_limits<Value>::max()};
    if (rng_.chance(3)) return kEnds[rng_.below(2)];
    return rng_.chance(10) ? rng_.between(-70, 70) : rng_.between(-2, 4);
  }

  ExprId operator_tree(int depth, bool formula) {
    const auto sub = [&] { return expression(depth - 1, formula); };
    if (rng_.chance(15)) return b_.select(sub(), sub(), sub());
    const auto op = static_cast<ExprOp>(
        static_cast<uint64_t>(ExprOp::kNeg) +
        rng_.below(static_cast<uint64_t>(ExprOp::kSelect) - static_cast<uint64_t>(ExprOp::kNeg)));
    if (op == ExprOp::kWrap) return b_.wrap(sub(), kWidths[rng_.below(std::size(kWidths))]);
    return arity(op) == 1 ? b_.unary(op, sub()) : b_.binary(op, sub(), sub());
  }

  ExprId expression(int depth, bool formula = false) {
    if (depth > 0 && rng_.chance(60)) return operator_tree(depth, formula);
    if (rng_.chance(30)) return b_.constant(constant());
    if (formula) return formula_leaf(depth);
    if (rng_.chance(25)) return b_.reg_at(array_, kArrayCount, index(depth, kArrayCount));
    const RegId choices[] = {r_, s_, temp_, RegId(array_.index() + 1)};
    return b_.reg(choices[rng_.below(4)]);
  }

  ExprId formula_leaf(int depth) {
    const ThreadId thread = ids_[rng_.below(ids_.size())];
    switch (rng_.below(4)) {
      case 0:
        return b_.cell(objects_[1], index(depth, 3, true));
      case 1:
        return b_.thread_reg(thread, rng_.chance(50) ? r_ : s_);
      case 2:
        return b_.thread_reg_at(thread, array_, kArrayCount, index(depth, kArrayCount, true));
      default:
        break;
    }
    const auto& marks = all_marks_[thread.index()];
    return marks.empty() ? b_.constant(1) : b_.at(thread, marks[rng_.below(marks.size())]);
  }

  ExprId index(int depth, Value size, bool formula = false) {
    if (depth <= 0 || rng_.chance(60)) return b_.constant(rng_.between(0, size - (rng_.chance(5) ? 0 : 1)));
    return expression(depth - 1, formula);
  }

  Address address() {
    const ObjectId object = objects_[rng_.below(objects_.size())];
    static constexpr uint8_t kBytes[] = {0, 0, 1, 2, 4, 8};
    if (object == objects_[3]) return {object, index(2, 5), kBytes[rng_.below(std::size(kBytes))]};
    return {object, object == objects_[1] ? index(2, 3) : b_.constant(0)};
  }

  Dest dest() {
    if (rng_.chance(30)) return {array_, kArrayCount, index(2, kArrayCount)};
    const RegId choices[] = {r_, s_, temp_};
    return {choices[rng_.below(3)]};
  }

  void block(int depth, bool atomic) {
    const uint64_t length = 1 + rng_.below(5);
    for (uint64_t i = 0; i < length; ++i) statement(depth, atomic);
  }

  void statement(int depth, bool atomic) {
    const auto order = static_cast<MemoryOrder>(rng_.below(7));
    if (rng_.chance(10)) t_->operation(static_cast<uint32_t>(rng_.below(3)));
    switch (rng_.below(depth > 0 ? 14 : 9)) {
      case 0:
        t_->load(dest(), address(), pos(), order);
        break;
      case 1:
        t_->store(address(), expression(2), pos(), order);
        break;
      case 2: {
        const auto op = static_cast<RmwOp>(rng_.below(7));
        t_->rmw(op, rng_.chance(70) ? dest() : Dest(), address(), expression(1),
                is_cas(op) ? expression(1) : ExprId(), pos(), order);
        if (is_fetch(op) && rng_.chance(40)) t_->wrap_fetched(kWidths[rng_.below(std::size(kWidths))]);
        break;
      }
      case 3:
      case 4:
        t_->assign(dest(), expression(3), pos());
        break;
      case 5:
        t_->havoc(dest(), {-rng_.between(0, 2), rng_.between(0, 3)}, pos());
        break;
      case 6:
        t_->check(expression(2), pos(), rng_.chance(50) ? "a \"wrong\" turn" : "");
        if (rng_.chance(30)) t_->decides(pos());
        break;
      case 7: {
        const ExprId condition = b_.binary(ExprOp::kOr, expression(1), b_.constant(rng_.chance(80)));
        if (rng_.chance(30))
          t_->wait(condition, pos());
        else if (rng_.chance(30))
          t_->guess(condition, pos());
        else
          t_->assume(condition, pos());
        break;
      }
      case 8:
        if (atomic) break;
        if (rng_.chance(50))
          t_->fence(rng_.chance(5) ? FenceKinds::sync() : FenceKinds(static_cast<uint8_t>(rng_.below(16))),
                    pos());
        else
          marks_.push_back(t_->mark(fmt::format("m{}", marks_.size()), pos()));
        break;
      case 9:
        conditional(depth, atomic);
        break;
      case 10:
        loop(depth, atomic);
        break;
      case 11:
        choice(depth, atomic);
        break;
      case 12:
        if (atomic) break;
        t_->atomic_begin(pos());
        block(depth - 1, true);
        t_->atomic_end(pos());
        break;
      default:
        if (!atomic && rng_.chance(20)) t_->halt(pos(), rng_.chance(30));
        break;
    }
  }

  void conditional(int depth, bool atomic) {
    const auto yes = t_->label(), no = t_->label(), out = t_->label();
    t_->branch(expression(2), yes, no, pos());
    t_->bind(yes);
    block(depth - 1, atomic);
    t_->jump(out);
    t_->bind(no);
    if (rng_.chance(50)) block(depth - 1, atomic);
    t_->bind(out);
  }

  void loop(int depth, bool atomic) {
    if (atomic) return;
    const auto head = t_->label(), body = t_->label(), out = t_->label();
    t_->bind(head);
    t_->branch(expression(2), body, out, pos());
    t_->bind(body);
    block(depth - 1, atomic);
    t_->jump(head);
    t_->bind(out);
  }

  void choice(int depth, bool atomic) {
    std::vector<ThreadBuilder::Label> targets;
    const auto out = t_->label();
    for (uint64_t i = 0; i <= rng_.below(3); ++i) targets.push_back(t_->label());
    t_->choose(targets, pos());
    for (const auto target : targets) {
      t_->bind(target);
      block(depth - 1, atomic);
      t_->jump(out);
    }
    t_->bind(out);
  }

  void property(PropertyKind kind) {
    b_.property({fmt::format("p{}", line_), kind, expression(4, true), pos()});
  }

  Rng& rng_;
  ProgramBuilder b_;
  ThreadBuilder* t_ = nullptr;
  uint32_t line_ = 0;
  uint16_t files_ = 0;
  std::vector<ObjectId> objects_;
  std::vector<ThreadId> ids_;
  RegId r_, s_, array_, temp_;
  std::vector<ThreadBuilder::Label> marks_;
  std::vector<std::vector<ThreadBuilder::Label>> all_marks_;
};

}  // namespace

Program random_program(Rng& rng) { return Generator(rng).run(); }

}  // namespace fenceline
