// SPDX-License-Identifier: GPL-3.0-or-later
//
// Scopes. The innermost declaration wins; a procedure's body sees its own scopes and the file's names, never
// those of its caller.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/fl/lower.h"
#include "frontend/fl/token.h"

namespace fenceline::frontend::fl {

const Local* ThreadLowering::find_local(std::string_view name) const {
  for (size_t i = scopes_.size(); i > frame_->first_scope; --i) {
    const auto found = scopes_[i - 1].find(name);
    if (found != scopes_[i - 1].end()) return &found->second;
  }
  if (frame_->program) {
    const auto found = scopes_.front().find(name);
    if (found != scopes_.front().end()) return &found->second;
  }
  return nullptr;
}

void ThreadLowering::complain_unknown(const Name& name) const {
  std::vector<std::string_view> candidates;
  for (size_t i = frame_->first_scope; i < scopes_.size(); ++i)
    for (const auto& [candidate, local] : scopes_[i]) candidates.push_back(candidate);
  if (frame_->program)
    for (const auto& [candidate, local] : scopes_.front()) candidates.push_back(candidate);
  context_.globals.complain_unknown(name, std::move(candidates));
}

std::optional<Value> ThreadLowering::lookup_constant(const Name& name) const {
  if (const Local* local = find_local(name.text)) {
    if (local->number) return local->number;
    context_.diagnostics.error(
        name.pos, fmt::format("'{}' is a local variable; a constant is needed here", shortened(name.text)));
    return std::nullopt;
  }
  if (!context_.globals.constant(name.text) && !context_.globals.shared(name.text)) {
    complain_unknown(name);
    return std::nullopt;
  }
  return context_.globals.lookup_constant(name);
}

ConstantLookup ThreadLowering::constant_lookup() const {
  return [this](const Name& name) { return lookup_constant(name); };
}

// True if the expression is made of numbers and constants only; it need not have a value.
bool ThreadLowering::is_constant(const Expression& expr) const {
  return is_made_of(expr, [](const Local& local) { return local.number.has_value(); });
}

// Is it made of constants and indices only, so that no load can change it?
bool ThreadLowering::is_index(const Expression& expr) const {
  return is_made_of(expr, [](const Local& local) { return local.number.has_value() || local.index; });
}

// Is it made of numbers, constants and these local names?
bool ThreadLowering::is_made_of(const Expression& expr,
                                const std::function<bool(const Local&)>& allowed) const {
  switch (expr.kind) {
    case ExprKind::kNumber:
      return true;
    case ExprKind::kLvalue: {
      if (!expr.args.empty()) return false;
      const Local* local = find_local(expr.name.text);
      return local ? allowed(*local) : context_.globals.constant(expr.name.text) != nullptr;
    }
    case ExprKind::kUnary:
    case ExprKind::kBinary:
    case ExprKind::kConditional:
      return std::ranges::all_of(expr.args, [&](const ExprPtr& arg) { return is_made_of(*arg, allowed); });
    default:
      return false;
  }
}

// "r" for the first, "r'2" for the second of that name in the thread, and so on.
std::string ThreadLowering::unique_name(const std::string& name) {
  const unsigned count = ++names_[name];
  return count == 1 ? name : fmt::format("{}'{}", name, count);
}

// Called for every part of the syntax tree that is lowered.
void ThreadLowering::visit(SourcePos pos) {
  if (++context_.effort.visits > kMaxVisits) context_.diagnostics.fatal(pos, "the program is too large");
}

}  // namespace fenceline::frontend::fl
