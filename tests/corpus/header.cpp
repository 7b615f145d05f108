// SPDX-License-Identifier: GPL-3.0-or-later
#include "corpus/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "env/errors.h"

namespace fenceline::corpus {
namespace {

constexpr std::string_view kComment = "//";
constexpr std::string_view kExpect = "// expect ";
constexpr std::string_view kCoherence = "// expect-coherence ";
constexpr std::string_view kFences = "// expect-fences ";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

// How each kind of line looks.
constexpr const char* kExpectForm = "// expect NAME: sc=VERDICT tso=VERDICT pso=VERDICT";
constexpr const char* kCoherenceForm =
    "// expect-coherence NAME MODEL: ABSTRACTION=VERDICT ... (verified, spurious or violated)";
constexpr const char* kFencesForm =
    "// expect-fences NAME: MODEL=NUMBER MODEL.ABSTRACTION=NUMBER ... (or none)";

[[noreturn]] void complain(const SourceFile& file, size_t line, const std::string& message,
                           const char* form = kExpectForm) {
  const SourcePos pos{static_cast<uint32_t>(line + 1), 1};
  throw InputError(file, {{pos, message, form}});
}

std::optional<Verdict> verdict_named(std::string_view name) {
  for (const Verdict verdict : {Verdict::kVerified, Verdict::kViolated, Verdict::kUnknown})
    if (name == to_string(verdict)) return verdict;
  return std::nullopt;
}

Expectation parse_expectation(const SourceFile& file, size_t line, std::string_view text) {
  std::istringstream words{std::string(text.substr(kExpect.size()))};
  std::string word;
  Expectation expectation;
  if (!(words >> word) || word.size() < 2 || word.back() != ':')
    complain(file, line, "expected a property's name and a colon");
  expectation.property = word.substr(0, word.size() - 1);
  for (size_t m = 0; m < kModels.size(); ++m) {
    const std::string model = fmt::format("{}=", kModels[m]);
    if (!(words >> word) || !word.starts_with(model))
      complain(file, line, fmt::format("expected {} and a verdict", model));
    const std::optional<Verdict> verdict = verdict_named(word.substr(model.size()));
    if (!verdict) complain(file, line, fmt::format("'{}' is no verdict", word.substr(model.size())));
    expectation.verdicts[m] = *verdict;
  }
  if (words >> word) complain(file, line, fmt::format("unexpected '{}' behind the verdicts", word));
  return expectation;
}

bool is_model(std::string_view name) {
  return std::find(kModels.begin(), kModels.end(), name) != kModels.end();
}

// set, fd or pd with a digit.
bool is_abstraction(std::string_view name) {
  return name == "set" || (name.size() == 3 && (name.starts_with("fd") || name.starts_with("pd")) &&
                           name[2] >= '0' && name[2] <= '9');
}

// "name=value"; throws unless there is exactly one `=` with something on both sides.
std::pair<std::string, std::string> name_and_value(const SourceFile& file, size_t line,
                                                   const std::string& word, const char* form) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
    complain(file, line, fmt::format("expected NAME=VALUE, not '{}'", word), form);
  return {word.substr(0, equals), word.substr(equals + 1)};
}

AbstractExpectation parse_coherence(const SourceFile& file, size_t line, std::string_view text) {
  const auto wrong = [&](const std::string& message) { complain(file, line, message, kCoherenceForm); };
  std::istringstream words{std::string(text.substr(kCoherence.size()))};
  std::string word;
  AbstractExpectation expectation;
  if (!(words >> expectation.property >> word) || word.size() < 2 || word.back() != ':')
    wrong("expected a property's name, a model and a colon");
  expectation.model = word.substr(0, word.size() - 1);
  if (!is_model(expectation.model)) wrong(fmt::format("'{}' is no model", expectation.model));
  while (words >> word) {
    const auto [abstraction, verdict] = name_and_value(file, line, word, kCoherenceForm);
    if (!is_abstraction(abstraction)) wrong(fmt::format("'{}' is no abstraction", abstraction));
    bool known = false;
    for (const AbstractVerdict one :
         {AbstractVerdict::kVerified, AbstractVerdict::kSpurious, AbstractVerdict::kViolated})
      if (verdict == to_string(one)) {
        expectation.verdicts.emplace_back(abstraction, one);
        known = true;
      }
    if (!known) wrong(fmt::format("'{}' is no verdict", verdict));
  }
  if (expectation.verdicts.empty()) wrong("expected an abstraction and a verdict");
  return expectation;
}

FenceExpectation parse_fences(const SourceFile& file, size_t line, std::string_view text) {
  const auto wrong = [&](const std::string& message) { complain(file, line, message, kFencesForm); };
  std::istringstream words{std::string(text.substr(kFences.size()))};
  std::string word;
  FenceExpectation expectation;
  if (!(words >> word) || word.size() < 2 || word.back() != ':')
    wrong("expected a property's name and a colon");
  expectation.property = word.substr(0, word.size() - 1);
  while (words >> word) {
    const auto [where, number] = name_and_value(file, line, word, kFencesForm);
    FenceCount count;
    const size_t dot = where.find('.');
    count.model = where.substr(0, dot);
    if (dot != std::string::npos) count.abstraction = where.substr(dot + 1);
    if (!is_model(count.model)) wrong(fmt::format("'{}' is no model", count.model));
    if (dot != std::string::npos && !is_abstraction(count.abstraction))
      wrong(fmt::format("'{}' is no abstraction", count.abstraction));
    if (number != "none") {
      uint64_t value = 0;
      const char* end = number.data() + number.size();
      if (const auto [rest, error] = std::from_chars(number.data(), end, value);
          error != std::errc() || rest != end)
        wrong(fmt::format("'{}' is no number", number));
      count.count = value;
    }
    expectation.counts.push_back(std::move(count));
  }
  if (expectation.counts.empty()) wrong("expected a model and a number");
  return expectation;
}

std::string line_for(const AbstractExpectation& expectation) {
  std::string line = fmt::format("{}{} {}:", kCoherence, expectation.property, expectation.model);
  for (const auto& [abstraction, verdict] : expectation.verdicts)
    line += fmt::format(" {}={}", abstraction, to_string(verdict));
  return line + "\n";
}

std::string line_for(const Expectation& expectation) {
  std::string line = fmt::format("{}{}:", kExpect, expectation.property);
  for (size_t m = 0; m < kModels.size(); ++m)
    line += fmt::format(" {}={}", kModels[m], to_string(expectation.verdicts[m]));
  return line + "\n";
}

}  // namespace

