// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every file of the corpus on every model, one test each, with every engine that takes it. What engines
// decide must be the same, and must be what the file's header says; an engine may leave open what another one
// decides. Small proofs of the automata engine must have a certificate that was checked. Where integers grow
// for ever, the numeric engine is tried first, and all its proofs must have one; the others then have a
// moment to find a violation, or as long as they need if there is one. If it has too little time for a
// proof, the test is skipped and says so: no test fails because the machine is slow. Tests are
// registered while the program starts, so that a new file is a new test without touching any code.
//
//   corpus_test                       run them (see --gtest_filter)
//   corpus_test --promote [FILE...]   rewrite the `expect` and `expect-coherence` lines with what the engines
//   say now, in
//                                     these files or in all; then a human reads the diff
//   corpus_test --show FILE...        print verdicts, states and seconds of every engine, and change nothing
//
// `errors` is a property of every program, but it is checked only where an analysis cannot exclude run-time
// errors beforehand. So that a sharper analysis does not invalidate headers, a header may say `errors` where
// it is excluded, as long as it expects `verified`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "corpus/header.h"
#include "engine/coherence/options.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "property/properties.h"
#include "synth/candidate_positions.h"
#include "synth/lazy.h"

namespace fenceline::corpus {
namespace {

namespace fs = std::filesystem;

constexpr double kSeconds = 10'000;           // for one property on one model; nothing comes near
constexpr double kSecondOpinionSeconds = 1;   // the same, once another engine has decided it
constexpr double kNumericSeconds = 20;        // the same, for the numeric engine
constexpr double kUnboundedSeconds = 0.1;     // a second opinion, where it can only be a counterexample
constexpr uint64_t kCertifiedStates = 1'000;  // so small a proof must have been checked
constexpr uint64_t kMemoryBytes = uint64_t{6} << 30;
// The bound for buffers that can grow without bound. Some headers say `verified` because a loop with few
// rounds stays within it.
constexpr uint64_t kBufferEntries = 8;

// Sanitizers cost a factor of ten or more; what `large` files would show, small ones show too.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSkipLarge = true;
#else
constexpr bool kSkipLarge = false;
#endif

// Those that look at one state after the other, and before them the one for integers without bound.
constexpr std::string_view kEngines[] = {"numeric", "explicit", "coherence", "automata", "sat"};

// None if the engine does not take the task.
std::optional<Result> check(std::string_view engine, const Program& program, const Property& property,
                            std::string_view model, double seconds, const std::string& abstraction = "auto") {
  Options options;
  options.of<engine::StateSpaceOptions>().buffer_limit = kBufferEntries;
  options.of<coherence::CoherenceOptions>().abstraction = coherence::parse_chosen_abstraction(abstraction);
  if (engine == "numeric") options.certify = Certify::kAlways;
  Limits limits(seconds, kMemoryBytes);
  const FenceSet no_fences;
  const Task task{program, no_fences, memory_model(model), property};
  if (!engine::engine_called(engine).supports(task)) return std::nullopt;
  return engine::verify_by(engine, task, options, limits);
}

bool has_checked_certificate(const Result& result) {
  return result.certificate() && result.certificate()->checked;
}

// A small proof of the automata engine is checked where it is made. Only a second opinion may have had no
// time left for that. Of the numeric engine, all are.
void require_certificate(std::string_view engine, const Result& result, double seconds) {
  if (result.verdict() != Verdict::kVerified) return;
  if (engine == "numeric") require(has_checked_certificate(result), "an invariant is not checked");
  if (engine != "automata") return;
  if (result.statistics.states > kCertifiedStates || result.statistics.seconds > seconds / 2) return;
  require(has_checked_certificate(result), "a small proof without a checked certificate");
}

// The verdict of all engines together. Throws Bug if two of them contradict each other. numeric_seconds: 0 if
// the integers of the program have bounds; otherwise the others have undecided_seconds as long as the numeric
// engine has not decided it.
struct Consensus {
  Verdict verdict = Verdict::kUnknown;
  std::string reason;        // of the verdict
  bool out_of_time = false;  // of the numeric engine, and no other engine decides
};
Consensus verify_by_all(const Program& program, const Property& property, std::string_view model,
                        double numeric_seconds, bool show, double undecided_seconds = kSecondOpinionSeconds) {
  Consensus consensus;
  std::string verdicts;
  for (const std::string_view engine : kEngines) {
    const bool numeric = engine == "numeric", unbounded = numeric_seconds > 0;
    if (numeric && !unbounded) continue;
    const bool decided = consensus.verdict != Verdict::kUnknown;
    const double seconds = numeric                ? numeric_seconds
                           : unbounded && decided ? kUnboundedSeconds
                           : unbounded            ? undecided_seconds
                           : decided              ? kSecondOpinionSeconds
                                                  : kSeconds;
    const std::optional<Result> result = check(engine, program, property, model, seconds);
    if (!result) continue;
    if (show)
      std::cout << fmt::format("{} {} {} {}: {} {} states {:.3f} s{}{}\n", program.source.name, model,
                               property.name, engine, to_string(result->verdict()), result->statistics.states,
                               result->statistics.seconds, has_checked_certificate(*result) ? " checked" : "",
                               result->verdict() == Verdict::kUnknown ? " (" + result->reason + ")" : "")
                << std::flush;
    if (!show) require_certificate(engine, *result, seconds);
    verdicts += fmt::format("{}{}: {}", verdicts.empty() ? "" : ", ", engine, to_string(result->verdict()));
    if (result->verdict() == Verdict::kUnknown) {
      if (consensus.verdict == Verdict::kUnknown) consensus.reason += result->reason + "; ";
      consensus.out_of_time = consensus.out_of_time || (numeric && result->statistics.seconds >= seconds);
      continue;
    }
    require(consensus.verdict == Verdict::kUnknown || consensus.verdict == result->verdict(),
            ("engines contradict each other: " + verdicts).c_str());
    consensus = {result->verdict(), fmt::format("{}: {}", engine, result->reason)};
    if (result->verdict() != Verdict::kViolated) continue;
    require(result->replay() && result->replay()->ok && !result->replay()->steps.empty(),
            "a violation without a replayed trace");
  }
  return consensus;
}

AbstractVerdict abstract_verdict(const Program& program, const Property& property, std::string_view model,
                                 const std::string& abstraction) {
  const std::optional<Result> result = check("coherence", program, property, model, kSeconds, abstraction);
  if (!result) throw Unsupported("the engine does not take this task");
  if (result->verdict() == Verdict::kVerified) return AbstractVerdict::kVerified;
  if (result->verdict() == Verdict::kViolated) return AbstractVerdict::kViolated;
  if (!result->spurious()) throw Unsupported(result->reason);
  return AbstractVerdict::kSpurious;
}

// The least number of fences, if any placement is proved right: full ones after stores.
std::optional<uint64_t> fences_needed(const Program& program, const Property& property,
                                      std::string_view model, const std::string& abstraction) {
  const std::vector<CandidatePosition> candidates =
      synth::candidate_positions(program, synth::Positions::kStores);
  const std::vector<Property> properties = {property};
  Options options;
  if (!abstraction.empty())
    options.of<coherence::CoherenceOptions>().abstraction = buffer::parse_abstraction(abstraction);
  options.certify = Certify::kNever;
  Limits limits(kSeconds, kMemoryBytes);
  const auto verify = [&](const Task& task) { return engine::verify_by("coherence", task, options, limits); };
  const Synthesis inference =
      synth::infer_lazily({program, memory_model(model), properties, candidates, verify});
  switch (inference.outcome) {
    case Synthesis::Outcome::kFound:
      return inference.placements.at(0).size();
    case Synthesis::Outcome::kImpossible:
      return std::nullopt;
    case Synthesis::Outcome::kUnknown:
      break;
  }
  if (inference.results.empty() || !inference.results[0].spurious()) throw Unsupported(inference.reason);
  return std::nullopt;
}

std::vector<fs::path> corpus_files() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(FENCELINE_CORPUS_DIR))
    // Those of stm/ are verified by tests/project/test_stm.py.
    if (entry.is_regular_file() && entry.path().extension() == ".fl" &&
        entry.path().parent_path().filename() != "stm")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class CorpusTest : public testing::Test {
 public:
  CorpusTest(fs::path path, size_t model) : path_(std::move(path)), model_(model) {}

  void TestBody() override {
    const SourceFile file = read_source_file(path_.string());
    const Header header = parse_header(file);
    if (header.large && kSkipLarge) GTEST_SKIP() << "too large for a build with sanitizers";
    EXPECT_FALSE(header.comments.empty()) << "the header must say what the program is";
    const Program program = frontend::parse_fl(file);
    const std::vector<Property> properties = property::properties_to_check(program, Options());
    header_names_the_properties(header, properties);
    for (const Property& property : properties)
      if (const Expectation* expected = header.find(property.name))
        engines_agree(program, property, expected->verdicts[model_], header.unbounded);
    for (const AbstractExpectation& expected : header.coherence)
      if (expected.model == kModels[model_])
        abstractions_agree(program, property_named(properties, expected.property), expected);
    for (const FenceExpectation& expected : header.fences)
      for (const FenceCount& count : expected.counts)
        if (count.model == kModels[model_])
          fences_agree(program, property_named(properties, expected.property), count);
  }

 private:
  static void header_names_the_properties(const Header& header, const std::vector<Property>& properties) {
    std::set<std::string> checked;
    for (const Property& property : properties) {
      checked.insert(property.name);
      EXPECT_NE(header.find(property.name), nullptr) << "no `expect` line for property " << property.name;
    }
    for (const Expectation& expectation : header.expectations) {
      if (checked.contains(expectation.property)) continue;
      EXPECT_EQ(expectation.property, property::kErrorsProperty) << "the program has no such property";
      for (const Verdict verdict : expectation.verdicts)
        EXPECT_EQ(verdict, Verdict::kVerified) << "run-time errors were excluded beforehand";
    }
  }

  void engines_agree(const Program& program, const Property& property, Verdict expected,
                     bool unbounded) const {
    // Proofs take the time they take. A counterexample is found quickly, by this engine or by another one, and
    // what is not known needs no long search for it.
    const double numeric_seconds = !unbounded                       ? 0
                                   : expected == Verdict::kVerified ? kNumericSeconds
                                                                    : kSecondOpinionSeconds;
    Consensus consensus;
    for (double seconds = kSecondOpinionSeconds; seconds < kSeconds; seconds *= 10) {
      consensus = verify_by_all(program, property, kModels[model_], numeric_seconds, false, seconds);
      // On a slow machine a violation takes longer; no engine is known to be the one that finds it.
      if (!unbounded || expected != Verdict::kViolated || consensus.verdict != Verdict::kUnknown) break;
    }
    if (unbounded && consensus.out_of_time && expected != Verdict::kUnknown)
      GTEST_SKIP() << property.name << " is " << to_string(expected) << " on " << kModels[model_]
                   << ", but no engine decides in time: " << consensus.reason;
    EXPECT_EQ(to_string(consensus.verdict), to_string(expected))
        << "property " << property.name << " on " << kModels[model_] << ": " << consensus.reason;
  }

  static const Property& property_named(const std::vector<Property>& properties, const std::string& name) {
    for (const Property& property : properties)
      if (property.name == name) return property;
    throw Unsupported("no property " + name);
  }

  static void abstractions_agree(const Program& program, const Property& property,
                                 const AbstractExpectation& expected) {
    for (const auto& [abstraction, verdict] : expected.verdicts)
      EXPECT_EQ(to_string(abstract_verdict(program, property, expected.model, abstraction)),
                to_string(verdict))
          << "property " << property.name << " on " << expected.model << " with " << abstraction;
  }

  static void fences_agree(const Program& program, const Property& property, const FenceCount& expected) {
    EXPECT_EQ(fences_needed(program, property, expected.model, expected.abstraction), expected.count)
        << "fences for " << property.name << " on " << expected.model << " " << expected.abstraction;
  }

  fs::path path_;
  size_t model_;
};

// "mutex/peterson.tso.fl" on pso is the test mutex.peterson_tso.pso.
std::string test_name(const fs::path& file, std::string_view model) {
  std::string name = file.stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return fmt::format("{}.{}", name, model);
}

void register_tests() {
  std::set<std::string> names;
  for (const fs::path& path : corpus_files()) {
    const std::string suite = path.parent_path().filename().string();
    for (size_t m = 0; m < kModels.size(); ++m) {
      const std::string name = test_name(path, kModels[m]);
      if (!names.insert(suite + "." + name).second)
        throw Bug(fmt::format("two corpus files have the test name {}.{}", suite, name));
      testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, path.c_str(), 1,
                            [path, m]() -> testing::Test* { return new CorpusTest(path, m); });
    }
  }
}

