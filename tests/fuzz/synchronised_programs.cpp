// SPDX-License-Identifier: GPL-3.0-or-later
#include "synchronised_programs.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

namespace fenceline::fuzz {
namespace {

std::string one_of(Rng& rng, const std::vector<std::string>& texts) { return texts[rng.below(texts.size())]; }

std::string maybe(Rng& rng, unsigned percent, const std::string& text) {
  return rng.chance(percent) ? text : std::string();
}

std::string fence(Rng& rng) {
  return one_of(rng,
                {"fence; ", "fence; ", "fence(load-load, load-store); ", "fence(load-store, store-store); "});
}

// Data, then a flag; or a flag, then data. A third thread may continue the release sequence, or end it.
std::string message(Rng& rng, size_t thread) {
  const std::string between = maybe(rng, 50, fence(rng));
  const std::string middle =
      one_of(rng, {"b = fetch_add(f, 1); ", "atomic { b = f; f = b + 1; } ", "b = cas(f, 1, 2); ",
                   "b = xchg(f, 2); ", "f = 2; ", "b = f; g = b; ", "b = f; if (b == 1) { g = 1; } "});
  const std::string writes = one_of(rng, {"d = 1; ", "d = 1; ", "d = 1; y = 1; ", "b = xchg(d, 1); "});
  const std::string reads = one_of(rng, {"a = d; ", "d = 2; ", "a = xchg(d, 2); ", "a = d; d = 2; "});
  switch (thread) {
    case 0:
      return writes + between + one_of(rng, {"f = 1; ", "f = 1; ", "b = xchg(f, 1); ", "f = 1; f = 2; "});
    case 1:
      return one_of(rng, {"b = f; ", "b = f; ", "b = fetch_add(f, 0); ", "b = g; "}) + between +
             one_of(rng, {"assume(b != 0); " + reads, "if (b != 0) { " + reads + "} ",
                          "if (b == 2) { " + reads + "} ", "assume(b == 2); " + reads, reads}) +
             maybe(rng, 30, "assert(a == 1); ");
    case 2:
      return middle + maybe(rng, 30, "a = y; ");
    default:
      return one_of(rng, {"b = g; assume(b != 0); a = d; ", "b = g; if (b == 1) { a = d; } ", "a = y; "});
  }
}

// A critical section of a lock that is taken by a section, an exchange or a compare-exchange, and given back by a store.
std::string locked(Rng& rng, size_t /*thread*/) {
  const std::string take =
      one_of(rng, {"atomic { b = l; assume(b == 0); l = 1; } ", "b = xchg(l, 1); assume(b == 0); ",
                   "b = cas/*value*/(l, 0, 1); assume(b == 0); ", "b = l; assume(b == 0); l = 1; ",
                   "b = fetch_add(l, 1); assume(b == 0); "});
  const std::string inside = one_of(rng, {"a = d; d = a + 1; ", "d = 1; ", "a = d; ", "d = 1; a = y; ",
                                          "y = 1; a = d; ", "a = fetch_add(d, 1); "});
  return maybe(rng, 15, "y = 1; ") + take + maybe(rng, 15, fence(rng)) + inside + maybe(rng, 15, fence(rng)) +
         maybe(rng, 85, "l = 0; ") + maybe(rng, 15, "a = y; assert(a == 0); ");
}

// Each thread stores and then looks at what the next one has stored: SB, R, 2+2W, IRIW and their relatives.
std::string crossing(Rng& rng, size_t thread) {
  static constexpr const char* kCells[] = {"d", "f", "g"};
  const std::string here = kCells[thread % 2], there = kCells[(thread + 1) % 2], other = kCells[rng.below(3)];
  const std::string between = maybe(rng, 75, fence(rng));
  const auto write = [&](const std::string& cell, uint64_t value) {
    return rng.chance(70) ? fmt::format("{} = {}; ", cell, value)
                          : fmt::format("b = xchg({}, {}); ", cell, value);
  };
  const auto read = [&](const std::string& cell) {
    return rng.chance(85) ? fmt::format("a = {}; ", cell) : fmt::format("a = fetch_add({}, 0); ", cell);
  };
  if (thread >= 2 && rng.chance(60))  // IRIW
    return fmt::format("b = {}; ", here) + between + read(there);
  switch (rng.below(6)) {
    case 0:
      return write(here, 1) + between + write(there, 2);
    case 1:
      return read(here) + between + write(there, 1);
    case 2:
      return write(here, 1);
    case 3:
      return write(here, 1) + maybe(rng, 50, write(other, 2)) + between + read(there);
    default:
      return write(here, 1) + between + read(there) + maybe(rng, 20, "assert(a != 0); ");
  }
}

// Nothing holds: the thread is stopped, whatever the others do.
std::string stopped(Rng& rng) {
  return one_of(rng, {"a = y; assume(a == 3); ", "a = xchg(f, 1); assume(a == 1); ",
                      "havoc a in 0..1; assume(a == 1); ", "f = 1; a = y; assume(a == 2); "});
}

}  // namespace

std::string synchronised_text(Rng& rng) {
  const uint64_t shape = rng.below(3), threads = 2 + rng.below(shape == 1 ? 2 : 3);
  std::string text =
      "shared int d = 0;\nshared int y = 0;\nshared int f = 0;\nshared int g = 0;\nshared int l = 0;\n";
  for (uint64_t t = 0; t < threads; ++t) {
    std::string code = shape == 0 ? message(rng, t) : shape == 1 ? locked(rng, t) : crossing(rng, t);
    if (threads <= 3 && rng.chance(20)) code += crossing(rng, t);
    if (rng.chance(8)) code = rng.chance(50) ? stopped(rng) + code : code + stopped(rng);
    std::string lines;
    for (const char c : code) {
      lines += c;
      if (c == ';') lines += '\n';
    }
    text += fmt::format("thread P{} {{\n  local int a = 0;\n  local int b = 0;\n{}\n}}\n", t, lines);
  }
  return text + "property p: finally (P0.a != 1 || P1.a != 0);\n";
}

}  // namespace fenceline::fuzz
