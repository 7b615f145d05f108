// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_numeric.h"

#include <vector>

namespace fenceline::fuzz {
namespace {

class NumericWriter {
 public:
  explicit NumericWriter(Rng& rng) : rng_(rng) {}

  std::string program() {
    declarations();
    threads_ = rng_.chance(75) ? 2 : 3;
    for (unsigned t = 0; t < threads_; ++t) thread(t);
    property();
    return text_;
  }

 private:
  std::string number(int64_t lo, int64_t hi) { return std::to_string(rng_.between(lo, hi)); }
  const std::string& pick(const std::vector<std::string>& from) { return from[rng_.below(from.size())]; }
  std::string one_of(std::initializer_list<const char*> words) {
    return words.begin()[rng_.below(words.size())];
  }
  void line(const std::string& words) { text_ += std::string(2 * depth_, ' ') + words + "\n"; }

  // Sometimes with a range, which a store may leave.
  std::string type() { return rng_.chance(15) ? "int " + number(-2, 0) + ".." + number(1, 4) : "int"; }

  void declarations() {
    const auto variables = rng_.between(1, 3);
    for (int64_t v = 0; v < variables; ++v) {
      cells_.emplace_back(1, static_cast<char>('x' + v));
      line("shared " + type() + " " + cells_.back() + (rng_.chance(20) ? " = 1;" : ";"));
    }
    observable_ = cells_;
    if (rng_.chance(40)) {
      array_ = static_cast<unsigned>(rng_.between(2, 3));
      line("shared " + type() + " a[" + std::to_string(array_) + "];");
      for (unsigned i = 0; i < array_; ++i) observable_.push_back("a[" + std::to_string(i) + "]");
    }
  }

  void thread(unsigned t) {
    registers_ = {"r0", "r1"};
    loops_ = 0;
    name_ = "T" + std::to_string(t);
    line("thread " + name_ + " {");
    ++depth_;
    line("int r0;");
    line(type() + " r1;");
    line("int i0, i1;");
    local_array_ = rng_.chance(15);
    if (local_array_) line("int b[2];");
    for (const char* r : {".r0", ".r1", ".i0"}) observable_.push_back(name_ + r);
    statements(threads_ == 2 ? rng_.between(2, 5) : rng_.between(1, 3));
    --depth_;
    line("}");
  }

  // The index is now and then outside.
  std::string index(unsigned size) {
    if (rng_.chance(45)) return number(0, size - 1);
    const std::string r = value();
    const std::string n = std::to_string(size);
    if (rng_.chance(50)) return "(" + r + " % " + n + " + " + n + ") % " + n;
    if (rng_.chance(50)) return r + " >= 0 && " + r + " < " + n + " ? " + r + " : 0";
    return r;
  }
  std::string cell() {
    if (array_ != 0 && rng_.chance(35)) return "a[" + index(array_) + "]";
    return pick(cells_);
  }
  std::string target() {
    if (local_array_ && rng_.chance(25)) return "b[" + index(2) + "]";
    return rng_.chance(50) ? "r0" : "r1";
  }
  std::string value() {
    if (local_array_ && rng_.chance(10)) return "b[" + number(0, 1) + "]";
    return pick(registers_);
  }
  std::string small() { return number(rng_.chance(20) ? -3 : 0, 3); }

  // Without memory accesses.
  std::string expression(unsigned levels = 2) {
    if (levels == 0 || rng_.chance(35)) return rng_.chance(45) ? small() : value();
    const std::string a = expression(levels - 1), b = expression(levels - 1);
    switch (rng_.below(14)) {
      case 0:
      case 1:
      case 2:
        return "(" + a + " + " + b + ")";
      case 3:
      case 4:
        return "(" + a + " - " + b + ")";
      case 5:
        return "(" + a + " * " + small() + ")";
      case 6:
        return "(" + a + " * " + b + ")";
      case 7:
        return "(" + a + " / " + one_of({"2", "3", "-2", "-3"}) + ")";
      case 8:
        return "(" + a + " % " + one_of({"2", "3", "-2", "-3"}) + ")";
      case 9:
        return "(" + a + (rng_.chance(50) ? " / (" : " % (") + value() + "))";
      case 10:
        return "(" + condition(1) + " ? " + a + " : " + b + ")";
      case 11:
        return "(-" + value() + ")";
      case 12:
        return "(" + value() + one_of({" & ", " | ", " ^ "}) + small() + ")";
      default:
        return "(" + condition(1) + ")";
    }
  }
  std::string condition(unsigned levels = 2) {
    if (levels > 0 && rng_.chance(25))
      return "(" + condition(levels - 1) + one_of({" && ", " || "}) + condition(levels - 1) + ")";
    if (rng_.chance(8)) return "!(" + value() + ")";
    return expression(levels / 2) + one_of({" == ", " != ", " < ", " <= ", " > ", " >= "}) +
           (rng_.chance(70) ? small() : expression(levels / 2));
  }

