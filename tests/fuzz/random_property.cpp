// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_property.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "mini_program.h"

namespace fenceline::fuzz {
namespace {

constexpr const char* kPropertyLine = "property something";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// What a formula can speak of.
struct Names {
  std::vector<std::string> labels, numbers;  // "P0@q3"; "x", "P1.r0"
};

// Puts labels in front of some statements outside atomic sections and collects the names.
std::vector<std::string> add_labels(const MiniProgram& program, Rng& rng, Names& names) {
  names.numbers = outcome_names(program);
  std::vector<std::string> lines;
  std::string thread;
  int depth = 0, atomic_depth = -1;
  for (std::string line : lines_of(print_fl(program))) {
    if (line.starts_with(kPropertyLine)) continue;
    const size_t begin = line.find_first_not_of(' ');
    if (line.starts_with("thread ")) thread = line.substr(7, line.find(' ', 7) - 7);
    const bool statement = begin != std::string::npos && depth > 0 && line.back() == ';' &&
                           line.compare(begin, 5, "local") != 0 && line[begin] != '}' &&
                           line.find(": ") == std::string::npos;
    if (statement && atomic_depth < 0 && rng.chance(35)) {
      const std::string label = "q" + std::to_string(names.labels.size());
      line.insert(begin, label + ": ");
      names.labels.push_back(thread + "@" + label);
    }
    if (line.find("atomic {") != std::string::npos && atomic_depth < 0) atomic_depth = depth;
    for (const char c : line) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (atomic_depth >= 0 && depth <= atomic_depth) atomic_depth = -1;
    lines.push_back(line);
  }
  return lines;
}

std::string formula(const Names& names, Rng& rng, int depth) {
  const auto pick = [&](const std::vector<std::string>& from) { return from[rng.below(from.size())]; };
  if (depth == 0 || rng.chance(20)) {
    if (!names.labels.empty() && rng.chance(65)) return pick(names.labels);
    return pick(names.numbers) + (rng.chance(70) ? " == " : " < ") + std::to_string(rng.between(0, 2));
  }
  const std::string a = formula(names, rng, depth - 1), b = formula(names, rng, depth - 1);
  switch (rng.below(7)) {
    case 0:
      return "!(" + a + ")";
    case 1:
      return "(" + a + " || " + b + ")";
    case 2:
      return "((" + a + ") + (" + b + ") == 1)";
    case 3:
      return "((" + a + ") + (" + b + ") > 1)";
    case 4:
      return "((" + a + ") - (" + b + ") < 0)";
    default:
      return "(" + a + " && " + b + ")";
  }
}

}  // namespace

std::string random_task(Family family, Rng& rng) {
  Names names;
  std::vector<std::string> lines = add_labels(generate(family, rng), rng, names);
  if (names.numbers.empty()) return "";
  const uint64_t kind = rng.below(20);
  lines.push_back(std::string(kind < 8    ? "property p: never"
                              : kind < 16 ? "property p: always"
                              : kind < 17 ? "property p: finally"
                                          : "property observed: finally") +
                  " (" + formula(names, rng, 2) + ");");
  return text_of(lines);
}

namespace {

// Writes the body of one thread of random_looping_task().
class LoopWriter {
 public:
  LoopWriter(Rng& rng, unsigned cells) : rng_(rng), cells_(cells) {}

  std::string thread(unsigned number) {
    text_ = "thread T" + std::to_string(number) + " {\n  int r0, r1;\n  while (true) {\n";
    const bool lock = rng_.chance(60);
    if (lock) {  // raise a flag, look at the other's: what fences are for
      line("    ", own_cell(number) + " = 1;");
      if (rng_.chance(50)) statement("    ");
      if (rng_.chance(25)) line("    ", rng_.chance(60) ? "fence;" : "sfence;");
      line("    ", "r0 = " + own_cell(number + 1) + ";");
      if (rng_.chance(30)) statement("    ");
    } else {
      statements(static_cast<unsigned>(rng_.between(2, 3)), "    ");
    }
    line("    ", "if (" + (lock ? std::string("r0 == 0") : condition()) + ") {");
    line("      ", "c: skip;");
    if (rng_.chance(30)) statement("      ");
    line("    ", "}");
    if (lock) line("    ", own_cell(number) + " = 0;");
    if (rng_.chance(30)) statement("    ");
    return text_ + "  }\n}\n";
  }

