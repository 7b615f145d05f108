// SPDX-License-Identifier: GPL-3.0-or-later
//
// Recursive descent with one token of look-ahead. Everything is declared before it is used, except points,
// which are checked when their thread ends. Expressions are fully parenthesised, so there is no precedence;
// their depth is bounded, as is the recursion. What the grammar cannot see (atomic sections, initial values)
// is left to ir/verify, whose first message becomes one about the whole text.
#include "ir/text/parser.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>
#include <span>

#include "env/errors.h"
#include "ir/text/lexer.h"
#include "ir/text/names.h"
#include "ir/verify/verify.h"

namespace fenceline {
namespace {

using namespace ir_text;

constexpr size_t kMaxTextBytes = size_t{256} << 20;
constexpr uint32_t kMaxNumber = std::numeric_limits<uint32_t>::max() - 1;  // of a line, point, register, ...

using Names = std::map<std::string, size_t, std::less<>>;

class Parser {
 public:
  explicit Parser(const SourceFile& file) : file_(file), lexer_(file) {
    if (file.text.size() > kMaxTextBytes) fail({1, 1}, "this text is too long");
    advance();
  }

  Program run() {
    expect_word("source");
    program_.source.name = string();
    while (accept_word("include")) program_.included.push_back({string(), ""});
    while (is_word("object")) object();
    while (is_word("thread")) thread();
    while (is_word("property")) property();
    if (token_.kind != TokenKind::kEnd) expected("'object', 'thread' or 'property', in this order");
    const std::vector<std::string> problems = verify(program_);
    if (!problems.empty()) fail({1, 1}, "this is not a well-formed program: " + problems.front());
    return std::move(program_);
  }

 private:
  // ------------------------------------------------------------------------------------------- tokens

  [[noreturn]] void fail(SourcePos pos, std::string message) {
    throw InputError(file_, {{pos, std::move(message), ""}});
  }
  [[noreturn]] void expected(std::string_view what) {
    fail(token_.pos, fmt::format("expected {}, found {}", what, describe(token_)));
  }

  void advance() { token_ = lexer_.next(); }

  bool is(std::string_view punctuation) const {
    return token_.kind == TokenKind::kPunctuation && token_.text == punctuation;
  }
  bool is_word(std::string_view word) const { return token_.kind == TokenKind::kName && token_.text == word; }

  bool accept(std::string_view punctuation) {
    if (!is(punctuation)) return false;
    advance();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!is_word(word)) return false;
    advance();
    return true;
  }
  void expect(std::string_view punctuation) {
    if (!accept(punctuation)) expected(fmt::format("'{}'", punctuation));
  }
  void expect_word(std::string_view word) {
    if (!accept_word(word)) expected(fmt::format("'{}'", word));
  }

  std::string string() {
    if (token_.kind != TokenKind::kString) expected("a string");
    std::string content = std::move(token_.content);
    advance();
    return content;
  }
  Value number() {
    if (token_.kind != TokenKind::kNumber) expected("a number");
    const Value value = token_.number;
    advance();
    return value;
  }
  uint32_t small_number() {
    if (token_.kind == TokenKind::kNumber && (token_.number < 0 || token_.number > kMaxNumber))
      fail(token_.pos, "this number is out of range");
    return static_cast<uint32_t>(number());
  }
  uint32_t number_up_to(uint32_t most) {
    const SourcePos pos = token_.pos;
    const uint32_t value = small_number();
    if (value > most) fail(pos, "this number is out of range");
    return value;
  }
  // The index of the current word in `words`; consumes it.
  std::optional<size_t> accept_one_of(std::span<const std::string_view> words) {
    for (size_t i = 0; i < words.size(); ++i)
      if (accept_word(words[i])) return i;
    return std::nullopt;
  }

  SourcePos position() {
    SourcePos pos;
    if (!accept("@")) return pos;
    pos.line = small_number();
    expect(":");
    pos.column = small_number();
    if (accept(":")) pos.file = static_cast<uint16_t>(number_up_to(UINT16_MAX));
    return pos;
  }

  Range range() {
    Range range;
    range.lo = number();
    expect("..");
    range.hi = number();
    return range;
  }
  std::optional<Range> declared() { return accept_word("in") ? std::optional(range()) : std::nullopt; }

  // -------------------------------------------------------------------------------- names and references

