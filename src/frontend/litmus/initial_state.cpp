// SPDX-License-Identifier: GPL-3.0-or-later
//
// The header of a test ("X86 SB", a comment in quotes, lines such as "Com=Rf Fr") and its initial state. The
// header is read line by line: it is free text for other programs. One kind of line is not:
// "Variant=" changes what a test means, so tests with one are rejected.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "frontend/litmus/sections.h"
#include "ir/eval.h"

namespace fenceline::frontend::litmus {
namespace {

struct ArchName {
  std::string_view name;
  LitmusArch arch;
};
constexpr std::array kArchitectures = {
    ArchName{"X86", LitmusArch::kX86},     ArchName{"X86_64", LitmusArch::kX86},
    ArchName{"C", LitmusArch::kC},         ArchName{"AArch64", LitmusArch::kAArch64},
    ArchName{"RISCV", LitmusArch::kRiscV}, ArchName{"PPC", LitmusArch::kPpc},
};

void skip_string(TextCursor& cursor) {
  const SourcePos begin = cursor.pos();
  cursor.take();
  cursor.take_until("\"");
  if (!cursor.accept("\"")) cursor.fail(begin, "this string does not end");
}

std::string known_architectures() {
  std::string known;
  for (const ArchName& known_arch : kArchitectures)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", known_arch.name);
  return known;
}

}  // namespace

Header read_header(const SourceFile& file) {
  TextCursor cursor(file);
  Header header;
  for (cursor.skip_blanks(); cursor.looking_at("(*"); cursor.skip_blanks())
    skip_comment(cursor, "(*", "*)", true);
  const SourcePos arch_pos = cursor.pos();
  const std::string_view arch = cursor.take_until(" \t\r\n{(");
  const auto* found = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                   [arch](const ArchName& known) { return known.name == arch; });
  if (found == kArchitectures.end())
    cursor.fail(arch_pos,
                arch.empty() ? "expected the name of an architecture"
                             : fmt::format("unknown architecture '{}'", arch.substr(0, 40)),
                "a litmus test begins with one of " + known_architectures());
  header.arch = found->arch;
  header.source_first = found->name == "X86_64";
  cursor.skip_blanks(" \t");
  header.name = cursor.take_until(" \t\r\n");
  if (header.name.empty()) cursor.fail_here("expected the name of the test behind its architecture");
  cursor.skip_blanks(" \t\r");
  if (!cursor.at_end() && !cursor.looking_at("\n") && !cursor.looking_at("(*") && !cursor.looking_at("{"))
    cursor.fail_here("expected the end of the line behind the name of the test");
  for (;;) {
    cursor.skip_blanks();
    if (cursor.at_end()) cursor.fail_here("expected the initial state in braces, found the end of the file");
    if (cursor.looking_at("{")) break;
    if (cursor.looking_at("(*")) {
      skip_comment(cursor, "(*", "*)", true);
    } else if (cursor.looking_at("\"")) {
      skip_string(cursor);
    } else {
      const SourcePos pos = cursor.pos();
      const std::string_view line = cursor.take_until("\r\n");
      const size_t equal = line.find('=');
      if (equal == std::string_view::npos)
        cursor.fail(pos, "expected the initial state in braces, or a line such as 'Com=Rf Fr'");
      if (line.starts_with("Hash=")) header.hash = line.substr(equal + 1);
      if (line.starts_with("Variant="))
        cursor.fail(pos, fmt::format("'{}' is not supported", line.substr(0, 60)),
                    "variants change what a test means");
    }
  }
  header.offset = cursor.offset();
  header.pos = cursor.pos();
  return header;
}

// ----------------------------------------------------------------------------------------- initial state

namespace {

class InitialState {
 public:
  InitialState(Lexer& lexer, const Registers& registers, TestCode& test)
      : lexer_(lexer), registers_(registers), test_(test) {}

  void read() {
    lexer_.expect("{", "'{' before the initial state");
    while (!lexer_.peek().is("}")) {
      if (lexer_.accept(";")) continue;
      entry();
      if (!lexer_.peek().is("}")) lexer_.expect(";", "';' or '}' in the initial state");
    }
    lexer_.take();
  }

