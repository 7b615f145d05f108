// SPDX-License-Identifier: GPL-3.0-or-later
//
// Procedures are inlined: each call makes its own copy of the body, with registers and labels of its own.
// `return` jumps to the end of the copy.
#include <algorithm>
#include <utility>

#include "frontend/fl/lower_impl.h"

namespace fenceline::frontend::fl {

ThreadLowering::ThreadLowering(LoweringContext& context, ThreadBuilder& builder)
    : context_(context), code_(builder, context.effort, context.diagnostics) {}

ThreadInstance ThreadLowering::lower_thread(const ThreadDeclaration& declaration,
                                            const std::vector<Value>& numbers) {
  Frame frame;
  frame.end = code_.label();
  frame_ = &frame;
  scopes_.assign(1, {});
  for (size_t i = 0; i < numbers.size(); ++i) {
    Local number;
    number.number = numbers[i];
    number.pos = declaration.parameters[i].name.pos;
    scopes_.back().emplace(declaration.parameters[i].name.text, number);
  }
  collect_labels(*declaration.body, frame);
  at_top_ = true;
  for (const StmtPtr& part : declaration.body->body) statement(*part);

  ThreadInstance instance;
  instance.declaration = &declaration;
  instance.numbers = numbers;
  instance.id = code_.thread();
  instance.registers = std::move(scopes_.back());
  std::erase_if(instance.registers, [](const auto& entry) { return entry.second.number.has_value(); });
  for (const auto& [name, info] : frame.labels) instance.labels.emplace(name, info.label);
  return instance;
}

void ThreadLowering::check_procedure(const Procedure& procedure) {
  Frame outermost;
  frame_ = &outermost;
  scopes_.clear();
  Frame frame;
  frame.procedure = &procedure;
  frame.call = procedure.name.pos;
  frame.prefix = std::string(procedure.name.text) + ".";
  frame.end = code_.label();
  Locals parameters;
  for (const Name& name : procedure.parameters) parameters.emplace(name.text, parameter(frame.prefix, name));
  inline_body(procedure, std::move(frame), std::move(parameters));
}

Local ThreadLowering::parameter(const std::string& prefix, const Name& name) {
  Local local;
  local.first = code_.reg(unique_name(prefix + std::string(name.text)), 0, std::nullopt, name.pos);
  local.pos = name.pos;
  return local;
}

ExprId ThreadLowering::call(const Expression& expr, bool want_value) {
  const Procedure* procedure = context_.globals.procedure(expr.name.text);
  if (const Procedure* program = context_.globals.program(expr.name.text)) {
    call_program(*program, expr);
    return expressions().constant(0);
  }
  const std::string_view name = shortened(expr.name.text);
  if (!procedure) {
    const bool variable = find_local(expr.name.text) || context_.globals.shared(expr.name.text) ||
                          context_.globals.constant(expr.name.text);
    const bool program = expr.name.text == "read" || expr.name.text == "write" || expr.name.text == "end" ||
                         expr.name.text == "abort";
    if (program)
      context_.diagnostics.error(expr.pos, fmt::format("the transaction block has no program '{}'", name));
    else if (variable)
      context_.diagnostics.error(expr.pos, fmt::format("'{}' is a variable, not a procedure", name));
    else
      context_.diagnostics.error(expr.pos, fmt::format("unknown procedure '{}'", name),
                                 did_you_mean(expr.name.text, context_.globals.procedure_names()));
    indices(expr);
    return expressions().unknown();
  }
  const size_t wanted = procedure->parameters.size();
  if (expr.args.size() != wanted) {
    context_.diagnostics.error(expr.pos, fmt::format("'{}' takes {} argument{}, but {} {} given", name,
                                                     wanted, wanted == 1 ? "" : "s", expr.args.size(),
                                                     expr.args.size() == 1 ? "is" : "are"));
    indices(expr);
    return expressions().unknown();
  }

  Frame frame;
  frame.procedure = procedure;
  frame.call = expr.pos;
  frame.prefix = std::string(procedure->name.text) + ".";
  frame.inside_atomic = atomic_.has_value();
  Locals parameters;
  for (size_t i = 0; i < wanted; ++i) {
    const Local local = parameter(frame.prefix, procedure->parameters[i]);
    into({local.first}, std::nullopt, {}, *expr.args[i], expr.args[i]->pos);
    parameters.emplace(procedure->parameters[i].text, local);
  }
  const bool has_value = context_.globals.returns_value(*procedure);
  // There will be no program: one look at each procedure is enough.
  const bool only_complaints = context_.checking || context_.diagnostics.any();
  if (only_complaints && context_.lowered.contains(procedure))
    return has_value ? expressions().unknown() : expressions().constant(0);
  if (context_.effort.visits + context_.globals.inlined_size(*procedure) > kMaxVisits)
    context_.diagnostics.fatal(expr.pos, fmt::format("the program is too large after '{}' is inlined", name),
                               "procedures are copied to each call, with the calls inside them");

  frame.end = code_.label();
  if (has_value && want_value) frame.value = code_.temp();
  const std::optional<RegId> result = frame.value;
  inline_body(*procedure, std::move(frame), std::move(parameters));
  return result ? expressions().builder().reg(*result) : expressions().constant(0);
}

void ThreadLowering::inline_body(const Procedure& procedure, Frame frame, Locals parameters) {
  context_.lowered.insert(&procedure);
  frame.first_scope = scopes_.size();
  collect_labels(*procedure.body, frame);
  Frame* const caller = std::exchange(frame_, &frame);
  const std::string_view line = std::exchange(line_, {});
  const bool at_top = std::exchange(at_top_, false);
  scopes_.push_back(std::move(parameters));
  for (const StmtPtr& part : procedure.body->body) statement(*part);
  // Control that gets here has met no `return`; where none can, this is dropped with the other dead code.
  if (frame.value) code_.assign({*frame.value}, expressions().constant(0), frame.call);
  code_.bind(frame.end);
  scopes_.pop_back();
  at_top_ = at_top;
  line_ = line;
  frame_ = caller;
}

}  // namespace fenceline::frontend::fl
