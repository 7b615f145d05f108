// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_symmetric.h"

#include <fmt/format.h>

#include <cstdint>

namespace fenceline::fuzz {
namespace {

std::string statement(Rng& rng, uint64_t variables) {
  const std::string x = fmt::format("x{}", rng.below(variables));
  const std::string r = rng.chance(50) ? "a" : "b";
  const uint64_t value = 1 + rng.below(2);
  switch (rng.below(15)) {
    case 0:
      return fmt::format("  {} = {};\n", x, value);
    case 1:
    case 2:
      return fmt::format("  {} = {};\n", r, x);
    case 3:
      return fmt::format("  {} = {} + 1;\n", x, r);
    case 4:
      return fmt::format("  if ({} == {}) {{ {} = {}; }}\n", r, value, x, value + 1);
    case 5:
      return fmt::format("  {} = xchg({}, {});\n", r, x, value);
    case 6:
      return fmt::format("  {} = cas({}, {}, {});\n", r, x, rng.below(2), value);
    case 7:
    case 8:
      return fmt::format("  {} = fetch_add({}, 1);\n", r, x);
    case 9:
      return fmt::format(
          "  choose {{\n    {0} = cas/*value*/({1}, 0, {2});\n    assume/*guess*/({0} == 0);\n  }} or {{\n   "
          " {0} = "
          "{1};\n    assume/*guess*/({0} != 0);\n  }}\n",
          r, x, value);
    case 10:
      return fmt::format("  {0} = {1}; while ({0} == 0) {{ {0} = {1}; }}\n", r, x);
    case 11:  // a test-and-set lock
      return fmt::format("  {0} = xchg({1}, 1); while ({0} == 1) {{ {0} = xchg({1}, 1); }}\n  {1} = 0;\n", r,
                         x);
    case 12:
      return fmt::format("  {} = 0;\n", x);
    case 13:  // an address that depends on a read
      return rng.chance(50) ? fmt::format("  {} = y[{}];\n", r, rng.chance(50) ? "a" : "b")
                            : fmt::format("  y[{}] = {};\n", r, value);
    default:
      return rng.chance(50) ? fmt::format("  havoc {} in 0..1;\n", r) : std::string("  fence;\n");
  }
}

// Of a thread with a node: `me` points to it, `q` is another pointer. Pointers are indices of `next` and `flag`, and are in
// the cells p0 and p1, too.
std::string statement_on_nodes(Rng& rng, uint64_t variables) {
  const std::string p = fmt::format("p{}", rng.below(2)), x = fmt::format("x{}", rng.below(variables));
  const std::string m = rng.chance(60) ? "me" : "q", r = rng.chance(50) ? "a" : "b";
  switch (rng.below(20)) {
    case 0:
      return fmt::format("  next[me] = {};\n", rng.chance(50) ? "0" : "q");
    case 1:
      return fmt::format("  flag[me] = {};\n", rng.below(2));
    case 2:
      return fmt::format("  q = next[{}];\n", m);
    case 3:
    case 4:
      return fmt::format("  {} = flag[{}];\n", r, m);
    case 5:
      return fmt::format("  q = {};\n", p);
    case 6:
      return fmt::format("  {} = {};\n", p, m);
    case 7:
    case 8:
    case 9:
      return fmt::format("  q = xchg({}, {});\n", p, m);
    case 10:
      return fmt::format("  q = cas/*value*/({}, {}, {});\n", p, rng.chance(50) ? "0" : "q", m);
    case 11:
      return fmt::format("  b = cas({}, {}, {});\n", p, rng.chance(50) ? "0" : "me",
                         rng.chance(50) ? "0" : m);
    case 12:
    case 13:
      return "  if (q != 0) { next[q] = me; }\n";
    case 14:
    case 15:
      return fmt::format("  if (q {}= 0) {{ flag[q] = {}; }}\n", rng.chance(80) ? "!" : "=",
                         1 + rng.below(2));
    case 16:
      return fmt::format("  if (q == me) {{ {} = 1; }}\n", x);
    case 17:
      return fmt::format("  {0} = flag[{1}]; while ({0} == 0) {{ {0} = flag[{1}]; }}\n", r, m);
    default:
      return statement(rng, variables);
  }
}

// Something that nodes cannot be renamed with.
std::string misuse_of_nodes(Rng& rng) {
  switch (rng.below(9)) {
    case 0:
      return "  x0 = me - 1;\n";
    case 1:
      return "  flag[2] = 1;\n";
    case 2:
      return "  p0 = 1;\n";
    case 3:
      return "  if (q < me) { x0 = 2; }\n";
    case 4:
      return "  a = fetch_add(p0, 1);\n";
    case 5:
      return "  a = me;\n  x0 = a + 1;\n";
    case 6:
      return "  b = flag[me - 1];\n";
    case 7:
      return "  if (q == 2) { x0 = 2; }\n";
    default:
      return "  b = x0;\n  flag[b] = 1;\n";
  }
}

// ---- Starting and joining

std::string fence(Rng& rng, unsigned percent) {
  if (!rng.chance(percent)) return "";
  const uint64_t kind = rng.below(20);
  return kind == 0 ? "  sfence;\n" : kind == 1 ? "  lfence;\n" : "  fence;\n";
}

// How M starts and joins one thread, and what the thread does before and behind its body; {} is the number of the thread.
struct Starting {
  std::string start, join, head, tail;
};

// What a thread gets from M.
enum class Argument : uint8_t { kNone, kNumber, kNode };

std::string argument_store(Argument argument) {
  switch (argument) {
    case Argument::kNone:
      break;
    case Argument::kNumber:
      return "  g[{}] = 1;\n";
    case Argument::kNode:
      return "  g[{}] = {}+1;\n";
  }
  return "";
}
std::string argument_load(Argument argument) {
  switch (argument) {
    case Argument::kNone:
      break;
    case Argument::kNumber:
      return "  a = g[{}];\n";
    case Argument::kNode:
      return "  me = g[{}];\n";
  }
  return "";
}

Starting random_starting(Rng& rng, Argument argument, bool fenced) {
  const unsigned seldom = fenced ? 20 : 0, often = fenced ? 75 : 0;
  Starting result;
  result.start = fence(rng, seldom);
  result.start += argument_store(argument);
  result.start += "  h[{}] = {}+1;\n";
  result.start +=
      fence(rng, often) + (rng.chance(4) ? "  s[{}] = 1 + 0 * b;\n" : "  s[{}] = 1;\n") + fence(rng, seldom);
  if (argument == Argument::kNumber && rng.chance(5)) result.start += "  g[{}] = 2;\n";
  result.join =
      fence(rng, seldom) + (rng.chance(50) ? "  k{} = h[{}];\n  a = d[k{}];\n" : "  a = d[{}+1];\n");
  result.join += (rng.chance(3) ? "" : "  assume/*wait*/(a == 1);\n") + fence(rng, often);
  result.head = std::string("  b = s[{}];\n") + (rng.chance(95) ? "  assume/*wait*/(b == 1);\n" : "");
  result.head += fence(rng, 60);
  result.head += argument_load(argument);
  result.tail = fence(rng, 60) + "  d[{}+1] = 1;\n";
  return result;
}

// As the C front end does it for processors.
Starting fenced_starting(Argument argument) {
  Starting result;
  result.start = argument_store(argument) + "  h[{}] = {}+1;\n  fence;\n  s[{}] = 1;\n";
  result.join = "  k{} = h[{}];\n  a = d[k{}];\n  assume/*wait*/(a == 1);\n  fence;\n";
  result.head = "  b = s[{}];\n  assume/*wait*/(b == 1);\n  fence;\n" + argument_load(argument);
  result.tail = "  fence;\n  d[{}+1] = 1;\n";
  return result;
}

std::string of_thread(std::string text, uint64_t thread) {
  for (size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}"))
    text.replace(at, 2, fmt::format("{}", thread));
  return text;
}

// The same but for one detail.
Starting other_starting(Rng& rng, Argument argument, const Starting& usual) {
  if (rng.chance(50)) return random_starting(rng, argument, true);
  Starting other = usual;
  std::string& text = rng.chance(50) ? other.start : other.join;
  const std::string fence = "  fence;\n";
  const size_t at = text.find(fence);
  if (at == std::string::npos)
    text += fence;
  else
    text.erase(at, fence.size());
  return other;
}

// Most of the time M does the same for each thread; else something may be different for one of them.
std::string starter(Rng& rng, uint64_t threads, uint64_t variables, Argument argument,
                    const Starting& usual) {
  std::string text = "thread M {\n  local int a = 0;\n  local int b = 0;\n  local int r = 0;\n", joins;
  for (uint64_t t = 0; t < threads; ++t) text += fmt::format("  local int k{} = 0;\n", t);
  const bool unfair = rng.chance(8);
  const uint64_t other = rng.chance(30) ? rng.below(threads) : threads;
  if (rng.chance(70)) text += fmt::format("  x{} = {};\n", rng.below(variables), 1 + rng.below(3));
  if (rng.chance(20)) text += statement(rng, variables);
  for (uint64_t t = 0; t < threads; ++t) {
    const Starting how = t == other ? other_starting(rng, argument, usual) : usual;
    text += of_thread(how.start, t);
    if (unfair) text += statement(rng, variables);
    joins += of_thread(how.join, t);
  }
  if (rng.chance(30)) text += statement(rng, variables);
  if (rng.chance(90)) text += joins;
  if (argument == Argument::kNode && rng.chance(30))
    text += rng.chance(70) ? "  r = p0;\n  b = flag[r];\n" : "  b = flag[1];\n";
  for (uint64_t n = 1 + rng.below(2); n > 0; --n)
    text += rng.chance(60) ? fmt::format("  b = x{};\n", rng.below(variables)) : statement(rng, variables);
  return text + "}\n";
}

}  // namespace

std::string random_symmetric(Rng& rng) {
  const bool started = rng.chance(75), own = rng.chance(20);
  const Argument argument = !started         ? Argument::kNone
                            : rng.chance(45) ? Argument::kNode
                            : rng.chance(60) ? Argument::kNumber
                                             : Argument::kNone;
  const bool nodes = argument == Argument::kNode;
  const uint64_t threads = 2 + (rng.chance(60) ? 0 : 1 + rng.below(nodes ? 1 : 2));
  const uint64_t variables = 1 + rng.below(2);
  std::string text, body;
  for (uint64_t v = 0; v < variables; ++v) text += fmt::format("shared int x{} = 0;\n", v);
  text += "shared int y[4];\nshared int s[4];\nshared int d[5];\nshared int g[4];\nshared int h[4];\n";
  text += rng.chance(5) ? "shared int own[4] = {0, 1};\n" : "shared int own[4];\n";
  text += fmt::format("shared int p0 = {};\nshared int p1 = 0;\n", rng.chance(4) ? 1 : 0);
  text += rng.chance(3) ? "shared int next[5] = {0, 1};\n" : "shared int next[5];\n";
  text += rng.chance(3) ? "shared int flag[5] = {0, 0, 1};\n" : "shared int flag[5];\n";
  Starting starting;
  if (started) {
    starting = rng.chance(50) ? fenced_starting(argument) : random_starting(rng, argument, rng.chance(60));
    text += starter(rng, threads, variables, argument, starting);
    if (rng.chance(8)) starting.head = statement(rng, variables) + starting.head;
    if (rng.chance(8)) starting.head += statement(rng, variables) + "  b = s[{}];\n";
    if (rng.chance(5)) starting.tail = "  d[{}+1] = 1;\n" + statement(rng, variables) + starting.tail;
  }
  if (own && rng.chance(70)) starting.head += "  own[{}] = 1;\n";
  if (own) starting.tail = "  a = own[{}];\n  own[{}] = b;\n" + starting.tail;
  if (nodes && rng.chance(40)) body = "  flag[me] = 1;\n";
  if (nodes && rng.chance(40)) body += "  q = xchg(p0, me);\n";
  if (!nodes && rng.chance(40)) body = fmt::format("  b = fetch_add(x{}, 1);\n", rng.below(variables));
  for (uint64_t n = 1 + rng.below(threads == 2 ? 3 : threads == 3 ? 2 : 1); n > 0; --n)
    body += nodes ? statement_on_nodes(rng, variables) : statement(rng, variables);
  if (nodes && rng.chance(12)) body += misuse_of_nodes(rng);
  // Which thread has been started matters after they have been told apart.
  if (started && !nodes && variables == 2 && rng.chance(6)) {
    starting.head = "  b = fetch_add(x0, 1);\n";
    starting.head += "  if (b == 0) { a = x1; b = s[{}]; } else { b = s[{}]; x1 = b; }\n";
    body.clear();
  }
  std::string locals = "  local int a = 0;\n  local int b = 0;\n";
  if (nodes) locals += "  local int me = 0;\n  local int q = 0;\n";
  for (uint64_t t = 0; t < threads; ++t)
    text += fmt::format("thread P{} {{\n{}{}{}{}}}\n", t, locals, of_thread(starting.head, t), body,
                        of_thread(starting.tail, t));
  if (rng.chance(started ? 10 : 40))
    text += "thread Q {\n" + locals + statement(rng, variables) + statement(rng, variables) + "}\n";
  return text + "property p: never (x0 == 99);\n";
}

}  // namespace fenceline::fuzz
