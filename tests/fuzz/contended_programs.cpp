// SPDX-License-Identifier: GPL-3.0-or-later
#include "contended_programs.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <vector>

#include "random_property.h"

namespace fenceline::fuzz {
namespace {

// A compare-exchange of C whose order depends on whether it succeeds, a weak one at times.
std::string guessed_exchange(Rng& rng, const std::string& x, const std::string& r, uint64_t value) {
  const uint64_t expected = rng.below(2);
  const std::string otherwise =
      rng.chance(70) ? fmt::format("assume/*guess*/({} != {});", r, expected) : std::string();
  return fmt::format(
      "  choose {{\n    {0} = cas/*value*/({1}, {2}, {3});\n    assume/*guess*/({0} == {2});\n  }} or {{\n   "
      " {0} = "
      "{1};\n    {4}\n  }}\n",
      r, x, expected, value, otherwise);
}

// A few statements per thread about the same variables.
std::string dense_text(Rng& rng) {
  const uint64_t threads = 2 + rng.below(3), variables = 1 + rng.below(2);
  std::string text;
  for (uint64_t v = 0; v < variables; ++v) text += fmt::format("shared int x{} = 0;\n", v);
  for (uint64_t t = 0; t < threads; ++t) {
    text += fmt::format("thread P{} {{\n  local int a = 0;\n  local int b = 0;\n", t);
    const uint64_t statements = 1 + rng.below(threads == 2 ? 4 : threads == 3 ? 3 : 2);
    for (uint64_t s = 0; s < statements; ++s) {
      const std::string x = fmt::format("x{}", rng.below(variables));
      const std::string r = rng.chance(50) ? "a" : "b";
      const uint64_t value = 1 + rng.below(2);
      switch (rng.below(12)) {
        case 0:
        case 1:
          text += fmt::format("  {} = {};\n", x, value);
          break;
        case 2:
        case 3:
          text += fmt::format("  {} = {};\n", r, x);
          break;
        case 4:
          text += fmt::format("  {} = {} + {};\n", x, r, value);
          break;
        case 5:
          text += fmt::format("  if ({} == {}) {{ {} = {}; }}\n", r, value, x, value + 1);
          break;
        case 6:
          text += fmt::format("  {} = xchg({}, {});\n", r, x, value);
          break;
        case 7:
          text += fmt::format("  {} = cas({}, {}, {});\n", r, x, rng.below(2), value);
          break;
        case 8:
          text += fmt::format("  {} = fetch_add({}, 1);\n", r, x);
          break;
        case 9:
        case 10:
          text += guessed_exchange(rng, x, r, value);
          break;
        default:
          text += rng.chance(50) ? fmt::format("  havoc {} in 0..1;\n", r) : std::string("  fence;\n");
          break;
      }
    }
    text += "}\n";
  }
  return text + fmt::format("property p: finally (x0 != {} || P0.a != {} || P1.b != {});\n", 1 + rng.below(2),
                            rng.below(3), rng.below(2));
}

// What may stand between a load of `from` and a store to `to`: all that orders them, and all that only looks like it.
// Values do not grow: the enumeration wants few.
std::string between(Rng& rng, const std::string& from, const std::string& to, const std::string& own) {
  const std::string& x = rng.chance(50) ? to : from;
  const char* r = rng.chance(50) ? "a" : "b";
  switch (rng.below(21)) {
    case 18:  // a load that is ordered behind the first
    case 19:
    case 20:
      return fmt::format("  fence(load-load);\n  b = {};\n", rng.chance(70) ? x : "z[0]");
    case 0:
      return fmt::format("  if ({} == 1) {{ b = 1; }} else {{ b = 2; }}\n", r);
    case 1:
      return rng.chance(50) ? "  fence;\n" : "  fence(load-load, load-store);\n";
    case 2:
      return rng.chance(50) ? "  fence(load-store);\n" : "  fence(store-store);\n";
    case 3:
      return fmt::format("  b = z[{} - {}];\n", r, r);
    case 4:
      return fmt::format("  {} = {} * 0 + 1;\n", x, r);
    case 5:
      return fmt::format("  b = xchg({}, 1);\n", x);
    case 6:
    case 7:
      return fmt::format("  {} = {};\n", r, x);
    case 8:
      return fmt::format("  b = cas({}, {}, 1);\n", x, r);
    case 9:
      return fmt::format("  b = cas({}, 0, {});\n", x, r);
    case 10:
      return "  i = 0; while (i < 2) { b = z[i]; i = (i + 1) % 3; }\n";
    case 11:
      return rng.chance(50) ? "  b = a;\n" : "  a = b;\n";
    case 12:  // through memory that no other thread has
      return fmt::format("  {} = {};\n  b = {};\n", own, r, own);
    case 13:
      return fmt::format("  i = 0; while (i < 2) {{ {} = {} * 0 + 1; {} = z[0]; i = (i + 1) % 3; }}\n", x, r,
                         r);
    case 14:
      return fmt::format("  i = 0; while (i < 2) {{ {} = {}; i = (i + 1) % 3; }}\n", r, x);
    case 15:
      return fmt::format("  b = z[{}];\n", rng.below(2));
    case 16:
      return fmt::format("  z[{}] = {} * 0;\n", rng.below(2), r);
    default:
      return fmt::format("  {} = 1;\n", x);
  }
}

// A node is written and published, and a thread that reads it through its number stores something that the first has
// loaded before (publication.h). Others copy the number, or do what spoils the argument.
std::string publication_text(Rng& rng) {
  const auto maybe = [&rng](unsigned percent, const char* text) {
    return rng.chance(percent) ? std::string(text) : std::string();
  };
  static constexpr const char* kValues[] = {"1", "a * 0 + 1", "b * 0 + 1"};
  static constexpr const char* kPublish[] = {
      "top = 1;",   "b = xchg(top, 1);",       "b = cas(top, 0, 1);",
      "m = 1;",     "i = arg; top = i;",       "i = arg; b = cas(top, 0, i);",
      "top = arg;", "a = xchg(top, 1); m = a;"};
  static constexpr const char* kFind[] = {"a = top;",
                                          "a = top;",
                                          "a = top;",
                                          "a = m;",
                                          "a = fetch_add(top, 0);",
                                          "i = top; a = i;",
                                          "a = cas(top, 0, 2);",
                                          "a = top; if (a == 0) { a = 1; }"};
  static constexpr const char* kOthers[] = {"a = top; m = a;",    "a = m; top = a;",
                                            "n[1] = 2;",          "top = 1;",
                                            "top = 1;",           "a = m; if (a == 0) { a = 1; } top = a;",
                                            "top = 1;",           "a = xchg(m, 2); top = a;",
                                            "n[2] = 1; top = 2;", "a = n[1]; y = 1;",
                                            "a = n[2]; m = a;",   "m = top; y = 1;"};
  const auto one = [&rng](const auto& texts) { return texts[rng.below(std::size(texts))]; };
  const auto thread = [](size_t number, const std::string& text) {
    return fmt::format(
        "thread P{} {{\n  local int a = 0;\n  local int b = 0;\n  local int i = 0;\n  {}\n}}\n", number,
        text);
  };
  std::string text =
      fmt::format("shared int n[3];\nshared int top = {};\nshared int m = 0;\nshared int arg = {};\n",
                  rng.chance(10) ? 1 : 0, rng.chance(70) ? 1 : 0);
  text += "shared int y = 0;\nshared int w = 0;\n";
  std::string writer = fmt::format("a = y;\n  n[1] = {};\n  ", one(kValues)) + maybe(30, "fence;\n  ");
  const char* publish = one(kPublish);
  if (rng.chance(20))  // once more if it has failed
    writer += fmt::format("b = cas(top, 0, 1);\n  if (b == 0) {{ n[1] = {}; b = cas(top, 2, 1); }}\n  ",
                          one(kValues));
  else
    writer += fmt::format("{}\n  ", publish);
  if (rng.chance(20))  // too early
    writer = fmt::format("{}\n  a = y;\n  n[1] = {};\n  ", publish, one(kValues));
  writer += maybe(15, "n[1] = 2;\n  ") + maybe(15, "a = top; m = a;");
  std::string reader = fmt::format("{}\n  ", one(kFind)) + maybe(10, "w = a; a = w;\n  ");
  reader +=
      maybe(20, "m = a; a = m;\n  ") + maybe(15, "if (a == 0) { a = m; }\n  ") + maybe(15, "fence;\n  ");
  reader += fmt::format("b = n[{}];\n  ", rng.chance(85) ? "a" : rng.chance(50) ? "1" : "i");
  reader += rng.chance(70) ? "y = 1;" : "a = m; y = 1;";
  text += thread(0, writer) + thread(1, reader);
  if (rng.chance(60))
    text += thread(2, std::string(one(kOthers)) + maybe(20, " fence; ") + maybe(20, "a = y; b = a;"));
  return text + "property p: finally (P0.a != 1 || P1.a != 1);\n";
}

// The same in little: what lies between the node and its publication, and how its number gets to where it is used.
std::string small_publication_text(Rng& rng) {
  static constexpr const char* kBetween[] = {"",
                                             "fence;",
                                             "fence(store-store);",
                                             "fence(load-store);",
                                             "if (a == 1) { fence; }",
                                             "if (a == 1) { fence; } else { fence(store-store); }",
                                             "i = 0; while (i < 2) { fence; i = (i + 1) % 3; }"};
  static constexpr const char* kPublish[] = {"top = 1;", "b = cas(top, 0, 1);", "b = xchg(top, 1);"};
  static constexpr const char* kFind[] = {"a = top;",
                                          "a = top;",
                                          "a = m;",
                                          "a = top; m = a; a = m;",
                                          "a = top; i = xchg(m, a); a = m;",
                                          "a = top; i = cas(m, 0, a); a = m;",
                                          "a = top; if (a == 1) { m = 1; } a = m;",
                                          "a = m; m = a; a = m;"};
  static constexpr const char* kOthers[] = {"a = top; m = a;", "m = 1;", "a = m; top = a;", "a = m; m = a;"};
  const auto one = [&rng](const auto& texts) { return texts[rng.below(std::size(texts))]; };
  const auto thread = [](size_t number, const std::string& text) {
    return fmt::format(
        "thread P{} {{\n  local int a = 0;\n  local int b = 0;\n  local int i = 0;\n  {}\n}}\n", number,
        text);
  };
  std::string text = "shared int n[3];\nshared int top = 0;\nshared int m = 0;\nshared int y = 0;\n";
  text += thread(0, fmt::format("a = y;\n  n[1] = a * 0 + 1;\n  {}\n  {}", one(kBetween), one(kPublish)));
  text += thread(1, fmt::format("{}\n  b = n[a];\n  y = 1;", one(kFind)));
  if (rng.chance(50)) text += thread(2, one(kOthers));
  return text + "property p: finally (P0.a != 1 || P1.a != 1);\n";
}

}  // namespace

std::string load_buffering_text(Rng& rng) {
  if (rng.chance(50)) return rng.chance(70) ? publication_text(rng) : small_publication_text(rng);
  const uint64_t threads = 2 + rng.below(2);
  const bool waits = rng.chance(20);  // the last thread waits for the first
  std::string text;
  for (uint64_t v = 0; v < threads; ++v)
    text += fmt::format("shared int x{} = 0;\nshared int w{} = 0;\n", v, v);
  text += "shared int z[2];\nshared int done = 0;\n";
  for (uint64_t t = 0; t < threads; ++t) {
    text += fmt::format("thread P{} {{\n  local int a = 0;\n  local int b = 0;\n  local int i = 0;\n", t);
    const std::string from = fmt::format("x{}", t), to = fmt::format("x{}", (t + 1) % threads);
    if (waits && t + 1 == threads)
      text += fmt::format("  b = done;\n  assume(b != 0);\n{}", rng.chance(50) ? "  fence;\n" : "");
    text +=
        rng.chance(70) ? fmt::format("  a = {};\n", from) : fmt::format("  a = fetch_add({}, 0);\n", from);
    for (uint64_t s = rng.below(threads == 2 ? 4 : 3); s > 0; --s)
      text += between(rng, from, to, fmt::format("w{}", t));
    switch (rng.below(5)) {
      case 0:
        text += fmt::format("  {} = 1 + a * 0;\n", to);
        break;
      case 1:
        text += fmt::format("  if (a == b) {{ {} = 1; }}\n", to);
        break;
      case 2:
        text += fmt::format("  {} = 1 + b * 0;\n", to);
        break;
      default:
        text += fmt::format("  {} = 1;\n", to);
        break;
    }
    if (waits && t == 0) text += fmt::format("{}  done = 1;\n", rng.chance(70) ? "  fence;\n" : "");
    text += "}\n";
  }
  return text + "property p: finally (P0.a != 1 || P1.a != 1);\n";
}

std::string waiting_text(Rng& rng) {
  const uint64_t threads = 2 + rng.below(2);
  std::string text = "shared int x = 0;\nshared int f = 0;\nshared int g = 1;\n";
  for (uint64_t t = 0; t < threads; ++t) {
    text += fmt::format("thread P{} {{\n  local int a = 0;\n  local int b = 0;\n  local int n = 0;\n", t);
    for (uint64_t s = 1 + rng.below(3); s > 0; --s) {
      static constexpr const char* kMeanwhile[] = {"",        " a = x;", " n = n + 1;", " a = x; n = a;",
                                                   " x = 1;", " fence;"};
      const char* meanwhile = kMeanwhile[rng.below(std::size(kMeanwhile))];
      switch (rng.below(14)) {
        case 0:
          text += fmt::format("  b = f; while (b == 0) {{{} b = f; }}\n", meanwhile);
          break;
        case 1:
          text += fmt::format("  b = xchg(g, 1); while (b == 1) {{{} b = xchg(g, 1); }}\n", meanwhile);
          break;
        case 2:
          text += fmt::format("  b = cas(f, 1, 2); while (b == 0) {{{} b = cas(f, 1, 2); }}\n", meanwhile);
          break;
        case 3:
        case 4:
          text += fmt::format("  f = {};\n", 1 + rng.below(2));
          break;
        case 5:
          text += "  g = 0;\n";
          break;
        case 6:
          text += "  x = 1;\n";
          break;
        case 7:
          text += "  a = x;\n";
          break;
        case 8:
        case 9:
          text += fmt::format("  while (true) {{{} b = xchg(g, 1); if (b == 0) {{ break; }} }}\n",
                              rng.chance(50) ? "" : meanwhile);
          break;
        case 10:
          text += "  b = 1; while (b == 1) { b = xchg(g, 1); }\n";
          break;
        case 11:
          text += rng.chance(50) ? "  a = g; x = a - a + 1;\n" : "  a = g; if (a == 1) { x = 1; }\n";
          break;
        case 12:
          text += "  a = x; if (a == 1) { g = 1; }\n";
          break;
        default:
          text += "  assert(a == 0 || n == 0);\n";
          break;
      }
    }
    text += "}\n";
  }
  return text + "property p: finally (P0.a != 1 || P1.a != 0);\n";
}

std::string contended_text(Rng& rng) {
  if (rng.chance(10)) return waiting_text(rng);
  if (rng.chance(30)) return load_buffering_text(rng);
  if (rng.chance(60)) return dense_text(rng);
  const uint64_t kind = rng.below(100);
  const Family family = kind < 50 ? Family::kLoopFree : kind < 80 ? Family::kAtomic : Family::kLoops;
  std::string text = random_task(family, rng);
  for (const char* when : {"property p: never", "property p: always"})
    if (const size_t at = text.find(when); at != std::string::npos)
      text.replace(at, std::strlen(when), "property p: finally");
  return text;
}

void tag_accesses(Program& program, const std::string& model, uint64_t seed) {
  using Tags = std::vector<std::vector<std::string>>;
  const bool c11 = model == "rc11", arm = model == "armv8", riscv = model == "riscv";
  const Tags none{{}};
  const Tags loads = c11     ? Tags{{"NA"}, {"RLX"}, {"ACQ"}, {"SC"}}
                     : arm   ? Tags{{}, {"A"}, {"Q"}}
                     : riscv ? Tags{{}, {"Acq"}, {"AcqRel"}}
                             : none;
  const Tags stores = c11     ? Tags{{"NA"}, {"RLX"}, {"REL"}, {"SC"}}
                      : arm   ? Tags{{}, {"L"}}
                      : riscv ? Tags{{}, {"Rel"}, {"AcqRel"}}
                              : none;
  const Tags reads_of_rmw = c11     ? Tags{{"RLX"}, {"ACQ"}, {"SC"}}
                            : arm   ? Tags{{"X"}, {"X", "A"}}
                            : riscv ? Tags{{"AMO"}, {"EX"}, {"AMO", "Acq"}}
                                    : none;
  const Tags writes_of_rmw = c11     ? Tags{{"RLX"}, {"REL"}, {"SC"}}
                             : arm   ? Tags{{"X"}, {"X", "L"}}
                             : riscv ? Tags{{"AMO"}, {"EX"}, {"AMO", "Rel"}}
                                     : none;
  // The load of a compare-exchange that fails is atomic, as all front ends make it. An execution with a wrong guess is
  // discarded; that its load would race is reported by some engines and not by others.
  const Tags guessed_loads = c11 ? Tags{{"RLX"}, {"ACQ"}, {"SC"}} : loads;
  for (size_t t = 0; t < program.threads.size(); ++t) {
    Rng rng(seed * 100 + t);
    std::vector<Instruction>& code = program.threads[t].code;
    for (size_t p = 0; p < code.size(); ++p) {
      Instruction& i = code[p];
      if (!i.is_memory_access()) continue;
      const bool guessed =
          p + 1 < code.size() && code[p + 1].kind == InstrKind::kAssume && !code[p + 1].branches;
      const uint64_t pick = rng.below(12);
      const auto one = [pick](const Tags& tags) { return tags[pick % tags.size()]; };
      i.tags = i.kind == InstrKind::kRmw    ? one(reads_of_rmw)
               : i.kind == InstrKind::kLoad ? one(guessed ? guessed_loads : loads)
                                            : one(stores);
      if (i.kind == InstrKind::kRmw) i.write_tags = one(writes_of_rmw);
    }
  }
}

}  // namespace fenceline::fuzz
