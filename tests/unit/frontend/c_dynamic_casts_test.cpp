// SPDX-License-Identifier: GPL-3.0-or-later
//
// dynamic_cast to derived classes, to other base classes of the object, of references, and in constructors.
#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

const char* const kClasses = R"(
  #include <typeinfo>
  struct A { int a = 1; virtual ~A() {} };
  struct B { int b = 2; virtual ~B() {} };
  struct C : A { int c = 3; };
  struct D : A, B { int d = 4; };
  struct E : D { int e = 5; };
  struct F : B { int f = 6; };
  int result;
)";

CRun run(const std::string& text) { return run_c(kClasses + text, "test.cpp"); }

void expect_result(const std::string& text, Value value) {
  const CRun done = run(text);
  EXPECT_EQ(done.error, "") << text;
  EXPECT_EQ(done.at("result"), value) << text;
}

TEST(CDynamicCasts, ToDerivedClasses) {
  expect_result(R"(
    int main() {
      A a; C c; D d; E e;
      A* all[4] = {&a, &c, &d, &e};
      for (A* one : all) {
        if (C* it = dynamic_cast<C*>(one)) result += it->c;
        if (D* it = dynamic_cast<D*>(one)) result += 10 * it->d;
        if (E* it = dynamic_cast<E*>(one)) result += 100 * it->e;
      }
    })",
                583);
}

// The part that is wanted lies elsewhere in the object.
TEST(CDynamicCasts, ToOtherParts) {
  expect_result(R"(
    int main() {
      C c; D d; E e; F f;
      A* all[3] = {&c, &d, &e};
      for (A* one : all)
        if (B* it = dynamic_cast<B*>(one)) result += it->b;
      B* others[3] = {&d, &e, &f};
      for (B* one : others) {
        if (A* it = dynamic_cast<A*>(one)) result += 10 * it->a;
        if (E* it = dynamic_cast<E*>(one)) result += 100 * it->e;
      }
      B* none = nullptr;
      if (dynamic_cast<A*>(none)) result = -1;
    })",
                524);
}

TEST(CDynamicCasts, OfReferences) {
  expect_result(R"(
    int main() {
      E e;
      A& one = e;
      result = dynamic_cast<B&>(one).b + dynamic_cast<E&>(one).e;
    })",
                7);
  EXPECT_NE(run("int main() { C c; A& one = c; result = dynamic_cast<D&>(one).d; }").error, "");
}

// The class of an object under construction is the one whose constructor runs.
TEST(CDynamicCasts, InConstructors) {
  expect_result(R"(
    struct Derived;
    int is_derived(A* one);
    struct Base : A { Base() { result += is_derived(this); } };
    struct Derived : Base { Derived() { result += 10 * is_derived(this); } };
    int is_derived(A* one) { return dynamic_cast<Derived*>(one) != nullptr; }
    int main() { Derived derived; })",
                10);
}

}  // namespace
}  // namespace fenceline::testing
