// SPDX-License-Identifier: GPL-3.0-or-later
//
// compile_commands.json: its text, and which words of a command reach the compiler. tests/bad/builds has what is wrong.
#include "frontend/c/compile_commands.h"

#include <gtest/gtest.h>

#include "env/errors.h"

namespace fenceline::frontend::c {
namespace {

using Words = std::vector<std::string>;

SourceFile text_of(const std::string& text) { return {"compile_commands.json", text}; }

TEST(CompileCommands, Entries) {
  const auto commands =
      parse_compile_commands(text_of("[{\"directory\": \"/d\", \"file\": \"a\\u00e9.c\", \"command\": \"cc "
                                     "'a b' \\\"c\\\\\\\" d\\\" e\\\\ f\"},\n"
                                     " {\"output\": {\"file\": [1, {}]}, \"arguments\": [\"cc\", \"x y\"], "
                                     "\"file\": \"b.c\", \"directory\": \".\"}]"));
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].file, "a\u00e9.c");
  EXPECT_EQ(commands[0].arguments, (Words{"cc", "a b", "c\" d", "e f"}));
  EXPECT_EQ(commands[0].pos, (SourcePos{1, 54}));
  EXPECT_EQ(commands[1].arguments, (Words{"cc", "x y"}));
  EXPECT_EQ(commands[1].pos, (SourcePos{2, 45}));
  EXPECT_TRUE(parse_compile_commands(text_of(" [ ] ")).empty());
}

TEST(CompileCommands, DeepTexts) {
  const std::string deep(1'000'000, '[');
  EXPECT_THROW(parse_compile_commands(text_of(deep)), InputError);
  EXPECT_THROW(parse_compile_commands(text_of("[{\"x\": " + deep)), InputError);
}

Words words(const Words& arguments) {
  const SourceFile source = text_of("");
  BuildCommand command{{1, 1}, "/project/dir", "a.c", arguments};
  command.arguments.insert(command.arguments.begin(), "cc");
  return language_words(source, command, "/elsewhere");
}

TEST(CompileCommands, WordsThatArePassed) {
  EXPECT_EQ(words({"-DA", "-D", "B=1", "-U", "C", "-I", "x", "-I../y", "-I/z"}),
            (Words{"-DA", "-DB=1", "-UC", "-I/project/dir/x", "-I/project/y", "-I/z"}));
  EXPECT_EQ(words({"-isystem", "s", "-iquotes", "-idirafter", "/t"}),
            (Words{"-isystem", "/project/dir/s", "-iquote", "/project/dir/s", "-idirafter", "/t"}));
  EXPECT_EQ(words({"-std=c11", "-pthread", "-funsigned-char", "-mavx2", "-nostdinc++", "--sysroot=r"}),
            (Words{"-std=c11", "-pthread", "-funsigned-char", "-mavx2", "-nostdinc++",
                   "--sysroot=/project/dir/r"}));
  EXPECT_EQ(words({"-include", "no_such_file.h"}), (Words{"-include", "no_such_file.h"}));
}

TEST(CompileCommands, WordsWithoutInfluence) {
  EXPECT_EQ(
      words({"-O2", "-g", "-Wall", "-c", "a.c", "-o", "-DX", "-MF", "-DY", "-MD", "-fPIC", "-flto", "-lm"}),
      Words{});
  EXPECT_EQ(words({"-fsanitize=thread", "-fplugin=p.so", "-fprofile-generate", "-x", "c", "-Xlinker", "-DZ"}),
            Words{});
}

TEST(CompileCommands, WrappedWords) {
  EXPECT_EQ(
      words({"-Wp,-DA,-UB,-MD,x.d", "-Xclang", "-include-pch", "-Xclang", "p", "-Xpreprocessor", "-DC"}),
      (Words{"-DA", "-UB", "-DC"}));
}

TEST(CompileCommands, WordsThatAreRejected) {
  for (const char* word : {"@file", "-m32", "-mx32", "--target=arm", "-fopenmp=libomp", "-mbig-endian"})
    EXPECT_THROW(words({word}), InputError) << word;
}

}  // namespace
}  // namespace fenceline::frontend::c
