// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formulas of properties. They make no steps: a shared name is the value in memory at this moment, and
// threads can be looked at. Only their evaluation is lazy.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/fl/ast.h"
#include "frontend/fl/lower.h"

namespace fenceline::frontend::fl {

class PropertyLowering {
 public:
  // All must outlive this object.
  PropertyLowering(LoweringContext& context, const std::vector<ThreadInstance>& threads)
      : context_(context), threads_(threads) {}

  void lower(const PropertyText& property);

 private:
  ExprId value(const Expression& expr);
  ExprId value_if(const Expression& expr, bool alive);
  ExprId lvalue_value(const Expression& expr);
  void reject_stamp(const Name& name);
  ExprId thread_register(const Expression& expr);
  ExprId thread_at(const Expression& expr);
  const ThreadInstance* thread(const Expression& expr);
  std::vector<Index> indices(const std::vector<ExprPtr>& list);
  bool indices_fit(const Name& name, const std::vector<ExprPtr>& list, const Shape& shape);

  Expressions& expressions() { return context_.expressions; }

  LoweringContext& context_;
  const std::vector<ThreadInstance>& threads_;
};

// "P", "P[0]", "P[0][1]".
std::string thread_name(std::string_view declared, const std::vector<Value>& numbers);

}  // namespace fenceline::frontend::fl
