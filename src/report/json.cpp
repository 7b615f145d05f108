// SPDX-License-Identifier: GPL-3.0-or-later
//
// The JSON result. It has everything that other reports show;
// docs/result.schema.json describes it and the tests hold the two together. Step numbers count from 1, as in the text.
#include "report/json_document.h"

#include <cmath>

#include "ir/edit/overlay.h"
#include "report/display.h"
#include "report/step_printer.h"
#include "report/synthesis_text.h"

namespace fenceline::report {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

constexpr size_t kLongestLanguage =
    4000;  // in columns; automata can be large, and longer texts are not readable

Json buffers_json(const Answer& answer) {
  Json buffers = Json::array();
  for (const BufferLanguage& buffer : answer.result.buffers)
    buffers.push_back({{"thread", answer.program->thread(buffer.thread).name},
                       {"line", buffer.line},
                       {"language", cut(buffer.language, kLongestLanguage)}});
  return buffers;
}

// Names of statistics that have changed: the older ones are written as well.
constexpr std::pair<std::string_view, const char*> kOlderNames[] = {
    {"maximal_states", "largest_states"},
    {"cycles_rejected", "cycles_refused"},
    {"cycles_executed_again", "cycles_run_again"},
};

// A count is written as one: 3, not 3.0.
Json number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::isfinite(value) && value == std::floor(value) && std::abs(value) < kExact)
    return static_cast<int64_t>(value);
  return value;  // what is not finite becomes null
}

Json buffer_json(const Program& program, const std::vector<BufferedStore>& buffer) {
  Json entries = Json::array();
  for (const BufferedStore& store : buffer)
    entries.push_back({{"address", program.cell_name(store.cell)}, {"value", store.value}});
  return entries;
}

// What is said about the instruction, where there is something to say.
void add_notes(const Instruction& instruction, Json& json) {
  const std::string order = order_name(instruction.order);
  if (instruction.is_memory_access() && !order.empty()) json["order"] = order;
  if (is_internal(instruction)) json["internal"] = true;
}

Json step_json(const Overlay& overlay, const ReplayedStep& step, const std::string& text,
               size_t number_of_step) {
  const Program& program = overlay.program();
  const bool flush = step.step.kind == StepKind::kFlush;
  const bool has_read =
      !flush && step.step.value && overlay.at(step.step.thread, step.step.point).reads_memory();
  Json json;
  json["step"] = number_of_step;
  json["thread"] = program.thread(step.step.thread).name;
  const bool performed = step.step.kind == StepKind::kPerform;
  json["kind"] = flush ? "flush" : performed ? "perform" : "execute";
  if (step.pos.file != 0) json["file"] = program.file_of(step.pos).name;
  json["line"] = step.pos.line;
  json["column"] = step.pos.column;
  json["text"] = text;
  json["address"] = step.step.cell.valid() ? Json(program.cell_name(step.step.cell)) : Json(nullptr);
  json["value"] = or_null(step.step.value);
  json["written"] = or_null(step.step.written);
  json["reads_from"] = nullptr;
  if (has_read)
    json["reads_from"] = step.effect.reads_from ? Json(*step.effect.reads_from + 1) : Json("initial");
  json["from_own_buffer"] = step.effect.from_own_buffer;
  if (!flush) add_notes(overlay.at(step.step.thread, step.step.point), json);
  json["buffer"] = buffer_json(program, step.buffer);
  json["error"] = step.effect.failed() ? Json(to_string(step.effect.error)) : Json(nullptr);
  if (performed) {
    json["overtaken"] = Json::array();
    for (const size_t passed : step.overtaken) json["overtaken"].push_back(passed + 1);
  }
  if (step.history) json["history"] = to_string(*step.history);
  return json;
}

Json trace_json(const Answer& answer) {
  Json steps = Json::array();
  if (answer.result.verdict() != Verdict::kViolated || !answer.result.replay()) return steps;
  const FenceSet none;
  const Overlay overlay(*answer.program, answer.fences != nullptr ? *answer.fences : none);
  const Replay& replay = *answer.result.replay();
  const std::vector<std::string> texts = step_texts(overlay, replay);
  for (size_t i = 0; i < replay.steps.size(); ++i)
    steps.push_back(step_json(overlay, replay.steps[i], texts[i], i + 1));
  return steps;
}

