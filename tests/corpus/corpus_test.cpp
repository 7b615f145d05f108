// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every file of the corpus on every model, one test each: the engine must say what the file's header says.
// Tests are registered while the program starts, so that a new file is a new test without touching any code.
//
//   corpus_test                       run them (see --gtest_filter)
//   corpus_test --promote [FILE...]   rewrite the `expect` lines with what the engine says now, in these
//   files or in
//                                     all; then a human reads the diff
//   corpus_test --show FILE...        print verdicts, states and seconds, and change nothing
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
#include <set>

#include "corpus/header.h"
#include "engine/explicit/explicit_engine.h"
#include "env/env.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "property/properties.h"

namespace fenceline::corpus {
namespace {

namespace fs = std::filesystem;

constexpr double kSeconds = 250;  // for one property on one model; nothing comes near
constexpr uint64_t kMemoryBytes = uint64_t{6} << 30;
// How far to follow buffers that can grow without bound. Some headers say `verified` because a loop with few
// rounds stays within it.
constexpr uint64_t kBufferEntries = 8;

// Sanitizers cost a factor of ten or more; what `large` files would show, small ones show too.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSkipLarge = true;
#else
constexpr bool kSkipLarge = false;
#endif

Result check(const Program& program, const Property& property, std::string_view model) {
  Options options;
  options.buffer_limit = kBufferEntries;
  Limits limits(kSeconds, kMemoryBytes);
  Progress progress(false);
  Env env{options, limits, progress};
  const FenceSet no_fences;
  const Problem problem{program, no_fences, memory_model(model), property};
  const std::unique_ptr<Engine> engine = make_explicit_engine();
  const std::string why_not = engine->cannot(problem);
  if (!why_not.empty()) throw Unsupported(why_not);
  return engine->run(problem, env);
}

std::vector<fs::path> corpus_files() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(FENCELINE_CORPUS_DIR))
    if (entry.is_regular_file() && entry.path().extension() == ".fl") files.push_back(entry.path());
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
    const Program program = parse_fl(file);
    const std::vector<Property> properties = properties_to_check(program, Options());
    header_names_the_properties(header, properties);
    for (const Property& property : properties)
      if (const Expectation* expected = header.find(property.name))
        engine_agrees(program, property, expected->verdicts[model_]);
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
      EXPECT_EQ(expectation.property, kErrorsProperty) << "the program has no such property";
      for (const Verdict verdict : expectation.verdicts)
        EXPECT_EQ(verdict, Verdict::kVerified) << "run-time errors were excluded beforehand";
    }
  }

  void engine_agrees(const Program& program, const Property& property, Verdict expected) const {
    const Result result = check(program, property, kModels[model_]);
    EXPECT_EQ(to_string(result.verdict), to_string(expected))
        << "property " << property.name << " on " << kModels[model_] << ": " << result.reason;
    if (result.verdict != Verdict::kViolated) return;
    ASSERT_TRUE(result.replay.has_value()) << "a violation without a replayed trace";
    EXPECT_TRUE(result.replay->ok) << result.replay->why_not;
    EXPECT_FALSE(result.replay->steps.empty());
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

// What the engine says of every property of the file on every model.
std::vector<Expectation> verdicts_now(const SourceFile& file, bool show) {
  std::vector<Expectation> now;
  const Program program = parse_fl(file);
  for (const Property& property : properties_to_check(program, Options())) {
    Expectation expectation{property.name, {}};
    for (size_t m = 0; m < kModels.size(); ++m) {
      const Result result = check(program, property, kModels[m]);
      expectation.verdicts[m] = result.verdict;
      if (show)
        std::cout << fmt::format("{} {} {}: {} {} states {:.3f} s{}\n", file.name, kModels[m], property.name,
                                 to_string(result.verdict), result.states, result.seconds,
                                 result.verdict == Verdict::kUnknown ? " (" + result.reason + ")" : "");
    }
    now.push_back(std::move(expectation));
  }
  return now;
}

int promote_or_show(bool promote, std::vector<fs::path> paths) {
  if (paths.empty()) paths = corpus_files();
  int status = 0;
  for (const fs::path& path : paths) try {
      const SourceFile file = read_source_file(path.string());
      std::vector<Expectation> now = verdicts_now(file, !promote);
      if (!promote) continue;
      // An `errors` line that is no longer checked because the answer is known is still true.
      const Expectation* errors = parse_header(file).find(kErrorsProperty);
      const bool checked = std::any_of(now.begin(), now.end(),
                                       [](const Expectation& e) { return e.property == kErrorsProperty; });
      if (errors != nullptr && !checked)
        now.push_back({kErrorsProperty, {Verdict::kVerified, Verdict::kVerified, Verdict::kVerified}});
      const std::string text = with_expectations(file, now);
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
