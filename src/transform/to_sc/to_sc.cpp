// SPDX-License-Identifier: GPL-3.0-or-later
#include "transform/to_sc/to_sc.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "env/errors.h"
#include "ir/builder.h"
#include "transform/to_sc/thread_to_sc.h"

namespace fenceline::transform {
namespace {

std::vector<FlushPoint> flush_points_of(const Overlay& overlay, const EmptyBuffers& empty) {
  std::vector<FlushPoint> points;
  for (size_t t = 0; t < overlay.program().threads.size(); ++t) {
    const std::vector<bool> inside = inside_atomic(overlay, ThreadId(t));
    for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p)
      if (!inside[p] && !empty.all_empty(ThreadId(t), Point(p))) points.push_back({ThreadId(t), Point(p)});
  }
  return points;
}

// Most of the code is for flushing: so much for each slot of each buffer, wherever stores may be pending.
void require_reasonable_size(const Overlay& overlay, const EmptyBuffers& empty, unsigned slots) {
  constexpr uint64_t kMaxInstructions = 1'000'000;
  uint64_t instructions = 0;
  for (size_t t = 0; t < overlay.program().threads.size(); ++t)
    for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p)
      instructions += empty.pending(ThreadId(t), Point(p)).size() * (2 * uint64_t{slots} + 6);
  if (instructions > kMaxInstructions)
    throw Unsupported(
        fmt::format("the reduced program would have more than {} instructions: too many cells "
                    "may have pending stores at too many points",
                    kMaxInstructions));
}

class Reducer {
 public:
  Reducer(const Program& program, const FenceSet& fences, Buffering buffering, unsigned slots)
      : program_(program),
        overlay_(program, fences),
        accessed_(program),
        empty_(overlay_, accessed_, buffering),
        builder_(program.source),
        copy_(program, builder_),
        all_{overlay_, accessed_, empty_, buffering, builder_, copy_, {}, {}, {}},
        slots_(slots) {}

  ReducedProgram run(const Property& property, const std::set<FlushPoint>& refinements) {
    require_reasonable_size(overlay_, empty_, slots_);
    ReducedProgram reduced;
    reduced.flushes = flush_points_of(overlay_, empty_);
    for (const SourceFile& file : program_.included) builder_.include(file);
    copy_objects();
    declare_variables(reduced, refinements);
    for (size_t t = 0; t < program_.threads.size(); ++t) translate(ThreadId(t));
    reduced.property = property;
    if (has_formula(property.kind)) reduced.property.formula = formula(property.formula);
    reduced.overflow_property = overflow_property();
    builder_.property(reduced.property);
    builder_.property(reduced.overflow_property);
    note_points();
    for (const FlushPoint& point : reduced.flushes) {
      const auto variable = all_.remembered.find({point.thread, point.point});
      reduced.remembered.push_back(variable == all_.remembered.end() ? ObjectId() : variable->second);
    }
    reduced.buffers = all_.buffers;
    reduced.program = builder_.finish();
    dress(reduced.program);
    find_origins(reduced);
    return reduced;
  }

 private:
  using Label = ThreadBuilder::Label;

  void copy_objects() {
    for (const Object& object : program_.objects) {
      const ObjectId id =
          builder_.object(object.name, object.init, object.declared, object.pos, object.is_array);
      builder_.cell_bytes(id, object.cell_bytes);
    }
  }

  void declare_variables(ReducedProgram& reduced, const std::set<FlushPoint>& refinements) {
    for (size_t t = 0; t < program_.threads.size(); ++t)
      all_.buffers.push_back(
          declare_buffers(builder_, overlay_, empty_, all_.buffering, ThreadId(t), slots_));
    for (const FlushPoint& point : refinements) {
      require(std::binary_search(reduced.flushes.begin(), reduced.flushes.end(), point),
              "a refinement where nothing is flushed");
      const std::string name =
          fmt::format("b.{}.{}", program_.thread(point.thread).name, point.point.value());
      all_.remembered[{point.thread, point.point}] =
          builder_.object(name, {0}, Range{0, 1}, overlay_.at(point.thread, point.point).pos);
    }
    if (all_.buffering == Buffering::kUnbuffered) return;
    all_.overflow = builder_.object(unused("overflow"), {0}, Range{0, 1}, SourcePos());
    reduced.overflow = all_.overflow;
  }

