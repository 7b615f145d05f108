// SPDX-License-Identifier: GPL-3.0-or-later
//
// Expressions, with the precedences of herd: from loose to tight `|`, `++`, `;`, `\`, `&`, then the product
// and the postfix operators `* + ?` and the prefix `~`, then `^-1`, then application. A star is a product if
// an operand follows and a closure otherwise: `r* ; s` is one, `r * s` the other. The operators of the tight
// level do not mix
// (`~r+`, `A * B * C`): herd calls these syntax errors, and so do we.
#include <algorithm>

#include "model/cat/parser.h"

namespace fenceline::cat {
namespace {

ExpressionPtr make(ExpressionKind kind, Position position) {
  auto result = std::make_unique<Expression>();
  result->kind = kind;
  result->position = position;
  return result;
}

template <class... Args>
ExpressionPtr make(ExpressionKind kind, Position position, ExpressionPtr first, Args... rest) {
  ExpressionPtr result = make(kind, position);
  result->args.push_back(std::move(first));
  (result->args.push_back(std::move(rest)), ...);
  return result;
}

// One name of a pattern; `_` is the empty name.
std::string pattern_name(TokenStream& tokens) {
  if (tokens.take_if("_")) return "";
  return std::string(tokens.expect_name("to bind"));
}

Pattern pattern_in_parentheses(TokenStream& tokens) {
  Pattern pattern;
  tokens.expect("(", "before the parameters");
  if (!tokens.looking_at(")")) {
    do pattern.names.push_back(pattern_name(tokens));
    while (tokens.take_if(","));
  }
  tokens.expect(")", "behind the parameters");
  pattern.tuple = pattern.names.size() != 1;
  return pattern;
}

ExpressionPtr function(Position position, std::string name, Pattern pattern, ExpressionPtr body) {
  ExpressionPtr result = make(ExpressionKind::kFunction, position, std::move(body));
  result->text = std::move(name);
  result->pattern = std::move(pattern);
  return result;
}

bool starts_simple(const Token& token) {
  return token.kind == TokenKind::kTag || token.is("0") || token.is("_") || token.is("{") || token.is("(") ||
         token.is("[") || token.is("begin");
}

bool starts_operand(const Token& token) {
  return token.kind == TokenKind::kName || token.is("~") || starts_simple(token);
}

ExpressionPtr parse_simple(TokenStream& tokens) {
  const Position position = tokens.here();
  if (tokens.looking_at(TokenKind::kTag)) {
    ExpressionPtr tag = make(ExpressionKind::kTag, position);
    tag->text = tokens.take().text;
    return tag;
  }
  if (tokens.take_if("0")) return make(ExpressionKind::kEmptyRelation, position);
  if (tokens.take_if("_")) return make(ExpressionKind::kUniverse, position);
  if (tokens.take_if("[")) {
    ExpressionPtr set = parse_expression(tokens);
    tokens.expect("]", "behind the set");
    return make(ExpressionKind::kIdentity, position, std::move(set));
  }
  if (tokens.take_if("{")) {
    ExpressionPtr set = make(ExpressionKind::kSet, position);
    if (!tokens.looking_at("}")) {
      do set->args.push_back(parse_operators(tokens));
      while (tokens.take_if(","));
    }
    tokens.expect("}", "behind the elements of the set");
    return set;
  }
  if (tokens.take_if("begin")) {
    ExpressionPtr inner = parse_expression(tokens);
    tokens.expect("end", "to close 'begin'");
    return inner;
  }
  if (!tokens.take_if("(")) position.complain("an expression is missing before " + describe(tokens.peek()));
  if (tokens.take_if(")")) return make(ExpressionKind::kTuple, position);
  ExpressionPtr inner = parse_expression(tokens);
  tokens.expect(")", "to close the parenthesis");
  return inner;
}

ExpressionPtr parse_name(TokenStream& tokens) {
  ExpressionPtr name = make(ExpressionKind::kName, tokens.here());
  name->text = tokens.take().text;
  return name;
}

// A name with the arguments it is applied to, or something simple.
ExpressionPtr parse_application(TokenStream& tokens) {
  if (!tokens.looking_at(TokenKind::kName)) return parse_simple(tokens);
  ExpressionPtr result = parse_name(tokens);
  for (size_t arguments = 0; tokens.looking_at(TokenKind::kName) || starts_simple(tokens.peek());
       ++arguments) {
    const Position position = result->position;
    if (arguments == 50) tokens.here().complain("too many arguments");
    result = make(ExpressionKind::kApply, position, std::move(result), parse_argument(tokens));
  }
  return result;
}

void take_inverses(TokenStream& tokens, ExpressionPtr& operand) {
  while (tokens.looking_at("^")) {
    const Position position = tokens.here();
    tokens.take();
    if (!tokens.take_if("-1")) position.complain("'^' is followed by '-1'");
    // The inverse of an inverse is nothing new, and a long row of them no deep tree.
    if (operand->kind == ExpressionKind::kInverse)
      operand = std::move(ExpressionPtr(std::move(operand))->args[0]);
    else
      operand = make(ExpressionKind::kInverse, position, std::move(operand));
  }
}

void no_operator_here(TokenStream& tokens, std::string_view of) {
  if (tokens.looking_at("*") || tokens.looking_at("+") || tokens.looking_at("?"))
    tokens.here().complain("put parentheses around the operand of " + std::string(of) +
                           ", or around it with its operand");
}

// An operand of `~` or of a product.
ExpressionPtr parse_tight(TokenStream& tokens) {
  const TokenStream::Nesting nesting(tokens);
  const Position position = tokens.here();
  if (tokens.take_if("~")) {
    ExpressionPtr result = make(ExpressionKind::kComplement, position, parse_tight(tokens));
    no_operator_here(tokens, "'~'");
    return result;
  }
  ExpressionPtr operand = parse_application(tokens);
  take_inverses(tokens, operand);
  return operand;
}

ExpressionPtr parse_postfix(TokenStream& tokens) {
  ExpressionPtr result = parse_tight(tokens);
  for (size_t operators = 0;; ++operators) {
    const Position position = tokens.here();
    if (operators == 50) position.complain("too many operators in a row");
    if (tokens.looking_at("*") && starts_operand(tokens.peek(1))) {
      tokens.take();
      result = make(ExpressionKind::kProduct, position, std::move(result), parse_tight(tokens));
      no_operator_here(tokens, "'*'");
    } else if (tokens.take_if("*")) {
      result = make(ExpressionKind::kClosure, position, std::move(result));
    } else if (tokens.take_if("+")) {
      result = make(ExpressionKind::kTransitive, position, std::move(result));
    } else if (tokens.take_if("?")) {
      result = make(ExpressionKind::kReflexive, position, std::move(result));
    } else if (tokens.looking_at("^")) {
      take_inverses(tokens, result);
    } else {
      return result;
    }
  }
}

struct Operator {
  std::string_view text;
  int level;
  ExpressionKind kind;
  bool flat;  // a chain of them is one expression
};

constexpr Operator kOperators[] = {
    {"|", 1, ExpressionKind::kUnion, true},     {"++", 2, ExpressionKind::kAdd, false},
    {";", 3, ExpressionKind::kSequence, true},  {"\\", 4, ExpressionKind::kMinus, false},
    {"&", 5, ExpressionKind::kIntersect, true},
};

ExpressionPtr parse_level(TokenStream& tokens, int level) {
  const TokenStream::Nesting nesting(tokens);
  ExpressionPtr left = parse_postfix(tokens);
  ExpressionKind open = ExpressionKind::kName;  // the chain that `left` is
  for (size_t links = 0;; ++links) {
    const auto* op = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [&](const Operator& o) { return tokens.looking_at(o.text); });
    if (op == std::end(kOperators) || op->level < level) return left;
    const Position position = tokens.here();
    if (!op->flat && links == 200) position.complain("too many operators in a row");
    tokens.take();
    const bool right_to_left = op->kind == ExpressionKind::kAdd;
    ExpressionPtr right = parse_level(tokens, right_to_left ? op->level : op->level + 1);
    if (op->flat && open == op->kind)
      left->args.push_back(std::move(right));
    else
      left = make(op->kind, position, std::move(left), std::move(right));
    open = op->kind;
  }
}

ExpressionPtr parse_let(TokenStream& tokens) {
  const Position position = tokens.here();
  tokens.take();
  ExpressionPtr result =
      make(tokens.take_if("rec") ? ExpressionKind::kLetRec : ExpressionKind::kLet, position);
  result->bindings = parse_bindings(tokens);
  tokens.expect("in", "behind the definitions");
  result->args.push_back(parse_expression(tokens));
  return result;
}

ExpressionPtr parse_if(TokenStream& tokens) {
  ExpressionPtr result = make(ExpressionKind::kIf, tokens.here());
  tokens.take();
  result->condition = parse_condition(tokens);
  tokens.take_if("then");
  result->args.push_back(parse_expression(tokens));
  tokens.expect("else", "behind the first case");
  result->args.push_back(parse_expression(tokens));
  return result;
}

// `{} -> e || x ++ rest -> e`, in either order.
void parse_set_clauses(TokenStream& tokens, Expression& match) {
  match.kind = ExpressionKind::kMatchSet;
  match.args.resize(3);
  for (int clause = 0; clause < 2; ++clause) {
    if (clause > 0) tokens.expect("||", "between the two cases");
    const Position position = tokens.here();
    const bool empty = tokens.take_if("{");
    if (empty) {
      tokens.expect("}", "in the case of the empty set");
    } else {
      pattern_name(tokens);
      if (tokens.take_if("|")) pattern_name(tokens);
      tokens.expect("++", "between an element and the others");
      pattern_name(tokens);
    }
    tokens.expect("->", "behind the pattern");
    ExpressionPtr& value = match.args[empty ? 1 : 2];
    if (value) position.complain("this case is there already");
    value = parse_expression(tokens);
  }
}

ExpressionPtr parse_match(TokenStream& tokens) {
  ExpressionPtr result = make(ExpressionKind::kMatchTag, tokens.here());
  tokens.take();
  result->args.push_back(parse_expression(tokens));
  tokens.expect("with", "behind what is matched");
  tokens.take_if("||");
  if (!tokens.looking_at(TokenKind::kTag) && !(tokens.looking_at("_") && tokens.looking_at("->", 1))) {
    parse_set_clauses(tokens, *result);
  } else {
    do {
      if (tokens.take_if("_")) {
        result->tags.emplace_back();
      } else {
        if (!tokens.looking_at(TokenKind::kTag)) tokens.here().complain("a tag is missing");
        result->tags.emplace_back(tokens.take().text);
      }
      tokens.expect("->", "behind the tag");
      result->args.push_back(parse_expression(tokens));
    } while (tokens.take_if("||"));
  }
  tokens.expect("end", "to close 'match'");
  return result;
}

ExpressionPtr parse_single(TokenStream& tokens) {
  const TokenStream::Nesting nesting(tokens);
  const Position position = tokens.here();
  if (tokens.looking_at("let")) return parse_let(tokens);
  if (tokens.looking_at("if")) return parse_if(tokens);
  if (tokens.looking_at("match")) return parse_match(tokens);
  if (tokens.take_if("fun")) {
    Pattern pattern = parse_parameters(tokens);
    tokens.expect("->", "behind the parameters");
    return function(position, "", std::move(pattern), parse_expression(tokens));
  }
  if (tokens.take_if("try")) {
    ExpressionPtr first = parse_expression(tokens);
    tokens.expect("with", "behind what is tried");
    return make(ExpressionKind::kTry, position, std::move(first), parse_expression(tokens));
  }
  return parse_operators(tokens);
}

std::unique_ptr<Condition> condition(Condition::Kind kind, Position position) {
  auto result = std::make_unique<Condition>();
  result->kind = kind;
  result->position = position;
  return result;
}

// Does a condition on options begin here? (A string is no expression.)
bool at_variant(const TokenStream& tokens) {
  size_t ahead = 0;
  while (ahead < 50 && (tokens.looking_at("(", ahead) || tokens.looking_at("~", ahead))) ++ahead;
  return tokens.looking_at(TokenKind::kString, ahead) || tokens.looking_at("not", ahead);
}

std::unique_ptr<Condition> parse_variants(TokenStream& tokens);

std::unique_ptr<Condition> parse_variant(TokenStream& tokens) {
  const TokenStream::Nesting nesting(tokens);
  const Position position = tokens.here();
  if (tokens.take_if("not") || tokens.take_if("~")) {
    auto result = condition(Condition::Kind::kNot, position);
    result->parts.push_back(parse_variant(tokens));
    return result;
  }
  if (tokens.take_if("(")) {
    auto inner = parse_variants(tokens);
    tokens.expect(")", "to close the parenthesis");
    return inner;
  }
  if (!tokens.looking_at(TokenKind::kString))
    position.complain("the name of an option, in quotes, is missing");
  auto result = condition(Condition::Kind::kVariant, position);
  result->variant = tokens.take().text;
  return result;
}

std::unique_ptr<Condition> parse_variants(TokenStream& tokens) {
  auto left = parse_variant(tokens);
  for (;;) {
    const Position position = tokens.here();
    const bool both = tokens.take_if("&") || tokens.take_if("&&");
    if (!both && !tokens.take_if("|") && !tokens.take_if("||")) return left;
    const auto kind = both ? Condition::Kind::kAnd : Condition::Kind::kOr;
    if (left->kind != kind) {
      auto chain = condition(kind, position);
      chain->parts.push_back(std::move(left));
      left = std::move(chain);
    }
    left->parts.push_back(parse_variant(tokens));
  }
}

}  // namespace

