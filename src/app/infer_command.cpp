// SPDX-License-Identifier: GPL-3.0-or-later
//
// `fenceline infer`: infer fences, write them into the text, parse that text and verify it again like any
// other input, and only then show it. The search verifies the program with fences as an overlay; if the
// program with the fences in its text has another verdict, that is a bug of Fenceline, and no result.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command_options.h"
#include "app/commands.h"
#include "app/exit_status.h"
#include "app/front_ends.h"
#include "app/input.h"
#include "app/interrupt.h"
#include "app/output.h"
#include "app/queries.h"
#include "app/supervised.h"
#include "engine/coherence/graph_builder.h"
#include "engine/coherence/options.h"
#include "engine/portfolio/portfolio.h"
#include "env/env.h"
#include "env/errors.h"
#include "env/output_file.h"
#include "model/memory_model.h"
#include "property/properties.h"
#include "reference/avoid/avoid.h"
#include "reference/lattice_strategies.h"
#include "report/patch.h"
#include "report/report.h"
#include "report/synthesis_text.h"
#include "synth/candidate_positions.h"
#include "synth/foil.h"
#include "synth/lattice_inference.h"
#include "synth/lazy.h"
#include "synth/search_plot.h"
#include "synth/violated_orderings.h"

namespace fenceline::app {
namespace {

// ---- Options

// FOIL's rule is about accesses that overtake each other in queues.
Options with_engine(Options options) {
  const InferMethod method = options.of<InferOptions>().method;
  if (method == InferMethod::kFoil && options.engine == "auto") options.engine = "queue";
  return options;
}

// The strategy of a method that searches the lattice of all sets of positions; none for other methods.
synth::Strategy strategy_of(InferMethod method) {
  switch (method) {
    case InferMethod::kProp:
      return synth::propagation_strategy;
    case InferMethod::kBfs:
      return reference::bfs_strategy;
    case InferMethod::kDfs:
      return reference::dfs_strategy;
    case InferMethod::kDescent:
      return reference::descent_strategy;
    case InferMethod::kAuto:
    case InferMethod::kLazy:
    case InferMethod::kAvoid:
    case InferMethod::kFoil:
      break;
  }
  return nullptr;
}

bool is_input(const std::string& path, const CommandLine& line) {
  std::error_code ignored;
  return !path.empty() && path != "-" && std::filesystem::equivalent(path, line.files.front(), ignored);
}

void check_method(const Options& options) {
  const auto& infer_options = options.of<InferOptions>();
  const bool foil = infer_options.method == InferMethod::kFoil;
  if (foil && with_engine(options).engine != "queue")
    throw UsageError(
        fmt::format("--method foil needs traces of the queue engine, not of {}", options.engine));
  if ((foil || infer_options.method == InferMethod::kDescent) && infer_options.all_placements)
    throw UsageError(fmt::format("--method {} finds one placement and does not support --all",
                                 to_string(infer_options.method)));
  if (!infer_options.plot.empty() && !strategy_of(infer_options.method) &&
      infer_options.method != InferMethod::kAuto)
    throw UsageError("--plot draws a search of --method prop, bfs, dfs or descent");
}

// The method and the engine, where the user leaves them open. A failed invariant is no counterexample to
// learn from, so the numeric engine needs a method that only uses whether fences are sufficient.
Options settled(Options options, const Program& program) {
  const bool unbounded = engine::has_unbounded_integers(program);
  InferMethod& method = options.of<InferOptions>().method;
  if (method == InferMethod::kAuto) {
    const bool by_invariants = options.engine == "numeric" || (options.engine == "auto" && unbounded);
    method = by_invariants ? InferMethod::kProp : InferMethod::kLazy;
  }
  if (options.engine == "auto" && strategy_of(method) && unbounded) options.engine = "numeric";
  check_method(options);
  return options;
}

void check_options(const CommandLine& line) {
  const Options& options = line.options;
  if (line.files.size() != 1) throw UsageError("infer takes one FILE at a time");
  if (options.models.size() != 1) throw UsageError("infer takes one --model at a time");
  check_method(options);
  const auto& infer_options = options.of<InferOptions>();
  if (!infer_options.patch.empty() && infer_options.in_place)
    throw UsageError("--patch and --in-place contradict each other");
  if (infer_options.patch == "-" && options.json == "-")
    throw UsageError("--patch - and --json - both write to standard output");
  if (is_input(infer_options.plot, line))
    throw UsageError(fmt::format("--plot {}: that would overwrite an input", infer_options.plot));
  if (is_input(infer_options.patch, line))
    throw UsageError(
        fmt::format("--patch {}: that is the input; use --in-place to overwrite it", infer_options.patch));
}

// The kinds that --fences any may use. Store-store fences do nothing where stores stay in order anyway.
std::vector<FenceKinds> weaker_kinds(const Options& options, const MemoryModel& model) {
  if (options.of<InferOptions>().fences != InferFences::kAny) return {};
  if (model.buffering == Buffering::kPerThread) return {FenceKinds::store_load()};
  if (model.buffering == Buffering::kNoMachine)
    return {FenceKinds::store_store(), FenceKinds::load_load(), FenceKinds::load_store(),
            FenceKinds::store_load()};
  return {FenceKinds::store_store(), FenceKinds::store_load()};
}

// ---- Searching

// The abstraction in which the whole graph is explored; K = 1 is the least with which fences can always bring
// sequential consistency back.
buffer::Abstraction graph_abstraction(const Options& options) {
  const buffer::Abstraction abstraction =
      options.of<coherence::CoherenceOptions>().chosen({buffer::Abstraction::Kind::kFullyDisjunctive, 1});
  if (abstraction.values != buffer::Abstraction::Values::kExact)
    throw UsageError("--method avoid needs --buffer-values exact");
  return abstraction;
}

Synthesis infer_in_lattice(const synth::SynthesisTask& task, synth::Strategy strategy, const Options& options,
                           Queries& queries, std::string& plot) {
  std::vector<synth::SearchEvent> trace;
  const synth::LatticeSearch search{strategy, static_cast<unsigned>(options.jobs),
                                    [&queries](const std::vector<Task>& all) { return queries.verify(all); },
                                    &queries.limits()};
  Synthesis found = synth::infer_by_propagation(task, search, &trace);
  const auto& infer_options = options.of<InferOptions>();
  if (!infer_options.plot.empty())
    plot = synth::search_plot(fmt::format("{} on {}", task.program.source.name, task.model.name),
                              {{std::string(to_string(infer_options.method)), trace}});
  return found;
}

Synthesis infer(const synth::SynthesisTask& task, const Options& options, Queries& queries,
                Progress& progress, std::string& plot) {
  const InferMethod method = options.of<InferOptions>().method;
  if (const synth::Strategy strategy = strategy_of(method))
    return infer_in_lattice(task, strategy, options, queries, plot);
  if (method == InferMethod::kLazy) return synth::infer_lazily(task);
  if (method == InferMethod::kFoil) return synth::infer_by_last_reordering(task);
  const buffer::Abstraction abstraction = graph_abstraction(options);
  const Interruptible interruptible(queries.limits());
  Env env{options, queries.limits(), progress};
  const auto graph_of = [&](const Task& query) {
    return coherence::build_labelled_graph(query, abstraction, env);
  };
  return reference::infer_by_avoiding(task, graph_of, queries.limits());
}

// ---- Answering

// The program with its fences, read and checked like any other.
struct Repaired {
  std::string text;
  Input input;
  FenceSet no_fences;
  std::vector<Result> results;  // by property
  std::string why_not;          // a limit was reached before everything was verified again
};

Repaired repair(const synth::SynthesisTask& task, const Placement& placement, Queries& queries,
                const Options& options) {
  Repaired repaired;
  repaired.text = report::patched_text(task.program.source, report::fence_texts(task.candidates, placement));
  const std::string& file = task.program.source.name;
  try {
    repaired.input.program = front_end_for(file).parse({file, repaired.text}, parameters_of(options));
  } catch (const InputError& error) {
    throw Bug(fmt::format("the program with its fences cannot be read:\n{}", error.what()));
  }
  repaired.input.properties = property::properties_to_check(repaired.input.program, options);
  require(repaired.input.properties.size() == task.properties.size(), "the fences changed the properties");
  std::vector<Task> tasks;
  for (const Property& property : repaired.input.properties)
    tasks.push_back({repaired.input.program, repaired.no_fences, task.model, property});
  repaired.results = queries.verify(tasks);
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Result& result = repaired.results[i];
    if (result.verdict() == Verdict::kVerified) continue;
    const bool limited = result.verdict() == Verdict::kUnknown && !result.spurious() &&
                         !result.is_unknown(UnknownReason::kBound);
    if (!limited)
      throw Bug(fmt::format("{} is {} with the fences in the text: {}", tasks[i].property.name,
                            to_string(result.verdict()), result.reason));
    repaired.why_not = result.reason;
    break;
  }
  return repaired;
}

report::Answer answer_about(const report::SynthesisReport& report, const Program& program,
                            const Property& property, Result result) {
  report::Answer answer;
  answer.file = report.file;
  answer.model = report.model;
  answer.program = &program;
  answer.property = &property;
  answer.engine = report.engine;
  answer.why_engine = "used by fence inference";
  answer.result = std::move(result);
  answer.peak_rss_kb = peak_rss_kb();
  answer.synthesis = &report;
  return answer;
}

// A counterexample that no fence prevents is easiest to read without store buffers, if it needs none: the
// shortest one on sc, with every store flushed at once. Otherwise the one that the search has found.
Result simplest(const synth::SynthesisTask& task, size_t number, Result result, Queries& queries) {
  if (result.replay() && result.replay()->queues) return result;
  const FenceSet none;
  const Property& property = task.properties[number];
  const Task on_sc{task.program, none, memory_model("sc"), property};
  const Result plain = queries.verify(on_sc);
  if (plain.verdict() != Verdict::kViolated || !plain.replay()) return result;
  Trace trace;
  for (const ReplayedStep& step : plain.replay()->steps) trace.steps.push_back(step.step);
  const Task query{task.program, none, task.model, property};
  trace = synth::with_flushes_at_once(query, trace);
  Replay replayed = check::replay(query, trace);
  if (!replayed.ok) return result;
  result.conclusion = TraceCounterexample{.trace = std::move(trace), .replay = std::move(replayed)};
  return result;
}

int exit_status(Verdict verdict) {
  if (interrupted()) return status_of_interruption();
  return verdict == Verdict::kVerified   ? kExitVerified
         : verdict == Verdict::kViolated ? kExitViolated
                                         : kExitUnknown;
}

// ---- The worker

// How its messages begin.
constexpr char kResult = '+', kPatched = 'p', kUnchanged = 'u', kPlot = 's';

// Returns the exit status, and sends what is to be written to files. There is one limit for all of it: the
// search, the verification of its result, and the simplest counterexample.
int infer_in_worker(const CommandLine& line, WorkerChannel& channel) {
  channel.begin("", line.options.timeout);
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  engine::require_known_engine(line.options.engine);
  if (line.options.engine != "auto" && !engine::engine_called(line.options.engine).in_portfolio())
    throw UsageError(
        fmt::format("the {} engine only checks; `infer` needs another one", line.options.engine));
  const MemoryModel& model = memory_model(line.options.models.front());
  const Input input = read_input(line.files.front(), line.options);
  const Options options = settled(line.options, input.program);
  const auto& infer_options = options.of<InferOptions>();
  std::string plot;
  Progress progress(isatty(STDERR_FILENO) != 0 && !options.quiet);

  const std::vector<CandidatePosition> candidates =
      synth::candidate_positions(input.program, infer_options.positions);
  Queries queries(with_engine(options), progress, spent());
  const synth::SynthesisTask task{input.program,
                                  model,
                                  input.properties,
                                  candidates,
                                  [&queries](const Task& query) { return queries.verify(query); },
                                  infer_options.all_placements,
                                  weaker_kinds(options, model)};
  Synthesis found = infer(task, options, queries, progress, plot);
  report::SynthesisReport report{.file = input.program.source.name,
                                 .model = std::string(model.name),
                                 .method = std::string(to_string(infer_options.method)),
                                 .engine = queries.engines(),
                                 .program = &input.program,
                                 .candidates = &candidates,
                                 .synthesis = &found,
                                 .all_requested = task.all};

  std::vector<report::Answer> answers;
  std::optional<Repaired> repaired;
  if (found.verdict() == Verdict::kVerified) {
    Queries again(with_engine(options), progress, spent());
    repaired.emplace(repair(task, found.placements.front(), again, options));
    if (repaired->why_not.empty()) {
      for (size_t p = 0; p < repaired->results.size(); ++p)
        answers.push_back(answer_about(report, repaired->input.program, repaired->input.properties[p],
                                       repaired->results[p]));
    } else {
      found.outcome = Synthesis::Outcome::kUnknown;
      found.reason =
          "the program with the fences in its text could not be verified again: " + repaired->why_not;
      found.patch_unverified = true;
      found.results.assign(1, Result());
    }
  }
  const Verdict verdict = found.verdict();
  report.seconds = spent();
  if (verdict != Verdict::kVerified) {
    Result result = found.results.front();
    if (verdict == Verdict::kUnknown) result.reason = found.reason;
    if (verdict == Verdict::kViolated) {
      Queries again(with_engine(options), progress, spent());
      result = simplest(task, found.property, std::move(result), again);
    }
    answers.push_back(
        answer_about(report, input.program, input.properties[found.property], std::move(result)));
  }

  if (options.json != "-" && infer_options.patch != "-") {
    const report::TextStyle style = text_style(options);
    print(report::synthesis_text(report, style));
    if (verdict == Verdict::kViolated && !style.quiet) print(report::text_report(answers.front(), style));
  }
  if (verdict == Verdict::kVerified) {
    channel.send(kPatched + repaired->text);
    if (repaired->text == input.program.source.text) channel.send(std::string(1, kUnchanged));
  }
  if (!plot.empty()) channel.send(kPlot + plot);
  if (!options.json.empty())
    for (const report::Answer& answer : answers) channel.send(kResult + report::json_result(answer));
  return exit_status(verdict);
}

// ---- Its supervisor

// What is reported if the worker was ended.
std::string report_limit(const CommandLine& line, const std::string& reason, double seconds) {
  Synthesis synthesis;
  synthesis.reason = reason;
  const report::SynthesisReport report{
      .file = line.files.front(),
      .model = line.options.models.front(),
      .method = std::string(to_string(line.options.of<InferOptions>().method)),
      .engine = "",
      .synthesis = &synthesis,
      .seconds = seconds};
  Property property;
  property.name = line.options.properties.empty() ? "all" : line.options.properties.front();
  Program program;
  program.source.name = report.file;
  Result result = unknown_result(UnknownReason::kLimit, reason);
  result.statistics.seconds = seconds;
  const report::Answer answer = answer_about(report, program, property, std::move(result));
  if (line.options.json != "-" && line.options.of<InferOptions>().patch != "-")
    print(report::synthesis_text(report, text_style(line.options)));
  return line.options.json.empty() ? "" : report::json_result(answer);
}

// Files are opened before the worker begins, so that a path that cannot be written is known at once, and
// written when it has ended: all of them, or none if the user does not want to wait.
struct InferOutput {
  std::optional<ResultFile> json, patch, plot;
  std::vector<std::string> results;
  std::optional<std::string> patched, plotted;
  bool unchanged = false;