  std::string unused(std::string name) const {
    const auto taken = [&] {
      return std::any_of(program_.objects.begin(), program_.objects.end(),
                         [&](const Object& object) { return object.name == name; });
    };
    while (taken()) name += '_';
    return name;
  }

  void translate(ThreadId id) {
    const Thread& thread = program_.thread(id);
    ThreadBuilder& t = builder_.thread(thread.name, thread.pos);
    for (const Register& reg : thread.registers) t.reg(reg.name, reg.init, reg.declared);
    ThreadToSc translation(all_, id, t);
    translation.run();
    locations_.push_back(translation.locations());
    starts_.push_back(translation.starts());
    temporaries_.push_back(translation.temporaries());
  }

  // The formula of a property, with program counters of the reduced program.
  ExprId formula(ExprId id) {
    const Expr& e = program_.expr(id);
    const unsigned operands = arity(e.op);
    const ExprId a = operands > 0 ? formula(e.a) : ExprId();
    const ExprId b = operands > 1 ? formula(e.b) : ExprId();
    switch (shape_of(e.op)) {
      case ExprShape::kConst:
        return builder_.constant(e.imm);
      case ExprShape::kCell:
        return builder_.cell(e.object, a);
      case ExprShape::kThreadReg:
        return builder_.thread_reg(e.thread, e.reg);
      case ExprShape::kThreadRegAt:
        return builder_.thread_reg_at(e.thread, e.reg, e.count, a);
      case ExprShape::kAt:
        return is_at(e.thread, e.point);
      case ExprShape::kWrap:
        return builder_.wrap(a, static_cast<int>(e.imm));
      case ExprShape::kSelect:
        return builder_.select(a, b, formula(e.c));
      case ExprShape::kReg:
      case ExprShape::kRegAt:
      case ExprShape::kUnary:
      case ExprShape::kBinary:
      case ExprShape::kLazy:
        break;
    }
    return operands == 1 ? builder_.unary(e.op, a) : builder_.binary(e.op, a, b);
  }

  ExprId is_at(ThreadId thread, Point point) {
    ExprId any;
    for (const Label label : locations_[thread.index()][point.index()]) {
      const ExprId here = builder_.at(thread, label);
      any = any.valid() ? builder_.binary(ExprOp::kOr, any, here) : here;
    }
    return any.valid() ? any : builder_.constant(0);
  }

  Property overflow_property() {
    const ExprId set = all_.overflow.valid()
                           ? builder_.binary(ExprOp::kEq, builder_.cell(all_.overflow, builder_.constant(0)),
                                             builder_.constant(1))
                           : builder_.constant(0);
    return {"overflow", PropertyKind::kNever, set, SourcePos()};
  }

  // Only the builder has the points of labels; it gives them as expressions.
  void note_points() {
    for (size_t t = 0; t < locations_.size(); ++t)
      for (size_t p = 0; p < locations_[t].size(); ++p) {
        if (!starts_[t][p].valid()) continue;
        noted_.push_back({{ThreadId(t), Point(p)}, builder_.at(ThreadId(t), starts_[t][p]), true});
        for (const Label label : locations_[t][p])
          noted_.push_back({{ThreadId(t), Point(p)}, builder_.at(ThreadId(t), label), false});
      }
  }