 private:
  // [type] where [= value]
  void entry() {
    const SourcePos begin = lexer_.peek().pos;
    Token name;
    TypeWords words;
    for (;;) {
      while (lexer_.accept("*")) words.star();
      if (lexer_.peek().kind == Tok::kNumber) return reg();
      if (lexer_.peek().is("%")) return everywhere();
      if (lexer_.accept("[")) {
        name = lexer_.expect_name("the name of a location");
        lexer_.expect("]", "']'");
        break;
      }
      name = lexer_.expect_name("a location, a register such as 0:EAX, or a type");
      if (is_thread(name) && lexer_.peek().is(":")) return reg_of(thread_number(name), name.pos);
      const Token& next = lexer_.peek();
      if (next.is("[")) {
        // Either the type of a location in brackets, or an array.
        const Token bracket = lexer_.take();
        if (lexer_.peek().kind != Tok::kName)
          test_.fail(bracket.pos, "arrays are not supported", "give each element a location of its own");
        words.word(name.text);
        name = lexer_.take();
        lexer_.expect("]", "']'");
        break;
      }
      if (next.kind != Tok::kName && next.kind != Tok::kNumber && !next.is("*")) break;
      words.word(name.text);
    }
    const LocationId id = test_.location(name.text, name.pos);
    if (!words.none()) {
      test_.set_size(id, words.type().size(test_.values().address_bytes), name.pos);
      test_.at(id).is_unsigned = words.type().is_unsigned && !words.type().is_pointer();
    }
    const Value init = lexer_.accept("=") ? value() : 0;
    if (!initialised_.insert(id).second)
      test_.fail(begin, fmt::format("location {} has two initial values", name.text));
    test_.at(id).init = init;
  }

  // "%x=y": in every thread
  void everywhere() {
    const RegisterName name = register_name();
    test_.set_initial_everywhere(name.key, lexer_.accept("=") ? value_of(name) : 0);
  }

  // What the register holds. One that is named as a half of another has zeros in the other half.
  Value value_of(const RegisterName& name) {
    const Value number = value();
    if (name.bits == 0 || number >= kFirstAddress) return number;
    return apply(ExprOp::kWrap, number, name.whole ? Value{name.bits} : -Value{name.bits}).value;
  }

  RegisterName register_name() {
    const bool symbolic = lexer_.accept("%");
    const Token name = lexer_.expect_name("a register");
    const auto parsed = symbolic ? registers_.parse_symbolic(name.text) : registers_.parse(name.text);
    if (!parsed) test_.fail(name.pos, fmt::format("{} is not a register", describe(name)));
    return *parsed;
  }

  void reg() {
    const Token number = lexer_.take();
    reg_of(static_cast<uint32_t>(checked_number(test_.file(), number, false)), number.pos);
  }

  void reg_of(uint32_t thread, SourcePos pos) {
    lexer_.expect(":", "':' and a register");
    const RegisterName name = register_name();
    test_.set_initial(thread, name.key, lexer_.accept("=") ? value_of(name) : 0, pos);
  }

  Value value() {
    if (lexer_.accept("ATOMIC_INIT")) {
      lexer_.expect("(", "'('");
      const Value inner = value();
      lexer_.expect(")", "')'");
      return inner;
    }
    if (lexer_.peek().is("{")) test_.fail(lexer_.peek().pos, "arrays are not supported");
    lexer_.accept("&");
    if (lexer_.peek().kind != Tok::kName) return lexer_.expect_number("a number or a location");
    const Token name = lexer_.take();
    if (lexer_.peek().is(":") || lexer_.peek().is("["))
      test_.fail(name.pos, "only numbers and locations are supported as initial values");
    return address_of(test_.location(name.text, name.pos));
  }

  static bool is_thread(const Token& token) {
    return token.text.size() > 1 && token.text.size() < 8 && token.text[0] == 'P' &&
           token.text.find_first_not_of("0123456789", 1) == std::string_view::npos;
  }
  static uint32_t thread_number(const Token& token) {
    uint32_t number = 0;
    for (const char c : token.text.substr(1)) number = number * 10 + static_cast<uint32_t>(c - '0');
    return number;
  }

  Lexer& lexer_;
  const Registers& registers_;
  TestCode& test_;
  std::set<LocationId> initialised_;
};

}  // namespace

void read_initial_state(Lexer& lexer, const Registers& registers, TestCode& test) {
  InitialState(lexer, registers, test).read();
}

}  // namespace fenceline::frontend::litmus
