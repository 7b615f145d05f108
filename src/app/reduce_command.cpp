// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline reduce`: a program on TSO or PSO, printed as one on SC. It shows the reduction, and gives the
// program to analyses that do not model store buffers.
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "app/cases.h"
#include "app/command_options.h"
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/interrupt.h"
#include "app/models.h"
#include "app/output.h"
#include "app/supervised.h"
#include "base/counted.h"
#include "env/errors.h"
#include "ir/text/printer.h"
#include "transform/to_sc/to_sc.h"

namespace fenceline::app {
namespace {

constexpr unsigned kSlots = 2;

std::string header(const Case& about, const MemoryModel& model, const Property& property, unsigned slots,
                   const transform::ReducedProgram& reduced) {
  std::string text = fmt::format("// {} on {}, as a program on sc: {} in each store buffer, {}.\n",
                                 about.program.source.name, model.name, counted(slots, "slot"),
                                 counted(reduced.flushes.size(), "flush position"));
  text += fmt::format("// If the property '{}' holds, then '{}' holds here if and only if it does there.\n",
                      reduced.overflow_property.name, property.name);
  if (about.properties.size() > 1)
    text += fmt::format("// The program has {}: --property NAME.\n",
                        counted(about.properties.size() - 1, "further property"));
  return text;
}

// The property of that name, or the first one that can be reduced, or the first.
const Property& property_to_reduce(const Case& about, const MemoryModel& model, const Options& options) {
  require(!about.properties.empty(), "nothing to check");
  for (const Property& property : about.properties)
    if (options.properties.empty() ? transform::reduction_unsupported(about.program, model, property).empty()
                                   : property.name == options.properties.front())
      return property;
  return about.properties.front();
}

int reduce_in_worker(const CommandLine& line, WorkerChannel& channel) {
  const Options& options = line.options;
  channel.begin("", options.timeout);
  if (line.files.size() != 1) throw UsageError("reduce takes one FILE at a time");
  if (options.models.size() != 1) throw UsageError("reduce takes one --model at a time");
  if (options.properties.size() > 1) throw UsageError("reduce takes one --property at a time");
  Models shelf(options.include_folders);
  const MemoryModel& model = shelf.get(options.models.front());
  if (model.buffering == Buffering::kNoMachine)
    throw UsageError(fmt::format("--model {}: it has no store buffers; tso and pso have", model.name));
  const std::string& path = line.files.front();
  if (path.ends_with(".tests")) throw UsageError(fmt::format("{}: reduce takes programs, not tests", path));

  Cases cases(path, options, {&model}, [](size_t, Compilation, double) { return std::string(); });
  const Case& about = cases.get(0, model);
  const Property& property = property_to_reduce(about, model, options);
  const std::string obstacle = transform::reduction_unsupported(about.program, model, property);
  if (!obstacle.empty())
    throw Unsupported(fmt::format("{}: {}: the reduction {}", path, property.name, obstacle));

  const FenceSet no_fences;
  const auto& reduce = options.of<ReduceOptions>();
  const auto slots = reduce.slots == 0 ? kSlots : static_cast<unsigned>(reduce.slots);
  std::set<transform::FlushPoint> refinements;
  if (reduce.refine == ReduceRefinement::kAll)
    for (const transform::FlushPoint& point : transform::flush_points(about.program, no_fences, model))
      refinements.insert(point);
  const transform::ReducedProgram reduced =
      transform::to_sc(about.program, no_fences, model, property, slots, refinements);
  print(header(about, model, property, slots, reduced));
  print(print_program(reduced.program));
  return kExitVerified;
}

}  // namespace

int reduce_command(const CommandLine& line) {
  WorkerFailure failure;
  int status = kExitUnknown;
  Supervision supervision = supervision_of(line.options);
  supervision.work = [&](WorkerChannel& channel) {
    return in_worker(channel, [&] { return reduce_in_worker(line, channel); });
  };
  supervision.on_message = [&](std::string_view message) { failure.hear(message); };
  supervision.on_end = [&](const WorkerReport& report) {
    const auto reason = limit_of(report, line.options);
    status = reason ? failure.give_up(fmt::format("{}: {}", line.files.front(), *reason))
                    : failure.status_of(report);
    return false;
  };
  supervise(supervision);
  return interrupted() ? status_of_interruption() : status;
}

}  // namespace fenceline::app
