// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs all readings and compares their results. See compare.h for which of them run on which programs.
#include "compare.h"

#include <utility>
#include <vector>

#include "flat.h"
#include "oracle.h"

namespace fenceline::fuzz {
namespace {

struct Voice {
  const char* name;
  const Answer* answer;
};

std::string only_in(const Voice& here, const Voice& there, const std::vector<std::string>& names) {
  std::string out;
  int listed = 0;
  for (const std::vector<Value>& final : here.answer->finals) {
    if (there.answer->finals.contains(final)) continue;
    if (++listed > 8) return out + "  ... and more\n";
    out += "  only " + std::string(here.name) + ":";
    for (size_t i = 0; i < final.size(); ++i) out += " " + names[i] + "=" + std::to_string(final[i]);
    out += "\n";
  }
  return out;
}

std::string flag(const char* what, bool Answer::*field, const Voice& x, const Voice& y) {
  if (field == &Answer::deadlock_reachable && !(x.answer->knows_deadlocks && y.answer->knows_deadlocks))
    return "";
  if (x.answer->*field == y.answer->*field) return "";
  return "  only " + std::string(x.answer->*field ? x.name : y.name) + ": " + what + "\n";
}

Difference describe(const MiniProgram& program, unsigned model, const Voice& x, const Voice& y) {
  const std::vector<std::string> names = outcome_names(program);
  return {.between = std::string(x.name) + " and " + y.name,
          .model = model,
          .text = only_in(x, y, names) + only_in(y, x, names) +
                  flag("an error can be reached", &Answer::error_reachable, x, y) +
                  flag("a deadlock can be reached", &Answer::deadlock_reachable, x, y)};
}

}  // namespace

Comparison compare_all(const MiniProgram& program, unsigned models, const CompareOptions& options) {
  Comparison out;
  const FlatProgram flat = flatten(program);
  std::array<Answer, kModels> by_axioms, naive;
  const Features features = features_of(program);
  const bool use_oracle = !features.atomic && !features.sync;
  if (use_oracle) by_axioms = axiomatic_answers(flat, models);
  unsigned answered = 0;
  for (unsigned model = 0; model < kModels; ++model) {
    if (!(models >> model & 1)) continue;
    naive[model] = explore_naively(flat, static_cast<Model>(model), options.naive);
    if (naive[model].complete || by_axioms[model].complete) answered |= 1u << model;
  }
  EngineAnswers by_sat;
  if (options.sat) {
    const std::string text = print_fl(program);
    by_sat = sat_answers(text, models, *options.sat);
    if (by_sat.complaint.empty() && options.sat->enumerate)
      by_sat.complaint = axioms_complaint(text, *options.sat);
    if (!by_sat.complaint.empty()) {
      out.difference = {
          .between = "sat and itself", .model = by_sat.complaint_model, .text = by_sat.complaint};
      return out;
    }
    for (unsigned model = 0; model < kModels; ++model)
      if (by_sat.of_model[model].complete) answered |= 1u << model;
  }
  // The engine runs only where there is something to compare with: it would reach its limits on the others.
  EngineAnswers by_engine = engine_answers(print_fl(program), answered, options.engine);
  if (!by_engine.complaint.empty()) {
    out.difference = {.between = "engine and the language",
                      .model = by_engine.complaint_model,
                      .text = by_engine.complaint};
    return out;
  }

  for (unsigned model = 0; model < kModels; ++model) {
    if (!(models >> model & 1)) continue;
    Comparison::PerModel& report = out.of_model[model];
    report.states = naive[model].states;
    if (use_oracle) report.oracle_skipped = by_axioms[model].reason;
    report.sat_skipped = by_sat.of_model[model].reason;
    report.sat_seconds = by_sat.of_model[model].seconds;
    std::vector<Voice> voices;
    for (const Voice& voice :
         {Voice{"naive", &naive[model]}, Voice{"oracle", &by_axioms[model]},
          Voice{"engine", &by_engine.of_model[model]}, Voice{"sat", &by_sat.of_model[model]}}) {
      if (voice.answer->complete)
        voices.push_back(voice);
      else if (report.skipped.empty())
        report.skipped = voice.answer->reason;
    }
    report.answers = voices.size();
    if (voices.size() < 2) continue;
    report.finals = voices[0].answer->finals.size();
    report.error = voices[0].answer->error_reachable;
    report.deadlock = voices[0].answer->deadlock_reachable;
    for (size_t i = 1; i < voices.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (!out.difference && !voices[j].answer->same_as(*voices[i].answer))
          out.difference = describe(program, model, voices[j], voices[i]);
    if (const Answer& sat = by_sat.of_model[model]; options.sat && !sat.complete && !out.difference)
      for (const Voice& voice : voices)
        if (!sat.part_of(*voice.answer))
          out.difference = describe(program, model, {"sat (incomplete)", &sat}, voice);
  }
  return out;
}

}  // namespace fenceline::fuzz
