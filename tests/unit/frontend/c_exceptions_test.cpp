// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exceptions, and what else of C++ happens beside the program's own text: static variables, destructors at the
// end, the library that is not in headers.
#include <gtest/gtest.h>

#include "frontend/c/process.h"
#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

Value result_of(const std::string& text) {
  const CRun run = run_c(text, "test.cpp");
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.all_ended);
  return run.at("r");
}

std::string error_of(const std::string& text) { return run_c(text, "test.cpp").error; }

TEST(CExceptions, HandlersByType) {
  const std::string thrower =
      "#include <stdexcept>\nint r;\n"
      "struct Count { ~Count() { r += 1000; } };\n"
      "struct Mine : std::runtime_error { int code = 3; using std::runtime_error::runtime_error; };\n"
      "int thrower(int k) { Count c; if (k == 1) throw Mine(\"one\"); if (k == 2) throw 7;\n"
      "  if (k == 3) throw std::out_of_range(\"three\"); return k; }\n"
      "int inner(int k) { try { return thrower(k); } catch (const Mine& e) { return 10 + e.code; }\n"
      "  catch (int i) { return i; } }\n"
      "int outer(int k) { try { return inner(k); } catch (std::logic_error&) { return 99; } }\n";
  EXPECT_EQ(result_of(thrower + "int main() { r += outer(0); }"), 1000);
  EXPECT_EQ(result_of(thrower + "int main() { r += outer(1); }"), 1013);
  EXPECT_EQ(result_of(thrower + "int main() { r += outer(2); }"), 1007);
  EXPECT_EQ(result_of(thrower + "int main() { r += outer(3); }"), 1099);
  EXPECT_NE(error_of(thrower + "int main() { r += inner(3); }").find("not caught: std::out_of_range"),
            std::string::npos);
}

TEST(CExceptions, ThrownAgain) {
  const std::string text =
      "int r; struct A { int x; }; struct B : A { B() : A{5} {} };\n"
      "void thrower(int k) { if (k == 0) throw B(); if (k == 1) throw 8; }\n"
      "void middle(int k) { try { thrower(k); } catch (...) { r += 100; throw; } }\n"
      "int outer(int k) { try { middle(k); } catch (A& a) { return a.x; } catch (int c) { return c; }\n"
      "  return 0; }\n";
  EXPECT_EQ(result_of(text + "int main() { r += outer(0); }"), 105);
  EXPECT_EQ(result_of(text + "int main() { r += outer(1); }"), 108);
  EXPECT_EQ(result_of(text + "int main() { r += outer(2); }"), 0);
  EXPECT_NE(error_of(text + "int main() { middle(0); }").find("not caught"), std::string::npos);
}

// What another handler of the same function takes is no reason to end where the object is created.
TEST(CExceptions, ThrownAgainBesideAnotherType) {
  EXPECT_EQ(
      result_of("int r; struct A { int x; };\n"
                "int other(int k) { try { throw k; } catch (int i) { return i; } }\n"
                "int main() { r = other(4);\n"
                "  try { try { throw A{9}; } catch (A& a) { a.x++; throw; } } catch (A& a) { r += a.x; } }"),
      14);
}

TEST(CExceptions, ThroughPointers) {
  EXPECT_EQ(
      result_of("int r; void bad() { throw 4; } void good() {} void (*table[2])() = {good, bad};\n"
                "int main() { for (auto f : table) try { f(); r += 1; } catch (int i) { r += 10 * i; } }"),
      41);
}

TEST(CExceptions, NotCaught) {
  EXPECT_NE(error_of("int main() { throw 1; }").find("an exception is thrown and not caught: int"),
            std::string::npos);
  // Nothing leaves a function that must not be left so.
  EXPECT_NE(error_of("void f() noexcept { throw 1; }\nint main() { try { f(); } catch (int) {} }"), "");
  EXPECT_NE(error_of("#include <vector>\nint main() { std::vector<int> v(2); return v.at(2); }"), "");
}

TEST(CExceptions, AssumedAway) {
  const frontend::c::TemporaryFolder folder;
  folder.write("test.cpp", "int r; int main() { r = 1; if (r) throw 1; r = 2; }");
  frontend::COptions options;
  options.compile.uncaught = frontend::UncaughtException::kAssumedAway;
  frontend::CSource source(read_source_file(folder.path() + "/test.cpp"), options);
  const CRun run = run_c(source.lower(CompilationScheme::kFences).program);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.at("r"), 1);
}

