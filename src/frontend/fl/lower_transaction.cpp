// SPDX-License-Identifier: GPL-3.0-or-later
//
// The threads of a transactional memory: clients that call the programs behind read, write and end. The most
// general client calls any of them in any order for ever, so what holds for it holds for all programs over so
// many variables (section 2.3 of the FOIL paper speaks of all programs; its states say where in the program a
// thread is, and this client abstracts from that). Each command is a copy of its program in which the variable's
// number is a constant: addresses are then known, and no register has to be distinguished.
#include <algorithm>
#include <utility>

#include "frontend/fl/lower_impl.h"

namespace fenceline::frontend::fl {

ThreadInstance ThreadLowering::lower_client(const Transaction& transaction, Value self) {
  Frame frame;
  frame.end = code_.label();
  frame_ = &frame;
  scopes_.assign(1, {});
  Local number;
  number.number = self;
  number.pos = transaction.name.pos;
  scopes_.back().emplace("self", number);
  at_top_ = true;
  for (const VariableList& list : transaction.locals) declare(list);
  at_top_ = false;

  after_command_ = after_abort_ = code_.label();
  if (transaction.clients.empty()) {
    most_general_client(transaction);
  } else {
    const size_t last = transaction.clients.size() - 1;
    client(*transaction.clients[std::min(static_cast<size_t>(self - 1), last)]);
  }
  // What is never called is lowered for the complaints.
  for (const Procedure& program : transaction.programs) {
    if (context_.lowered.contains(&program)) continue;
    const Code::Mute mute(code_);
    const Expressions::Dead quiet(expressions());
    command(program, 0, program.name.pos);
  }

  ThreadInstance instance;
  instance.id = code_.thread();
  instance.registers = std::move(scopes_.back());
  std::erase_if(instance.registers, [](const auto& entry) { return entry.second.number.has_value(); });
  return instance;
}

void ThreadLowering::most_general_client(const Transaction& transaction) {
  struct Command {
    const Procedure* program;
    std::optional<Value> variable;
  };
  std::vector<Command> commands;
  for (const char* name : {"read", "write"})
    for (Value variable = 0; variable < context_.globals.variables(); ++variable)
      if (const Procedure* program = context_.globals.program(name)) commands.push_back({program, variable});
  if (const Procedure* program = context_.globals.program("end")) commands.push_back({program, std::nullopt});
  if (commands.empty()) return;  // this was complained about

  std::vector<Label> targets;
  for (size_t i = 0; i < commands.size(); ++i) targets.push_back(code_.label());
  const Label next = after_command_;
  code_.bind(next);
  code_.choose(targets, transaction.name.pos);
  for (size_t i = 0; i < commands.size(); ++i) {
    code_.bind(targets[i]);
    command(*commands[i].program, commands[i].variable, transaction.name.pos);
    code_.jump(next);
  }
}

// After an abort the client tries again, or gives up.
void ThreadLowering::client(const Statement& body) {
  const Label start = code_.label(), stop = code_.label();
  const Label aborted = after_abort_;
  code_.bind(start);
  client_steps(body);
  code_.jump(stop);
  code_.bind(aborted);
  code_.choose({start, stop}, body.pos);
  code_.bind(stop);
}

void ThreadLowering::client_steps(const Statement& statement) {
  switch (statement.kind) {
    case StmtKind::kBlock:
      for (const StmtPtr& part : statement.body) client_steps(*part);
      return;
    case StmtKind::kChoose:
      return choose(statement, [this](const Statement& part) { client_steps(part); });
    case StmtKind::kCommand: {
      const Procedure* program = context_.globals.program(statement.name.text);
      std::optional<Value> variable;
      if (!statement.exprs.empty()) {
        const Expression& number = *statement.exprs[0];
        variable = context_.globals.evaluate(number, constant_lookup());
        if (variable && !check_variable(*variable, number.pos)) variable.reset();
        if (!variable) return;
      }
      if (!program) return;
      const Label next = code_.label();
      after_command_ = next;
      command(*program, variable, statement.pos);
      code_.bind(next);
      return;
    }
    default:
      throw Bug("a statement that no client has");
  }
}

// One copy of a program of the transaction. Control leaves it at its end, or for the client.
void ThreadLowering::command(const Procedure& program, std::optional<Value> variable, SourcePos pos) {
  Frame frame;
  frame.procedure = &program;
  frame.program = true;
  frame.call = pos;
  frame.prefix = std::string(program.name.text) + ".";
  frame.inside_atomic = atomic_.has_value();
  frame.end = code_.label();
  Locals parameters;
  for (const Name& name : program.parameters) {
    Local number;
    number.number = variable.value_or(0);
    number.pos = name.pos;
    parameters.emplace(name.text, number);
  }
  inline_body(program, std::move(frame), std::move(parameters));
}

void ThreadLowering::call_program(const Procedure& program, const Expression& expr) {
  const std::string_view name = program.name.text;
  if (!frame_->program)
    return context_.diagnostics.error(expr.pos, fmt::format("'{}' is a program of the transaction", name),
                                      "only the other programs of the transaction can call it");
  if (expr.args.size() != program.parameters.size())
    return context_.diagnostics.error(
        expr.pos, fmt::format("'{}' takes {} argument{}, but {} {} given", name, program.parameters.size(),
                              program.parameters.size() == 1 ? "" : "s", expr.args.size(),
                              expr.args.size() == 1 ? "is" : "are"));
  std::optional<Value> variable;
  if (!expr.args.empty()) {
    const Expression& number = *expr.args[0];
    if (!is_constant(number))
      return context_.diagnostics.error(number.pos, "the variable's number must be a constant",
                                        "the parameter of 'read' and 'write' is one in each copy of them");
    variable = expressions().value(value(number));
    if (!variable || !check_variable(*variable, number.pos)) return;
  }
  if (context_.diagnostics.any() && context_.lowered.contains(&program)) return;
  if (context_.effort.visits + context_.globals.inlined_size(program) > kMaxVisits)
    context_.diagnostics.fatal(expr.pos, fmt::format("the program is too large after '{}' is inlined", name));
  command(program, variable, expr.pos);
}

bool ThreadLowering::check_variable(Value variable, SourcePos pos) {
  if (variable >= 0 && variable < context_.globals.variables()) return true;
  if (!expressions().dead())
    context_.diagnostics.error(pos, fmt::format("there is no variable {}: they go from 0 to {}", variable,
                                                context_.globals.variables() - 1));
  return false;
}

// rfin, commit and abort are the last thing that a command does.
void ThreadLowering::history(const Statement& statement) {
  const bool abort = statement.history == HistoryOp::kAbort;
  const char* word = abort ? "'abort'" : statement.history == HistoryOp::kCommit ? "'commit'" : "'rfin'";
  if (rejected_in_atomic(statement.pos, word)) return;
  code_.history(statement.history, statement.pos);
  code_.jump(abort ? after_abort_ : after_command_);
}

// --------------------------------------------------------------------------------------------- indices

void ThreadLowering::check_index(const Name& name, const Expression& value) {
  if (!is_index(value))
    context_.diagnostics.error(
        value.pos, fmt::format("'{}' is an index, and this is not made of indices", shortened(name.text)),
        "an index is made of constants, other indices, 'self' and the variable's number");
}

}  // namespace fenceline::frontend::fl