  // "x" or "&2 \"name\"", where 2 must be the number that is due.
  std::string introduce(Names& names, std::string_view sigil, size_t index) {
    const SourcePos pos = token_.pos;
    if (accept(sigil)) {
      if (small_number() != index) fail(pos, fmt::format("this must be {}{}", sigil, index));
      return string();
    }
    if (token_.kind != TokenKind::kName) expected(fmt::format("a name or '{}'", sigil));
    std::string name(token_.text);
    if (!names.emplace(name, index).second) fail(pos, fmt::format("the name '{}' is taken", name));
    advance();
    return name;
  }

  bool at_reference(std::string_view sigil) const { return token_.kind == TokenKind::kName || is(sigil); }

  size_t reference(const Names& names, std::string_view sigil, size_t count, std::string_view what) {
    const SourcePos pos = token_.pos;
    if (accept(sigil)) {
      const uint32_t index = small_number();
      if (index >= count) fail(pos, fmt::format("there is no {} {}{}", what, sigil, index));
      return index;
    }
    if (token_.kind != TokenKind::kName) expected(fmt::format("a {}", what));
    const auto found = names.find(token_.text);
    if (found == names.end()) fail(pos, fmt::format("there is no {} {}", what, describe(token_)));
    advance();
    return found->second;
  }
  ObjectId object_reference() {
    return ObjectId(reference(object_names_, "&", program_.objects.size(), "object"));
  }
  RegId reg_reference(ThreadId thread) {
    return RegId(reference(register_names_[thread.index()], "$", program_.thread(thread).registers.size(),
                           "register"));
  }

  // ---------------------------------------------------------------------------------------- expressions

  struct RegRun {
    RegId first;
    uint32_t count = 1;
    ExprId index;
  };

  // "r" or "$2..$4[e]"; registers of `owner`.
  RegRun registers(ThreadId owner) {
    const SourcePos pos = token_.pos;
    RegRun run{reg_reference(owner), 1, {}};
    if (!accept("..")) return run;
    const RegId last = reg_reference(owner);
    if (last < run.first) fail(pos, "these registers are in the wrong order");
    run.count = last.value() - run.first.value() + 1;
    run.index = bracketed();
    return run;
  }

  ExprId bracketed() {
    expect("[");
    const ExprId id = expr();
    expect("]");
    return id;
  }

  Address address() {
    const ObjectId object = object_reference();
    Address address{object, bracketed()};
    if (accept(":")) address.bytes = static_cast<uint8_t>(number_up_to(UINT8_MAX));
    return address;
  }

  ExprId expr() {
    if (++depth_ > kMaxExprDepth) fail(token_.pos, "this expression is nested too deeply");
    const Expr e = is("(")                             ? operation()
                   : token_.kind == TokenKind::kNumber ? constant()
                   : current_thread_.valid()           ? register_leaf(current_thread_)
                                                       : property_leaf();
    --depth_;
    program_.exprs.push_back(e);
    return ExprId(program_.exprs.size() - 1);
  }

  Expr constant() {
    Expr e;
    e.imm = number();
    return e;
  }

  Expr operation() {
    Expr e;
    expect("(");
    if (const auto unary = accept_operator(1)) {
      e.op = *unary;
      e.a = expr();
    } else {
      e.a = expr();
      if (accept("?")) {
        e.op = ExprOp::kSelect;
        e.b = expr();
        expect(":");
        e.c = expr();
      } else if (accept_word("as")) {
        e.op = ExprOp::kWrap;
        e.imm = width();
      } else {
        const auto binary = accept_operator(2);
        if (!binary) expected("an operator");
        e.op = *binary;
        e.b = expr();
      }
    }
    expect(")");
    return e;
  }

  // "s8", "u32".
  Value width() {
    Value bits = 0;
    const std::string_view text = token_.text;
    const bool named = token_.kind == TokenKind::kName && (text[0] == kSigned || text[0] == kUnsigned);
    if (!named ||
        std::from_chars(text.data() + 1, text.data() + text.size(), bits).ptr != text.data() + text.size())
      expected("a type");
    if (text[0] == kUnsigned) bits = -bits;
    if (!is_width(bits)) fail(token_.pos, "there is no type of so many bits");
    advance();
    return bits;
  }

  std::optional<ExprOp> accept_operator(unsigned operands) {
    if (operands == 2 && accept_word(kUlt)) return ExprOp::kUlt;
    if (operands == 2 && accept_word(kUle)) return ExprOp::kUle;
    if (operands == 2 && accept_word(kAdd64)) return ExprOp::kAdd64;
    if (operands == 2 && accept_word(kSub64)) return ExprOp::kSub64;
    if (operands == 2 && accept_word(kMul64)) return ExprOp::kMul64;
    if (operands == 2 && accept_word(kShl64)) return ExprOp::kShl64;
    for (auto op = ExprOp::kNeg; op < ExprOp::kSelect; op = static_cast<ExprOp>(static_cast<int>(op) + 1))
      if (arity(op) == operands && accept(spelling(op))) return op;
    return std::nullopt;
  }

