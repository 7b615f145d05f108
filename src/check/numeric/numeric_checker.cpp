// SPDX-License-Identifier: GPL-3.0-or-later
//
// The members of the invariant are the states of the certificate and all that comes out of them when stores
// are flushed. The certificate is accepted if
//
//   - threads are at cut points, and it is enough to look at them there (numeric_cut_points.h);
//   - the states that the threads reach by their first local steps are subsumed;
//   - so are the results for each member when one thread executes from its cut point to the next
//     (numeric_steps.h);
//   - no member represents a bad state, and no step fails that must not.
//
// Then by induction over the executions of the machine each state that is reached and has its threads at cut points
// belongs to some member. Nothing in the certificate is trusted: terms, cells and points are checked before
// they are used.
#include <fmt/format.h>

#include <algorithm>

#include "check/check_certificate.h"
#include "check/numeric/numeric_cut_points.h"
#include "check/numeric/numeric_members.h"
#include "check/numeric/numeric_steps.h"
#include "check/numeric/numeric_values.h"
#include "check/statespace/certificate_steps.h"
#include "task/numeric_certificate.h"

namespace fenceline::check {
namespace {

constexpr unsigned kCuts = 64;                   // of a state that no single member subsumes
constexpr size_t kMostMembersPerState = 10'000;  // flushes of a tail could continue for ever
constexpr size_t kBytesPerTerm = 100;            // roughly

struct TooManyOrders {};  // in which stores can be flushed

class NumericChecker {
 public:
  NumericChecker(const Task& task, const NumericCertificate& certificate, Limits& limits)
      : task_(task),
        program_(task.program),
        certificate_(certificate),
        limits_(limits),
        overlay_(task.program, task.fences),
        values_(task.program, certificate, limits),
        steps_(task, overlay_, certificate, values_),
        members_(task.model.buffering) {}

  CertificateCheck run();

 private:
  void check();
  void need_shape() const;
  void need_well_formed(const NumericState& state) const;
  void need_well_formed(const NumericBuffer& buffer, const NumericState& state) const;
  void need_term(const NumericTerm& term, const NumericState& state) const;
  void need_cell(CellId cell) const;
  void need_initial_values_in_ranges() const;
  void flush_stores();
  void need_initial_subsumed();
  void run_threads_from(FormState&& state, size_t thread);
  void need_good(const NumericMember& member) const;
  void need_closed(const NumericMember& member);
  void need_formula(FormState&& state, bool holds, const char* complaint) const;
  bool ended(const NumericMember& member) const;
  bool is_smashed(size_t cell) const {
    return certificate_.smashed[program_.object_of(CellId(cell)).index()].has_value();
  }
  void look_at(const NumericMember& member) {
    context_ = fmt::format("state {}{}: ", member.number, member.flushed ? ", after flushes" : "");
  }
  void poll() const;

