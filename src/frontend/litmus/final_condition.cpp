// SPDX-License-Identifier: GPL-3.0-or-later
//
// The final condition of a test: "locations [x; 0:EAX;]" and "exists (0:EAX=0 /\ 1:EAX=0)". It becomes an expression
// over the final state, and a text again: result blocks print conditions in a normal form of their own, with
// brackets around locations, without superfluous parentheses, and with `not (a=b)` for a != b.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "frontend/litmus/sections.h"

namespace fenceline::frontend::litmus {
namespace {

constexpr unsigned kMaxDepth = 200;
constexpr unsigned kMaxOperators = 1000;

enum class Form : uint8_t { kAtom, kAnd, kOr, kImplies };

struct Condition {
  ExprId expr;
  std::string text;
  Form form = Form::kAtom;
};

// Are parentheses printed around `here` as an operand of `above`?
bool parenthesised(Form above, Form here) {
  if (here == Form::kAtom) return false;
  if (above == Form::kOr) return here == Form::kImplies;
  return above != here;
}

std::string operand(Form above, const Condition& condition) {
  return parenthesised(above, condition.form) ? "(" + condition.text + ")" : condition.text;
}

class FinalCondition {
 public:
  FinalCondition(Lexer& lexer, const Registers& registers, TestCode& test)
      : lexer_(lexer), registers_(registers), test_(test) {}

  void read(LitmusTest& result) {
    if (lexer_.accept("locations")) read_locations();
    if (lexer_.peek().is("filter"))
      test_.fail(lexer_.peek().pos, "'filter' is not supported",
                 "put it into the condition: exists (filter /\\ ...)");
    const SourcePos pos = lexer_.peek().pos;
    Condition condition{test_.program().constant(1), "true", Form::kAtom};
    result.quantifier = Quantifier::kForall;
    if (lexer_.peek().kind != Tok::kEnd) {
      result.quantifier = read_quantifier();
      condition = implication_or_more();
      lexer_.accept(";");
    }
    if (lexer_.peek().is("with")) test_.fail(lexer_.peek().pos, "'with' is not supported");
    if (lexer_.peek().kind != Tok::kEnd) lexer_.fail_expected("the end of the file");
    result.condition = condition.expr;
    result.condition_text = "(" + condition.text + ")";
    std::sort(observed_.begin(), observed_.end());
    for (const Observed& observed : observed_) result.observables.push_back({observed.name, observed.value});
    const bool wanted = result.quantifier == Quantifier::kForall;
    Property property;
    property.name = "finally";
    property.kind = PropertyKind::kFinally;
    property.formula = wanted ? condition.expr : test_.program().unary(ExprOp::kNot, condition.expr);
    property.pos = pos;
    test_.program().property(property);
  }

 private:
  // In the order of result blocks: registers by thread, then locations by name.
  struct Observed {
    uint32_t thread = 0;
    uint32_t order = 0;
    std::string name;
    ExprId value;

    friend bool operator<(const Observed& x, const Observed& y) {
      return std::tie(x.thread, x.order, x.name) < std::tie(y.thread, y.order, y.name);
    }
  };

  // Something with a final value.
  struct Observable {
    std::string name;
    ExprId value;
    int width = 0;  // of its values, as of kWrap; 0: 64 bits
  };

  void read_locations() {
    lexer_.expect("[", "'[' after 'locations'");
    while (!lexer_.accept("]")) {
      if (lexer_.accept(";")) continue;
      observable();
      while (lexer_.accept("*") || (lexer_.peek().kind == Tok::kName && !lexer_.take().text.empty())) {
      }  // a type
      if (!lexer_.peek().is("]")) lexer_.expect(";", "';' or ']' after a location");
    }
  }

  Quantifier read_quantifier() {
    if (lexer_.accept("exists") || lexer_.accept("final")) return Quantifier::kExists;
    if (lexer_.accept("forall")) return Quantifier::kForall;
    if (lexer_.peek().is("(")) return Quantifier::kExists;
    if (lexer_.accept("~") || lexer_.accept("not")) {
      lexer_.expect("exists", "'exists'");
      return Quantifier::kNotExists;
    }
    if (lexer_.peek().is("observed") || lexer_.peek().is("Observed"))
      test_.fail(lexer_.peek().pos, "'observed' is not supported");
    lexer_.fail_expected("'exists', '~exists' or 'forall'");
  }