  Expr register_leaf(ThreadId thread) {
    if (!at_reference("$")) expected("an expression");
    Expr e;
    const RegRun run = registers(thread);
    e.op = run.index.valid() ? ExprOp::kRegAt : ExprOp::kReg;
    e.reg = run.first;
    e.count = run.count;
    e.a = run.index;
    return e;
  }

  Expr property_leaf() {
    Expr e;
    const bool named_object = token_.kind == TokenKind::kName && object_names_.contains(token_.text);
    const bool named_thread = token_.kind == TokenKind::kName && thread_names_.contains(token_.text);
    if (named_object && named_thread) return ambiguous_leaf();
    if (is("&") || named_object) {
      e.op = ExprOp::kCell;
      e.object = object_reference();
      e.a = bracketed();
      return e;
    }
    if (!at_reference("#")) expected("an expression");
    return thread_leaf(ThreadId(reference(thread_names_, "#", program_.threads.size(), "thread")));
  }

  // A thread and an object of the same name: what follows decides.
  Expr ambiguous_leaf() {
    const size_t object = object_names_.find(token_.text)->second;
    const size_t thread = thread_names_.find(token_.text)->second;
    advance();
    if (!is("[")) return thread_leaf(ThreadId(thread));
    Expr e;
    e.op = ExprOp::kCell;
    e.object = ObjectId(object);
    e.a = bracketed();
    return e;
  }

  Expr thread_leaf(ThreadId thread) {
    Expr e;
    if (accept("@")) {
      const SourcePos pos = token_.pos;
      e.op = ExprOp::kAt;
      e.point = Point(small_number());
      if (e.point.index() >= program_.thread(thread).code.size()) fail(pos, "there is no such point");
    } else {
      expect(".");
      const RegRun run = registers(thread);
      e.op = run.index.valid() ? ExprOp::kThreadRegAt : ExprOp::kThreadReg;
      e.reg = run.first;
      e.count = run.count;
      e.a = run.index;
    }
    e.thread = thread;
    return e;
  }

  // --------------------------------------------------------------------------------------- declarations

  void object() {
    advance();
    Object object;
    object.name = introduce(object_names_, "&", program_.objects.size());
    object.is_array = accept_word("array");
    object.transactional = accept_word(kTransactional);
    object.stamp = accept_word(kStamp);
    object.declared = declared();
    object.first_cell = CellId(program_.cell_count);
    expect("=");
    do object.init.push_back(number());
    while (accept(","));
    program_.cell_count += object.size();
    if (accept_word("bytes")) do
        object.cell_bytes.push_back(static_cast<uint8_t>(number_up_to(UINT8_MAX)));
      while (accept(","));
    object.pos = position();
    program_.objects.push_back(std::move(object));
  }

  void thread() {
    advance();
    current_thread_ = ThreadId(program_.threads.size());
    register_names_.emplace_back();
    Thread& thread = program_.threads.emplace_back();
    thread.name = introduce(thread_names_, "#", current_thread_.index());
    expect_word("entry");
    std::vector<std::pair<Point, SourcePos>> used = {{Point(), token_.pos}};
    thread.entry = used.front().first = Point(small_number());
    thread.pos = position();
    expect("{");
    while (is_word("reg") || is_word("temp")) {
      Register reg;
      reg.temporary = is_word("temp");
      advance();
      reg.name = introduce(register_names_.back(), "$", thread.registers.size());
      reg.stamp = accept_word(kStamp);
      reg.declared = declared();
      expect("=");
      reg.init = number();
      thread.registers.push_back(std::move(reg));
    }
    while (!is("}")) {
      const SourcePos pos = token_.pos;
      if (small_number() != thread.code.size())
        fail(pos, fmt::format("the next instruction has the number {}", thread.code.size()));
      expect(":");
      thread.code.push_back(instruction(used));
    }
    advance();
    for (const auto& [point, pos] : used)
      if (point.index() >= thread.code.size()) fail(pos, "there is no such point");
    current_thread_ = ThreadId();
  }