  explicit InferOutput(const CommandLine& line) : json(open_json(line)) {
    const auto& infer_options = line.options.of<InferOptions>();
    if (!infer_options.patch.empty()) patch.emplace(infer_options.patch);
    if (!infer_options.plot.empty()) plot.emplace(infer_options.plot);
  }

  void hear(std::string_view message) {
    const std::string text(message.substr(1));
    if (message.front() == kPatched)
      patched = text;
    else if (message.front() == kUnchanged)
      unchanged = true;
    else if (message.front() == kPlot)
      plotted = text;
    else
      results.push_back(text);
  }

  void write(const CommandLine& line, const std::optional<report::JsonFailure>& failure) {
    if (!interrupted()) {
      if (patched && line.options.of<InferOptions>().in_place && !unchanged)
        replace_text(line.files.front(), *patched);
      if (patched && patch) patch->write(*patched);
      if (plotted && plot) plot->write(*plotted);
    }
    if (json && (!interrupted() || json->is_standard_output()))
      json->write(report::json_document(results, FENCELINE_VERSION, failure));
  }
};

}  // namespace

int infer_command(const CommandLine& line) {
  check_options(line);
  InferOutput output(line);
  WorkerFailure failure;
  int status = kExitUnknown;
  Supervision supervision = supervision_of(line.options);
  supervision.work = [&](WorkerChannel& channel) {
    return in_worker(channel, [&] { return infer_in_worker(line, channel); });
  };
  supervision.on_message = [&](std::string_view message) {
    if (!failure.hear(message)) output.hear(message);
  };
  supervision.on_end = [&](const WorkerReport& report) {
    if (report.end != WorkerEnd::kFinished) clear_progress(line.options);
    if (const auto reason = limit_of(report, line.options)) {
      output.results.assign(1, report_limit(line, *reason, report.seconds));
    } else {
      status = failure.status_of(report);
    }
    return false;
  };
  supervise(supervision);
  // A usage error has no result, and an earlier result file is kept.
  if (status > kExitUnknown && status != kExitBug && !interrupted()) return status;
  ignore_interrupts();
  output.write(line, failure.for_json());
  return interrupted() ? status_of_interruption() : status;
}

}  // namespace fenceline::app
