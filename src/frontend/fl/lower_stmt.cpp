// SPDX-License-Identifier: GPL-3.0-or-later
//
// Statements and local declarations.
#include <utility>

#include "frontend/fl/lower_impl.h"

namespace fenceline::frontend::fl {

namespace {

// Is the step that such a statement makes last the end of it? Not if there are several paths through it, or
// if the last step belongs to another statement: the body of a loop or of a procedure.
bool ends_with_its_last_step(const Statement& statement) {
  switch (statement.kind) {
    case StmtKind::kDeclaration:
    case StmtKind::kAssign:
    case StmtKind::kAtomic:
    case StmtKind::kFence:
    case StmtKind::kAwait:
    case StmtKind::kAssume:
    case StmtKind::kAssert:
    case StmtKind::kHavoc:
    case StmtKind::kRollback:
      return true;
    case StmtKind::kEvaluate:
      return statement.exprs[0]->kind == ExprKind::kRmw;
    default:
      return false;
  }
}

}  // namespace

void ThreadLowering::statement(const Statement& statement) {
  const size_t before = code_.emitted();
  const std::string_view line = line_;
  if (!statement.line.empty()) line_ = statement.line;
  if (context_.globals.has_stamps()) check_stamps(statement);
  steps_of(statement);
  if (code_.emitted() > before && ends_with_its_last_step(statement)) end_statement(statement, statement.end);
  line_ = line;
}

// What was emitted last is the end of the statement, and others can be written at `end`. After a complaint
// the last step may be missing, and there will be no program anyway.
void ThreadLowering::end_statement(const Statement& statement, SourcePos end) {
  if (context_.diagnostics.any()) return;
  StatementEnd result;
  result.begin = statement.pos;
  result.end = end;
  result.inside_atomic = atomic_.has_value();
  result.open = statement.open;
  result.close = statement.close;
  if (frame_->program && !line_.empty())
    result.name = fmt::format("{} {}", frame_->procedure->name.text, line_);
  code_.end_statement(result);
}

void ThreadLowering::steps_of(const Statement& statement) {
  const Depth depth(*this, statement.pos);
  if (statement.kind != StmtKind::kDeclaration) at_top_ = false;
  const SourcePos pos = statement.pos;
  switch (statement.kind) {
    case StmtKind::kBlock:
      return block(statement);
    case StmtKind::kDeclaration:
      return declaration(statement);
    case StmtKind::kLabel:
      return label(statement);
    case StmtKind::kAssign:
      return assign(statement);
    case StmtKind::kEvaluate: {
      const Expression& expr = *statement.exprs[0];
      if (expr.kind == ExprKind::kRmw) return rmw(expr, {});
      call(expr, false);
      return;
    }
    case StmtKind::kIf:
      return if_else(statement);
    case StmtKind::kWhile:
      return while_loop(statement);
    case StmtKind::kDoWhile:
      return do_while_loop(statement);
    case StmtKind::kGoto:
      return jump(statement);
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      return leave_loop(statement);
    case StmtKind::kReturn:
      return leave_procedure(statement);
    case StmtKind::kHalt:
      if (!rejected_in_atomic(pos, "'halt'")) code_.halt(pos);
      return;
    case StmtKind::kAtomic:
      return atomic(statement);
    case StmtKind::kChoose:
      return choose(statement, [this](const Statement& part) { block(part); });
    case StmtKind::kFence:
      if (!rejected_in_atomic(pos, statement.fence.has_process_wide() ? "'sync'" : "a fence"))
        code_.fence(statement.fence, pos);
      return;
    case StmtKind::kAwait: {
      if (rejected_in_atomic(pos, "'await'", "inside an atomic section write 'assume'")) return;
      atomic_ = pos;
      code_.atomic_begin(pos);
      code_.wait(value(*statement.exprs[0]), pos);
      code_.atomic_end(pos);
      atomic_.reset();
      return;
    }
    case StmtKind::kAssume:
      return code_.assume(value(*statement.exprs[0]), pos);
    case StmtKind::kAssert:
      context_.has_assertions = true;
      return code_.check(value(*statement.exprs[0]), pos);
    case StmtKind::kHavoc:
      return havoc(statement);
    case StmtKind::kRollback:
      return rollback(statement);
    case StmtKind::kHistory:
      return history(statement);
    case StmtKind::kCommand:
      break;  // of clients only
  }
  throw Bug("unknown kind of statement");
}

void ThreadLowering::block(const Statement& block) {
  scopes_.emplace_back();
  for (const StmtPtr& part : block.body) statement(*part);
  scopes_.pop_back();
}

// A statement behind a condition that is constant and false. If there is a label in it, `goto` may still lead
// there, so it has to exist; the caller has seen to it that control does not fall into it.
void ThreadLowering::dead(const Statement& part) {
  const Expressions::Dead quiet(expressions());
  if (part.has_label) return statement(part);
  const Code::Mute mute(code_);
  statement(part);
}

// ------------------------------------------------------------------------------------------ declarations

void ThreadLowering::declaration(const Statement& statement) {
  for (const VariableList& list : statement.declarations) declare(list);
}

void ThreadLowering::declare(const VariableList& list) {
  bool ok = true;
  const std::optional<Range> range = context_.globals.evaluate_type(list.type, constant_lookup(), ok);
  context_.has_ranges |= range.has_value();
  for (const Variable& variable : list.variables) declare(variable, range, list);
}

// The name is in scope after the initial value: `int r = r;` takes the value of an outer r.
void ThreadLowering::declare(const Variable& variable, const std::optional<Range>& range,
                             const VariableList& list) {
  const Name& name = variable.name;
  const bool field = !variable.structure.text.empty();
  const Name& declared = field ? variable.structure : name;  // what the user sees
  const auto previous = scopes_.back().find(declared.text);
  if (previous != scopes_.back().end() &&
      !(field && previous->second.structure && previous->second.pos == declared.pos))
    context_.diagnostics.error(name.pos, fmt::format("'{}' is already declared", shortened(declared.text)),
                               fmt::format("see line {}", previous->second.pos.line));
  if (context_.globals.shared(declared.text) || context_.globals.is_structure(declared.text))
    context_.diagnostics.error(
        name.pos, fmt::format("'{}' would hide the shared variable of that name", shortened(declared.text)),
        "memory accesses must be visible as such; rename the local variable");
  if (field) {
    Local structure;
    structure.structure = true;
    structure.pos = declared.pos;
    scopes_.back().insert_or_assign(declared.text, structure);
  }
  const auto shape = context_.globals.evaluate_shape(variable, constant_lookup());
  Local local;
  local.shape = shape.value_or(Shape{});
  local.range = range;
  local.pos = name.pos;
  local.stamp = list.type.stamp;
  local.index = list.index;
  for (const ExprPtr& init : variable.init) {
    if (local.index) check_index(name, *init);
    if (context_.globals.has_stamps()) check_assigned(name, local.stamp, *init);
  }
  const bool fits = shape && context_.globals.check_initial_values(variable, local.shape);
  const size_t given = fits ? variable.init.size() : 0;

  // At the top of the thread a constant needs no step.
  std::vector<Value> init(local.shape.cells(), default_value(range));
  std::vector<bool> done(init.size(), false);
  for (size_t i = 0; at_top_ && i < init.size(); ++i) {
    done[i] = i >= given || is_constant(*variable.init[i]);
    if (i >= given || !done[i]) continue;
    const ExprId constant = value(*variable.init[i]);
    expressions().check_range(name.text, range, constant, variable.init[i]->pos);
    const auto known = expressions().value(constant);
    if (known && (!range || range->contains(*known))) init[i] = *known;
  }
  local.first = registers(variable, local.shape, init, range);
  if (local.stamp) code_.stamps(local.first, init.size());
  // One step for each other cell, left to right.
  for (size_t i = 0; i < init.size(); ++i) {
    if (done[i]) continue;
    const Dest dest{RegId(local.first.index() + i)};
    if (i < given)
      into(dest, range, name.text, *variable.init[i], name.pos);
    else
      code_.assign(dest, expressions().constant(default_value(range)), name.pos);
  }
  scopes_.back().insert_or_assign(name.text, std::move(local));
}

// The first of the registers that hold the variable.
RegId ThreadLowering::registers(const Variable& variable, const Shape& shape, const std::vector<Value>& init,
                                const std::optional<Range>& range) {
  const SourcePos pos = variable.name.pos;
  const std::string unique = unique_name(frame_->prefix + std::string(variable.name.text));
  if (!shape.is_array()) return code_.reg(unique, init[0], range, pos);
  if (variable.structure.text.empty()) return code_.reg_array(unique, init, range, pos);
  std::vector<RegId> made;
  for (uint32_t i = 0; i < init.size(); ++i)
    made.push_back(
        code_.reg(unique_name(frame_->prefix + field_name(variable, shape, i)), init[i], range, pos));
  return made.front();
}

// -------------------------------------------------------------------------------------- plain statements

void ThreadLowering::assign(const Statement& statement) {
  const Expression& left = *statement.exprs[0];
  const Expression& right = *statement.exprs[1];
  const Lvalue to = lvalue(left, true);
  const std::string_view name = variable_of(left).text;
  if (to.index) check_index(left.name, right);
  if (to.kind == Lvalue::Kind::kRegister) return into(to.dest, to.range, name, right, statement.pos);
  const ExprId result = value(right);
  if (to.kind != Lvalue::Kind::kMemory) return;
  expressions().check_range(name, to.range, result, right.pos);
  code_.store(to.address, result, statement.pos);
}

void ThreadLowering::rollback(const Statement& statement) {
  const Expression& left = *statement.exprs[0];
  const Expression& right = *statement.exprs[1];
  const Lvalue to = lvalue(left, true);
  const ExprId result = value(right);
  if (to.kind == Lvalue::Kind::kUnknown) return;
  if (!to.transactional)
    return context_.diagnostics.error(
        left.pos, fmt::format("'{}' is not transactional", shortened(variable_of(left).text)),
        "only what transactions have stored is rolled back; write an assignment");
  expressions().check_range(left.name.text, to.range, result, right.pos);
  code_.rollback(to.address, result, statement.pos);
}

void ThreadLowering::havoc(const Statement& statement) {
  const Expression& left = *statement.exprs[0];
  const Lvalue to = lvalue(left, true);
  if (to.index)
    context_.diagnostics.error(
        left.pos, fmt::format("havoc does not support the index '{}'", shortened(left.name.text)));
  const auto lo = context_.globals.evaluate(*statement.exprs[1], constant_lookup());
  const auto hi = context_.globals.evaluate(*statement.exprs[2], constant_lookup());
  if (!lo || !hi) return;
  if (*lo > *hi) {
    if (!expressions().dead())
      context_.diagnostics.error(statement.exprs[1]->pos, fmt::format("the range {}..{} is empty", *lo, *hi));
    return;
  }
  if (to.kind == Lvalue::Kind::kRegister) code_.havoc(to.dest, {*lo, *hi}, statement.pos);
  if (to.kind != Lvalue::Kind::kMemory) return;
  const RegId any = code_.temp();
  code_.havoc({any}, {*lo, *hi}, statement.pos);
  code_.store(to.address, expressions().builder().reg(any), statement.pos);
}

// ------------------------------------------------------------------------------------------ control flow

void ThreadLowering::if_else(const Statement& statement) {
  const Statement& then_part = *statement.body[0];
  const Statement* else_part = statement.body.size() > 1 ? statement.body[1].get() : nullptr;
  const Label if_true = code_.label(), if_false = code_.label(), end = code_.label();
  if (const auto known = condition(*statement.exprs[0], if_true, if_false)) {
    const Statement* taken = *known ? &then_part : else_part;
    const Statement* not_taken = *known ? else_part : &then_part;
    if (taken) this->statement(*taken);
    code_.jump(end);
    if (not_taken) dead(*not_taken);
    code_.bind(end);
    return;
  }
  const auto always = outcome(*statement.exprs[0]);
  code_.bind(if_true);
  {
    const Expressions::Dead quiet(expressions(), always == false);
    this->statement(then_part);
  }
  code_.jump(end);
  code_.bind(if_false);
  if (else_part) {
    const Expressions::Dead quiet(expressions(), always == true);
    this->statement(*else_part);
  }
  code_.bind(end);
}

void ThreadLowering::while_loop(const Statement& statement) {
  if (rejected_in_atomic(statement.pos, "a loop")) return;
  const Label head = code_.label(), body = code_.label(), end = code_.label();
  code_.bind(head);
  const auto known = condition(*statement.exprs[0], body, end);
  if (known == false) code_.jump(end);
  code_.bind(body);
  frame_->loops.push_back({head, end});
  line_ = {};  // what a loop's body does is not in the line of the loop's head
  if (known == false) {
    dead(*statement.body[0]);
  } else {
    const Expressions::Dead quiet(expressions(), outcome(*statement.exprs[0]) == false);
    this->statement(*statement.body[0]);
  }
  frame_->loops.pop_back();
  code_.jump(head);
  code_.bind(end);
}

void ThreadLowering::do_while_loop(const Statement& statement) {
  if (rejected_in_atomic(statement.pos, "a loop")) return;
  const Label body = code_.label(), test = code_.label(), end = code_.label();
  code_.bind(body);
  frame_->loops.push_back({test, end});
  line_ = {};
  this->statement(*statement.body[0]);
  frame_->loops.pop_back();
  code_.bind(test);
  if (const auto known = condition(*statement.exprs[0], body, end)) code_.jump(*known ? body : end);
  code_.bind(end);
}

void ThreadLowering::leave_loop(const Statement& statement) {
  const bool is_break = statement.kind == StmtKind::kBreak;
  const char* word = is_break ? "'break'" : "'continue'";
  if (frame_->loops.empty()) {
    context_.diagnostics.error(statement.pos, fmt::format("{} outside a loop", word));
    return;
  }
  if (rejected_in_atomic(statement.pos, word)) return;
  code_.jump(is_break ? frame_->loops.back().on_break : frame_->loops.back().on_continue);
}

void ThreadLowering::leave_procedure(const Statement& statement) {
  if (!frame_->procedure) {
    context_.diagnostics.error(statement.pos, "'return' outside a procedure", "'halt;' ends the thread");
    return;
  }
  if (frame_->program && !statement.exprs.empty())
    return context_.diagnostics.error(statement.exprs[0]->pos, "a program of a transaction has no value",
                                      "write 'return;'");
  // An atomic section around the call is not left, one around the statement would be.
  if (!frame_->inside_atomic && rejected_in_atomic(statement.pos, "'return'")) return;
  if (!statement.exprs.empty()) {
    if (frame_->value)
      into({*frame_->value}, std::nullopt, {}, *statement.exprs[0], statement.pos);
    else
      value(*statement.exprs[0]);
  } else if (frame_->value) {
    code_.assign({*frame_->value}, expressions().constant(0), statement.pos);
  }
  code_.jump(frame_->end);
}

void ThreadLowering::choose(const Statement& statement,
                            const std::function<void(const Statement&)>& alternative) {
  std::vector<Label> targets;
  for (size_t i = 0; i < statement.body.size(); ++i) targets.push_back(code_.label());
  const Label end = code_.label();
  code_.choose(targets, statement.pos);
  for (size_t i = 0; i < statement.body.size(); ++i) {
    code_.bind(targets[i]);
    alternative(*statement.body[i]);
    code_.jump(end);
  }
  code_.bind(end);
}

// ---------------------------------------------------------------------------------- labels and sections

void ThreadLowering::collect_labels(const Statement& statement, Frame& frame) {
  if (!statement.has_label) return;
  if (statement.kind == StmtKind::kLabel) {
    const Name& name = statement.name;
    const auto [it, fresh] = frame.labels.emplace(name.text, LabelInfo{code_.label(), name.pos});
    if (!fresh)
      context_.diagnostics.error(
          name.pos, fmt::format("label '{}' is defined here for the second time", shortened(name.text)),
          fmt::format("the first is in line {}", it->second.pos.line));
  }
  for (const StmtPtr& part : statement.body) collect_labels(*part, frame);
}

void ThreadLowering::label(const Statement& statement) {
  const Name& name = statement.name;
  const LabelInfo& info = frame_->labels.at(name.text);
  if (!rejected_in_atomic(statement.pos, "a label") && info.pos == name.pos) {
    const Statement& labelled = *statement.body[0];
    const bool empty = labelled.kind == StmtKind::kBlock && labelled.body.empty();
    const size_t before = code_.emitted();
    code_.bind(info.label);
    code_.mark(unique_name(frame_->prefix + std::string(name.text)), statement.pos);
    if (code_.emitted() > before) end_statement(statement, empty ? statement.end : statement.colon_end);
  }
  this->statement(*statement.body[0]);
}

void ThreadLowering::jump(const Statement& statement) {
  if (rejected_in_atomic(statement.pos, "'goto'")) return;
  const auto found = frame_->labels.find(statement.name.text);
  if (found != frame_->labels.end()) return code_.jump(found->second.label);
  std::vector<std::string_view> candidates;
  for (const auto& [name, info] : frame_->labels) candidates.push_back(name);
  context_.diagnostics.error(statement.name.pos,
                             fmt::format("unknown label '{}'", shortened(statement.name.text)),
                             did_you_mean(statement.name.text, candidates));
}

void ThreadLowering::atomic(const Statement& statement) {
  if (rejected_in_atomic(statement.pos, "'atomic'")) return;
  atomic_ = statement.pos;
  code_.atomic_begin(statement.pos);
  block(*statement.body[0]);
  code_.atomic_end(statement.pos);
  atomic_.reset();
}

// Complains and returns true inside an atomic section.
bool ThreadLowering::rejected_in_atomic(SourcePos pos, const char* what, const char* hint) {
  if (!atomic_) return false;
  std::string location = hint;
  if (location.empty() && frame_->inside_atomic)
    location = fmt::format("the procedure is called in line {}, inside the section of line {}",
                           frame_->call.line, atomic_->line);
  else if (location.empty())
    location = fmt::format("the atomic section starts in line {}", atomic_->line);
  context_.diagnostics.error(pos, fmt::format("{} inside an atomic section", what), location);
  return true;
}

}  // namespace fenceline::frontend::fl
