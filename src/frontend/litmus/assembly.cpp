// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/litmus/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fenceline::frontend::litmus {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

void reject(const Cell& cell, const Token& instruction, std::string_view why) {
  cell.fail(instruction.pos, fmt::format("{} is not supported", describe(instruction)), std::string(why));
}

// -------------------------------------------------------------------------------------------------- Cell

Token Cell::peek(size_t ahead) const {
  if (next_ + ahead < tokens_.size()) return tokens_[next_ + ahead];
  Token end;
  end.pos = end_;
  return end;
}

Token Cell::take() {
  const Token token = peek();
  if (!done()) ++next_;
  return token;
}

bool Cell::accept(std::string_view text) {
  if (done() || !peek().is(text)) return false;
  ++next_;
  return true;
}

void Cell::expect(std::string_view text, std::string_view what) {
  if (!accept(text)) fail_expected(what);
}

Token Cell::expect_name(std::string_view what) {
  if (peek().kind != Tok::kName) fail_expected(what);
  return take();
}

Value Cell::expect_number(std::string_view what) {
  if (!accept("$")) accept("#");
  const bool negative = accept("-");
  if (peek().kind != Tok::kNumber) fail_expected(what);
  return checked_number(test_.file(), take(), negative);
}

void Cell::fail_expected(std::string_view what) const {
  const Token token = peek();
  fail(token.pos, fmt::format("expected {}, found {}", what,
                              token.kind == Tok::kEnd ? "the end of the instruction" : describe(token)));
}

// ---------------------------------------------------------------------------------------- AssemblyThread

LabelId AssemblyThread::label(const Token& name) {
  const auto found = labels_.find(name.text);
  if (found != labels_.end()) return found->second.id;
  const LabelId id = code.label();
  labels_.emplace(name.text, Known{id, false, name.pos});
  return id;
}

void AssemblyThread::bind(const Token& name, const TestCode& test) {
  const LabelId id = label(name);
  Known& known = labels_.find(name.text)->second;
  if (known.bound) test.fail(name.pos, fmt::format("label {} is in this thread twice", name.text));
  known.bound = true;
  code.bind(id, name.pos);
}

void AssemblyThread::require_bound(const TestCode& test) const {
  for (const auto& [name, known] : labels_)
    if (!known.bound) test.fail(known.pos, fmt::format("there is no label {} in this thread", name));
}

RegisterName Architecture::expect_register(Cell& cell) const {
  const bool symbolic = cell.accept("%");
  const Token token = cell.peek();
  std::optional<RegisterName> parsed;
  if (token.kind == Tok::kName) parsed = symbolic ? parse_symbolic(token.text) : parse(token.text);
  if (!parsed) cell.fail_expected("a register");
  cell.take();
  return *parsed;
}

// --------------------------------------------------------------------------------------------- the table

namespace {

class Table {
 public:
  Table(Lexer& lexer, Architecture& architecture, TestCode& test)
      : lexer_(lexer), architecture_(architecture), test_(test) {}

  void read() {
    lexer_.accept(";");
    read_threads();
    while (!at_final_condition(lexer_.peek())) read_row();
    for (size_t i = 0; i < threads_.size(); ++i)
      for (Cell& cell : columns_[i]) read_cell(cell, threads_[i]);
    for (const AssemblyThread& thread : threads_) thread.require_bound(test_);
  }

 private:
  void read_threads() {
    do {
      const Token name = lexer_.expect_name("the name of a thread, P0, P1, ...");
      const std::string expected = fmt::format("P{}", threads_.size());
      if (name.text != expected)
        test_.fail(name.pos, fmt::format("expected {}, found {}", expected, describe(name)));
      columns_.emplace_back();
      threads_.emplace_back(test_.add_thread(static_cast<uint32_t>(threads_.size()), name.pos));
    } while (lexer_.accept("|"));
    lexer_.expect(";", "'|' or ';' behind the name of a thread");
  }

  void read_row() {
    for (size_t column = 0;; ++column) {
      if (column == threads_.size())
        test_.fail(lexer_.peek().pos, fmt::format("this row has more than {} columns", threads_.size()));
      std::vector<Token> tokens;
      for (;;) {
        const Token& next = lexer_.peek();
        if (next.kind == Tok::kEnd) lexer_.fail_expected("'|' or ';' behind the instruction");
        // "lock; inc [x]" is one instruction.
        const bool locks = next.is(";") && tokens.size() == 1 && lower_case(tokens.front().text) == "lock";
        if (locks) {
          lexer_.take();
          continue;
        }
        if (next.is("|") || next.is(";")) break;
        tokens.push_back(lexer_.take());
      }
      for (const Token& token : tokens)
        threads_[column].flags |= architecture_.flags_used(lower_case(token.text));
      columns_[column].emplace_back(test_, std::move(tokens), lexer_.peek().pos);
      if (lexer_.take().is(";")) return;
    }
  }

  void read_cell(Cell& cell, AssemblyThread& thread) {
    while (cell.peek().kind == Tok::kName && cell.peek(1).is(":")) {
      thread.bind(cell.take(), test_);
      cell.take();
    }
    if (cell.done()) return;
    if (cell.peek().kind != Tok::kName) cell.fail_expected("an instruction");
    if (lower_case(cell.peek().text) == "nop")
      cell.take();
    else
      architecture_.instruction(cell, thread);
    if (!cell.done()) cell.fail_expected("the end of the instruction");
  }

  Lexer& lexer_;
  Architecture& architecture_;
  TestCode& test_;
  std::vector<AssemblyThread> threads_;
  std::vector<std::vector<Cell>> columns_;  // by thread
};

}  // namespace

void read_assembly(Lexer& lexer, Architecture& architecture, TestCode& test) {
  Table(lexer, architecture, test).read();
}

}  // namespace fenceline::frontend::litmus
