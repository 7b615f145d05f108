// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "env/text_cursor.h"

namespace fenceline::frontend::c {
namespace {

std::string trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin));
}

// One line at a time; a directive that is not finished goes on in the next line.
class SuiteParser {
 public:
  explicit SuiteParser(const SourceFile& source) : cursor_(source) {}

  // All but the source.

  Suite run() {
    while (skip_to_directive()) directive();
    const SourcePos end = pos();
    if (suite_.implementation.empty()) fail(end, "there is no implementation", "implementation \"queue.c\"");
    if (suite_.operations.empty())
      fail(end, "there are no operations", "operation e = enqueue(&queue, in {0, 1});");
    if (suite_.tests.empty()) fail(end, "there are no tests", "test T0 = ( e | d )");
    return std::move(suite_);
  }

 private:
  [[noreturn]] void fail(SourcePos at, std::string message, std::string hint = {}) const {
    cursor_.fail(at, std::move(message), std::move(hint));
  }
  [[noreturn]] void fail_expected(const std::string& what) const {
    std::string found = "the end of the file";
    if (!at_end()) {
      const char c = peek();
      found = c == '\n'                            ? "the end of the line"
              : static_cast<unsigned char>(c) < 32 ? "a control character"
                                                   : fmt::format("'{}'", c);
    }
    fail(pos(), fmt::format("expected {}, not {}", what, found));
  }

  SourcePos pos() const { return cursor_.pos(); }
  bool at_end() const { return cursor_.at_end(); }
  char peek() const { return cursor_.peek(); }
  void take() { cursor_.take(); }

  // Blanks and comments; line ends too with `lines`.
  void skip(bool lines) {
    const std::string_view blanks = lines ? kBlanks : " \t\r";
    for (cursor_.skip_blanks(blanks); cursor_.looking_at("#") || cursor_.looking_at("//");
         cursor_.skip_blanks(blanks))
      cursor_.skip_line();
  }
  bool skip_to_directive() {
    skip(true);
    return !at_end();
  }
  bool accept(char c) {
    skip(false);
    return cursor_.accept({&c, 1});
  }
  void expect(char c, const std::string& what) {
    if (!accept(c)) fail_expected(what);
  }
  std::string word(const std::string& what) {
    skip(false);
    if (!is_name_start(peek())) fail_expected(what);
    return std::string(cursor_.take(cursor_.count_while(is_name_part)));
  }
  void end_of_line() {
    accept(';');
    skip(false);
    if (!at_end() && peek() != '\n') fail_expected("the end of the line");
  }

  void directive() {
    const SourcePos start = pos();
    const std::string name = word("a directive (implementation, reference, define, init, operation, test)");
    if (name == "implementation" || name == "reference") {
      std::string& path = name == "implementation" ? suite_.implementation : suite_.reference;
      if (!path.empty()) fail(start, fmt::format("a second {}", name));
      skip(false);
      (name == "implementation" ? suite_.implementation_pos : suite_.reference_pos) = pos();
      path = file_name();
      end_of_line();
    } else if (name == "define") {
      std::string define = word("a name");
      skip(false);
      const std::string value = trimmed(cursor_.take_until("\n#"));
      if (!value.empty()) define += "=" + value;
      suite_.defines.push_back(define);
    } else if (name == "init") {
      suite_.init.push_back(call());
      end_of_line();
    } else if (name == "operation") {
      operation();
    } else if (name == "test") {
      test();
    } else {
      fail(start, fmt::format("there is no directive '{}'", name),
           "there are implementation, reference, define, init, operation and test");
    }
  }

  // "file", beside this one.
  std::string file_name() {
    expect('"', "a file name in quotation marks");
    std::string name;
    while (peek() != '"') {
      if (at_end() || peek() == '\n') fail_expected("the closing quotation mark");
      if (peek() == '\\') fail(pos(), "a file name with a backslash");
      name += peek();
      take();
    }
    take();
    if (name.empty()) fail(pos(), "a file name with nothing in it");
    const std::filesystem::path path(name);
    return path.is_absolute() ? name
                              : (std::filesystem::path(cursor_.file().name).parent_path() / path).string();
  }

