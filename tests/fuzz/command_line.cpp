// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>
#include <utility>

namespace fenceline::fuzz {
namespace {

template <class Number>
std::optional<Number> whole(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string list;
  for (const std::string& part : parts) list += (list.empty() ? "" : ",") + part;
  return list;
}

}  // namespace

std::optional<uint64_t> CommandLine::number_in(const std::string& text) { return whole<uint64_t>(text); }

void CommandLine::flag(std::string name, bool& given, bool value) {
  options_.push_back({std::move(name), false, "", [&given, value](const std::string&) {
                        given = value;
                        return true;
                      }});
}

void CommandLine::seconds(std::string name, double& value) {
  option(std::move(name), "S", [&value](const std::string& text) {
    const std::optional<double> read = whole<double>(text);
    if (read) value = *read;
    return read.has_value();
  });
}

void CommandLine::names(std::string name, std::vector<std::string>& chosen, std::vector<std::string> known) {
  std::string values = joined(known);
  option(std::move(name), std::move(values), [&chosen, known = std::move(known)](const std::string& text) {
    chosen.clear();
    std::istringstream list(text);
    for (std::string part; std::getline(list, part, ',');) {
      if (std::find(known.begin(), known.end(), part) == known.end()) return false;
      chosen.push_back(part);
    }
    return !chosen.empty();
  });
}

void CommandLine::option(std::string name, std::string values, std::function<bool(const std::string&)> take) {
  options_.push_back({std::move(name), true, std::move(values), std::move(take)});
}

// Empty: there is none.
std::string CommandLine::complaint(int argc, char** argv) const {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto option = std::find_if(options_.begin(), options_.end(),
                                     [&](const Option& known) { return known.name == name; });
    if (option == options_.end()) return "unknown option '" + name + "'";
    if (!option->has_value) {
      option->take("");
      continue;
    }
    if (++i == argc) return "option '" + name + "' needs a value";
    if (!option->take(argv[i])) return std::string("'") + argv[i] + "' is no value of " + name;
  }
  return "";
}

bool CommandLine::read(int argc, char** argv) const {
  const std::string problem = complaint(argc, argv);
  if (problem.empty()) return true;
  std::cerr << problem << "\nusage: " << argv[0];
  for (const Option& option : options_)
    if (!option.has_value)
      std::cerr << " [" << option.name << "]";
    else if (!option.values.empty())
      std::cerr << " [" << option.name << " " << option.values << "]";
  std::cerr << "\n";
  return false;
}

}  // namespace fenceline::fuzz
