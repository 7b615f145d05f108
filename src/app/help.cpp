// SPDX-License-Identifier: GPL-3.0-or-later
//
// The help texts. Options come from the option groups, so help and validation agree; the rest is text that has
// to fit on one screen.
#include "app/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/option_groups.h"

namespace fenceline::app {
namespace {

constexpr size_t kWidth = 100;
constexpr size_t kOptionColumn = 24;

constexpr std::string_view kExitStatuses =
    "Exit status:\n"
    "  0    verified: every property holds under every selected memory model\n"
    "  1    violated: at least one does not; its counterexample was replayed step by step\n"
    "  2    unknown: a limit was reached, or it holds only up to a bound; the reason is printed\n"
    "  64   bad usage: an unknown option, model, engine or property, or an output that cannot be written\n"
    "  65   bad input: file, line, column and what was expected\n"
    "  66   no such file, or one that cannot be read\n"
    "  69   the compiler that C and C++ need (clang-19) is missing or has crashed\n"
    "  70   internal error: a bug in Fenceline, please report it\n"
    "  130  interrupted (SIGINT); results so far are printed, files are left unchanged; 143: by SIGTERM\n";

// Breaks `text` at spaces so that no line passes kWidth; lines after the first begin at `column`.
std::string wrap(std::string_view text, size_t column) {
  std::string out;
  size_t at = column;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (at > column && at + 1 + word.size() > kWidth) {
      out += fmt::format("\n{:{}}", "", column);
      at = column;
    } else if (at > column) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
  }
  return out + "\n";
}

std::string option_line(const OptionRow& row) {
  const OptionText& option = row.text;
  std::string head = fmt::format("  {}{}{}", option.name, row.is_flag() ? "" : " ", option.operand);
  std::string text = option.help;
  if (const std::string value = row.value(Options()); !row.is_flag() && !value.empty())
    text += fmt::format(" [{}]", value);
  if (head.size() + 2 > kOptionColumn)
    head += fmt::format("\n{:{}}", "", kOptionColumn);
  else
    head.resize(kOptionColumn, ' ');
  return head + wrap(text, kOptionColumn);
}

// The rows of this level, of all groups or of one.
std::string option_lines(OptionsOf command, OptionLevel level, const OptionGroup& group) {
  std::string text;
  for (const OptionRow& row : group.rows)
    if ((row.text.commands & command) != 0 && row.text.level == level) text += option_line(row);
  return text;
}

// The part of a help text that is about options. Those for experts are there with HelpLevel::kAll only.
std::string option_lines(OptionsOf command, HelpLevel level) {
  std::string common, expert;
  for (const OptionGroup& group : option_groups()) {
    common += option_lines(command, OptionLevel::kCommon, group);
    if (const std::string lines = option_lines(command, OptionLevel::kExpert, group); !lines.empty())
      expert += fmt::format("\n{}, for experts:\n{}", group.title, lines);
  }
  common += fmt::format("  {:<{}}{}", "--help", kOptionColumn - 2, "the common options\n");
  common += fmt::format("  {:<{}}{}", "--help-all", kOptionColumn - 2, "all options\n");
  return level == HelpLevel::kAll ? common + expert : common;
}

// How the text of a command ends that has more options than it shows.
std::string more_options(std::string_view command, HelpLevel level) {
  if (level == HelpLevel::kAll) return "";
  return fmt::format(
      "\nOptions that tune single engines and methods are left out here: `fenceline {} --help-all`.\n",
      command);
}

std::string check_help(HelpLevel level) {
  std::string text =
      "fenceline check: verify the properties of programs\n"
      "\n"
      "Usage: fenceline check FILE... [options]\n"
      "\n"
      "Checks every property of every FILE (.fl, .litmus, .c, .cpp, .tests) under every selected memory\n"
      "model. A violated property comes with a counterexample; a verified one holds for all executions.\n"
      "A proof is vacuous if no execution ends, or none reaches an assertion.\n"
      "Without --model, litmus tests are checked under the model of their architecture.\n"
      "\n"
      "Options:\n";
  text += option_lines(kOfCheck, level);
  text +=
      "\n"
      "The limits of --timeout and --memory hold for each task (one file, model and property) by itself,\n"
      "compiling and mining included: it runs in a process of its own, which is killed at the limit.\n"
      "\n"
      "Examples:\n"
      "  fenceline check peterson.fl                          is it correct on x86?\n"
      "  fenceline check --model sc,tso,pso peterson.fl       a table of three models\n"
      "  fenceline check --model pso --property mutex *.fl    one property of many files\n"
      "  fenceline check --quiet --timeout 10 queue.fl        one line per task, ten seconds each\n"
      "  fenceline check --engine automata --verbose lock.fl  buffer contents in unbounded loops\n"
      "  fenceline check --json result.json queue.fl          for other programs to read\n"
      "\n";
  text += kExitStatuses;
  return text + more_options("check", level);
}

std::string infer_help(HelpLevel level) {
  std::string text =
      "fenceline infer: find the fences that a program needs\n"
      "\n"
      "Usage: fenceline infer FILE [options]\n"
      "\n"
      "Finds a minimum set of fences for FILE (.fl) with which every property holds under the memory model,\n"
      "and shows the program with them. That program is parsed and verified again before it is shown.\n"
      "\n"
      "Options:\n";
  text += option_lines(kOfInfer, level);
  text +=
      "\n"
      "The limits of --timeout and --memory hold for the whole search. docs/inference.md describes the "
      "methods.\n"
      "\n"
      "Examples:\n"
      "  fenceline infer peterson.fl                          what does it need on x86?\n"
      "  fenceline infer --model pso --all peterson.fl        every minimum set of fences\n"
      "  fenceline infer --model pso --fences any queue.fl    weaker fences where they suffice\n"
      "  fenceline infer --patch fenced.fl queue.fl           writes the repaired program\n"
      "\n"
      "Exit status:\n"
      "  0    repaired: every property holds with the fences shown, possibly none\n"
      "  1    no fences at the candidate positions help; the counterexample was replayed step by step\n"
      "  2    unknown: a limit was reached, or no placement can be verified; the reason is printed, and\n"
      "       sufficient fences, if any are known\n"
      "  64, 65, 66, 69, 70, 130, 143: as for `fenceline check`\n";
  return text + more_options("infer", level);
}

std::string litmus_help(HelpLevel level) {
  std::string text =
      "fenceline litmus: the final states of litmus tests\n"
      "\n"
      "Usage: fenceline litmus FILE|FOLDER... [options]\n"
      "\n"
      "Finds all final states of each test (.litmus, in the format of the herd tools: X86, X86_64, C, "
      "AArch64,\n"
      "RISCV, PPC) under a memory model, and prints them as those tools do. Of a FOLDER, all tests below "
      "it.\n"
      "\n"
      "Options:\n";
  text += option_lines(kOfLitmus, level);
  text +=
      "\n"
      "docs/litmus.md describes what is supported of the format.\n"
      "\n"
      "Examples:\n"
      "  fenceline litmus SB.litmus                           under the model of its architecture\n"
      "  fenceline litmus --model sc SB.litmus                is it sequentially consistent?\n"
      "  fenceline litmus --timeout 10 --jobs 4 tests/        a whole suite\n"
      "  fenceline check SB.litmus                            an execution that leads there\n"
      "\n"
      "Exit status:\n"
      "  0    all tests ran, whatever they have shown\n"
      "  2    some test is not complete: a limit was reached; the reason is on standard error\n"
      "  65   some file is not a test: file, line, column and what was expected\n"
      "  66   some file does not exist\n"
      "  64, 70, 130, 143: as for `fenceline check`\n";
  return text;
}

std::string reduce_help(HelpLevel level) {
  std::string text =
      "fenceline reduce: the program with its store buffers written out\n"
      "\n"
      "Usage: fenceline reduce FILE [options]\n"
      "\n"
      "Prints a program that does on sc what FILE (.fl, .litmus, .c, .cpp) does on tso or pso: buffers are\n"
      "variables, and flushes are steps of the threads. It is printed in the form of Fenceline's own\n"
      "intermediate language.\n"
      "\n"
      "Options:\n";
  text += option_lines(kOfReduce, level);
  text +=
      "\n"
      "docs/reduction.md describes the reduction.\n"
      "\n"
      "Examples:\n"
      "  fenceline reduce peterson.fl                         on tso\n"
      "  fenceline reduce --model pso --slots 1 peterson.fl   on pso, one slot for each variable\n"
      "  fenceline reduce --refine all peterson.fl            with variables that record flushes\n"
      "\n"
      "Exit status:\n"
      "  0    the reduced program has been printed\n"
      "  2    there is no reduction for this program or property; the reason is printed\n"
      "  64, 65, 66, 70: as for `fenceline check`\n";
  return text;
}

}  // namespace

