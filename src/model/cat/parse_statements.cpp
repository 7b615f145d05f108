// SPDX-License-Identifier: GPL-3.0-or-later
//
// Statements. Each begins with a word of its own, so there is nothing between them, and what is in front of
// the first one is the title: a string, or one or two words (`X86 TSO`), with herd's old options behind it
// (`withoutco`).
#include <fmt/format.h>

#include "model/cat/parser.h"
#include "model/cat/spelling.h"

namespace fenceline::cat {
namespace {

constexpr size_t kDeepest = 600;

std::vector<Statement> parse_statements(TokenStream& tokens);

NearestName nearest_statement(const Token& token) {
  NearestName nearest(token.text);
  for (const std::string_view word :
       {"acyclic", "irreflexive", "empty", "include", "procedure", "undefined_unless"})
    nearest.consider(word);
  return nearest;
}

std::string parse_label(TokenStream& tokens) {
  if (!tokens.take_if("as")) return "";
  if (tokens.looking_at(TokenKind::kString)) return std::string(tokens.take().text);
  return std::string(tokens.expect_name("behind 'as'"));
}

bool at_test(const TokenStream& tokens, size_t ahead) {
  return tokens.looking_at("acyclic", ahead) || tokens.looking_at("irreflexive", ahead) ||
         tokens.looking_at("empty", ahead);
}

Test parse_test(TokenStream& tokens) {
  Test test;
  if (tokens.take_if("flag"))
    test.role = TestRole::kFlag;
  else if (tokens.take_if("undefined_unless"))
    test.role = TestRole::kUndefinedUnless;
  else if (tokens.take_if("assert"))
    test.role = TestRole::kAssert;
  const size_t begin = tokens.position();
  test.negated = tokens.take_if("~");
  if (!at_test(tokens, 0)) tokens.here().complain("'acyclic', 'irreflexive' or 'empty' is missing here");
  const std::string_view word = tokens.take().text;
  test.kind = word == "acyclic"       ? TestKind::kAcyclic
              : word == "irreflexive" ? TestKind::kIrreflexive
                                      : TestKind::kEmpty;
  test.value = parse_expression(tokens);
  test.text = tokens.text_since(begin);
  test.name = parse_label(tokens);
  return test;
}

void parse_drawing(TokenStream& tokens) {
  const bool names_only = tokens.looking_at("unshow");
  const bool expression_only = tokens.looking_at("debug");
  tokens.take();
  if (expression_only) {
    parse_expression(tokens);
    return;
  }
  do {
    if (names_only)
      tokens.expect_name("to hide");
    else
      parse_operators(tokens);
  } while (tokens.take_if(","));
  parse_label(tokens);
}

void parse_procedure(TokenStream& tokens, Statement& statement) {
  statement.recursive = tokens.take_if("rec");
  statement.text = tokens.expect_name("of the procedure");
  statement.pattern = parse_parameters(tokens);
  tokens.expect("=", "behind the parameters");
  statement.body = parse_statements(tokens);
  tokens.expect("end", "to close 'procedure'");
}

void parse_match(TokenStream& tokens, Statement& statement) {
  statement.value = parse_expression(tokens);
  tokens.expect("with", "behind what is matched");
  tokens.take_if("||");
  do {
    if (tokens.take_if("_")) {
      statement.tags.emplace_back();
    } else {
      if (!tokens.looking_at(TokenKind::kTag)) tokens.here().complain("a tag is missing");
      statement.tags.emplace_back(tokens.take().text);
    }
    tokens.expect("->", "behind the tag");
    statement.clauses.push_back(parse_statements(tokens));
  } while (tokens.take_if("||"));
  tokens.expect("end", "to close 'match'");
}

void parse_enum(TokenStream& tokens, Statement& statement) {
  statement.text = tokens.expect_name("of the enumeration");
  tokens.expect("=", "behind the name");
  tokens.take_if("||");
  do {
    if (!tokens.looking_at(TokenKind::kTag)) tokens.here().complain("a tag is missing");
    statement.tags.emplace_back(tokens.take().text);
  } while (tokens.take_if("||"));
}

void parse_if(TokenStream& tokens, Statement& statement) {
  statement.condition = parse_condition(tokens);
  tokens.take_if("then");
  statement.body = parse_statements(tokens);
  if (tokens.take_if("else")) statement.otherwise = parse_statements(tokens);
  tokens.expect("end", "to close 'if'");
}

void parse_instructions(TokenStream& tokens) {
  tokens.expect_name("of the instructions");
  tokens.expect("[", "before the annotations");
  if (!tokens.looking_at("]")) {
    do parse_operators(tokens);
    while (tokens.take_if(","));
  }
  tokens.expect("]", "behind the annotations");
}

// False: no statement begins here.
bool parse_statement(TokenStream& tokens, Statement& statement) {
  const TokenStream::Nesting nesting(tokens);
  statement.position = tokens.here();
  if (tokens.take_if("let")) {
    statement.kind = tokens.take_if("rec") ? StatementKind::kLetRec : StatementKind::kLet;
    statement.bindings = parse_bindings(tokens);
    if (statement.kind == StatementKind::kLetRec && tokens.take_if("when")) {
      statement.test = parse_test(tokens);
      statement.has_test = true;
    }
    tokens.take_if("in");
  } else if (tokens.looking_at("flag") || tokens.looking_at("undefined_unless") ||
             tokens.looking_at("assert") || at_test(tokens, 0) ||
             (tokens.looking_at("~") && at_test(tokens, 1))) {
    statement.kind = StatementKind::kTest;
    statement.test = parse_test(tokens);
  } else if (tokens.looking_at("show") || tokens.looking_at("unshow") || tokens.looking_at("debug")) {
    statement.kind = StatementKind::kDrawing;
    parse_drawing(tokens);
  } else if (tokens.take_if("include")) {
    statement.kind = StatementKind::kInclude;
    if (!tokens.looking_at(TokenKind::kString))
      tokens.here().complain("the name of a file, in quotes, is missing");
    statement.position = tokens.here();
    statement.text = tokens.take().text;
  } else if (tokens.take_if("procedure")) {
    statement.kind = StatementKind::kProcedure;
    parse_procedure(tokens, statement);
  } else if (tokens.take_if("call")) {
    statement.kind = StatementKind::kCall;
    statement.position = tokens.here();
    statement.text = tokens.expect_name("of a procedure");
    statement.value = parse_argument(tokens);
    statement.name = parse_label(tokens);
  } else if (tokens.take_if("forall")) {
    statement.kind = StatementKind::kForall;
    statement.text = tokens.expect_name("of the variable");
    tokens.expect("in", "behind the variable");
    statement.value = parse_expression(tokens);
    tokens.expect("do", "behind the set");
    statement.body = parse_statements(tokens);
    tokens.expect("end", "to close 'forall'");
  } else if (tokens.take_if("with")) {
    statement.kind = StatementKind::kWithFrom;
    statement.text = tokens.expect_name("of what is generated");
    tokens.expect("from", "behind the name");
    statement.value = parse_expression(tokens);
  } else if (tokens.take_if("instructions") || tokens.take_if("default")) {
    statement.kind = StatementKind::kInstructions;
    parse_instructions(tokens);
  } else if (tokens.take_if("enum")) {
    statement.kind = StatementKind::kEnum;
    parse_enum(tokens, statement);
  } else if (tokens.take_if("match")) {
    statement.kind = StatementKind::kMatch;
    parse_match(tokens, statement);
  } else if (tokens.take_if("if")) {
    statement.kind = StatementKind::kIf;
    parse_if(tokens, statement);
  } else {
    return false;
  }
  return true;
}

std::vector<Statement> parse_statements(TokenStream& tokens) {
  std::vector<Statement> statements;
  for (;;) {
    Statement statement;
    if (!parse_statement(tokens, statement)) return statements;
    statements.push_back(std::move(statement));
  }
}

// A word that is nearly one with which statements begin; it would be a strange title.
bool misspelt(const Token& token) { return nearest_statement(token).found(); }

void parse_title(TokenStream& tokens, SyntaxTree& tree) {
  const size_t begin = tokens.position();
  if (tokens.looking_at(TokenKind::kName)) tree.architecture = tokens.peek().text;
  for (int words = 0; words < 2 && tokens.looking_at(TokenKind::kName) && !misspelt(tokens.peek()); ++words)
    tokens.take();
  tree.title = tokens.text_since(begin);
  if (tokens.looking_at(TokenKind::kString)) {
    tree.title = tokens.take().text;
    while (tokens.looking_at(TokenKind::kName) && tokens.peek().text.starts_with("with")) tokens.take();
  }
}

}  // namespace

const Token& TokenStream::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenStream::take_if(std::string_view word) {
  if (!looking_at(word)) return false;
  take();
  return true;
}

void TokenStream::expect(std::string_view word, std::string_view what) {
  if (!take_if(word))
    here().complain(fmt::format("'{}' is missing {}, before {}", word, what, describe(peek())));
}

std::string_view TokenStream::expect_name(std::string_view what) {
  if (!looking_at(TokenKind::kName)) {
    std::string hint;
    if (looking_at(TokenKind::kKeyword)) hint = fmt::format("{} is a word of the language", describe(peek()));
    here().complain(fmt::format("a name {} is missing, before {}", what, describe(peek())), hint);
  }
  return take().text;
}

std::string TokenStream::text_since(size_t begin) const {
  std::string text;
  for (size_t i = begin; i < at_; ++i) {
    const Token& token = tokens_[i];
    if (i > begin && tokens_[i - 1].end < token.begin) text += ' ';
    text += std::string_view(file_.text).substr(token.begin, token.end - token.begin);
  }
  return text;
}

TokenStream::Nesting::Nesting(TokenStream& tokens) : tokens_(tokens) {
  if (tokens_.depth_ >= kDeepest) tokens_.here().complain("this is nested too deeply");
  ++tokens_.depth_;
}

SyntaxTree parse(const SourceFile& file) {
  TokenStream tokens(file);
  SyntaxTree tree;
  parse_title(tokens, tree);
  tree.statements = parse_statements(tokens);
  if (!tokens.looking_at(TokenKind::kEnd)) {
    const NearestName nearest = nearest_statement(tokens.peek());
    tokens.here().complain(
        fmt::format("no statement begins with {}", describe(tokens.peek())),
        nearest.found() ? nearest.hint()
                        : "statements begin with let, acyclic, irreflexive, empty, flag, include, ...");
  }
  return tree;
}

}  // namespace fenceline::cat