  std::string own_cell(unsigned number) const {
    return std::string(1, static_cast<char>('x' + number % std::min(2U, cells_)));
  }
  std::string cell() { return std::string(1, static_cast<char>('x' + rng_.below(cells_))); }

 private:
  void line(const std::string& indent, const std::string& words) { text_ += indent + words + "\n"; }
  std::string reg() { return rng_.chance(50) ? "r0" : "r1"; }
  std::string number() { return std::to_string(rng_.below(rng_.chance(80) ? 2 : 3)); }
  std::string value() { return rng_.chance(80) ? number() : reg(); }
  std::string condition() {
    const std::string first = reg() + (rng_.chance(80) ? " == " : " != ") + number();
    return rng_.chance(30) ? first + " && " + reg() + " == " + number() : first;
  }

  void statements(unsigned count, const std::string& indent) {
    for (unsigned i = 0; i < count; ++i) statement(indent);
  }
  void statement(const std::string& indent) {
    const uint64_t kind = rng_.below(100);
    if (kind < 38) return line(indent, cell() + " = " + value() + ";");
    if (kind < 66) return line(indent, reg() + " = " + cell() + ";");
    if (kind < 75) return line(indent, "fence;");
    if (kind < 76) return line(indent, "sync;");
    if (kind < 80) return line(indent, "sfence;");
    if (kind < 83) return line(indent, "fence(store-load);");
    if (kind < 87) return line(indent, reg() + " = cas(" + cell() + ", " + number() + ", " + number() + ");");
    if (kind < 90) return line(indent, reg() + " = xchg(" + cell() + ", " + value() + ");");
    if (kind < 92)
      return line(indent, "atomic { " + reg() + " = " + cell() + "; " + cell() + " = " + number() + "; }");
    if (kind < 95) return line(indent, "while (" + cell() + " == " + number() + ") { }");
    line(indent, "if (" + condition() + ") {");
    statements(1, indent + "  ");
    line(indent, "}");
  }

  Rng& rng_;
  unsigned cells_;
  std::string text_;
};

}  // namespace

std::string random_looping_task(Rng& rng) {
  const unsigned cells = static_cast<unsigned>(rng.between(2, 3));
  const unsigned threads = rng.chance(96) ? 2 : 3;
  LoopWriter writer(rng, cells);
  std::string text = cells == 2 ? "shared int x, y;\n" : "shared int x, y, z;\n";
  for (unsigned t = 0; t < threads; ++t) text += writer.thread(t);
  text += "property p: never (T0@c && T1@c";
  if (threads == 3 && rng.chance(50)) text += " && T2@c";
  if (rng.chance(20)) text += " && " + writer.cell() + " == " + std::to_string(rng.below(2));
  if (rng.chance(15)) text += " && T0.r1 == " + std::to_string(rng.below(2));
  return text + ");\n";
}

std::string random_mixed_task(unsigned percent_without_loops, Rng& rng) {
  return rng.chance(percent_without_loops) ? random_task(static_cast<Family>(rng.below(kFamilies)), rng)
                                           : random_looping_task(rng);
}

namespace {

// A lock in outline, with mistakes: raise the own flag, look at the other's, enter, lower the flag. Lines are
// left out, doubled with another cell or joined by others at random.
class LockWriter {
 public:
  // Names as the thread calls them.
  struct Cells {
    std::string own, other, common, me;
  };
  LockWriter(Rng& rng, Cells cells) : rng_(rng), cells_(std::move(cells)) {}

