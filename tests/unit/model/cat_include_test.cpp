// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where included files are found, and how often.
#include <filesystem>
#include <fstream>

#include "unit/model/cat_testing.h"

namespace fenceline {
namespace {

namespace fs = std::filesystem;

class CatInclude : public ::testing::Test {
 protected:
  CatInclude() {
    root_ = fs::temp_directory_path() /
            (std::string("cat_include_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_ / "sub");
    fs::create_directories(root_ / "lib");
  }
  ~CatInclude() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(root_ / name) << text; }
  std::string path(const std::string& name) const { return (root_ / name).string(); }
  CatModel load(const std::string& name, const CatSearchPath& search = {}) const {
    return load_cat(read_source_file(path(name)), search);
  }
  std::string complaint(const std::string& name, const CatSearchPath& search = {}) const {
    try {
      load(name, search);
      return "none";
    } catch (const InputError& error) {
      std::string text = error.what();
      return text.substr(0, text.find('\n'));
    }
  }

  fs::path root_;
};

TEST_F(CatInclude, BesideTheIncludingFile) {
  write("main.cat", "include \"sub/a.cat\" acyclic a");
  write("sub/a.cat", "include \"b.cat\" let a = b");
  write("sub/b.cat", "let b = rf");
  write("b.cat", "let b = co");
  const CatModel model = load("main.cat");
  EXPECT_EQ(model.text(model.constraints[0].term), "rf");
}

TEST_F(CatInclude, InTheDirectoriesInOrder) {
  write("main.cat", "include \"a.cat\" acyclic a");
  write("lib/a.cat", "let a = rf");
  write("sub/a.cat", "let a = co");
  const auto found = [&](std::vector<std::string> directories) {
    const CatModel model = load("main.cat", {std::move(directories)});
    return model.text(model.constraints[0].term);
  };
  EXPECT_EQ(found({path("lib"), path("sub")}), "rf");
  EXPECT_EQ(found({path("sub"), path("lib")}), "co");
  EXPECT_EQ(found({path("nowhere"), path("lib")}), "rf");
}

TEST_F(CatInclude, ShippedOnesComeLast) {
  write("main.cat", "include \"x86fences.cat\" acyclic mfence");
  const auto found = [&] {
    const CatModel model = load("main.cat", {{path("lib")}});
    return model.text(model.constraints.back().term);
  };
  EXPECT_EQ(found(), "po & _ * MFENCE; po");
  write("lib/x86fences.cat", "let mfence = rf");
  EXPECT_EQ(found(), "rf");
  write("x86fences.cat", "let mfence = co");
  EXPECT_EQ(found(), "co");
}

// A whole model can be included, and made stronger.
TEST_F(CatInclude, ShippedModels) {
  write("main.cat", "include \"rmo.cat\" acyclic po | rf as no-thin-air");
  EXPECT_EQ(load("main.cat").constraints.size(), shipped_cat("rmo").constraints.size() + 1);
}

TEST_F(CatInclude, OnlyOnce) {
  write("main.cat", "include \"a.cat\" include \"./a.cat\" include \"sub/../a.cat\" include \"b.cat\"");
  write("a.cat", "acyclic po");
  write("b.cat", "include \"a.cat\"");
  EXPECT_EQ(load("main.cat").constraints.size(), 1u);
}

TEST_F(CatInclude, Cycles) {
  write("main.cat", "include \"a.cat\"");
  write("a.cat", "let x = po\ninclude \"b.cat\"");
  write("b.cat", "include \"a.cat\"");
  EXPECT_EQ(complaint("main.cat"), path("b.cat") + ":1:9: error: 'a.cat' includes itself");
  write("self.cat", "include \"self.cat\"");
  EXPECT_EQ(complaint("self.cat"), path("self.cat") + ":1:9: error: 'self.cat' includes itself");
}

TEST_F(CatInclude, MissingFiles) {
  write("main.cat", "acyclic po\n  include \"nothing.cat\"");
  EXPECT_EQ(complaint("main.cat"), path("main.cat") + ":2:11: error: there is no file 'nothing.cat'");
  write("directory.cat", "include \"sub\"");
  EXPECT_NE(complaint("directory.cat"), "none");
}

TEST_F(CatInclude, ComplaintsAreAboutTheFileThatHasThem) {
  write("main.cat", "include \"a.cat\"\nacyclic a");
  write("a.cat", "\nlet a = rff");
  EXPECT_EQ(complaint("main.cat"), path("a.cat") + ":2:9: error: 'rff' is not defined");
  write("a.cat", "let a =");
  EXPECT_EQ(complaint("main.cat"),
            path("a.cat") + ":1:8: error: an expression is missing before the end of the file");
}

// A library may define what is not known here, as long as it is not used.
TEST_F(CatInclude, BrokenDefinitionsOfOthers) {
  write("main.cat", "include \"a.cat\"\nacyclic try a with b");
  write("a.cat", "let a = rff let b = po let rec c = po \\ c let d = po rf");
  const CatModel model = load("main.cat");
  EXPECT_EQ(model.text(model.constraints[0].term), "po");
  write("main.cat", "include \"a.cat\"\nlet d = c\nacyclic po");
  EXPECT_EQ(complaint("main.cat"), path("a.cat") +
                                       ":1:32: error: 'c' has no least solution: a recursive name is "
                                       "below '~' or behind '\\'");
}

TEST_F(CatInclude, LongChains) {
  write("c99.cat", "acyclic po");
  for (int i = 0; i < 99; ++i)
    write("c" + std::to_string(i) + ".cat", "include \"c" + std::to_string(i + 1) + ".cat\"");
  EXPECT_EQ(load("c60.cat").constraints.size(), 1u);
  EXPECT_NE(complaint("c0.cat").find("too deeply"), std::string::npos);
}

}  // namespace
}  // namespace fenceline