// The part between the two lines, exclusive; empty if they do not occur.
std::string between(const std::string& text, const std::string& first, const std::string& last) {
  const size_t from = text.find(first + "\n");
  if (from == std::string::npos) return "";
  const size_t begin = from + first.size() + 1, end = text.find(last + "\n", begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

// What a newcomer reads first must be a program that works.
TEST(CorpusDocs, TheExampleOfTheLanguagePageIsPeterson) {
  const fs::path corpus = FENCELINE_CORPUS_DIR;
  const std::string page = read_source_file((corpus.parent_path() / "docs/language.md").string()).text;
  const std::string example = between(page, "// Peterson's mutual exclusion algorithm.", "```");
  const std::string file = read_source_file((corpus / "mutex/peterson.fl").string()).text;
  ASSERT_FALSE(example.empty());
  EXPECT_EQ(file.substr(file.find("\n\n") + 2), example);
}

// The engines' verdicts for every property of the file on every model.
std::vector<Expectation> verdicts_now(const Program& program, bool unbounded, bool show) {
  std::vector<Expectation> now;
  for (const Property& property : property::properties_to_check(program, Options())) {
    Expectation expectation{property.name, {}};
    for (size_t m = 0; m < kModels.size(); ++m)
      expectation.verdicts[m] =
          verify_by_all(program, property, kModels[m], unbounded ? kNumericSeconds : 0, show).verdict;
    now.push_back(std::move(expectation));
  }
  return now;
}

// The verdicts of the coherence engine with the abstractions that the header names.
std::vector<AbstractExpectation> abstract_verdicts_now(const Program& program, const Header& header) {
  std::vector<AbstractExpectation> now = header.coherence;
  for (const Property& property : property::properties_to_check(program, Options()))
    for (AbstractExpectation& expectation : now)
      if (expectation.property == property.name)
        for (auto& [abstraction, verdict] : expectation.verdicts)
          verdict = abstract_verdict(program, property, expectation.model, abstraction);
  return now;
}

int promote_or_show(bool promote, std::vector<fs::path> paths) {
  if (paths.empty()) paths = corpus_files();
  int status = 0;
  for (const fs::path& path : paths) try {
      const SourceFile file = read_source_file(path.string());
      const Program program = frontend::parse_fl(file);
      const Header header = parse_header(file);
      std::vector<Expectation> now = verdicts_now(program, header.unbounded, !promote);
      if (!promote) continue;
      // An `errors` line that is no longer checked because the answer is known is still true.
      const Expectation* errors = header.find(property::kErrorsProperty);
      const bool checked = std::any_of(now.begin(), now.end(), [](const Expectation& e) {
        return e.property == property::kErrorsProperty;
      });
      if (errors != nullptr && !checked)
        now.push_back(
            {property::kErrorsProperty, {Verdict::kVerified, Verdict::kVerified, Verdict::kVerified}});
      const std::string text =
          with_coherence({file.name, with_expectations(file, now)}, abstract_verdicts_now(program, header));
      if (text == file.text) continue;
      if (!(std::ofstream(path) << text << std::flush)) throw std::runtime_error("cannot be written");
      std::cout << path.string() << ": rewritten\n";
    } catch (const std::exception& error) {
      std::cerr << path.string() << ": " << error.what() << "\n";
      status = 1;
    }
  return status;
}

}  // namespace
}  // namespace fenceline::corpus

int main(int argc, char** argv) {
  using namespace fenceline::corpus;
  testing::InitGoogleTest(&argc, argv);
  for (const bool promote : {true, false})
    if (argc > 1 && std::strcmp(argv[1], promote ? "--promote" : "--show") == 0)
      return promote_or_show(promote, {argv + 2, argv + argc});
  register_tests();
  return RUN_ALL_TESTS();
}
