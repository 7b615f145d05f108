// SPDX-License-Identifier: GPL-3.0-or-later
#include "corpus/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "env/errors.h"

namespace fenceline::corpus {
namespace {

constexpr std::string_view kComment = "//";
constexpr std::string_view kExpect = "// expect ";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

[[noreturn]] void complain(const SourceFile& file, size_t line, const std::string& message) {
  const SourcePos pos{static_cast<uint32_t>(line + 1), 1};
  throw InputError(file, {{pos, message, "// expect NAME: sc=VERDICT tso=VERDICT pso=VERDICT"}});
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

std::string line_for(const Expectation& expectation) {
  std::string line = fmt::format("{}{}:", kExpect, expectation.property);
  for (size_t m = 0; m < kModels.size(); ++m)
    line += fmt::format(" {}={}", kModels[m], to_string(expectation.verdicts[m]));
  return line + "\n";
}

}  // namespace

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
    } else if (line == "// large") {
      header.large = true;
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

}  // namespace fenceline::corpus