ExpressionPtr parse_operators(TokenStream& tokens) { return parse_level(tokens, 1); }

ExpressionPtr parse_expression(TokenStream& tokens) {
  ExpressionPtr first = parse_single(tokens);
  if (!tokens.looking_at(",")) return first;
  const Position position = first->position;
  ExpressionPtr tuple = make(ExpressionKind::kTuple, position, std::move(first));
  while (tokens.take_if(",")) tuple->args.push_back(parse_single(tokens));
  return tuple;
}

ExpressionPtr parse_argument(TokenStream& tokens) {
  if (tokens.looking_at(TokenKind::kName)) return parse_name(tokens);
  return parse_simple(tokens);
}

Pattern parse_parameters(TokenStream& tokens) {
  if (tokens.looking_at("(")) return pattern_in_parentheses(tokens);
  return Pattern{false, {pattern_name(tokens)}};
}

std::vector<Binding> parse_bindings(TokenStream& tokens) {
  std::vector<Binding> bindings;
  do {
    Binding binding;
    binding.position = tokens.here();
    if (tokens.looking_at("(")) {
      binding.pattern = pattern_in_parentheses(tokens);
    } else {
      do binding.pattern.names.push_back(pattern_name(tokens));
      while (tokens.take_if(","));
      binding.pattern.tuple = binding.pattern.names.size() > 1;
    }
    if (!binding.pattern.tuple && !tokens.looking_at("=")) {
      const std::string name = binding.pattern.names[0];
      Pattern parameters = parse_parameters(tokens);
      tokens.expect("=", "behind the parameters");
      binding.value = function(binding.position, name, std::move(parameters), parse_expression(tokens));
    } else {
      tokens.expect("=", "behind what is defined");
      binding.value = parse_expression(tokens);
    }
    bindings.push_back(std::move(binding));
  } while (tokens.take_if("and"));
  return bindings;
}

std::unique_ptr<Condition> parse_condition(TokenStream& tokens) {
  const Position position = tokens.here();
  if (at_variant(tokens)) return parse_variants(tokens);
  auto result = condition(Condition::Kind::kEqual, position);
  result->left = parse_expression(tokens);
  if (tokens.take_if("subset"))
    result->kind = Condition::Kind::kSubset;
  else if (tokens.take_if("in"))
    result->kind = Condition::Kind::kIn;
  else
    tokens.expect("=", "in the condition");
  result->right = parse_expression(tokens);
  return result;
}

}  // namespace fenceline::cat
