// SPDX-License-Identifier: GPL-3.0-or-later
//
// Terms as text, for messages and tests. Parentheses follow the precedences of parse_expressions.cpp. A term
// is a graph whose text may be exponentially long, so it is truncated.
#include <fmt/format.h>

#include "model/cat/relational.h"

namespace fenceline {
namespace {

constexpr size_t kLongest = 4'000;

class Printer {
 public:
  explicit Printer(const CatModel& model) : model_(model) {}

  // `level`: how tight the operator around it binds.
  void print(TermId id, int level, int depth) {
    if (text_.size() > kLongest || depth > 200) {
      text_ += "...";
      return;
    }
    const Term& term = model_.term(id);
    const auto binary = [&](std::string_view op, int mine, int left, int right) {
      if (mine < level) text_ += '(';
      print(term.a, left, depth + 1);
      text_ += op;
      print(term.b, right, depth + 1);
      if (mine < level) text_ += ')';
    };
    const auto postfix = [&](std::string_view op, int mine) {
      print(term.a, mine, depth + 1);
      text_ += op;
    };
    const auto wrapped = [&](std::string_view before, std::string_view behind) {
      text_ += before;
      print(term.a, 0, depth + 1);
      text_ += behind;
    };
    switch (term.op) {
      case TermOp::kBase:
        text_ += term.name;
        return;
      case TermOp::kEmpty:
        text_ += term.is_set ? "{}" : "0";
        return;
      case TermOp::kUnion:
        return binary(" | ", 1, 1, 1);
      case TermOp::kSequence:
        return binary("; ", 3, 3, 3);
      case TermOp::kMinus:
        return binary(" \\ ", 4, 4, 5);
      case TermOp::kIntersect:
        return binary(" & ", 5, 5, 5);
      case TermOp::kProduct:
        return binary(" * ", 6, 7, 7);
      case TermOp::kComplement:
        if (level > 6) return parenthesised(id, depth);
        text_ += '~';
        return print(term.a, 7, depth + 1);
      case TermOp::kTransitive:
        return level > 7 ? parenthesised(id, depth) : postfix("+", 7);
      case TermOp::kReflexive:
        return level > 7 ? parenthesised(id, depth) : postfix("?", 7);
      case TermOp::kClosure:
        return level > 7 ? parenthesised(id, depth) : postfix("*", 7);
      case TermOp::kInverse:
        return postfix("^-1", 8);
      case TermOp::kIdentity:
        return wrapped("[", "]");
      case TermOp::kDomain:
        return wrapped("domain(", ")");
      case TermOp::kRange:
        return wrapped("range(", ")");
      case TermOp::kRecursive:
        text_ += fmt::format("x{}", term.index);
        return;
    }
  }

  std::string text() && { return std::move(text_); }

 private:
  void parenthesised(TermId id, int depth) {
    text_ += '(';
    print(id, 0, depth + 1);
    text_ += ')';
  }

  const CatModel& model_;
  std::string text_;
};

}  // namespace

std::string CatModel::text(TermId id) const {
  Printer printer(*this);
  printer.print(id, 0, 0);
  return std::move(printer).text();
}

}  // namespace fenceline
