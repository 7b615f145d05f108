// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/data_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/interrupt.h"
#include "app/supervised.h"
#include "app/verification.h"
#include "engine/portfolio/result_bytes.h"
#include "engine/sat/formula.h"
#include "engine/sat/options.h"
#include "engine/sat/unrolling.h"
#include "env/bytes.h"
#include "env/errors.h"
#include "model/memory_model.h"
#include "tables/measure.h"
#include "tables/programs.h"
#include "tables/search_cell.h"

namespace fenceline::tables {
namespace {

constexpr std::string_view kFolder = "c/";

std::optional<double> inclusion_alone(const Task& task, const Options& options) {
  Limits limits(options.timeout, options.memory_mb << 20);
  const app::Interruptible interruptible(limits);
  const Overlay overlay(task.program, task.fences);
  const CatModel axioms = axioms_of(task.model);
  sat::Unrolling unrolling(options.of<sat::SatOptions>().bound);
  for (auto answer = sat::Unrolling::Answer::kRaised; answer != sat::Unrolling::Answer::kEnough;) {
    sat::Formula formula(overlay, axioms, &task.property, unrolling.bounds(), {});
    answer = unrolling.raise(formula, limits);
    if (answer == sat::Unrolling::Answer::kLimit || answer == sat::Unrolling::Answer::kAtLargest)
      return std::nullopt;
  }
  const double start = cpu_seconds();
  sat::Formula formula(overlay, axioms, &task.property, unrolling.bounds(), {});
  if (formula.solver().solve({formula.violated()}, limits) == sat::SatAnswer::kLimit) return std::nullopt;
  return cpu_seconds() - start;
}

}  // namespace

DataType::DataType(const BenchContext& context, std::string_view name, std::vector<std::string> tests,
                   const std::string& more)
    : name_(name), options_(context.options) {
  options_.tests = std::move(tests);
  options_.certify = Certify::kNever;
  const std::string suite = name_ + ".tests";
  bool found = false;
  for (const EmbeddedText& program : bench_programs()) {
    if (!program.name.starts_with(kFolder)) continue;
    const std::string file(program.name.substr(kFolder.size()));
    found = found || file == suite;
    folder_.write(file, std::string(program.text) + (file == suite ? more : ""));
  }
  if (!found) throw Bug(fmt::format("no data type {} was put into the executable", name));
  context.progress.set_task(name_ + ": ");
  const auto start = std::chrono::steady_clock::now();
  cases_.emplace(fmt::format("{}/{}", folder_.path(), suite), options_);
  making_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const app::Case& DataType::get(std::string_view test, const MemoryModel& model) {
  for (size_t i = 0; i < cases_->size(); ++i)
    if (const app::Case& one = cases_->get(i, model); one.notes->test == test) return one;
  throw Bug(fmt::format("{} has no test {}", name_, test));
}

uint64_t DataTypeCell::figure(std::string_view name) const {
  for (const auto& [key, value] : result.statistics.figures)
    if (key == name) return static_cast<uint64_t>(value);
  return 0;
}

DataTypeCell data_type_cell(const BenchContext& context, DataType& type, std::string_view test,
                            std::string_view model, Inclusion inclusion) {
  const app::Case& one = type.get(test, memory_model(model));
  DataTypeCell cell;
  cell.observations = one.notes->allowed;
  cell.mining = one.mining_seconds;
  if (app::interrupted() || !one.unknown.empty()) {
    cell.result.reason = app::interrupted() ? "interrupted" : one.unknown;
    return cell;
  }
  Options options = context.options;
  options.certify = Certify::kNever;
  const FenceSet no_fences;
  const Task task{one.program, no_fences, memory_model(model), one.properties.front()};
  context.progress.set_task(fmt::format("{} {}: {}: ", type.name(), test, model));
  const app::IsolatedResult timed = app::run_isolated(options, [&] {
    const double start = cpu_seconds();
    ByteWriter writer;
    writer(engine::to_bytes(app::verify_by(engine::engine_called("sat"), task, options, context.progress)));
    writer(cpu_seconds() - start);
    return std::move(writer.bytes);
  });
  if (!timed.answer) {
    cell.result.reason = timed.limit;
    return cell;
  }
  ByteReader reader(*timed.answer);
  std::string result;
  reader(result);
  reader(cell.seconds);
  cell.result = engine::from_bytes(result, task);
  if (inclusion == Inclusion::kAlsoAlone && cell.result.verdict() != Verdict::kUnknown) {
    const app::IsolatedResult alone = app::run_isolated(options, [&] {
      ByteWriter writer;
      writer(inclusion_alone(task, options));
      return std::move(writer.bytes);
    });
    if (alone.answer) ByteReader{*alone.answer}(cell.inclusion);
  }
  return cell;
}

}  // namespace fenceline::tables
