// SPDX-License-Identifier: GPL-3.0-or-later
//
// How front ends make programs. Objects and expressions go through ProgramBuilder; code through a
// ThreadBuilder, which appends instructions at a "current point" and patches forward edges, so that a front
// end never touches point numbers except through labels of its own.
//
//   ProgramBuilder b(source);
//   ObjectId x = b.object("x", {0}, std::nullopt, pos);
//   ThreadBuilder& t = b.thread("P", pos);
//   RegId r = t.reg("r");
//   t.load({r}, {x, b.constant(0)}, pos);
//   Program p = b.finish();        // adds kHalt where control falls off, drops unreachable code, verifies
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/program.h"

namespace fenceline {

class ProgramBuilder;

class ThreadBuilder {
 public:
  // A target that code can jump to before or after it is known.
  using Label = Id<struct BuilderLabelTag>;

  RegId reg(const std::string& name, Value init = 0, std::optional<Range> declared = std::nullopt);
  RegId reg_array(const std::string& name, const std::vector<Value>& init,
                  std::optional<Range> declared = std::nullopt);  // the first of init.size() registers
  RegId temp();

  Label label();           // a fresh, unplaced label
  void bind(Label label);  // the next instruction emitted is where `label` leads; falls through from before
  void jump(Label label);  // control goes to `label`; what is emitted next is reached by labels only

  void load(Dest dest, Address address, SourcePos pos, MemoryOrder order = MemoryOrder::kPlain);
  void store(Address address, ExprId value, SourcePos pos, MemoryOrder order = MemoryOrder::kPlain);
  // `b` is the new value of kCas and kCasValue, ExprId() for the others; an invalid `dest` drops the result.
  void rmw(RmwOp op, Dest dest, Address address, ExprId a, ExprId b, SourcePos pos,
           MemoryOrder order = MemoryOrder::kPlain);
  void wrap_fetched(int bits);  // what the kFetch... emitted last stores is wrapped; see Instruction::wrap
  void fence(FenceKinds kinds, SourcePos pos, const std::string& source_text = "");
  void rollback(Address address, ExprId value, SourcePos pos);  // a rollback
  void history(HistoryOp op, SourcePos pos);                    // kRfin, kCommit or kAbort
  void stamps(RegId first, size_t count);                       // these registers hold timestamps
  void assign(Dest dest, ExprId value, SourcePos pos);
  void branch(ExprId condition, Label if_true, Label if_false, SourcePos pos);
  void choose(const std::vector<Label>& targets, SourcePos pos);
  void assume(ExprId condition, SourcePos pos);
  void wait(ExprId condition, SourcePos pos);   // an assumption that is `blocking`
  void guess(ExprId condition, SourcePos pos);  // kAssume that is no branch
  void check(ExprId condition, SourcePos pos, const std::string& message = "");  // kAssert
  // kAssert with our_limit: where the condition is false, Fenceline does not support the program.
  void limit(ExprId condition, SourcePos pos, const std::string& message);
  void havoc(Dest dest, Range range, SourcePos pos);
  void atomic_begin(SourcePos pos);
  void access_begin(SourcePos pos);  // kAtomicBegin of one_access; atomic_end() ends it
  void atomic_end(SourcePos pos);
  Label mark(const std::string& name, SourcePos pos);  // a kMark instruction; the label leads to it
  void halt(SourcePos pos, bool ends_program = false);

  // What is emitted from now on is part of this call of an operation; see Instruction::operation.
  void operation(uint32_t number) { operation_ = number; }
  // What is emitted from now on is this to a reader; see Instruction::role. Returns what it was before.
  StepRole role(StepRole role) { return std::exchange(role_, role); }

  // What `.cat` models call the instruction emitted last; `write_tags` are those of the write of an rmw.
  void tag(std::vector<std::string> tags, std::vector<std::string> write_tags = {});

  // The instruction emitted last decides an assertion; see Instruction::assertion.
  void decides(SourcePos assertion);

  // The instruction emitted last is the last step of a statement; `statement.point` is filled in here.
  // Precondition: control falls through from it.
  void end_statement(StatementEnd statement);

  ThreadId id() const { return id_; }

 private:
  friend class ProgramBuilder;
  ThreadBuilder(ThreadId id, Thread thread) : id_(id), thread_(std::move(thread)) { bind(label()); }

  // What is known about a label: nothing yet, an instruction, or another label it means the same as.
  struct Target {
    Point point;
    Label alias;
    bool bound = false;
    bool on_path = false;  // scratch of resolve()
  };

  Instruction& emit(InstrKind kind, SourcePos pos, std::vector<Label> next);
  Instruction& emit(InstrKind kind, SourcePos pos);  // control falls through to what is emitted next
  Point resolve(Label label);                        // where control that goes to `label` really arrives
  Thread finish(std::vector<Point>& moved);          // moved[old point] = new point, invalid if dropped

  ThreadId id_;
  Thread thread_;
  std::vector<Target> targets_;            // by Label; label 0 is the entry
  std::vector<Label> unresolved_;          // bound here; the next instruction is where they lead
  std::vector<std::vector<Label>> edges_;  // by Point: the successors of each instruction
  uint32_t temporaries_ = 0;
  uint32_t operation_ = 0;
  StepRole role_ = StepRole::kProgram;
};

class ProgramBuilder {
 public:
  explicit ProgramBuilder(SourceFile source) { program_.source = std::move(source); }

  ObjectId object(const std::string& name, std::vector<Value> init, std::optional<Range> declared,
                  SourcePos pos, bool is_array = false);
  void cell_bytes(ObjectId object, std::vector<uint8_t> bytes);  // see Object
  void transactional(ObjectId object);                           // see Object
  void stamp(ObjectId object);                                   // see Object
  uint16_t include(SourceFile file);                             // SourcePos::file of what is in it
  // What the object is made of, if that is known later than its name. Precondition: it is the last object.
  void set_cells(ObjectId object, std::vector<Value> init, std::vector<uint8_t> bytes,
                 std::map<uint32_t, std::string> names, std::map<uint32_t, CellContent> contents = {});
  ThreadBuilder& thread(const std::string& name, SourcePos pos);
  void property(Property property) { program_.properties.push_back(std::move(property)); }

  ExprId constant(Value value);
  ExprId reg(RegId reg);
  ExprId reg_at(RegId first, uint32_t count, ExprId index);
  ExprId unary(ExprOp op, ExprId a);             // folds constants
  ExprId wrap(ExprId a, int bits);               // kWrap; folds constants and what changes nothing
  ExprId binary(ExprOp op, ExprId a, ExprId b);  // folds constants where that cannot hide an error
  ExprId select(ExprId a, ExprId b, ExprId c);
  ExprId cell(ObjectId object, ExprId offset);                                       // properties
  ExprId thread_reg(ThreadId thread, RegId reg);                                     // properties
  ExprId thread_reg_at(ThreadId thread, RegId first, uint32_t count, ExprId index);  // properties
  ExprId at(ThreadId thread, ThreadBuilder::Label label);  // properties; resolved by finish()
  std::optional<Value> constant_value(ExprId id) const;
  const Expr& expr(ExprId id) const { return program_.expr(id); }

  // Postcondition: the program passes ir/verify. The builder is spent.
  Program finish();

 private:
  ExprId add(Expr expr);

  Program program_;
  std::deque<ThreadBuilder> threads_;
  struct PendingAt {
    ExprId expr;
    ThreadId thread;
    ThreadBuilder::Label label;
  };
  std::vector<PendingAt> pending_at_;
};

}  // namespace fenceline