std::string help() {
  std::string text =
      "fenceline: verifies and repairs concurrent programs on weak memory models\n"
      "\n"
      "Usage: fenceline COMMAND [options]\n"
      "\n"
      "Commands:\n"
      "  check FILE...         verify properties; counterexamples for violated ones\n"
      "  infer FILE            find the fences that are needed; shows the program with them\n"
      "  litmus FILE...        the final states of litmus tests\n"
      "  reduce FILE           encode the store buffers; prints a program for sc\n"
      "  bench [TABLE...]      published tables beside our results; without TABLE: a list\n"
      "  models                the memory models, one line each\n"
      "  engines               the engines, one line each\n"
      "\n"
      "Options:\n"
      "  --help                this text; `fenceline COMMAND --help`: more; --help-all: all options\n"
      "  --version             the version\n"
      "\n"
      "Examples:\n"
      "  fenceline check peterson.fl\n"
      "  fenceline check --model sc,tso,pso peterson.fl\n"
      "  fenceline infer --model pso peterson.fl\n"
      "  fenceline check --help\n"
      "\n";
  text += kExitStatuses;
  return text;
}

std::string help(Command command, HelpLevel level) {
  switch (command) {
    case Command::kCheck:
      return check_help(level);
    case Command::kInfer:
      return infer_help(level);
    case Command::kLitmus:
      return litmus_help(level);
    case Command::kReduce:
      return reduce_help(level);
    case Command::kBench:
      return "fenceline bench: published tables beside our results\n"
             "\n"
             "Usage: fenceline bench [TABLE...] [options]\n"
             "\n"
             "Without TABLE it lists the tables; `automata` selects all automata-... tables.\n"
             "The tables and their programs are in a separate executable, fenceline-bench.\n"
             "\n"
             "Options:\n"
             "  --only NAME,...       only the rows of these programs\n"
             "  --model M,...         of executions: these models instead of sc, tso, armv8 and rc11\n"
             "  --engine E            of executions: auto, or one of `fenceline engines` [auto]\n"
             "  --markdown            a table to paste into a document\n"
             "  --timeout S           per cell [5; executions: 10; propagation: 30; checkfence: 60;\n"
             "                        checkfence-growth: 300]\n"
             "  --memory MB           per cell; 0: four fifths of what is available [0]\n"
             "  --help, --help-all    this text\n"
             "\n"
             "Examples:\n"
             "  fenceline bench\n"
             "  fenceline bench coherence-verify\n"
             "  fenceline bench coherence-verify --only pet2,dek2 --markdown\n"
             "  fenceline bench automata --timeout 60\n"
             "  fenceline bench executions --only mcs,ticket/3 --model tso,rc11\n"
             "\n"
             "Exit status: 0; 2: this version lacks an engine that the table needs; 64: no such table or "
             "program;\n"
             "69: fenceline-bench is missing\n";
    case Command::kModels:
      return "fenceline models: the memory models, one line each\n"
             "\n"
             "Usage: fenceline models\n"
             "\n"
             "Examples:\n"
             "  fenceline models\n"
             "  fenceline check --model pso peterson.fl\n"
             "\n"
             "Exit status: 0\n";
    case Command::kEngines:
      return "fenceline engines: the engines, one line each\n"
             "\n"
             "Usage: fenceline engines\n"
             "\n"
             "Examples:\n"
             "  fenceline engines\n"
             "  fenceline check --engine explicit peterson.fl\n"
             "  fenceline check --engine automata --search dfs peterson.fl\n"
             "\n"
             "Exit status: 0\n";
  }
  return help();
}

std::string version() { return "fenceline " FENCELINE_VERSION "\n"; }

}  // namespace fenceline::app