// What the operand of `throw` does comes first: it may throw something else, or end the program.
TEST(CExceptions, OperandsOfThrow) {
  const std::string head =
      "#include <cstdlib>\n#include <string>\n#include <stdexcept>\nint r; struct E { int v; E(int k) : v(k) "
      "{} };\n"
      "int other(int k) { r = k; if (k) throw 7; return k; } int leave(int k) { r = k; if (k) std::exit(0); "
      "return k; }\n";
  EXPECT_EQ(
      result_of(head +
                "int main(int n, char**) { try { throw E(other(n)); } catch (int i) { r = 10 * i + n; } }"),
      71);
  EXPECT_EQ(result_of(head + "int main(int n, char**) { throw E(leave(n)); }"), 1);
  EXPECT_NE(error_of(head + "int main(int n, char**) { try { throw E(other(n - 1)); } catch (int) {} }")
                .find("not caught: E"),
            std::string::npos);
  // Whatever is thrown there ends the program: nothing of it has to be known.
  EXPECT_NE(
      error_of(head + "int main(int n, char**) { throw std::runtime_error(\"no \" + std::to_string(n)); }")
          .find("not caught: std::runtime_error"),
      std::string::npos);
}

TEST(CExceptions, CopiesOfWhatIsCaught) {
  EXPECT_EQ(
      result_of("int r; struct A { int v; A(int k) : v(k) {} A(const A& o) : v(o.v + 10) {} };\n"
                "int main() { try { try { throw A(1); } catch (A a) { r = a.v; throw; } } catch (A& a) {\n"
                "  r = 100 * r + a.v; } }"),
      1101);
}

TEST(CExceptions, EnumsAndOtherTypes) {
  EXPECT_EQ(result_of("int r; enum class C { a, b }; struct X {};\n"
                      "int main() { try { throw C::b; } catch (X&) { r = 1; } catch (int) { r = 2; }\n"
                      "  catch (C c) { r = c == C::b ? 3 : 4; } }"),
            3);
}

// If the function throws, the next call of std::call_once calls its own.
TEST(CExceptions, CallOnce) {
  EXPECT_EQ(result_of("#include <mutex>\nint r; std::once_flag f; void once(int k) {\n"
                      "  try { std::call_once(f, [=] { r = 10 * r + k; if (k < 3) throw 1; }); }\n"
                      "  catch (int) { r = 10 * r; } }\n"
                      "int main() { once(1); once(2); once(3); once(4); }"),
            10203);
}

TEST(CExceptions, NotInTheWay) {
  EXPECT_EQ(result_of("int r; struct D { ~D() { r += 1; } };\n"
                      "int main() { try { D d; r = 10; } catch (...) { r = 0; } }"),
            11);
}

// What is behind a call that always throws, or ends the program, is never executed.
TEST(CExceptions, FunctionsThatNeverReturn) {
  const std::string fail = "int r; void fail() { throw 1; }\n";
  EXPECT_EQ(result_of(fail + "int main() { try { fail(); r += 10; } catch (int i) { r += i; } r += 100; }"),
            101);
  EXPECT_EQ(
      result_of(
          "#include <cstdlib>\nint r; void leave() { std::exit(0); }\n"
          "struct D { ~D() { r += 10; } };\n"
          "int main() { r = 3; try { D d; leave(); leave(); r += 1; } catch (...) { r = 2; } r += 1; }"),
      3);
  EXPECT_EQ(result_of("int r; void again() { throw; }\n"
                      "int main() { try { try { throw 5; } catch (...) { again(); r = 1; } } catch (int i) { "
                      "r += i; } }"),
            5);
  EXPECT_EQ(result_of("#include <cstdlib>\nint r; struct A { A() { r += 1; std::exit(0); } } a; struct B { "
                      "B() { r += 2; } "
                      "} b;\nint main() { r += 4; }"),
            1);
  EXPECT_NE(error_of("struct A { ~A() noexcept(false) { throw 2; } };\n"
                     "int main() { try { A a; throw 1L; } catch (long) {} catch (int) {} }"),
            "");
  EXPECT_NE(error_of("#include <cassert>\nstruct A { A() { assert(0); } } a, b;\nint main() {}"), "");
}

TEST(CExceptions, EndOfAThread) {
  EXPECT_EQ(
      result_of("#include <pthread.h>\nint r; struct D { ~D() { r += 100; } };\n"
                "void leave() { r += 1; pthread_exit(nullptr); }\n"
                "void* run(void*) { { D d; } leave(); r = 6; return nullptr; }\n"
                "int main() { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); r += 10; }"),
      111);
}

