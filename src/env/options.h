// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options, typed: words are parsed once, by the rows of an OptionGroup (env/option_group.h), and
// nothing behind that compares them. The options that all parts share are the members below. What only one
// engine or one command reads is a struct of its own, declared in its folder and found by its type:
//
//   const auto& numeric = env.options.of<NumericOptions>();
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <string>
#include <typeindex>
#include <vector>

namespace fenceline {

// Whether proofs are checked again by independent code.
enum class Certify : uint8_t {
  kAuto,  // while it is cheap
  kAlways,
  kNever,
};

// Whether a data race that a model reports is a violation.
enum class Races : uint8_t { kError, kIgnored };

struct Options {
  std::vector<std::string> models = {"tso"};
  std::string engine = "auto";          // a name of `fenceline engines`, or auto
  std::vector<std::string> properties;  // empty: all of the file
  bool deadlock = false;
  bool liveness = false;
  uint64_t threads = 0;              // of a transactional memory; 0: as in the file
  uint64_t variables = 0;            // and those that transactions are about
  std::vector<std::string> tests;    // of a .tests file; empty: all
  std::vector<std::string> defines;  // for C
  std::vector<std::string> include_folders;
  Races races = Races::kError;
  bool frees = false;  // of C: detect use of freed memory
  bool leaks = false;  // and memory that is never freed
  Certify certify = Certify::kAuto;
  double timeout = 0;
  uint64_t memory_mb = 0;
  uint64_t jobs = 1;
  std::string json;
  bool quiet = false;
  bool verbose = false;

  // The options of one part; its defaults unless some were set. References last as long as the object; those
  // to defaults, always.
  template <typename Group>
  const Group& of() const;
  template <typename Group>
  Group& of();

 private:
  std::map<std::type_index, std::any> groups_;  // each holds an object of the type that is its key
};

template <typename Group>
const Group& Options::of() const {
  static const Group kDefaults{};
  const auto found = groups_.find(typeid(Group));
  return found == groups_.end() ? kDefaults : *std::any_cast<Group>(&found->second);
}

template <typename Group>
Group& Options::of() {
  return *std::any_cast<Group>(&groups_.try_emplace(typeid(Group), Group{}).first->second);
}

}  // namespace fenceline
