// SPDX-License-Identifier: GPL-3.0-or-later
//
// Many answers at a glance: a row per file and property, a column per model, in the order of their first
// answer.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "report/display.h"
#include "report/report.h"

namespace fenceline::report {
namespace {

using RowKey = std::pair<std::string, std::string>;  // file, property

template <class T>
size_t position(std::vector<T>& seen, const T& item) {
  const auto found = std::find(seen.begin(), seen.end(), item);
  if (found != seen.end()) return static_cast<size_t>(found - seen.begin());
  seen.push_back(item);
  return seen.size() - 1;
}

Tone tone_of(Verdict verdict) {
  return verdict == Verdict::kVerified   ? Tone::kGood
         : verdict == Verdict::kViolated ? Tone::kBad
                                         : Tone::kUnsure;
}

std::string blanks(size_t width, size_t used) { return std::string(width > used ? width - used : 0, ' '); }

}  // namespace

std::string observed_text(const TestNotes& test, const std::vector<std::vector<Value>>& registers) {
  std::string text;
  for (const TestNotes::Observed& one : test.observed)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", one.name,
                        registers[one.reg.thread.index()][one.reg.reg.index()]);
  return fmt::format("{}, which no serial order of the operations gives ({} {} allowed)", text,
                     with_noun(test.allowed, "observation"), test.allowed == 1 ? "is" : "are");
}

std::string text_summary(const std::vector<AnswerLine>& answers, const TextStyle& style) {
  const Paint paint(style.colour);
  std::vector<RowKey> rows;
  std::vector<std::string> models;
  std::map<std::pair<size_t, size_t>, std::pair<std::string, Tone>> table;
  size_t file_width = 0, property_width = 0;
  for (const AnswerLine& answer : answers) {
    const RowKey key{printable(answer.subject), printable(answer.property)};
    file_width = std::max(file_width, display_width(key.first));
    property_width = std::max(property_width, display_width(key.second));
    const size_t row = position(rows, key), column = position(models, answer.model);
    table[{row, column}] = {answer.vacuous ? "vacuous" : std::string(to_string(answer.verdict)),
                            answer.vacuous ? Tone::kUnsure : tone_of(answer.verdict)};
  }

  const size_t verdict_width = to_string(Verdict::kVerified).size();
  std::string head(file_width + property_width + 2, ' ');
  for (const std::string& model : models) head += "  " + model + blanks(verdict_width, display_width(model));
  head.erase(head.find_last_not_of(' ') + 1);
  std::string out = paint(Tone::kBold, head) + "\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto& [file, property] = rows[r];
    const bool repeated = r > 0 && rows[r - 1].first == file;
    std::string line = (repeated ? "" : file) + blanks(file_width, repeated ? 0 : display_width(file)) +
                       "  " + property + blanks(property_width, display_width(property));
    for (size_t c = 0; c < models.size(); ++c) {
      const auto found = table.find({r, c});
      const auto& [verdict, tone] =
          found == table.end() ? std::pair<std::string, Tone>("-", Tone::kDim) : found->second;
      const size_t width = std::max(verdict_width, display_width(models[c]));
      line += "  " + paint(tone, verdict) + (c + 1 < models.size() ? blanks(width, verdict.size()) : "");
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace fenceline::report
