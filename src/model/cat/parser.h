// SPDX-License-Identifier: GPL-3.0-or-later
//
// Inside of the parser of `.cat` files, which has two parts: expressions and statements. Others include
// syntax.h.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/cat/lexer.h"
#include "model/cat/syntax.h"

namespace fenceline::cat {

// The tokens still to come, and how deep the parser is.
class TokenStream {
 public:
  explicit TokenStream(const SourceFile& file) : file_(file), tokens_(tokens_of(file)) {}

  // The token `ahead` of the next one; the last token for what lies behind it.
  const Token& peek(size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  bool looking_at(std::string_view word, size_t ahead = 0) const { return peek(ahead).is(word); }
  bool looking_at(TokenKind kind, size_t ahead = 0) const { return peek(ahead).kind == kind; }
  const Token& take();
  bool take_if(std::string_view word);
  // `what`: "before the body of the procedure".
  void expect(std::string_view word, std::string_view what);
  std::string_view expect_name(std::string_view what);
  Position here() const { return {&file_, peek().pos}; }
  size_t position() const { return at_; }
  // The tokens from `begin` up to the last one taken, with single blanks where there was some space.
  std::string text_since(size_t begin) const;

  // Nesting costs stack, so it is bounded: one of these lives in each call of a recursive function.
  class Nesting {
   public:
    explicit Nesting(TokenStream& tokens);
    ~Nesting() { --tokens_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    TokenStream& tokens_;
  };

 private:
  const SourceFile& file_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t depth_ = 0;
};

ExpressionPtr parse_expression(TokenStream& tokens);
// Without `let`, `fun` and the like, and without tuples at its top.
ExpressionPtr parse_operators(TokenStream& tokens);
// What may follow the name of a procedure: a name or something in brackets.
ExpressionPtr parse_argument(TokenStream& tokens);
std::vector<Binding> parse_bindings(TokenStream& tokens);
std::unique_ptr<Condition> parse_condition(TokenStream& tokens);
// `(x, y)` or `x`.
Pattern parse_parameters(TokenStream& tokens);

}  // namespace fenceline::cat