  void statements(int64_t count) {
    for (int64_t i = 0; i < count; ++i) statement();
  }
  void block(const std::string& head, int64_t most, const std::string& last = "") {
    line(head + " {");
    ++depth_;
    statements(rng_.between(1, most));
    if (!last.empty()) line(last);
    --depth_;
    line("}");
  }
  std::string synchronised() {
    switch (rng_.below(4)) {
      case 0:
        return "cas(" + cell() + ", " + small() + ", " + expression(1) + ")";
      case 1:
        return "xchg(" + cell() + ", " + expression(1) + ")";
      default:
        return "fetch_add(" + cell() + ", " + (rng_.chance(70) ? small() : expression(1)) + ")";
    }
  }
  void section() {
    line("atomic {");
    ++depth_;
    for (auto i = rng_.between(1, 3); i > 0; --i) {
      if (rng_.chance(40))
        line(cell() + " = " + expression(1) + ";");
      else if (rng_.chance(60))
        line(target() + " = " + cell() + ";");
      else if (rng_.chance(50))
        line("assume (" + condition(1) + ");");
      else
        line(target() + " = " + expression(1) + ";");
    }
    --depth_;
    line("}");
  }
  void label() {
    const std::string name = "q" + std::to_string(labels_.size());
    labels_.push_back(name_ + "@" + name);
    line(name + ": skip;");
  }
  void loop() {
    if (loops_ == 2 || depth_ > 2) return statement();
    const std::string counter = "i" + std::to_string(loops_++);
    line(counter + " = 0;");
    registers_.push_back(counter);
    block("while (" + counter + " < " + number(1, 3) + ")", 2, counter + " = " + counter + " + 1;");
  }
  void statement() {
    const uint64_t kind = rng_.below(100);
    if (rng_.chance(14)) label();
    if (kind < 26) return line(cell() + " = " + (rng_.chance(40) ? small() : expression()) + ";");
    if (kind < 47) return line(target() + " = " + cell() + ";");
    if (kind < 55) return line(target() + " = " + expression() + ";");
    if (kind < 64) return line((rng_.chance(70) ? target() + " = " : "") + synchronised() + ";");
    if (kind < 67) return line("fence;");
    if (kind < 70) return line("sfence;");
    if (kind < 73) return line("fence(store-load);");
    if (kind < 77) return line("havoc " + target() + " in " + number(-2, 0) + ".." + number(0, 2) + ";");
    if (kind < 80) return line("assume (" + condition(1) + ");");
    if (kind < 82) return line("assert (" + condition(1) + ");");
    if (kind < 83) return line("await (" + pick(cells_) + one_of({" == ", " != ", " > "}) + small() + ");");
    if (kind < 86) return section();
    if (kind < 87) return line("while (" + pick(cells_) + one_of({" == ", " > "}) + small() + ") { }");
    if (depth_ > 3) return line(cell() + " = " + expression(1) + ";");
    if (kind < 95) return loop();
    if (kind < 98) return block("if (" + condition() + ")", 2);
    block("choose", 1);
    block("or", 1);
  }

  std::string atom() {
    if (!labels_.empty() && rng_.chance(35)) return (rng_.chance(20) ? "!" : "") + pick(labels_);
    const std::string a = pick(observable_);
    if (rng_.chance(20))
      return a + one_of({" + ", " - "}) + pick(observable_) + one_of({" == ", " > ", " < "}) + small();
    return a + one_of({" == ", " == ", " == ", " != ", " > ", " <= "}) + small();
  }
  // Such as few states satisfy: what is true or false everywhere finds nothing.
  void property() {
    if (rng_.chance(15)) return;
    const uint64_t kind = rng_.below(10);
    const std::string joined = kind < 5 || kind == 9 ? " && " : " || ";
    std::string formula = atom();
    for (auto more = rng_.between(0, 3); more > 0; --more) formula += joined + atom();
    if (kind == 9) formula = "!(" + formula + ")";
    line("property p: " +
         std::string(kind < 5   ? "never"
                     : kind < 7 ? "always"
                                : "finally") +
         " (" + formula + ");");
  }

  Rng& rng_;
  std::string text_, name_;
  unsigned depth_ = 0, threads_ = 2, array_ = 0, loops_ = 0;
  bool local_array_ = false;
  std::vector<std::string> cells_, observable_, labels_, registers_;
};

}  // namespace

std::string random_numeric_task(Rng& rng) { return NumericWriter(rng).program(); }

}  // namespace fenceline::fuzz