  void operation() {
    skip(false);
    const SourcePos at = pos();
    SuiteOperation operation;
    operation.name = word("the name of an operation");
    for (const SuiteOperation& other : suite_.operations)
      if (other.name == operation.name)
        fail(at, fmt::format("there already is an operation '{}'", operation.name));
    expect('=', "'='");
    operation.call = call();
    end_of_line();
    suite_.operations.push_back(std::move(operation));
  }

  // [type] function(arguments)
  SuiteCall call() {
    skip(false);
    SuiteCall call;
    call.pos = pos();
    std::string head;
    while (peek() != '(') {
      if (at_end() || peek() == '\n' || peek() == ';') fail_expected("'(' and the arguments of the call");
      head += peek();
      take();
    }
    head = trimmed(head);
    size_t begin = head.size();
    while (begin > 0 && (is_name_part(head[begin - 1]) || head[begin - 1] == ':')) --begin;
    call.function = head.substr(begin);
    call.returns = trimmed(head.substr(0, begin));
    if (call.function.empty()) fail(call.pos, "expected the name of a function");
    if (call.returns == "void") call.returns.clear();
    take();
    skip(true);
    if (peek() == ')') {
      take();
      return call;
    }
    do call.arguments.push_back(argument());
    while (next_argument());
    return call;
  }

  bool next_argument() {
    skip(true);
    if (peek() == ',') {
      take();
      return true;
    }
    if (peek() != ')') fail_expected("',' or ')'");
    take();
    return false;
  }

  bool accept_word(std::string_view name) {
    return !is_name_part(cursor_.peek(name.size())) && cursor_.accept(name);
  }

  SuiteArgument argument() {
    skip(true);
    SuiteArgument argument;
    if (accept_word("in")) {
      argument.kind = SuiteArgument::Kind::kIn;
      expect('{', "'{' and the values to choose from");
      do {
        const SourcePos at = pos();
        argument.values.push_back(c_text("},"));
        if (argument.values.back().empty()) fail(at, "expected a value");
      } while (accept(','));
      expect('}', "'}'");
    } else if (accept_word("out")) {
      argument.kind = SuiteArgument::Kind::kOut;
      argument.text = c_text(",)");
      if (argument.text.empty()) fail_expected("a type behind 'out'");
    } else {
      argument.text = c_text(",)");
      if (argument.text.empty()) fail_expected("an argument");
    }
    return argument;
  }

  // C up to one of these characters outside of all brackets.
  std::string c_text(std::string_view stops) {
    std::string result, open;
    while (!at_end()) {
      const char c = peek();
      if (c == '\n' && open.empty()) break;
      if (c == '"' || c == '\'') {
        result += literal(c);
        continue;
      }
      if (open.empty() && stops.find(c) != std::string_view::npos) return trimmed(result);
      if (c == '(' || c == '[' || c == '{') open += c == '(' ? ')' : c == '[' ? ']' : '}';
      if (c == ')' || c == ']' || c == '}') {
        if (open.empty()) fail_expected(fmt::format("'{}' or '{}'", stops.front(), stops.back()));
        if (open.back() != c) fail_expected(fmt::format("'{}'", open.back()));
        open.pop_back();
      }
      result += c;
      take();
    }
    fail_expected(open.empty() ? fmt::format("'{}' or '{}'", stops.front(), stops.back())
                               : fmt::format("'{}'", open.back()));
  }

  // A text or a character of C: brackets in it are none.
  std::string literal(char quote) {
    const SourcePos start = pos();
    std::string result(1, quote);
    for (take(); peek() != quote; take()) {
      if (at_end() || peek() == '\n') fail(start, "a literal without its end");
      result += peek();
      if (peek() != '\\') continue;
      take();
      if (at_end() || peek() == '\n') fail(start, "a literal without its end");
      result += peek();
    }
    take();
    return result + quote;
  }

  void test() {
    skip(false);
    SuiteTest test;
    test.pos = pos();
    test.name = word("the name of a test");
    if (test.name == "all") fail(test.pos, "a test cannot be called 'all'");
    for (const SuiteTest& other : suite_.tests)
      if (other.name == test.name) fail(test.pos, fmt::format("there already is a test '{}'", test.name));
    expect('=', "'='");
    skip(false);
    const std::string_view text = cursor_.rest();
    test.first = steps("(");
    expect('(', "'(' and what the threads do");
    do test.threads.push_back(steps("|)"));
    while (accept('|'));
    expect(')', "'|' or ')'");
    test.text = trimmed(text.substr(0, text.size() - cursor_.rest().size()));
    end_of_line();
    suite_.tests.push_back(std::move(test));
  }

