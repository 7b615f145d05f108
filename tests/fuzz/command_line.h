// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command line of a fuzzer. Each option is declared once, with where its value goes; reading, complaints
// and the usage text come from that.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace fenceline::fuzz {

// The exit status of a usage error.
inline constexpr int kWrongUsage = 64;

class CommandLine {
 public:
  // What options set must outlive this.
  void flag(std::string name, bool& given, bool value = true);
  template <std::unsigned_integral Number>
  void number(std::string name, Number& value, uint64_t least = 0) {
    option(std::move(name), "N", [&value, least](const std::string& text) {
      const std::optional<uint64_t> read = number_in(text);
      if (!read || *read < least || *read > std::numeric_limits<Number>::max()) return false;
      value = static_cast<Number>(*read);
      return true;
    });
  }
  void seconds(std::string name, double& value);
  // Some of these, with commas between them.
  void names(std::string name, std::vector<std::string>& chosen, std::vector<std::string> known);
  // `take` returns whether the value is valid. An option whose `values` are empty is not in the usage text.
  void option(std::string name, std::string values, std::function<bool(const std::string&)> take);

  // False, with a message, if there is a usage error.
  bool read(int argc, char** argv) const;

 private:
  struct Option {
    std::string name;
    bool has_value;
    std::string values;
    std::function<bool(const std::string&)> take;
  };
  static std::optional<uint64_t> number_in(const std::string& text);
  std::string complaint(int argc, char** argv) const;

  std::vector<Option> options_;
};

}  // namespace fenceline::fuzz