// What happened where there is no machine: events in the order of each thread, and stores in that of memory.
Json execution_json(const Answer& answer) {
  const ExecutionCounterexample* found = answer.result.execution_counterexample();
  if (found == nullptr) return nullptr;
  const Execution& execution = found->execution;
  const ExecutionCheck& check = found->check;
  const Program& program = *answer.program;
  const FenceSet none;
  const Overlay overlay(program, answer.fences != nullptr ? *answer.fences : none);
  const ExecutionTexts texts = execution_texts(overlay, execution, check);
  Json events = Json::array(), coherence = Json::array();
  for (size_t i = 0; i < execution.events.size(); ++i) {
    const Event& event = execution.events[i];
    const bool access = event.kind != EventKind::kFence;
    Json json;
    json["event"] = i + 1;
    json["thread"] = event.thread.valid() ? Json(program.thread(event.thread).name) : Json(nullptr);
    json["kind"] = event.kind == EventKind::kRead ? "read" : access ? "write" : "fence";
    if (check.events[i].pos.file != 0) json["file"] = program.file_of(check.events[i].pos).name;
    json["line"] = check.events[i].pos.line;
    json["text"] = texts.events[i];
    json["address"] = access ? Json(program.cell_name(event.cell)) : Json(nullptr);
    json["value"] = access ? Json(event.value) : Json(nullptr);
    const EventId source = execution.reads_from[i];
    json["reads_from"] = source.valid() ? Json(source.index() + 1) : Json(nullptr);
    if (event.thread.valid()) add_notes(overlay.at(event.thread, event.point), json);
    events.push_back(std::move(json));
  }
  for (const std::vector<EventId>& writes : execution.coherence) {
    Json order = Json::array();
    for (const EventId write : writes) order.push_back(write.index() + 1);
    coherence.push_back(std::move(order));
  }
  return {{"events", std::move(events)}, {"coherence", std::move(coherence)}};
}

Json placement_json(const SynthesisReport& report, const Placement& placement) {
  Json fences = Json::array();
  for (const PlacedFence& fence : placement) {
    const CandidatePosition& candidate = report.candidate(fence);
    fences.push_back({{"file", report.file},
                      {"line", candidate.statement.begin.line},
                      {"column", candidate.statement.begin.column},
                      {"threads", threads_of(*report.program, candidate)},
                      {"after", candidate.after},
                      {"kind", to_string(fence.kinds)},
                      {"cost", fence_cost(fence.kinds)}});
  }
  return fences;
}

// The keys that fence inference adds.
void add_synthesis(const SynthesisReport& report, Json& json) {
  const Synthesis& synthesis = *report.synthesis;
  if (!synthesis.placements.empty()) json["fences"] = placement_json(report, synthesis.placements.front());
  const bool minimum =
      synthesis.outcome == Synthesis::Outcome::kFound && synthesis.minimality != Minimality::kNotClaimed;
  json["minimum"] = minimum;
  json["minimum_under"] = minimum ? Json(synthesis.minimal() ? "exact" : "abstraction") : Json(nullptr);
  json["placements"] = Json::array();
  for (const Placement& placement : synthesis.placements)
    json["placements"].push_back(placement_json(report, placement));
  json["all_placements"] = synthesis.all_listed;
  json["method"] = report.method;
  json["candidates"] = report.candidate_count();
  json["rounds"] = synthesis.statistics.iterations;
  json["questions"] = synthesis.statistics.queries;
  json["clauses"] = synthesis.statistics.clauses;
  json["spurious_clauses"] = synthesis.statistics.spurious_clauses;
  json["search_seconds"] = report.seconds;
}

Json position_json(const Program& program, SourcePos pos) {
  return {{"file", program.file_of(pos).name}, {"line", pos.line}, {"column", pos.column}};
}

// What a proof does not cover.
Json vacuity_json(const Answer& answer) {
  if (!answer.vacuity) return nullptr;
  Json unreached = Json::array(), stuck = Json::array();
  for (const SourcePos assertion : answer.vacuity->unreached)
    unreached.push_back(position_json(*answer.program, assertion));
  for (const Vacuity::Stuck& one : answer.vacuity->stuck) {
    Json json = position_json(*answer.program, one.pos);
    json["thread"] = answer.program->thread(one.thread).name;
    json["how"] = one.how == Vacuity::How::kWaits     ? "waits"
                  : one.how == Vacuity::How::kAssumes ? "assumption"
                                                      : "runs";
    stuck.push_back(std::move(json));
  }
  return {{"no_execution_ends", answer.vacuity->no_end},
          {"unreached_assertions", std::move(unreached)},
          {"stuck", std::move(stuck)},
          {"text", vacuity_text(answer)}};
}

