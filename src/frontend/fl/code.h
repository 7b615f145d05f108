// SPDX-License-Identifier: GPL-3.0-or-later
//
// A ThreadBuilder with two additions. It counts: inlining can make a short text very large, and more than a
// million instructions are rejected. And it can be muted: code behind a condition that is constant and false
// is still lowered, so that its names are checked, but no instruction is emitted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frontend/fl/diagnostics.h"
#include "frontend/fl/globals.h"
#include "ir/builder.h"

namespace fenceline::frontend::fl {

constexpr size_t kMaxInstructions = 1'000'000;

// How much has been lowered, over all threads.
struct Effort {
  size_t instructions = 0;
  size_t visits = 0;  // of parts of the syntax tree; bounds the time where no instruction is made
};

class Code {
 public:
  using Label = ThreadBuilder::Label;

  // All must outlive this object.
  Code(ThreadBuilder& builder, Effort& effort, Diagnostics& diagnostics)
      : builder_(builder), effort_(effort), diagnostics_(diagnostics) {}

  ThreadId thread() const { return builder_.id(); }

  RegId reg(const std::string& name, Value init, std::optional<Range> declared, SourcePos pos);
  RegId reg_array(const std::string& name, const std::vector<Value>& init, std::optional<Range> declared,
                  SourcePos pos);
  void stamps(RegId first, size_t count) {
    if (!muted()) builder_.stamps(first, count);
  }
  RegId temp() { return muted() ? RegId(0) : builder_.temp(); }

  Label label() { return builder_.label(); }
  void bind(Label label) {
    if (!muted()) builder_.bind(label);
  }
  void jump(Label label) {
    if (!muted()) builder_.jump(label);
  }

  void load(Dest dest, Address address, SourcePos pos) {
    if (emits(pos)) builder_.load(dest, address, pos);
  }
  void store(Address address, ExprId value, SourcePos pos) {
    if (emits(pos)) builder_.store(address, value, pos);
  }
  void rollback(Address address, ExprId value, SourcePos pos) {
    if (emits(pos)) builder_.rollback(address, value, pos);
  }
  void history(HistoryOp op, SourcePos pos) {
    if (emits(pos)) builder_.history(op, pos);
  }
  void rmw(RmwOp op, Dest dest, Address address, ExprId a, ExprId b, SourcePos pos) {
    if (emits(pos)) builder_.rmw(op, dest, address, a, b, pos);
  }
  void fence(FenceKinds kinds, SourcePos pos) {
    if (emits(pos)) builder_.fence(kinds, pos);
  }
  void assign(Dest dest, ExprId value, SourcePos pos) {
    if (emits(pos)) builder_.assign(dest, value, pos);
  }
  void branch(ExprId condition, Label if_true, Label if_false, SourcePos pos) {
    if (emits(pos)) builder_.branch(condition, if_true, if_false, pos);
  }
  void choose(const std::vector<Label>& targets, SourcePos pos) {
    if (emits(pos)) builder_.choose(targets, pos);
  }
  void assume(ExprId condition, SourcePos pos) {
    if (emits(pos)) builder_.assume(condition, pos);
  }
  void wait(ExprId condition, SourcePos pos) {
    if (emits(pos)) builder_.wait(condition, pos);
  }
  void check(ExprId condition, SourcePos pos) {
    if (!emits(pos)) return;
    builder_.check(condition, pos);
    builder_.decides(pos);
  }
  void havoc(Dest dest, Range range, SourcePos pos) {
    if (emits(pos)) builder_.havoc(dest, range, pos);
  }
  void atomic_begin(SourcePos pos) {
    if (emits(pos)) builder_.atomic_begin(pos);
  }
  void atomic_end(SourcePos pos) {
    if (emits(pos)) builder_.atomic_end(pos);
  }
  void mark(const std::string& name, SourcePos pos) {
    if (emits(pos)) builder_.mark(name, pos);
  }
  void halt(SourcePos pos) {
    if (emits(pos)) builder_.halt(pos);
  }

  size_t emitted() const { return effort_.instructions; }  // so far, by all threads
  void end_statement(const StatementEnd& statement) {
    if (!muted()) builder_.end_statement(statement);
  }

  // Muted while an object of this kind lives.
  class Mute {
   public:
    explicit Mute(Code& code) : code_(code) { ++code_.muted_; }
    ~Mute() { --code_.muted_; }
    Mute(const Mute&) = delete;
    Mute& operator=(const Mute&) = delete;

   private:
    Code& code_;
  };

 private:
  bool muted() const { return muted_ > 0; }
  bool emits(SourcePos pos);
  void count_registers(size_t count, SourcePos pos);

  ThreadBuilder& builder_;
  Effort& effort_;
  Diagnostics& diagnostics_;
  size_t registers_ = 0;
  unsigned muted_ = 0;
};

}  // namespace fenceline::frontend::fl
