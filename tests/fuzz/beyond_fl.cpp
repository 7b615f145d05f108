// SPDX-License-Identifier: GPL-3.0-or-later
#include "beyond_fl.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "frontend/fl/fl.h"
#include "ir/verify/verify.h"

namespace fenceline::fuzz {
namespace {

constexpr std::pair<std::string_view, RmwOp> kDisguised[] = {{"cas/*value*/", RmwOp::kCasValue},
                                                             {"fetch_add/*and*/", RmwOp::kFetchAnd},
                                                             {"fetch_add/*or*/", RmwOp::kFetchOr},
                                                             {"fetch_add/*xor*/", RmwOp::kFetchXor}};

void reveal(Instruction& instruction, const SourceFile& source) {
  if (instruction.pos.line == 0) return;  // the end of a thread that the text does not say
  const std::string_view text = source.line(instruction.pos.line).substr(instruction.pos.column - 1);
  if (instruction.kind == InstrKind::kHalt) instruction.ends_program = text.starts_with("halt/*all*/");
  if (instruction.kind == InstrKind::kAssume) {
    instruction.branches = !text.starts_with("assume/*guess*/");
    instruction.blocking = instruction.blocking || text.starts_with("assume/*wait*/");
  }
  if (instruction.kind != InstrKind::kRmw) return;
  for (const auto& [words, op] : kDisguised)
    if (text.starts_with(words)) instruction.rmw = op;
  constexpr std::string_view kAs = "/*as ";
  const size_t as = text.substr(0, text.find('(')).find(kAs);
  if (as == std::string_view::npos) return;
  int bits = 0;
  std::from_chars(text.data() + as + kAs.size(), text.data() + text.size(), bits);
  instruction.wrap = static_cast<int8_t>(bits);
}

void reveal(Expr& expr, const Program& program) {
  if (expr.op == ExprOp::kBitXor) expr.op = ExprOp::kUlt;
  if (expr.op == ExprOp::kBitOr) expr.op = ExprOp::kUle;
  if (expr.op != ExprOp::kShl) return;
  const Value bits = program.expr(expr.b).imm;
  expr.op = ExprOp::kWrap;
  expr.b = ExprId();
  expr.imm = bits > 32 ? 32 - bits : bits;
}

}  // namespace

Program read_program(const std::string& fl_text) {
  Program program = frontend::parse_fl({"random.fl", fl_text});
  for (Expr& expr : program.exprs) reveal(expr, program);
  for (Thread& thread : program.threads)
    for (Instruction& instruction : thread.code) reveal(instruction, program.source);
  for (Property& property : program.properties)
    if (property.name == "observed" && property.kind == PropertyKind::kFinally)
      property.kind = PropertyKind::kObservations;
  require_valid(program);
  return program;
}

}  // namespace fenceline::fuzz
