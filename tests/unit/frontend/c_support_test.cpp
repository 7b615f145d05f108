// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/support.h"

#include <gtest/gtest.h>

#include "frontend/c/compiler.h"
#include "frontend/c/flags.h"
#include "frontend/c/linking.h"
#include "unit/frontend/c_testing.h"

namespace fenceline::frontend::c {
namespace {

std::string compile(const std::string& name, const std::string& text) {
  return compile_to_bitcode({name, text, Language::kC}, {});
}

TEST(CSupport, EachFunctionIsDefinedWhereTheTableSays) {
  for (const SupportFile& file : support_files()) {
    std::string text;
    for (const std::string_view function : file.functions)
      text += "extern int " + std::string(function) + "();\n";
    text += "void* all[] = {";
    for (const std::string_view function : file.functions) text += "(void*)" + std::string(function) + ", ";
    std::vector<std::string> compiled;
    // It fails if a function is still missing when its file is linked.
    link_program({{"user.c", compile("user.c", "#define NULL\n" + text + "};\n")}}, VolatileAccess::kPlain,
                 [&](std::string_view name, const std::string& support) {
                   compiled.emplace_back(name);
                   return compile(std::string(name), support);
                 });
    ASSERT_FALSE(compiled.empty()) << file.name;
    EXPECT_EQ(compiled.front(), file.name);
  }
}

TEST(CSupport, NothingIsLinkedThatIsNotCalled) {
  link_program({{"user.c", compile("user.c", "#include <pthread.h>\nint main(void) { return 0; }\n")}},
               VolatileAccess::kPlain, [](std::string_view, const std::string&) -> std::string {
                 ADD_FAILURE() << "a file is compiled";
                 return "";
               });
}

TEST(CSupport, AProgramsOwnFunctionComesFirst) {
  const testing::CRun run = testing::run_c(
      "#include <semaphore.h>\nint n;\nint sem_post(sem_t* s) { n = 5; return 0; }\n"
      "int main(void) { sem_t s; sem_post(&s); }\n");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("n"), 5);
}

TEST(CSupport, UnlockingWhatIsNotLockedIsAnError) {
  for (const char* text : {"pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; pthread_rwlock_unlock(&l);",
                           "pthread_spinlock_t l; pthread_spin_init(&l, 0); pthread_spin_unlock(&l);"})
    EXPECT_NE(testing::run_c(std::string("#include <pthread.h>\nint main(void) {") + text + "}\n").error, "")
        << text;
}

// Initialised by a macro or by a constructor, without a call that names the kind.
TEST(CSupport, KindsOfMutexesWithoutAttributes) {
  const std::string begin =
      "#define _GNU_SOURCE\n#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n";
  const auto run = [&](const std::string& kind, const std::string& body) {
    return testing::run_c(begin + "pthread_mutex_t m = PTHREAD_" + kind + "MUTEX_INITIALIZER" +
                          (kind.empty() ? "" : "_NP") + ";\nint main(void) {" + body + "}\n");
  };
  const std::string twice =
      "pthread_mutex_lock(&m); assert(pthread_mutex_lock(&m) == 0); pthread_mutex_unlock(&m);\n"
      "pthread_mutex_unlock(&m); assert(pthread_mutex_trylock(&m) == 0);";
  EXPECT_EQ(run("RECURSIVE_", twice).error, "");
  EXPECT_TRUE(run("RECURSIVE_", twice).all_ended);
  EXPECT_FALSE(run("ADAPTIVE_", twice).all_ended);
  EXPECT_FALSE(run("", twice).all_ended);
  EXPECT_EQ(run("ERRORCHECK_", "pthread_mutex_lock(&m); assert(pthread_mutex_lock(&m) == EDEADLK);").error,
            "");
  EXPECT_NE(run("RECURSIVE_", "pthread_mutex_unlock(&m);").error, "");
  for (const char* name : {"recursive_mutex", "recursive_timed_mutex"}) {
    const testing::CRun in_cpp = testing::run_c(
        "#include <cassert>\n#include <mutex>\nstd::" + std::string(name) +
            " global;\nint main() { std::lock_guard a(global); std::lock_guard b(global);\n  std::" + name +
            " local; local.lock(); assert(local.try_lock()); local.unlock(); local.unlock(); }\n",
        "test.cpp");
    EXPECT_EQ(in_cpp.error, "") << name;
    EXPECT_TRUE(in_cpp.all_ended) << name;
  }
}

TEST(CSupport, WhatIsNotSupportedIsSaid) {
  const auto error = [](const std::string& statement) {
    return testing::run_c(
               "#include <poll.h>\n#include <pthread.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
               "#include <linux/futex.h>\nint w;\nint main(void) {" +
               statement + "}\n")
        .error;
  };
  const std::string ours = "Fenceline does not support";
  EXPECT_NE(error("struct pollfd f; poll(&f, 1, 0);").find(ours), std::string::npos);
  EXPECT_NE(error("pthread_key_t k; pthread_key_create(&k, pthread_exit);").find(ours), std::string::npos);
  EXPECT_NE(error("syscall(SYS_gettid);").find(ours), std::string::npos);
  EXPECT_NE(error("syscall(SYS_futex, &w, FUTEX_REQUEUE, 1, 0);").find(ours), std::string::npos);
  EXPECT_EQ(error("syscall(SYS_futex, &w, FUTEX_WAIT, 1, 0);"), "");
}

TEST(CFlags, WhichReachTheCompiler) {
  for (const char* flag : {"-fshort-enums", "-fms-extensions", "-mcx16", "-funsigned-char", "-fno-builtin"})
    EXPECT_EQ(use_of_flag(flag), FlagUse::kPassed) << flag;
  for (const char* flag :
       {"-Wall", "-Werror=vla", "-fPIC", "-flto", "-fno-inline", "-mtune=native", "-Wl,-z,now"})
    EXPECT_EQ(use_of_flag(flag), FlagUse::kIgnored) << flag;
  for (const char* flag : {"-fplugin=x.so", "-fsanitize=thread", "-Wp,-MD,x.d", "-mllvm", "-ftime-trace"})
    EXPECT_EQ(use_of_flag(flag), FlagUse::kRejected) << flag;
}

}  // namespace
}  // namespace fenceline::frontend::c