  // What a builder does not set.
  void dress(Program& program) const {
    for (size_t i = 0; i < program_.objects.size(); ++i) {
      program.objects[i].cell_names = program_.objects[i].cell_names;
      program.objects[i].cell_contents = program_.objects[i].cell_contents;
    }
    program.value_names = program_.value_names;
    program.thread_cells = program_.thread_cells;
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      const std::vector<Register>& before = program_.threads[t].registers;
      std::vector<Register>& now = program.threads[t].registers;
      for (size_t r = 0; r < before.size(); ++r) now[r].temporary = before[r].temporary;
      for (size_t r = before.size(); r < now.size(); ++r) now[r].name = temporaries_[t][r - before.size()];
    }
  }

  // A point without a label lies inside an atomic section, behind one that has one.
  void find_origins(ReducedProgram& reduced) const {
    for (const Thread& thread : reduced.program.threads) reduced.origins.emplace_back(thread.code.size());
    reduced.choices.resize(reduced.flushes.size());
    std::vector<FlushPoint> todo;  // points of the reduced program
    for (const Noted& noted : noted_) {
      const Expr& expr = reduced.program.expr(noted.at);
      require(expr.op == ExprOp::kAt, "a reachable point is missing");
      reduced.origins[expr.thread.index()][expr.point.index()] = noted.point.point;
      todo.push_back({expr.thread, expr.point});
      const auto flush = std::lower_bound(reduced.flushes.begin(), reduced.flushes.end(), noted.point);
      if (noted.start && flush != reduced.flushes.end() && *flush == noted.point)
        reduced.choices[static_cast<size_t>(flush - reduced.flushes.begin())] = expr.point;
    }
    while (!todo.empty()) {
      const FlushPoint here = todo.back();
      todo.pop_back();
      std::vector<Point>& origins = reduced.origins[here.thread.index()];
      for (const Point next : reduced.program.thread(here.thread).at(here.point).next) {
        if (origins[next.index()].valid()) continue;
        origins[next.index()] = origins[here.point.index()];
        todo.push_back({here.thread, next});
      }
    }
  }

  struct Noted {
    FlushPoint point;  // of the Overlay
    ExprId at;
    bool start;
  };

  const Program& program_;
  const Overlay overlay_;
  const AccessedCells accessed_;
  const EmptyBuffers empty_;
  ProgramBuilder builder_;
  ExprCopy copy_;
  ReductionToSc all_;
  const unsigned slots_;
  std::vector<std::vector<std::vector<Label>>> locations_;  // by thread, by point of the Overlay
  std::vector<std::vector<Label>> starts_;
  std::vector<std::vector<std::string>> temporaries_;
  std::vector<Noted> noted_;
};

}  // namespace

std::string reduction_unsupported(const Program& program, const MemoryModel& model,
                                  const Property& property) {
  if (model.buffering == Buffering::kNoMachine)
    return fmt::format("does not support the model {}: it has no store buffers", model.name);
  if (property.kind == PropertyKind::kNoDeadlock)
    return "does not support deadlocks: a thread that waits for its buffer is blocked in the reduced program";
  if (property.kind == PropertyKind::kLiveness)
    return "does not support liveness: a thread that waits for its buffer is blocked in the reduced program";
  if (looks_at_history(property.kind)) return "does not support histories of transactions";
  for (const Object& object : program.objects)
    if (object.transactional) return "does not support transactional memories";
  return "";
}

std::vector<FlushPoint> flush_points(const Program& program, const FenceSet& fences,
                                     const MemoryModel& model) {
  const Overlay overlay(program, fences);
  const AccessedCells accessed(program);
  return flush_points_of(overlay, EmptyBuffers(overlay, accessed, model.buffering));
}

ReducedProgram to_sc(const Program& program, const FenceSet& fences, const MemoryModel& model,
                     const Property& property, unsigned slots, const std::set<FlushPoint>& refinements) {
  require(reduction_unsupported(program, model, property).empty(), "a reduction that cannot be done");
  return Reducer(program, fences, model.buffering, slots).run(property, refinements);
}

}  // namespace fenceline::transform