  // Implications bind more tightly than conjunctions, and those more tightly than disjunctions.
  Condition implication_or_more() {
    enter();
    Condition left = conjunction();
    while (lexer_.accept("\\/")) left = combine(Form::kOr, left, conjunction());
    --depth_;
    return left;
  }

  Condition conjunction() {
    Condition left = implication();
    while (lexer_.accept("/\\")) left = combine(Form::kAnd, left, implication());
    return left;
  }

  Condition implication() {
    Condition left = negation();
    if (!lexer_.accept("=>")) return left;
    enter();
    const Condition right = implication();
    --depth_;
    return combine(Form::kImplies, left, right);
  }

  Condition negation() {
    if (lexer_.accept("~") || lexer_.accept("not")) {
      enter();
      const Condition inner = negation();
      --depth_;
      return {test_.program().unary(ExprOp::kNot, inner.expr), "not (" + inner.text + ")", Form::kAtom};
    }
    if (lexer_.accept("(")) {
      Condition inner = implication_or_more();
      lexer_.expect(")", "')', '/\\' or '\\/'");
      return inner;
    }
    if (lexer_.accept("true")) return {test_.program().constant(1), "true", Form::kAtom};
    if (lexer_.accept("false")) return {test_.program().constant(0), "false", Form::kAtom};
    if (lexer_.peek().is("fault") || lexer_.peek().is("Fault"))
      test_.fail(lexer_.peek().pos, "conditions on faults are not supported");
    return atom();
  }

  Condition combine(Form form, const Condition& x, const Condition& y) {
    if (++operators_ > kMaxOperators)
      test_.fail(lexer_.peek().pos, fmt::format("the condition has more than {} operators", kMaxOperators));
    ProgramBuilder& program = test_.program();
    ExprId left = x.expr;
    if (form == Form::kImplies) left = program.unary(ExprOp::kNot, left);
    const ExprOp op = form == Form::kAnd ? ExprOp::kAnd : ExprOp::kOr;
    const std::string_view sign = form == Form::kAnd ? "/\\" : form == Form::kOr ? "\\/" : "=>";
    return {program.binary(op, left, y.expr),
            fmt::format("{} {} {}", operand(form, x), sign, operand(form, y)), form};
  }

  Condition atom() {
    const Observable left = observable();
    const Token sign = lexer_.take();
    const bool equal = sign.is("=") || sign.is("==");
    if (!equal && !sign.is("!=") && !sign.is("<>"))
      test_.fail(sign.pos, fmt::format("expected '=' and a value, found {}", describe(sign)));
    Observable right = value();
    // 0xffffffff is -1 to an int.
    if (const auto number = test_.program().constant_value(right.value);
        number && *number < kFirstAddress && left.width != 0)
      right.value = test_.program().wrap(right.value, left.width);
    const ExprId same = test_.program().binary(ExprOp::kEq, left.value, right.value);
    const std::string text = left.name + "=" + right.name;
    if (equal) return {same, text, Form::kAtom};
    return {test_.program().unary(ExprOp::kNot, same), "not (" + text + ")", Form::kAtom};
  }

  // The right side of '=': a number, a location (its address), or another register or location.
  Observable value() {
    if (lexer_.peek().is("{")) test_.fail(lexer_.peek().pos, "arrays are not supported");
    if (lexer_.peek().is("[") || lexer_.peek().is("*")) return observable();
    if (lexer_.peek().kind == Tok::kName) {
      const Token name = lexer_.take();
      const auto location = test_.find_location(name.text);
      if (!location) test_.fail(name.pos, fmt::format("the test has no location {}", name.text));
      return {std::string(name.text), test_.address(*location)};
    }
    const SourcePos pos = lexer_.peek().pos;
    const Value number = lexer_.expect_number("a value");
    if (lexer_.peek().is(":") && number >= 0) return reg(number, pos);
    return {fmt::format("{}", number), test_.program().constant(number)};
  }