std::string_view to_string(AbstractVerdict verdict) {
  switch (verdict) {
    case AbstractVerdict::kVerified:
      return "verified";
    case AbstractVerdict::kSpurious:
      return "spurious";
    case AbstractVerdict::kViolated:
      return "violated";
  }
  throw Bug("no such verdict");
}

const Expectation* Header::find(std::string_view property) const {
  const auto found = std::find_if(expectations.begin(), expectations.end(),
                                  [&](const Expectation& e) { return e.property == property; });
  return found == expectations.end() ? nullptr : &*found;
}

Header parse_header(const SourceFile& file) {
  Header header;
  const std::vector<std::string_view> lines = lines_of(file.text);
  for (size_t i = 0; i < lines.size() && lines[i].starts_with(kComment); ++i) {
    const std::string_view line = lines[i];
    if (line.starts_with(kExpect)) {
      Expectation expectation = parse_expectation(file, i, line);
      if (header.find(expectation.property) != nullptr)
        complain(file, i, fmt::format("'{}' is expected twice", expectation.property));
      header.expectations.push_back(std::move(expectation));
    } else if (line.starts_with(kCoherence)) {
      AbstractExpectation expectation = parse_coherence(file, i, line);
      for (const AbstractExpectation& other : header.coherence)
        if (other.property == expectation.property && other.model == expectation.model)
          complain(file, i, fmt::format("'{} {}' is expected twice", other.property, other.model),
                   kCoherenceForm);
      header.coherence.push_back(std::move(expectation));
    } else if (line.starts_with(kFences)) {
      FenceExpectation expectation = parse_fences(file, i, line);
      for (const FenceExpectation& other : header.fences)
        if (other.property == expectation.property)
          complain(file, i, fmt::format("'{}' is expected twice", other.property), kFencesForm);
      header.fences.push_back(std::move(expectation));
    } else if (line == "// large") {
      header.large = true;
    } else if (line == "// unbounded") {
      header.unbounded = true;
    } else {
      header.comments.emplace_back(line.substr(std::min(line.size(), kComment.size() + 1)));
    }
  }
  return header;
}

std::string with_expectations(const SourceFile& file, const std::vector<Expectation>& expectations) {
  std::string text;
  bool in_header = true, written = false;
  const auto write = [&] {
    for (const Expectation& expectation : expectations) text += line_for(expectation);
    written = true;
  };
  for (const std::string_view line : lines_of(file.text)) {
    in_header = in_header && line.starts_with(kComment);
    if (in_header && line.starts_with(kExpect)) {
      if (!written) write();
      continue;
    }
    if (!in_header && !written) {
      text += "//\n";
      write();
    }
    text += line;
    text += '\n';
  }
  if (!written) write();
  return text;
}

std::string with_coherence(const SourceFile& file, const std::vector<AbstractExpectation>& expectations) {
  std::string text;
  bool in_header = true;
  size_t next = 0;
  for (const std::string_view line : lines_of(file.text)) {
    in_header = in_header && line.starts_with(kComment);
    if (in_header && line.starts_with(kCoherence))
      text += line_for(expectations.at(next++));
    else
      text += std::string(line) + '\n';
  }
  return text;
}

}  // namespace fenceline::corpus
