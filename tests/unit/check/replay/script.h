// SPDX-License-Identifier: GPL-3.0-or-later
//
// Traces for tests, written as a line of words: "P" lets thread P execute its current instruction, "P~x"
// lets P's oldest store to x reach memory, "P:2" executes a havoc or choose that picks 2. The location of P is found
// by replaying what has been written so far, so a script does not name points.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "check/replay/replay.h"
#include "env/errors.h"
#include "ir/builder.h"

namespace fenceline::testing {

// A task that owns its parts.
struct Scene {
  Program program;
  FenceSet fences = {};
  std::string model = "tso";
  size_t property = 0;

  Task task() const { return {program, fences, memory_model(model), program.properties.at(property)}; }
  Scene on(std::string other_model) && {
    model = std::move(other_model);
    return std::move(*this);
  }

  ThreadId thread(std::string_view name) const {
    for (size_t t = 0; t < program.threads.size(); ++t)
      if (program.threads[t].name == name) return ThreadId(t);
    throw Bug("no thread of that name");
  }
  CellId cell(std::string_view name) const {
    for (size_t c = 0; c < program.cell_count; ++c)
      if (program.cell_name(CellId(c)) == name) return CellId(c);
    throw Bug("no cell of that name");
  }

  Trace trace(const std::string& script) const {
    Trace trace;
    std::istringstream words(script);
    for (std::string word; words >> word;) {
      TraceStep step;
      const size_t cut = word.find_first_of("~:");
      step.thread = thread(std::string_view(word).substr(0, cut));
      if (cut != std::string::npos && word[cut] == '~') {
        step.kind = StepKind::kFlush;
        step.cell = cell(std::string_view(word).substr(cut + 1));
      } else {
        step.point = check::replay(task(), trace).locations[step.thread.index()];
        if (cut != std::string::npos) step.chosen = std::stoll(word.substr(cut + 1));
      }
      trace.steps.push_back(step);
    }
    return trace;
  }
  Replay run(const std::string& script) const { return check::replay(task(), trace(script)); }
  // Why the script is rejected; "ok" if it is not.
  std::string verdict(const std::string& script) const {
    const Replay replayed = run(script);
    return replayed.ok ? "ok" : replayed.why_not;
  }
};

// Code in a few words each. Positions are lines that count up with the instructions of all threads.
class SceneBuilder {
 public:
  explicit SceneBuilder(std::string file = "test.fl") : builder(SourceFile{std::move(file), ""}) {}

  ObjectId shared(const std::string& name, std::optional<Range> declared = std::nullopt) {
    return builder.object(name, {0}, declared, pos());
  }
  Address at(ObjectId object) { return {object, builder.constant(0)}; }
  Address at(ObjectId object, ExprId index) { return {object, index}; }
  ExprId number(Value value) { return builder.constant(value); }
  ExprId is(RegId reg, Value value) {
    return builder.binary(ExprOp::kEq, builder.reg(reg), builder.constant(value));
  }
  ExprId is(ThreadId thread, RegId reg, Value value) {
    return builder.binary(ExprOp::kEq, builder.thread_reg(thread, reg), builder.constant(value));
  }
  ExprId both(ExprId a, ExprId b) { return builder.binary(ExprOp::kAnd, a, b); }
  SourcePos pos() { return {line++, 3}; }
  void property(PropertyKind kind, ExprId formula = ExprId(), std::string name = "wanted") {
    builder.property({std::move(name), kind, formula, pos()});
  }
  Scene finish() { return {builder.finish()}; }

  ProgramBuilder builder;
  uint32_t line = 1;
};

}  // namespace fenceline::testing