  void property() {
    advance();
    Property property;
    property.name = string();
    const auto kind = accept_one_of(kProperties);
    if (!kind) expected("a kind of property");
    property.kind = static_cast<PropertyKind>(*kind);
    if (has_formula(property.kind)) property.formula = expr();
    property.pos = position();
    program_.properties.push_back(std::move(property));
  }

  // --------------------------------------------------------------------------------------- instructions

  // Adds the points that it leads to, and where that is said, to `used`.
  Instruction instruction(std::vector<std::pair<Point, SourcePos>>& used) {
    using enum InstrKind;
    Instruction i;
    if (!access(i) && !condition(i) && !other(i)) expected("an instruction");
    if (i.is_memory_access())
      if (const auto order = accept_one_of(kOrders)) i.order = static_cast<MemoryOrder>(*order);
    if (i.kind == kMark || i.kind == kStore)
      if (const auto op = accept_one_of(kHistory)) i.history = static_cast<HistoryOp>(*op);
    if (accept_word("operation")) i.operation = small_number();
    if (accept_word(kDecides)) i.assertion = position();
    i.pos = position();
    if (!accept("->")) return i;
    do {
      const SourcePos pos = token_.pos;
      i.next.emplace_back(small_number());
      used.emplace_back(i.next.back(), pos);
    } while (accept(","));
    return i;
  }

  // Each of these reads one of its kinds of instructions, if there is one here.
  bool access(Instruction& i) {
    using enum InstrKind;
    if (accept_word("load")) {
      i.kind = kLoad;
      i.dest = dest();
      i.address = address();
    } else if (accept_word("store")) {
      i.kind = kStore;
      i.address = address();
      expect("=");
      i.a = expr();
    } else if (const auto rmw = accept_one_of(kRmws)) {
      i.kind = kRmw;
      i.rmw = static_cast<RmwOp>(*rmw);
      i.dest = dest();
      i.address = address();
      expect(",");
      i.a = expr();
      if (is_cas(i.rmw)) {
        expect(",");
        i.b = expr();
      } else if (i.rmw != RmwOp::kXchg && accept_word("as")) {
        i.wrap = static_cast<int8_t>(width());
      }
    } else if (accept_word("fence")) {
      i.kind = kFence;
      while (const auto bit = accept_one_of(kFences))
        i.fence = i.fence | FenceKinds(static_cast<uint8_t>(1u << *bit));
    } else {
      return false;
    }
    return true;
  }

  bool condition(Instruction& i) {
    using enum InstrKind;
    if (accept_word("branch")) {
      i.kind = kBranch;
      i.a = expr();
    } else if (is_word("assume") || is_word("wait") || is_word("guess")) {
      i.kind = kAssume;
      i.blocking = is_word("wait");
      i.branches = !is_word("guess");
      advance();
      i.a = expr();
    } else if (accept_word("assert")) {
      i.kind = kAssert;
      i.a = expr();
      if (token_.kind == TokenKind::kString) i.label = string();
    } else {
      return false;
    }
    return true;
  }

  bool other(Instruction& i) {
    using enum InstrKind;
    if (accept_word("assign")) {
      i.kind = kAssign;
      i.dest = dest();
      i.a = expr();
    } else if (accept_word("choose")) {
      i.kind = kChoose;
    } else if (accept_word("havoc")) {
      i.kind = kHavoc;
      i.dest = dest();
      i.havoc_range = range();
    } else if (accept_word("atomic_begin")) {
      i.kind = kAtomicBegin;
    } else if (accept_word("access_begin")) {
      i.kind = kAtomicBegin;
      i.one_access = true;
    } else if (accept_word("atomic_end")) {
      i.kind = kAtomicEnd;
    } else if (accept_word("mark")) {
      i.kind = kMark;
      i.label = string();
    } else if (accept_word("halt")) {
      i.kind = kHalt;
    } else if (accept_word(kEndProgram)) {
      i.kind = kHalt;
      i.ends_program = true;
    } else {
      return false;
    }
    return true;
  }

  Dest dest() {
    Dest dest;
    if (!accept_word(kNoDest)) {
      const RegRun run = registers(current_thread_);
      dest = {run.first, run.count, run.index};
    }
    expect("=");
    return dest;
  }

  const SourceFile& file_;
  Lexer lexer_;
  Token token_;
  Program program_;
  Names object_names_, thread_names_;
  std::vector<Names> register_names_;  // by ThreadId
  ThreadId current_thread_;            // invalid outside threads
  unsigned depth_ = 0;                 // of the expression being read
};

}  // namespace

Program parse_program(const SourceFile& file) { return Parser(file).run(); }

}  // namespace fenceline
