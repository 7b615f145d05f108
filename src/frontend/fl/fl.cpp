// SPDX-License-Identifier: GPL-3.0-or-later
//
// From text to program: syntax first, and nothing else if it has errors, since names in an incomplete tree
// would give spurious messages; then the file's names; then threads; then properties, which need the threads'
// labels and registers.
#include "frontend/fl/fl.h"

#include <fmt/format.h>

#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

#include "frontend/fl/globals.h"
#include "frontend/fl/lower.h"
#include "frontend/fl/lower_property.h"
#include "frontend/fl/parser.h"
#include "frontend/fl/token.h"

namespace fenceline::frontend {
namespace fl {
namespace {

class FileLowering {
 public:
  FileLowering(const File& file, ProgramBuilder& builder, Diagnostics& diagnostics,
               const FrontEndParameters& parameters)
      : file_(file),
        builder_(builder),
        diagnostics_(diagnostics),
        globals_(file, builder, diagnostics, parameters),
        expressions_(builder, diagnostics),
        context_{globals_, expressions_, diagnostics, {}, {}, false, false, false} {}

  void run() {
    if (file_.transaction)
      make_clients();
    else if (file_.threads.empty())
      diagnostics_.error(file_.end, "the file has no thread", "write thread P { ... }");
    for (const ThreadDeclaration& declaration : file_.threads) {
      std::vector<Value> numbers;
      make_threads(declaration, numbers);
    }
    check_uncalled_procedures();
    const bool error_possible = context_.has_assertions || context_.has_ranges || globals_.has_ranges() ||
                                expressions_.error_possible();
    make_properties();
    if (file_.properties.empty() && !file_.transaction && !error_possible && !diagnostics_.any())
      diagnostics_.error(file_.threads.front().name.pos,
                         "nothing to check: the file has no property and no assert",
                         "write, for example, property p: never (x == 1); or assert(x == 1);");
  }

 private:
  // All threads of a declaration whose first numbers are `numbers`.
  void make_threads(const ThreadDeclaration& declaration, std::vector<Value>& numbers) {
    if (numbers.size() == declaration.parameters.size()) {
      if (threads_.size() >= kMaxThreads)
        diagnostics_.fatal(declaration.name.pos, fmt::format("more than {} threads", kMaxThreads));
      ThreadBuilder& thread =
          builder_.thread(thread_name(declaration.name.text, numbers), declaration.name.pos);
      threads_.push_back(ThreadLowering(context_, thread).lower_thread(declaration, numbers));
      return;
    }
    const ThreadParameter& parameter = declaration.parameters[numbers.size()];
    const ConstantLookup lookup = [&](const Name& name) -> std::optional<Value> {
      for (size_t i = 0; i < numbers.size(); ++i)
        if (declaration.parameters[i].name.text == name.text) return numbers[i];
      return globals_.lookup_constant(name);
    };
    const auto lo = globals_.evaluate(*parameter.lo, lookup), hi = globals_.evaluate(*parameter.hi, lookup);
    if (!lo || !hi) return;
    if (*lo > *hi) {
      diagnostics_.error(parameter.lo->pos,
                         fmt::format("the range {}..{} is empty: there would be no thread", *lo, *hi));
      return;
    }
    if (static_cast<uint64_t>(*hi) - static_cast<uint64_t>(*lo) >= kMaxThreads)
      diagnostics_.fatal(parameter.lo->pos, fmt::format("more than {} threads", kMaxThreads));
    for (Value number = *lo;; ++number) {
      numbers.push_back(number);
      make_threads(declaration, numbers);
      numbers.pop_back();
      if (number == *hi) break;
    }
  }

  // T1, T2, ...: the threads of a transactional memory.
  void make_clients() {
    for (Value self = 1; self <= globals_.threads(); ++self) {
      ThreadDeclaration& declaration = clients_.emplace_back();
      declaration.name = {client_names_.emplace_back(fmt::format("T{}", self)), file_.transaction->name.pos};
      globals_.add_thread(declaration);
      ThreadBuilder& thread = builder_.thread(client_names_.back(), declaration.name.pos);
      threads_.push_back(ThreadLowering(context_, thread).lower_client(*file_.transaction, self));
      threads_.back().declaration = &declaration;
    }
  }

  // Into a builder of their own, which is thrown away.
  void check_uncalled_procedures() {
    ProgramBuilder scratch{SourceFile{}};
    Expressions expressions(scratch, diagnostics_);
    LoweringContext context{globals_, expressions, diagnostics_, {}, context_.lowered, false, false, true};
    for (const Procedure& procedure : file_.procedures)
      if (!context.lowered.contains(&procedure))
        ThreadLowering(context, scratch.thread("", procedure.name.pos)).check_procedure(procedure);
  }

  void make_properties() {
    std::unordered_map<std::string_view, SourcePos> names;
    PropertyLowering lowering(context_, threads_);
    for (const PropertyText& property : file_.properties) {
      const auto [it, fresh] = names.emplace(property.name.text, property.name.pos);
      if (!fresh)
        diagnostics_.error(property.name.pos,
                           fmt::format("two properties are called '{}'", shortened(property.name.text)),
                           fmt::format("the first is in line {}", it->second.line));
      if (property.name.text == "errors")
        diagnostics_.error(property.name.pos,
                           "'errors' is the name of the property that is checked in every file");
      if (looks_at_history(property.kind) && !file_.transaction)
        diagnostics_.error(property.kind_pos,
                           "there are no transactions in this file that the property could be about",
                           "write transaction NAME { ... }");
      lowering.lower(property);
    }
  }

  const File& file_;
  ProgramBuilder& builder_;
  Diagnostics& diagnostics_;
  Globals globals_;
  Expressions expressions_;
  LoweringContext context_;
  std::deque<ThreadDeclaration> clients_;
  std::deque<std::string> client_names_;
  std::vector<ThreadInstance> threads_;
};

}  // namespace
}  // namespace fl

Program parse_fl(SourceFile source, const FrontEndParameters& parameters) {
  fl::Diagnostics diagnostics(source);
  ProgramBuilder builder{SourceFile{}};  // the text stays here until it is not needed any more
  try {
    const fl::File file = fl::Parser(source, diagnostics).parse_file();
    if (!diagnostics.any()) fl::FileLowering(file, builder, diagnostics, parameters).run();
  } catch (const fl::StopReading&) {
  }
  if (diagnostics.any()) diagnostics.raise();
  Program program = builder.finish();
  program.source = std::move(source);
  return program;
}

}  // namespace fenceline::frontend