// Who waits for ever at the end of a counterexample to liveness.
Json waiting_json(const Answer& answer) {
  const Replay* replay = answer.result.replay();
  const ExecutionCounterexample* execution = answer.result.execution_counterexample();
  const std::vector<WaitingThread> none;
  Json waiting = Json::array();
  for (const WaitingThread& one : replay != nullptr      ? replay->waiting
                                  : execution != nullptr ? execution->check.waiting
                                                         : none) {
    Json json = position_json(*answer.program, one.pos);
    json["thread"] = answer.program->thread(one.thread).name;
    json["loop"] = one.loop;
    json["reads"] = Json::array();
    for (const WaitingThread::Read& read : one.reads)
      json["reads"].push_back({{"address", answer.program->cell_name(read.cell)}, {"value", read.value}});
    waiting.push_back(std::move(json));
  }
  return waiting;
}

// Which test, and what its operations may return.
Json test_json(const TestNotes& test) {
  return {{"name", test.test}, {"text", test.text}, {"allowed_observations", test.allowed}};
}

Json result_json(const Answer& answer) {
  const Result& result = answer.result;
  Json json;
  json["file"] = answer.file;
  json["model"] = answer.model;
  json["property"] = answer.property->name;
  if (answer.test != nullptr) json["test"] = test_json(*answer.test);
  if (!answer.target.empty()) json["target"] = answer.target;
  if (!answer.note.empty()) json["note"] = answer.note;
  json["engine"] = answer.engine;
  json["why_engine"] = answer.why_engine;
  json["engines"] = Json::array();
  for (const EngineRun& run : answer.engine_runs)
    json["engines"].push_back({{"engine", run.engine}, {"seconds", run.seconds}, {"outcome", run.outcome}});
  json["verdict"] = to_string(result.verdict());
  json["bounded"] = nullptr;
  if (const Unknown* unknown = result.unknown(); unknown != nullptr && unknown->bound)
    json["bounded"] = {{"what", unknown->bound->what}, {"limit", unknown->bound->limit}};
  json["unknown_reason"] = nullptr;
  if (const Unknown* unknown = result.unknown()) json["unknown_reason"] = to_string(unknown->reason);
  json["not_covered"] = nullptr;
  if (const Proof* proof = result.proof(); proof != nullptr && !proof->not_covered.empty())
    json["not_covered"] = proof->not_covered;
  json["vacuous"] = vacuity_json(answer);
  json["reason"] = result.reason;
  json["states"] = result.statistics.states;
  json["transitions"] = result.statistics.transitions;
  json["seconds"] = answer.seconds.value_or(result.statistics.seconds);
  json["engine_seconds"] = result.statistics.seconds;
  json["peak_rss_kb"] = answer.peak_rss_kb;
  json["trace"] = trace_json(answer);
  json["execution"] = execution_json(answer);
  if (answer.property->kind == PropertyKind::kLiveness) json["waiting"] = waiting_json(answer);
  json["shortest"] = result.shortest();
  json["statistics"] = Json::object();
  for (const auto& [name, value] : result.statistics.figures) {
    json["statistics"][name] = number(value);
    for (const auto& [term, older] : kOlderNames)
      if (name == term) json["statistics"][older] = number(value);
  }
  json["fences"] = Json::array();
  json["certificate"] = nullptr;
  if (const Certificate* certificate = result.certificate())
    json["certificate"] = {
        {"kind", certificate->kind}, {"size", certificate->size}, {"checked", certificate->checked}};
  json["buffers"] = buffers_json(answer);
  if (answer.synthesis != nullptr) add_synthesis(*answer.synthesis, json);
  return json;
}

}  // namespace

Json new_json_document(std::string_view version) {
  Json json;
  json["schema"] = 1;
  json["tool"] = "fenceline";
  json["version"] = version;
  json["results"] = Json::array();
  return json;
}

std::string finished(Json document, const std::optional<JsonFailure>& failure) {
  if (failure) document["failure"] = {{"status", failure->status}, {"message", failure->message}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_result(const Answer& answer) {
  return result_json(answer).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_document(const std::vector<std::string>& results, std::string_view version,
                          const std::optional<JsonFailure>& failure) {
  Json json = new_json_document(version);
  for (const std::string& result : results) json["results"].push_back(Json::parse(result));
  return finished(std::move(json), failure);
}

std::string json_report(const std::vector<Answer>& answers, std::string_view version) {
  std::vector<std::string> results;
  for (const Answer& answer : answers) results.push_back(json_result(answer));
  return json_document(results, version);
}

}  // namespace fenceline::report
