// SPDX-License-Identifier: GPL-3.0-or-later
//
// All options, declared once: name, type, range, help. The command line, `--help` and the validation come
// from this table (options.cpp); engines read the struct.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace fenceline {

struct Options {
  std::vector<std::string> models = {"tso"};
  std::string engine = "auto";
  std::vector<std::string> properties;  // empty: all of the file
  bool deadlock = false;
  uint64_t threads = 0;              // of a transactional memory; 0: as many as the file says
  uint64_t variables = 0;            // and those that transactions are about
  std::vector<std::string> tests;    // of a .tests file; empty: all
  std::vector<std::string> defines;  // for C
  bool frees = false;                // of C: look at what is freed
  bool leaks = false;                // and at what is not
  uint64_t buffer_limit = 8;
  bool reduction = true;
  bool fusing = true;
  bool liveness = true;
  bool symmetry = true;
  bool check_reduction = false;
  std::string abstraction = "auto";
  std::string buffer_values = "exact";
  uint64_t max_order = 8;
  std::string certify = "auto";
  std::string search = "bfs";
  bool acceleration = true;
  bool library = true;
  bool sleep_sets = true;
  uint64_t widen_above = 32;
  uint64_t bound = 16;
  std::string proof;
  std::string domain = "auto";
  std::string layout = "explicit";
  std::string refine = "none";
  std::string arrays = "auto";
  uint64_t disjuncts = 3;
  bool confirm = true;
  std::string invariant;
  uint64_t slots = 0;  // 0: the engine tries some
  double timeout = 0;
  uint64_t memory_mb = 0;
  uint64_t jobs = 1;
  uint64_t seed = 1;
  std::string json;
  bool quiet = false;
  bool verbose = false;

  // infer
  std::string method = "auto";
  std::string positions = "stores";
  std::string fences = "full";
  bool all_placements = false;
  std::string patch;
  std::string plot;
  bool in_place = false;

  // litmus
  std::string litmus_model;  // empty: the one for the architecture of each test
  std::vector<std::string> cat_folders;
  uint64_t tests_at_once = 0;  // 0: as many as there are cores
};

// Commands that take options, as bits of a set.
enum OptionsOf : unsigned {
  kOfCheck = 1,
  kOfInfer = 2,
  kOfBoth = 3,
  kOfLitmus = 4,
  kOfAll = 7,
  kOfReduce = 8
};

struct OptionSpec {
  using Field = std::variant<bool Options::*, uint64_t Options::*, double Options::*, std::string Options::*,
                             std::vector<std::string> Options::*>;
  const char* name;     // "--jobs"
  const char* operand;  // "N"; empty for flags
  Field field;
  double min, max;  // numbers only
  const char* help;
  OptionsOf commands = kOfCheck;
  bool negated = false;  // a flag that switches its field off
};

// All rows. An option may have several, for different commands.
std::span<const OptionSpec> option_table();

}  // namespace fenceline
