// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/search_cell.h"

#include <fmt/format.h>

#include <ctime>
#include <memory>

#include "app/interrupt.h"
#include "app/supervised.h"
#include "engine/automata/breadth_first.h"
#include "env/bytes.h"
#include "model/memory_model.h"
#include "reference/depth_first.h"

namespace fenceline::tables {

namespace {

SearchCell search_here(const BenchContext& context, const Subject& subject, std::string_view model,
                       SearchOrder order, const automata::SymbolicSearchOptions& options) {
  SearchCell cell;
  const FenceSet no_fences;
  const Task task{subject.program, no_fences, memory_model(model), subject.property};
  Limits limits(context.options.timeout, context.options.memory_mb << 20);
  const app::Interruptible interruptible(limits);
  Env env{context.options, limits, context.progress};
  const double start = cpu_seconds();
  std::unique_ptr<automata::SymbolicSearch> search;
  if (order == SearchOrder::kBreadthFirst)
    search = std::make_unique<automata::BreadthFirst>(task, options, env);
  else
    search = std::make_unique<reference::DepthFirst>(task, options, env);
  search->run();
  cell.seconds = cpu_seconds() - start;
  cell.ended = search->end().complete();
  cell.violated = search->violated();
  cell.states = search->states();
  cell.largest = search->maximal_elements();
  cell.languages = search->system().languages().size();
  return cell;
}

}  // namespace

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

SearchCell search_cell(const BenchContext& context, const Subject& subject, std::string_view model,
                       SearchOrder order, const automata::SymbolicSearchOptions& options) {
  if (app::interrupted()) return {};
  context.progress.set_task(fmt::format("{}: {}: ", subject.program.source.name, model));
  const app::IsolatedResult done = app::run_isolated(context.options, [&] {
    ByteWriter writer;
    writer(search_here(context, subject, model, order, options));
    return std::move(writer.bytes);
  });
  SearchCell cell;
  if (done.answer) ByteReader{*done.answer}(cell);
  return cell;
}

}  // namespace fenceline::tables
