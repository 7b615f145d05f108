// SPDX-License-Identifier: GPL-3.0-or-later
//
// States are printed in the order of their values, the first name counting most; numbers come before
// addresses, and those are in the order of their names. Positive and negative witnesses are exchanged for
// "~exists", where the condition is what should not be seen; the line "Observation" is about the condition
// as it is written.
#include "report/litmus_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/errors.h"
#include "report/json_document.h"

namespace fenceline::report {
namespace {

constexpr std::string_view kUndefined = "*undef*";

// Numbers before addresses.
const std::string* name_of(const LitmusQuery& query, Value value) {
  for (const auto& [address, name] : query.addresses)
    if (address == value) return &name;
  return nullptr;
}

bool before(const LitmusQuery& query, Value x, Value y) {
  const std::string* a = name_of(query, x);
  const std::string* b = name_of(query, y);
  if (a != nullptr && b != nullptr) return *a < *b;
  if (a != nullptr || b != nullptr) return b != nullptr;
  return x < y;
}

std::string value_text(const LitmusQuery& query, Value value) {
  const std::string* name = name_of(query, value);
  return name != nullptr ? *name : fmt::format("{}", value);
}

std::vector<const LitmusState*> in_order(const LitmusQuery& query, const LitmusOutcomes& outcomes) {
  std::vector<const LitmusState*> states;
  for (const LitmusState& state : outcomes.states) {
    require(state.values.size() == query.names.size() + 1,
            "a state with other values than the observed ones");
    states.push_back(&state);
  }
  std::sort(states.begin(), states.end(), [&query](const LitmusState* x, const LitmusState* y) {
    return std::lexicographical_compare(x->values.begin(), x->values.end() - 1, y->values.begin(),
                                        y->values.end() - 1,
                                        [&query](Value a, Value b) { return before(query, a, b); });
  });
  return states;
}

std::string_view kind_text(LitmusKind kind) {
  switch (kind) {
    case LitmusKind::kAllowed:
      return "Allowed";
    case LitmusKind::kForbidden:
      return "Forbidden";
    case LitmusKind::kRequired:
      return "Required";
  }
  throw Bug("a kind of query without a name");
}

std::string_view quantifier_text(LitmusKind kind) {
  switch (kind) {
    case LitmusKind::kAllowed:
      return "exists";
    case LitmusKind::kForbidden:
      return "~exists";
    case LitmusKind::kRequired:
      return "forall";
  }
  throw Bug("a kind of query without a quantifier");
}

std::string_view result_text(const LitmusVerdict& verdict) {
  if (verdict.unknown) return "Unknown";
  if (verdict.undefined) return "Undef";
  return verdict.ok ? "Ok" : "No";
}

}  // namespace

LitmusVerdict litmus_verdict(const LitmusQuery& query, const LitmusOutcomes& outcomes) {
  LitmusVerdict verdict;
  for (const LitmusState& state : outcomes.states)
    (state.values.back() != 0 ? verdict.positive : verdict.negative) += state.executions;
  verdict.undefined =
      std::find(outcomes.flags.begin(), outcomes.flags.end(), kUndefined) != outcomes.flags.end();
  switch (query.kind) {
    case LitmusKind::kAllowed:
      verdict.ok = verdict.positive > 0;
      break;
    case LitmusKind::kForbidden:
      verdict.ok = verdict.positive == 0;
      break;
    case LitmusKind::kRequired:
      verdict.ok = verdict.negative == 0;
      break;
  }
  verdict.unknown = outcomes.states.empty();
  if (verdict.unknown) verdict.ok = false;
  verdict.observation = verdict.positive == 0 ? "Never" : verdict.negative == 0 ? "Always" : "Sometimes";
  return verdict;
}

std::string litmus_block(const LitmusQuery& query, const LitmusOutcomes& outcomes, double seconds) {
  const LitmusVerdict verdict = litmus_verdict(query, outcomes);
  std::string text = fmt::format("Test {} {}\n", query.test, kind_text(query.kind));
  if (verdict.unknown) {
    text += fmt::format("Unknown\nCondition {} {}\nTime {} {:.2f}\n", quantifier_text(query.kind),
                        query.condition, query.test, seconds);
    return text + (query.hash.empty() ? "" : fmt::format("Hash={}\n", query.hash)) + "\n";
  }
  text += fmt::format("States {}\n", outcomes.states.size());
  for (const LitmusState* state : in_order(query, outcomes)) {
    for (size_t i = 0; i < query.names.size(); ++i)
      text += fmt::format("{}{}={};", i == 0 ? "" : " ", query.names[i], value_text(query, state->values[i]));
    text += '\n';
  }
  text += fmt::format("{}{}\n", outcomes.complete ? "" : "Loop ", result_text(verdict));
  const bool swapped = query.kind == LitmusKind::kForbidden;
  text += fmt::format("Witnesses\nPositive: {} Negative: {}\n", swapped ? verdict.negative : verdict.positive,
                      swapped ? verdict.positive : verdict.negative);
  std::vector<std::string> flags = outcomes.flags;
  std::sort(flags.begin(), flags.end());
  for (const std::string& flag : flags) text += fmt::format("Flag {}\n", flag);
  text += fmt::format("Condition {} {}\n", quantifier_text(query.kind), query.condition);
  text += fmt::format("Observation {} {} {} {}\n", query.test, verdict.observation, verdict.positive,
                      verdict.negative);
  text += fmt::format("Time {} {:.2f}\n", query.test, seconds);
  if (!query.hash.empty()) text += fmt::format("Hash={}\n", query.hash);
  return text + "\n";
}

std::string litmus_result(const LitmusAnswer& answer) {
  const LitmusVerdict verdict = litmus_verdict(answer.query, answer.outcomes);
  Json states = Json::array();
  for (const LitmusState* state : in_order(answer.query, answer.outcomes)) {
    Json values = Json::object();
    for (size_t i = 0; i < answer.query.names.size(); ++i)
      values[answer.query.names[i]] = value_text(answer.query, state->values[i]);
    states.push_back(
        {{"values", values}, {"executions", state->executions}, {"condition", state->values.back() != 0}});
  }
  Json test;
  test["file"] = answer.file;
  test["test"] = answer.query.test;
  test["architecture"] = answer.architecture;
  test["model"] = answer.model;
  test["engine"] = answer.outcomes.engine;
  test["condition"] = fmt::format("{} {}", quantifier_text(answer.query.kind), answer.query.condition);
  test["result"] = result_text(verdict);
  test["observation"] = verdict.observation;
  test["positive"] = verdict.positive;
  test["negative"] = verdict.negative;
  test["states"] = std::move(states);
  test["flags"] = answer.outcomes.flags;
  test["complete"] = answer.outcomes.complete;
  test["reason"] = answer.outcomes.reason;
  test["seconds"] = answer.seconds;
  return test.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string litmus_result_not_complete(const std::string& result, const std::string& reason, double seconds) {
  Json test = Json::parse(result);
  test["complete"] = false;
  test["reason"] = reason;
  test["seconds"] = seconds;
  return test.dump();
}

std::string litmus_document(const std::vector<std::string>& results,
                            const std::vector<LitmusFailure>& failures, std::string_view version,
                            const std::optional<JsonFailure>& failure) {
  Json json = new_json_document(version);
  json["litmus"] = Json::array();
  for (const std::string& result : results) json["litmus"].push_back(Json::parse(result));
  json["failures"] = Json::array();
  for (const LitmusFailure& one : failures)
    json["failures"].push_back({{"file", one.file}, {"status", one.status}, {"message", one.message}});
  return finished(std::move(json), failure);
}

std::string litmus_json(const std::vector<LitmusAnswer>& answers, const std::vector<LitmusFailure>& failures,
                        std::string_view version) {
  std::vector<std::string> results;
  for (const LitmusAnswer& answer : answers) results.push_back(litmus_result(answer));
  return litmus_document(results, failures, version);
}

}  // namespace fenceline::report