TEST(CExceptions, Rejected) {
  const std::string complaint = complaint_about_c(
      "int n; struct E { ~E() { ++n; } };\nint main() { try { throw E(); } catch (E&) {} }", "test.cpp");
  EXPECT_NE(complaint.find("an exception that is caught, and whose destructor"), std::string::npos)
      << complaint;
}

TEST(CStatics, InitialisedOnce) {
  EXPECT_EQ(
      result_of("#include <thread>\n#include <mutex>\nint r; std::mutex m;\n"
                "struct S { int v; S(int x) : v(x) { r += 100; } };\n"
                "int get(int x) { static S s(x); return s.v; }\n"
                "int main() { int a = get(4); std::thread t([] { std::lock_guard l(m); r += get(5); });\n"
                "  t.join(); r += a; }"),
      108);
}

TEST(CStatics, DestructorsInReverseOrder) {
  EXPECT_EQ(result_of("int r; struct D { int v; D(int x) : v(x) {} ~D() { r = 10 * r + v; } };\n"
                      "D first(1), second(2); D& third() { static D d(3); return d; }\n"
                      "D& fourth() { static D d(4); return d; }\n"
                      "int main() { fourth(); third(); }"),
            3421);
  // exit() runs them, too; what was never initialised is not destroyed.
  EXPECT_EQ(
      result_of(
          "#include <cstdlib>\nint r; struct D { int v; D(int x) : v(x) {} ~D() { r = 10 * r + v; } };\n"
          "D first(1); D& never() { static D d(9); return d; }\n"
          "int main(int argc, char**) { if (r == 0) std::exit(0); never(); r = 5; }"),
      1);
}

// The order is that in which constructors have ended, whatever kinds of variables they are of.
TEST(CStatics, DestructorsOfAllKinds) {
  const std::string head =
      "#include <cstdlib>\nint r; struct D { int v; D(int x) : v(x) {} ~D() { r = 10 * r + v; } };\n";
  // A variable of a function that the constructor of a global variable makes.
  EXPECT_EQ(
      result_of(head +
                "D& inner() { static D d(1); return d; }\n"
                "struct E { E() { inner(); } ~E() { r = 10 * r + 2; } } outer; D last(3); int main() {}"),
      321);
  // Initialisers with branches, and of inline variables.
  EXPECT_EQ(result_of(head + "int n = 1; inline D a(1); D b(n ? 2 : 4); D c(3); int main() {}"), 321);
  EXPECT_EQ(
      result_of(head +
                "__attribute__((init_priority(300))) D a(1); __attribute__((init_priority(200))) D b(2);\n"
                "D c(3); int main() {}"),
      312);
  // With functions for atexit(), and while others run.
  EXPECT_EQ(
      result_of(head +
                "struct E { E() { std::atexit([] { r = 10 * r + 1; }); } ~E() { r = 10 * r + 2; } } e;\n"
                "int main() { static D d(3); std::atexit([] { static D late(5); r = 4; }); }"),
      4532 * 10 + 1);
  EXPECT_EQ(
      result_of(head +
                "struct E { ~E() { static D late(5); r = 10 * r + 2; } }; D first(1); E e; int main() {}"),
      251);
  // A constructor that ends the process: what has not been constructed is not destroyed.
  EXPECT_EQ(result_of(head + "D a(1); struct E { E() { r = 7; std::exit(0); } ~E() { r = 0; } } e; D b(2);\n"
                             "int main() { r = 0; }"),
            71);
  EXPECT_EQ(
      result_of(head + "D a(1); void (*volatile leave)(int) = std::exit; int main() { r = 7; leave(0); }"),
      71);
}

TEST(CLibraryOfCpp, Headers) {
  EXPECT_EQ(
      result_of("#include <array>\n#include <functional>\n#include <future>\n#include <iostream>\n"
                "#include <memory>\n#include <optional>\n#include <utility>\n#include <vector>\n"
                "#include <barrier>\n#include <condition_variable>\n#include <latch>\n#include <semaphore>\n"
                "#include <shared_mutex>\n#include <stop_token>\n#include <thread>\n"
                "int r; struct S { virtual int get() { return 3; } virtual ~S() = default; };\n"
                "int main() { std::unique_ptr<S> p = std::make_unique<S>();\n"
                "  std::function<int(int)> f = [&](int k) { return k + p->get(); };\n"
                "  std::optional<int> o; o = 40; std::pair<int, int> q{100, 200};\n"
                "  std::array<int, 2> a{1000, 2000};\n"
                "  std::cout << \"text \" << 3 << std::endl;\n"
                "  r = f(4) + *o + q.first + a[0]; }"),
      1147);
}

}  // namespace
}  // namespace fenceline::testing
