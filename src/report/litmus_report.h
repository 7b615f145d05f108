// SPDX-License-Identifier: GPL-3.0-or-later
//
// The results of a litmus test, in the format of the herd tools: other programs read these blocks (mcompare7
// and people's own scripts), so they are the same to the letter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "report/report.h"
#include "task/outcomes.h"

namespace fenceline::report {

enum class LitmusKind : uint8_t { kAllowed, kForbidden, kRequired };  // exists, ~exists, forall

// The condition of a litmus test, and how its states are printed.
struct LitmusQuery {
  std::string test;
  LitmusKind kind = LitmusKind::kAllowed;
  std::string condition;                                 // "(0:EAX=0 /\ 1:EAX=0)"
  std::vector<std::string> names;                        // of the values of a state: "0:EAX", "[x]"
  std::vector<std::pair<Value, std::string>> addresses;  // these values are printed as names
  std::string hash;                                      // may be empty
};

// Of a state of the outcomes, the values are those of `names`, and then whether the condition holds.
struct LitmusVerdict {
  bool ok = false;         // the condition holds as its quantifier says
  bool unknown = false;    // there is no final state
  bool undefined = false;  // the program is undefined under the model: no condition is meaningful
  uint64_t positive = 0;   // executions in which the condition holds
  uint64_t negative = 0;
  std::string_view observation;  // "Never", "Sometimes", "Always"
};
LitmusVerdict litmus_verdict(const LitmusQuery& query, const LitmusOutcomes& outcomes);

// The block, with the empty line behind it. Of a search that was not complete, what it found, marked as the
// herd tools mark tests whose loops they have not unrolled far enough.
std::string litmus_block(const LitmusQuery& query, const LitmusOutcomes& outcomes, double seconds);

// One line of the JSON result per test.
struct LitmusAnswer {
  std::string file;
  std::string architecture;
  std::string model;
  LitmusQuery query;
  LitmusOutcomes outcomes;
  double seconds = 0;
};

// A file that has no answer.
struct LitmusFailure {
  std::string file;
  int status = 0;       // that the program would end with if it were the only one
  std::string message;  // as on standard error
};

// One test, as a JSON text.
std::string litmus_result(const LitmusAnswer& answer);
// The same of a test that was ended from outside: `result` is what was known before the search began.
std::string litmus_result_not_complete(const std::string& result, const std::string& reason, double seconds);
// The document. Ends in a newline. docs/result.schema.json describes it.
std::string litmus_document(const std::vector<std::string>& results,
                            const std::vector<LitmusFailure>& failures, std::string_view version,
                            const std::optional<JsonFailure>& failure = std::nullopt);
std::string litmus_json(const std::vector<LitmusAnswer>& answers, const std::vector<LitmusFailure>& failures,
                        std::string_view version);

}  // namespace fenceline::report