  // A register or a location.
  Observable observable() {
    lexer_.accept("*");
    if (lexer_.peek().kind == Tok::kNumber) {
      const SourcePos pos = lexer_.peek().pos;
      return reg(lexer_.expect_number("a thread"), pos);
    }
    const bool bracket = lexer_.accept("[");
    const Token name = lexer_.expect_name("a location, or a register such as 0:EAX");
    if (bracket) lexer_.expect("]", "']'");
    if (!bracket && lexer_.peek().is(":") && name.text[0] == 'P') {
      uint64_t number = 0;
      for (const char c : name.text.substr(1, 8)) {
        if (c < '0' || c > '9') test_.fail(name.pos, "expected a thread such as 0 or P0 before ':'");
        number = number * 10 + static_cast<uint64_t>(c - '0');
      }
      return reg(static_cast<Value>(number), name.pos);
    }
    if (lexer_.peek().is("[")) test_.fail(lexer_.peek().pos, "arrays are not supported");
    const auto location = test_.find_location(name.text);
    if (!location)
      test_.fail(name.pos, fmt::format("the test has no location {}", name.text),
                 "neither its initial state nor its program names one; registers are written 0:EAX");
    const ExprId value = test_.final_value(*location);
    const std::string shown = fmt::format("[{}]", name.text);
    constexpr uint32_t kBehindThreads = ~uint32_t{0};
    observe({kBehindThreads, 0, shown, value});
    return {shown, value, test_.final_width(*location)};
  }

  Observable reg(Value thread, SourcePos pos) {
    lexer_.expect(":", "':' and a register");
    const bool symbolic = lexer_.accept("%");
    const Token name = lexer_.expect_name("a register");
    if (thread < 0 || static_cast<size_t>(thread) >= test_.threads().size())
      test_.fail(pos, fmt::format("there is no thread {}", thread));
    ThreadCode& code = test_.threads()[static_cast<size_t>(thread)];
    const auto parsed = symbolic ? registers_.parse_symbolic(name.text) : registers_.parse(name.text);
    if (!parsed) test_.fail(name.pos, fmt::format("{} is not a register", describe(name)));
    const auto id = code.find_reg(parsed->key);
    if (!id)
      test_.fail(name.pos, fmt::format("thread P{} has no register {}", thread, name.text),
                 "neither its code nor the initial state names it");
    ExprId value = test_.program().thread_reg(code.id(), *id);
    const int width = parsed->bits != 0 ? parsed->bits : code.width_of(*id);
    if (parsed->bits != 0 && !parsed->whole) value = test_.program().wrap(value, width);
    const std::string shown = fmt::format("{}:{}", thread, parsed->display);
    observe({static_cast<uint32_t>(thread), parsed->order, shown, value});
    return {shown, value, width};
  }

  void observe(const Observed& observed) {
    for (const Observed& other : observed_)
      if (other.name == observed.name) return;
    observed_.push_back(observed);
  }

  void enter() {
    if (++depth_ > kMaxDepth)
      test_.fail(lexer_.peek().pos, fmt::format("the condition is nested more than {} deep", kMaxDepth));
  }

  Lexer& lexer_;
  const Registers& registers_;
  TestCode& test_;
  std::vector<Observed> observed_;
  unsigned depth_ = 0;
  unsigned operators_ = 0;
};

}  // namespace

bool at_final_condition(const Token& token) {
  static constexpr std::string_view kWords[] = {"exists", "forall",   "final",    "locations", "filter",
                                                "not",    "observed", "Observed", "~",         "("};
  return token.kind == Tok::kEnd || std::any_of(std::begin(kWords), std::end(kWords),
                                                [&token](std::string_view word) { return token.is(word); });
}

void read_final_condition(Lexer& lexer, const Registers& registers, TestCode& test, LitmusTest& result) {
  FinalCondition(lexer, registers, test).read(result);
}

}  // namespace fenceline::frontend::litmus
