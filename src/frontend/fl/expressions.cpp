// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/fl/expressions.h"

#include <fmt/format.h>

#include <utility>

#include "frontend/fl/token.h"
#include "ir/eval.h"

namespace fenceline::frontend::fl {

void Expressions::complain(SourcePos pos, std::string message, std::string hint) {
  if (!dead()) diagnostics_.error(pos, std::move(message), std::move(hint));
}

ExprId Expressions::resized(ExprId id, uint64_t size, SourcePos pos) {
  if (value(id)) return id;
  if (size > kMaxExpressionSize)
    diagnostics_.fatal(pos, fmt::format("this expression has more than {} parts", kMaxExpressionSize),
                       "split it: assign a part, such as an index, to a local variable first");
  if (sizes_.size() <= id.index()) sizes_.resize(id.index() + 1, 1);
  sizes_[id.index()] = static_cast<uint32_t>(size);
  return id;
}

ExprId Expressions::unary(ExprOp op, ExprId a, SourcePos pos) {
  if (const auto operand = value(a))
    if (const Evaluated result = apply(op, *operand, 0); !result.ok())
      complain(pos, complaint_about(result.status));
  return resized(builder_.unary(op, a), size(a) + 1, pos);
}

ExprId Expressions::binary(ExprOp op, ExprId a, ExprId b, SourcePos pos) {
  const auto left = value(a), right = value(b);
  if (left && right) {
    if (const Evaluated result = apply(op, *left, *right); !result.ok())
      complain(pos, complaint_about(result.status));
  } else if (op == ExprOp::kDiv || op == ExprOp::kMod) {
    if (right && *right == 0) complain(pos, complaint_about(EvalStatus::kDivisionByZero));
    if (!right) note_possible_error();
  } else if (op == ExprOp::kShl || op == ExprOp::kShr) {
    if (right && *right < 0) complain(pos, complaint_about(EvalStatus::kShiftOutOfRange));
    if (!right) note_possible_error();
  }
  return resized(builder_.binary(op, a, b), size(a) + size(b) + 1, pos);
}

ExprId Expressions::select(ExprId a, ExprId b, ExprId c, SourcePos pos) {
  const uint64_t total = size(a) + size(b) + size(c) + 1;
  const bool folded = value(a).has_value();
  const ExprId id = builder_.select(a, b, c);
  return folded ? id : resized(id, total, pos);
}

ExprId Expressions::truth(ExprId a, SourcePos pos) {
  return resized(builder_.binary(ExprOp::kNe, a, constant(0)), size(a) + 2, pos);
}

ExprId Expressions::sized(ExprId id, ExprId operand, SourcePos pos) {
  return resized(id, size(operand) + 1, pos);
}

ExprId Expressions::offset(std::string_view name, const Shape& shape, const std::vector<Index>& indices) {
  require(shape.sizes.size() == indices.size(), "indices and dimensions differ in number");
  if (indices.empty()) return constant(0);
  std::optional<ExprId> in_bounds;
  ExprId flat = constant(0);
  bool outside = false;
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto [index, pos] = indices[i];
    const Value length = shape.sizes[i];
    if (const auto known = value(index); !known) {
      note_possible_error();
      if (indices.size() > 1) {
        const ExprId checked = binary(ExprOp::kAnd, binary(ExprOp::kLe, constant(0), index, pos),
                                      binary(ExprOp::kLt, index, constant(length), pos), pos);
        in_bounds = in_bounds ? binary(ExprOp::kAnd, *in_bounds, checked, pos) : checked;
      }
    } else if (*known < 0 || *known >= length) {
      outside = true;
      complain(pos, fmt::format("index {} is outside '{}', which goes from 0 to {}", *known, shortened(name),
                                length - 1));
    }
    if (i == 0)
      flat = index;
    else
      flat = binary(ExprOp::kAdd, binary(ExprOp::kMul, flat, constant(length), pos), index, pos);
  }
  // In code that is never executed a constant index may be out of bounds; if executed, it must fail.
  if (outside) return constant(-1);
  return in_bounds ? select(*in_bounds, flat, constant(-1), indices[0].pos) : flat;
}

void Expressions::check_range(std::string_view name, const std::optional<Range>& range, ExprId id,
                              SourcePos pos) {
  const auto known = value(id);
  if (known && range && !range->contains(*known))
    complain(pos, fmt::format("range overflow: {} is outside the range {}..{} of '{}'", *known, range->lo,
                              range->hi, shortened(name)));
}

}  // namespace fenceline::frontend::fl