  const Task& task_;
  const Program& program_;
  const NumericCertificate& certificate_;
  Limits& limits_;
  Overlay overlay_;
  NumericValues values_;
  NumericSteps steps_;
  NumericMembers members_;
  std::vector<std::vector<bool>> inside_section_;  // by thread and point
  std::string context_;                            // the state being checked, for messages
  CertificateCheck result_;
};

CertificateCheck NumericChecker::run() {
  try {
    run_check([this] { check(); }, context_, limits_, result_);
  } catch (const TooManyOrders&) {
    result_.gave_up = true;
    result_.why_not = "stores can be flushed in too many orders";
  }
  return result_;
}

void NumericChecker::check() {
  need_shape();
  for (size_t t = 0; t < program_.threads.size(); ++t)
    inside_section_.push_back(inside_sections_of(overlay_, ThreadId(t)));
  need_right_cut_points(task_, overlay_, certificate_);
  need_initial_values_in_ranges();
  for (size_t i = 0; i < certificate_.states.size(); ++i) {
    context_ = fmt::format("state {}: ", i);
    poll();
    const NumericState& state = certificate_.states[i];
    need_well_formed(state);
    for (size_t d = 0; d < state.disjuncts.size(); ++d)
      if (auto member = member_of(state, d, i, task_.model.buffering)) members_.add(std::move(*member));
  }
  flush_stores();
  context_ = "the initial state: ";
  need_initial_subsumed();
  for (size_t i = 0; i < members_.size(); ++i) {
    look_at(members_[i]);
    poll();
    need_good(members_[i]);
    need_closed(members_[i]);
  }
}

void NumericChecker::poll() const {
  const size_t terms = program_.cell_count + 8 * program_.threads.size();
  if (limits_.poll(members_.size() * terms * kBytesPerTerm) != LimitReached::kNone) throw OutOfLimits{};
}

// ---- What is no certificate
// --------------------------------------------------------------------------------

void NumericChecker::need_shape() const {
  if (task_.model.buffering == Buffering::kNoMachine)
    throw NotProved{"the model is not one of store buffers"};
  const PropertyKind kind = task_.property.kind;
  if (!has_formula(kind) && kind != PropertyKind::kNoErrors)
    throw NotProved{"certificates of this kind do not prove such properties"};
  if (certificate_.smashed.size() != program_.objects.size())
    throw NotProved{"it has not as many objects as the program"};
  if (certificate_.cut_points.size() != program_.threads.size())
    throw NotProved{"it has not as many threads as the program"};
  for (size_t t = 0; t < certificate_.cut_points.size(); ++t)
    if (certificate_.cut_points[t].size() != overlay_.points(ThreadId(t)))
      throw NotProved{fmt::format("it has not as many points as {}", program_.threads[t].name)};
}

void NumericChecker::need_initial_values_in_ranges() const {
  for (size_t o = 0; o < program_.objects.size(); ++o) {
    const auto& range = certificate_.smashed[o];
    const Object& object = program_.objects[o];
    if (range && (range->is_empty() || !std::all_of(object.init.begin(), object.init.end(),
                                                    [&](Value value) { return range->contains(value); })))
      throw NotProved{fmt::format("{} is not in its range at the start", object.name)};
  }
}

void NumericChecker::need_well_formed(const NumericState& state) const {
  const size_t threads = program_.threads.size();
  if (state.locations.size() != threads || state.registers.size() != threads ||
      state.buffers.size() != threads)
    throw NotProved{"it has not as many threads as the program"};
  if (state.memory.size() != program_.cell_count) throw NotProved{"it has not as many cells as the program"};
  for (size_t c = 0; c < state.memory.size(); ++c) {
    if (state.memory[c].has_value() == is_smashed(c))
      throw NotProved{fmt::format("{}: a value must be there just if its object is not smashed",
                                  program_.cell_name(CellId(c)))};
    if (state.memory[c]) need_term(*state.memory[c], state);
  }
  for (size_t t = 0; t < threads; ++t) {
    const std::string& name = program_.threads[t].name;
    if (state.locations[t].index() >= certificate_.cut_points[t].size())
      throw NotProved{fmt::format("{} is at no point of its code", name)};
    if (inside_section_[t][state.locations[t].index()])
      throw NotProved{fmt::format("{} is inside an atomic section", name)};
    if (!certificate_.cut_points[t][state.locations[t].index()])
      throw NotProved{fmt::format("{} is at a point that is no cut point", name)};
    if (state.registers[t].size() != program_.threads[t].registers.size())
      throw NotProved{fmt::format("{} has another number of registers", name)};
    for (const auto& reg : state.registers[t])
      if (reg) need_term(*reg, state);
    need_well_formed(state.buffers[t], state);
  }
  for (const auto& disjunct : state.disjuncts)
    for (const LinearConstraint& constraint : disjunct)
      for (const auto& term : constraint.expression.terms)
        if (term.first >= state.dimensions) throw NotProved{"a constraint about no dimension"};
}

void NumericChecker::need_well_formed(const NumericBuffer& buffer, const NumericState& state) const {
  const Buffering buffering = task_.model.buffering;
  if (buffering == Buffering::kUnbuffered && !(buffer.entries.empty() && buffer.tail.empty()))
    throw NotProved{"a store is pending where stores are not buffered"};
  for (size_t i = 0; i < buffer.entries.size(); ++i) {
    const NumericEntry& entry = buffer.entries[i];
    need_cell(entry.cell);
    need_term(entry.value, state);
    if (buffering != Buffering::kPerCell) continue;
    bool in_order = entry.epoch <= buffer.epoch;
    for (size_t j = 0; j < i; ++j)
      in_order &= buffer.entries[j].cell != entry.cell || buffer.entries[j].epoch <= entry.epoch;
    if (!in_order) throw NotProved{"a pending store is behind a barrier that comes after it"};
  }
  for (size_t i = 0; i < buffer.tail.size(); ++i) {
    const NumericTail& item = buffer.tail[i];
    need_cell(item.cell);
    need_term(item.newest, state);
    need_term(item.low, state);
    need_term(item.high, state);
    if (i > 0 && buffer.tail[i - 1].cell >= item.cell) throw NotProved{"the tail is not sorted by cell"};
  }
}

void NumericChecker::need_cell(CellId cell) const {
  if (cell.index() >= program_.cell_count) throw NotProved{"a pending store to no cell"};
  if (is_smashed(cell.index())) throw NotProved{"a pending store to a smashed object"};
}

void NumericChecker::need_term(const NumericTerm& term, const NumericState& state) const {
  const auto* dimension = std::get_if<Dimension>(&term.what);
  if (dimension && *dimension >= state.dimensions) throw NotProved{"a term that is no dimension"};
}

// ---- Induction
// ---------------------------------------------------------------------------------------------

void NumericChecker::flush_stores() {
  const size_t most = (certificate_.states.size() + 10) * kMostMembersPerState;
  for (size_t i = 0; i < members_.size(); ++i) {
    look_at(members_[i]);
    poll();
    for (NumericMember& next : flushes(members_[i], task_.model.buffering))
      if (!members_.subsumed(next.as_forms(), 0)) members_.add(std::move(next));
    if (members_.size() > most) throw TooManyOrders{};
  }
}

void NumericChecker::need_initial_subsumed() {
  FormState state;
  const std::vector<Value> memory = program_.initial_memory();
  for (size_t c = 0; c < memory.size(); ++c)
    state.memory.push_back(is_smashed(c) ? std::nullopt : std::optional(LinearForm::of(memory[c])));
  for (const Thread& thread : program_.threads) {
    state.locations.push_back(thread.entry);
    auto& registers = state.registers.emplace_back();
    for (const Register& reg : thread.registers) registers.emplace_back(LinearForm::of(reg.init));
    state.buffers.emplace_back();
  }
  run_threads_from(std::move(state), 0);
}

void NumericChecker::run_threads_from(FormState&& state, size_t thread) {
  if (thread < program_.threads.size())
    return steps_.run_to_cut_point(std::move(state), ThreadId(thread),
                                   [&](FormState&& next) { run_threads_from(std::move(next), thread + 1); });
  ++result_.successors;
  if (!members_.subsumed(state, kCuts)) throw NotProved{"it is not subsumed"};
}

void NumericChecker::need_closed(const NumericMember& member) {
  for (size_t t = 0; t < program_.threads.size(); ++t)
    steps_.step(member.as_forms(), ThreadId(t), [&](FormState&& next) {
      ++result_.successors;
      if (!members_.subsumed(next, kCuts))
        throw NotProved{
            fmt::format("after {} has executed from its cut point to point {}, the state is not subsumed",
                        program_.threads[t].name, next.locations[t].index())};
    });
}

// ---- The property
// ------------------------------------------------------------------------------------------

void NumericChecker::need_good(const NumericMember& member) const {
  switch (task_.property.kind) {
    case PropertyKind::kNever:
      return need_formula(member.as_forms(), false, "the formula that must never hold may hold");
    case PropertyKind::kAlways:
      return need_formula(member.as_forms(), true, "the formula that must always hold may not hold");
    case PropertyKind::kFinally:
    case PropertyKind::kObservations:
      if (!ended(member)) return;
      return need_formula(member.as_forms(), true,
                          "it is final, and the formula that must finally hold may not hold");
    case PropertyKind::kNoErrors:  // is about steps
      return;
    default:
      throw NotProved{"a property without a meaning"};
  }
}

void NumericChecker::need_formula(FormState&& state, bool holds, const char* complaint) const {
  const auto failed = [&](FormState&&, const ProgramError& error) {
    throw NotProved{"the formula may have no value: " + to_string(error)};
  };
  values_.truth({ThreadId(), failed}, std::move(state), task_.property.formula,
                [&](FormState&& found, bool does) {
                  if (does != holds && found.facts->feasible()) throw NotProved{complaint};
                });
}

bool NumericChecker::ended(const NumericMember& member) const {
  for (size_t t = 0; t < member.locations.size(); ++t)
    if (overlay_.at(ThreadId(t), member.locations[t]).kind != InstrKind::kHalt ||
        !member.buffers[t].entries.empty() || !member.buffers[t].tail.empty())
      return false;
  return true;
}

}  // namespace

CertificateCheck check_certificate(const Task& task, const NumericCertificate& certificate, Limits& limits) {
  return NumericChecker(task, certificate, limits).run();
}

}  // namespace fenceline::check