  // Names of operations, with or without blanks between them: "e d", "ed", "a'a'".
  std::vector<Step> steps(std::string_view stops) {
    std::vector<Step> result;
    for (skip(false); is_name_part(peek()); skip(false)) {
      size_t best = suite_.operations.size(), length = 0;
      for (size_t i = 0; i < suite_.operations.size(); ++i) {
        const std::string& name = suite_.operations[i].name;
        if (name.size() > length && cursor_.looking_at(name)) {
          best = i;
          length = name.size();
        }
      }
      if (best == suite_.operations.size()) {
        const SourcePos at = pos();
        fail(at, fmt::format("there is no operation '{}'", word("an operation")),
             "operations are defined before the tests that call them");
      }
      cursor_.take(length);
      result.push_back({best, cursor_.accept("'")});
    }
    if (result.empty() && stops.front() == '|') fail_expected("an operation");
    return result;
  }

  TextCursor cursor_;
  Suite suite_;
};

// The call, with what is observed of it.
std::string function_for(const Suite& suite, const SuiteCall& call, const std::string& name) {
  std::string before, arguments, after;
  unsigned number = 0;
  // All in the line that the user wrote: the compiler's messages then name that line.
  const auto line_directive = fmt::format("#line {} \"{}\"\n", call.pos.line, suite.source.name);
  const bool several =
      std::count_if(call.arguments.begin(), call.arguments.end(), [](const SuiteArgument& argument) {
        return argument.kind != SuiteArgument::Kind::kText;
      }) > 1;
  for (const SuiteArgument& argument : call.arguments) {
    if (!arguments.empty()) arguments += ", ";
    const std::string suffix = several ? std::to_string(number + 1) : "";
    switch (argument.kind) {
      case SuiteArgument::Kind::kText:
        arguments += argument.text;
        break;
      case SuiteArgument::Kind::kIn: {
        const std::string variable = fmt::format("fl_in{}", ++number);
        std::string choice = argument.values.back();
        for (size_t i = argument.values.size() - 1; i-- > 0;)
          choice = fmt::format("{}_ == {} ? ({}) : ({})", variable, i, argument.values[i], choice);
        before += fmt::format(" long {0}_ = fl_nondet(0, {1}); long {0} = {2};", variable,
                              argument.values.size() - 1, choice);
        after += fmt::format(" fl_observe(\"in{}\", {});", suffix, variable);
        arguments += variable;
        break;
      }
      case SuiteArgument::Kind::kOut: {
        const std::string variable = fmt::format("fl_out{}", ++number);
        before += fmt::format(" {} {} = 0;", argument.text, variable);
        after += fmt::format(" fl_observe(\"out{}\", (long){});", suffix, variable);
        arguments += "&" + variable;
        break;
      }
    }
  }
  // All on one line: it is the user's.
  std::string result = fmt::format("{}void {}(void) {{{}", line_directive, name, before);
  result += call.returns.empty()
                ? fmt::format(" {}({});", call.function, arguments)
                : fmt::format(" {} fl_result = {}({});", call.returns, call.function, arguments);
  if (!call.returns.empty()) result += " fl_observe(\"result\", (long)fl_result);";
  return result + after + " }\n";
}

}  // namespace

Suite parse_suite(SourceFile source) {
  Suite suite = SuiteParser(source).run();
  suite.source = std::move(source);
  return suite;
}

std::string harness(const Suite& suite, const std::string& implementation) {
  std::string text = "#include <fenceline.h>\n";
  const bool is_reference = implementation != suite.implementation;
  text +=
      fmt::format("#line {} \"{}\"\n", (is_reference ? suite.reference_pos : suite.implementation_pos).line,
                  suite.source.name);
  text += fmt::format("#include \"{}\"\n", implementation);
  text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid fl_observe(const char *, long);\n";
  for (size_t i = 0; i < suite.init.size(); ++i)
    text += function_for(suite, suite.init[i], fmt::format("fl_init_{}", i));
  for (size_t i = 0; i < suite.operations.size(); ++i)
    text += function_for(suite, suite.operations[i].call, fmt::format("fl_operation_{}", i));
  return text + "#ifdef __cplusplus\n}\n#endif\n";
}

}  // namespace fenceline::frontend::c
