// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes the IR's expressions for the lowering of threads and of properties. Adds three things to the
// builder: operations on constants that fail are errors in the text; a dynamic index or divisor is recorded
// as a possible run-time error; and an index into several dimensions is checked for each of them.
//
// m[i][j] of `int m[2][3]` is cell 3i + j. The machine checks only that this lies in 0..5, but m[0][4] is an
// error although cell 4 exists. So the offset is written `0 <= i && i < 2 && ... ? 3i + j : -1`. That repeats
// i and j, and nested indices repeat the repetition; hence the bound on the size of expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/fl/diagnostics.h"
#include "frontend/fl/globals.h"
#include "ir/builder.h"

namespace fenceline::frontend::fl {

constexpr uint32_t kMaxExpressionSize = 10'000;

struct Index {
  ExprId value;
  SourcePos pos;
};

class Expressions {
 public:
  // Both must outlive this object.
  Expressions(ProgramBuilder& builder, Diagnostics& diagnostics)
      : builder_(builder), diagnostics_(diagnostics) {}

  ProgramBuilder& builder() { return builder_; }

  ExprId constant(Value value) { return builder_.constant(value); }
  ExprId unknown() { return builder_.reg(RegId(0)); }  // a placeholder after a complaint
  ExprId unary(ExprOp op, ExprId a, SourcePos pos);
  ExprId binary(ExprOp op, ExprId a, ExprId b, SourcePos pos);
  ExprId select(ExprId a, ExprId b, ExprId c, SourcePos pos);
  ExprId truth(ExprId a, SourcePos pos);                   // 1 if a is not 0
  ExprId sized(ExprId id, ExprId operand, SourcePos pos);  // a leaf of the builder with an index
  std::optional<Value> value(ExprId id) const { return builder_.constant_value(id); }

  // The offset of an element; complains about constant indices outside their dimension.
  // Precondition: as many indices as dimensions.
  ExprId offset(std::string_view name, const Shape& shape, const std::vector<Index>& indices);

  // Complains if `id` is a constant outside `range`.
  void check_range(std::string_view name, const std::optional<Range>& range, ExprId id, SourcePos pos);

  // While an object of this kind lives, what is lowered is never executed: values are not checked.
  class Dead {
   public:
    explicit Dead(Expressions& expressions, bool dead = true) : expressions_(expressions), dead_(dead) {
      expressions_.dead_ += dead_;
    }
    ~Dead() { expressions_.dead_ -= dead_; }
    Dead(const Dead&) = delete;
    Dead& operator=(const Dead&) = delete;

   private:
    Expressions& expressions_;
    bool dead_;
  };

  bool dead() const { return dead_ > 0; }
  bool error_possible() const { return error_possible_; }  // by an index, divisor or shift known only later
  void note_possible_error() { error_possible_ |= !dead(); }

 private:
  void complain(SourcePos pos, std::string message, std::string hint = {});
  ExprId resized(ExprId id, uint64_t size, SourcePos pos);
  uint64_t size(ExprId id) const { return id.index() < sizes_.size() ? sizes_[id.index()] : 1; }

  ProgramBuilder& builder_;
  Diagnostics& diagnostics_;
  std::vector<uint32_t> sizes_;  // by ExprId: nodes of the tree; missing ones are leaves
  unsigned dead_ = 0;
  bool error_possible_ = false;
};

}  // namespace fenceline::frontend::fl