  std::string body() {
    text_ = "  int r0, r1;\n  while (true) {\n";
    maybe(15, "    ", store());
    maybe(92, "    ", cells_.own + " = 1;");
    maybe(50, "    ", store());
    maybe(12, "    ", "fence;");
    maybe(12, "    ", synchronisation());
    if (rng_.chance(25)) return waiting();
    maybe(92, "    ", "r0 = " + cells_.other + ";");
    maybe(45, "    ", "r1 = " + cells_.common + ";");
    maybe(15, "    ", load());
    line("    ", "if (" + condition() + ") {");
    maybe(25, "      ", rng_.chance(60) ? store() : load());
    line("      ", "c: skip;");
    maybe(20, "      ", store());
    line("    ", rng_.chance(25) ? "} else {\n      " + store() + "\n    }" : "}");
    return end();
  }

 private:
  std::string waiting() {
    line("    ", "do {");
    line("      ", "r0 = " + cells_.other + ";");
    maybe(60, "      ", "r1 = " + cells_.common + ";");
    maybe(15, "      ", store());
    line("    ", "} while (r0 == 1" + std::string(rng_.chance(60) ? " && r1 != " + cells_.me : "") + ");");
    line("    ", "c: skip;");
    return end();
  }
  std::string end() {
    maybe(85, "    ", cells_.own + " = 0;");
    maybe(12, "    ", store());
    return text_ + "  }\n";
  }

  void line(const std::string& indent, const std::string& words) { text_ += indent + words + "\n"; }
  void maybe(unsigned percent, const std::string& indent, const std::string& words) {
    if (rng_.chance(percent)) line(indent, words);
  }
  std::string any_cell() {
    const uint64_t which = rng_.below(10);
    return which < 2 ? cells_.own : which < 3 ? cells_.other : cells_.common;
  }
  std::string value() {
    const uint64_t which = rng_.below(10);
    return which < 4 ? cells_.me : which < 6 ? "1 - " + cells_.me : which < 7 ? "r0" : which < 9 ? "1" : "0";
  }
  std::string store() { return any_cell() + " = " + value() + ";"; }
  std::string load() { return (rng_.chance(50) ? "r0 = " : "r1 = ") + any_cell() + ";"; }
  std::string synchronisation() {
    switch (rng_.below(4)) {
      case 0:
        return "r1 = cas(" + any_cell() + ", 0, 1);";
      case 1:
        return "r1 = xchg(" + any_cell() + ", " + value() + ");";
      case 2:
        return "sfence;";
      default:
        return "fence(store-load);";
    }
  }
  std::string condition() {
    std::string text = rng_.chance(90) ? "r0 == 0" : "r0 == 1";
    if (rng_.chance(35)) text += (rng_.chance(40) ? " || r1 == " : " && r1 == ") + cells_.me;
    return text;
  }

  Rng& rng_;
  const Cells cells_;
  std::string text_;
};

}  // namespace

std::string random_lock_task(Rng& rng) {
  if (rng.chance(60))
    return "shared int x[2], y;\nthread T[i in 0..1] {\n" +
           LockWriter(rng, {"x[i]", "x[1-i]", "y", "i"}).body() +
           "}\nproperty p: never (T[0]@c && T[1]@c);\n";
  std::string text = "shared int x, y, z;\n";
  text += "thread T0 {\n" + LockWriter(rng, {"x", "y", "z", "0"}).body() + "}\n";
  text += "thread T1 {\n" + LockWriter(rng, {"y", "x", "z", "1"}).body() + "}\n";
  return text + "property p: never (T0@c && T1@c);\n";
}

std::string shrink_lines(std::string text, const std::function<bool(const std::string&)>& still_differs) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    std::vector<std::string> lines = lines_of(text);
    // A block goes with both its braces, so try runs of up to six lines.
    for (size_t length = 6; length > 0 && !smaller; --length)
      for (size_t at = 0; at + length <= lines.size() && !smaller; ++at) {
        std::vector<std::string> fewer = lines;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                    fewer.begin() + static_cast<std::ptrdiff_t>(at + length));
        if (!still_differs(text_of(fewer))) continue;
        text = text_of(fewer);
        smaller = true;
      }
  }
  return text;
}

}  // namespace fenceline::fuzz
