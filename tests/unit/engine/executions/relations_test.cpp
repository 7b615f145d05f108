// SPDX-License-Identifier: GPL-3.0-or-later
//
// The terms of models on growing graphs, against two other evaluations of the same graph: from scratch, and by
// check::CatEvaluator, which shares no code with it. The graphs are random, not those of a program: events are added and
// removed, and reads are revisited, as the exploration does it.
#include "engine/executions/relations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "check/axiomatic/base_relations.h"
#include "check/axiomatic/cat_evaluator.h"
#include "engine/executions/requirements.h"
#include "frontend/fl/fl.h"
#include "model/cat/cat.h"

namespace fenceline::executions {
namespace {

constexpr size_t kThreads = 3, kCells = 2;

// One instruction of every kind that a model can distinguish. The events of random graphs are theirs.
Program all_kinds() {
  std::string text = "shared int x, y;\nthread P {\n  int r;\n";
  for (int i = 0; i < 12; ++i) text += "  r = x;\n  x = 1;\n  r = fetch_add(x, 1);\n  fence;\n";
  text += "  sfence; lfence; fence(load-store); fence(store-load);\n  atomic { r = x; x = 1; }\n}\n";
  Program program = frontend::parse_fl({"test.fl", text + "property p: finally (x >= 0);\n"});
  const std::vector<std::vector<std::string>> loads = {{},    {"NA"},  {"RLX"}, {"ACQ"},    {"SC"}, {"A"},
                                                       {"Q"}, {"Acq"}, {"EX"},  {"AcqRel"}, {"X"},  {"CON"}};
  const std::vector<std::vector<std::string>> stores = {{},    {"NA"},  {"RLX"}, {"REL"},    {"SC"}, {"L"},
                                                        {"L"}, {"Rel"}, {"EX"},  {"AcqRel"}, {"X"},  {}};
  const std::vector<std::vector<std::string>> fences = {
      {},      {"DMB.LD"}, {"DMB.ST"},     {"ISB"},    {"LWSYNC"}, {"EIEIO"},
      {"ACQ"}, {"REL"},    {"Fence.rw.w"}, {"MFENCE"}, {"ISYNC"},  {"SC"}};
  std::map<InstrKind, size_t> number;
  for (Instruction& i : program.threads[0].code) {
    const size_t n = number[i.kind]++;
    if (i.kind == InstrKind::kLoad) i.tags = loads[n % loads.size()];
    if (i.kind == InstrKind::kStore) i.tags = stores[n % stores.size()];
    if (i.kind == InstrKind::kRmw) i.tags = loads[n % loads.size()];
    if (i.kind == InstrKind::kRmw) i.write_tags = stores[n % stores.size()];
    if (i.kind != InstrKind::kFence || n >= fences.size()) continue;
    i.tags = fences[n];
    if (n > 0) i.fence = FenceKinds();
  }
  return program;
}

// A graph with the instructions of its events.
template <size_t kWords>
struct RandomGraph {
  Graph<kWords> graph{kThreads, kCells};
  std::vector<const Instruction*> instructions;

  void remove_last() {
    graph.remove_last();
    instructions.pop_back();
  }
};

// The same events in the order and form that check/ wants, and what its evaluator says about them.
template <size_t kWords>
class Reference {
 public:
  Reference(const CatModel& model, const RandomGraph<kWords>& random) : evaluator_(model), random_(random) {
    for (size_t c = 0; c < kCells; ++c)
      if (const auto& order = graph().coherence(CellId(c)); !order.empty()) {
        number_[order.front()] = EventId(cells_.size());
        cells_.emplace_back(c);
      }
    size_t next = cells_.size();
    for (size_t t = 0; t < kThreads; ++t) add_thread(ThreadId(t), next);
    EventStructure structure(false);
    structure.begin(cells_);
    for (const std::vector<check::ThreadEvent>& thread : threads_) structure.add_thread(thread);
    structure.fill_static(evaluator_);
    std::vector<EventId> reads_from(structure.size());
    for (size_t e = 0; e < graph().size(); ++e)
      if (graph().event(e).kind == GraphEventKind::kRead)
        reads_from[number_.at(e).index()] = number_.at(graph().event(e).source);
    std::vector<std::vector<EventId>> coherence(kCells);
    for (size_t c = 0; c < kCells; ++c)
      for (const uint32_t write : graph().coherence(CellId(c))) coherence[c].push_back(number_.at(write));
    check::DynamicRelations(structure.size(), reads_from, coherence).fill(evaluator_);
    consistent_ = evaluator_.consistent();
  }

  bool consistent() const { return consistent_; }
  std::vector<size_t> flags() const {
    std::vector<size_t> flags = evaluator_.flags();
    std::sort(flags.begin(), flags.end());
    return flags;
  }

 private:
  using EventStructure = check::EventStructure;
  const Graph<kWords>& graph() const { return random_.graph; }

  // Choices are no events there.
  void add_thread(ThreadId thread, size_t& next) {
    std::vector<check::ThreadEvent> events;
    std::vector<size_t> index;  // by event of the thread: its number without choices
    for (const uint32_t e : graph().of_thread(thread)) {
      const GraphEvent<kWords>& event = graph().event(e);
      index.push_back(events.size());
      if (event.kind == GraphEventKind::kChoice) continue;
      check::ThreadEvent copy;
      copy.kind = event.kind == GraphEventKind::kRead    ? EventKind::kRead
                  : event.kind == GraphEventKind::kWrite ? EventKind::kWrite
                                                         : EventKind::kFence;
      copy.position = event.position;
      copy.cell = event.cell;
      copy.instruction = random_.instructions[e];
      copy.section = event.section;
      event.addr.for_each([&](size_t i) { copy.addr.add(index[i]); });
      event.data.for_each([&](size_t i) { copy.data.add(index[i]); });
      event.ctrl.for_each([&](size_t i) { copy.ctrl.add(index[i]); });
      number_[e] = EventId(next++);
      events.push_back(copy);
    }
    threads_.push_back(std::move(events));
  }

  check::CatEvaluator evaluator_;
  const RandomGraph<kWords>& random_;
  std::vector<CellId> cells_;
  std::vector<std::vector<check::ThreadEvent>> threads_;
  std::map<size_t, EventId> number_;
  bool consistent_ = false;
};

// A random walk: events are added one by one and removed again; sometimes a write revisits a read.
template <size_t kWords>
class Walk {
  using Event = GraphEvent<kWords>;
  using Set = Bits<kWords>;

 public:
  Walk(const CatModel& model, const Program& program, size_t most_events, uint64_t seed)
      : model_(model),
        program_(program),
        overlay_(program, no_fences_),
        plan_(model, overlay_),
        relations_(plan_),
        most_events_(most_events),
        rng_(seed) {}

  void run(size_t steps) {
    for (size_t i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      if (graph().size() > bottom_ && (graph().size() + 3 > most_events_ || rng_.chance(20)))
        back(1 + rng_.below(6));
      else if (graph().size() + 3 <= most_events_ && !(rng_.chance(5) && revisit()))
        grow();
    }
  }

  size_t accepted() const { return accepted_; }
  size_t rejected() const { return rejected_; }
  size_t revisits() const { return revisits_; }
  size_t too_low() const { return too_low_; }
  size_t flagged() const { return flagged_; }

 private:
  Graph<kWords>& graph() { return random_.graph; }

  void back(size_t events) {
    for (size_t i = 0; i < events && graph().size() > bottom_; ++i) {
      relations_.remove_last();
      random_.remove_last();
    }
  }

  void grow() {
    const Instruction* instruction = nullptr;
    const Event event = random_event(ThreadId(rng_.below(kThreads)), instruction);
    if (event.cell.valid() && graph().coherence(event.cell).empty()) {
      ASSERT_TRUE(add(initial_write(event.cell), nullptr, 0));
      return;
    }
    size_t place = 0;
    Event added = event;
    const auto& order = event.cell.valid() ? graph().coherence(event.cell) : kNone;
    if (event.kind == GraphEventKind::kWrite)
      place = rng_.chance(50) ? order.size() : 1 + rng_.below(order.size());
    if (event.kind == GraphEventKind::kRead)
      added.source = rng_.chance(50) ? order.back() : order[rng_.below(order.size())];
    if (!add(added, instruction, place)) back(1);
  }

  // Compares the verdicts of all three.
  bool add(const Event& event, const Instruction* instruction, size_t place) {
    const bool rejected = is_rejected(event, place);
    graph().add(event, place);
    random_.instructions.push_back(instruction);
    const bool holds = relations_.add(graph());
    EXPECT_FALSE(rejected && holds) << "first_place() rejects event " << graph().size() - 1;
    too_low_ += rejected;
    Relations<kWords> scratch(plan_);
    EXPECT_EQ(holds, scratch.assign(graph())) << "event " << graph().size() - 1;
    compare(holds);
    return holds;
  }

  // Is the place, or that of the write that is read, too low?
  bool is_rejected(const Event& event, size_t place) {
    if (!event.cell.valid() || event.initial()) return false;
    const auto& order = graph().coherence(event.cell);
    if (event.kind == GraphEventKind::kRead)
      place = static_cast<size_t>(std::find(order.begin(), order.end(), event.source) - order.begin()) + 1;
    return place <= relations_.first_place(graph(), event.thread, event.position, event.cell);
  }

  void compare(bool holds) {
    const Reference<kWords> reference(model_, random_);
    EXPECT_EQ(holds, reference.consistent()) << "event " << graph().size() - 1;
    ++(holds ? accepted_ : rejected_);
    if (!holds || plan_.flags().empty()) return;
    const std::vector<size_t> flags = relations_.raised_flags(graph());
    EXPECT_EQ(flags, reference.flags());
    flagged_ += !flags.empty();
  }

  Event initial_write(CellId cell) {
    Event event;
    event.kind = GraphEventKind::kWrite;
    event.cell = cell;
    event.sets = plan_.sets_of({});
    return event;
  }

  Event random_event(ThreadId thread, const Instruction*& instruction) {
    const std::vector<uint32_t>& own = graph().of_thread(thread);
    const Event* last = own.empty() ? nullptr : &graph().event(own.back());
    Event event;
    event.thread = thread;
    event.position = last == nullptr ? 0 : last->position + 1;
    if (rng_.chance(5)) {
      event.kind = GraphEventKind::kChoice;
      return event;
    }
    // The write of a read-modify-write, or of a section, that has begun.
    const bool mid_rmw = last != nullptr && last->kind == GraphEventKind::kRead && last->of_rmw;
    const bool mid_section = last != nullptr && last->kind == GraphEventKind::kRead && last->section != 0;
    if ((mid_rmw || mid_section) && rng_.chance(80)) {
      instruction = mid_rmw ? random_.instructions[own.back()] : any(InstrKind::kStore);
      event.kind = GraphEventKind::kWrite;
      event.of_rmw = mid_rmw;
      if (mid_rmw) event.position = last->position;
      event.section = last->section;
      event.cell = last->cell;
    } else {
      const InstrKind kinds[] = {InstrKind::kLoad, InstrKind::kStore, InstrKind::kRmw, InstrKind::kFence};
      const InstrKind kind = kinds[rng_.below(4)];
      instruction = any(kind);
      event.kind = kind == InstrKind::kStore   ? GraphEventKind::kWrite
                   : kind == InstrKind::kFence ? GraphEventKind::kFence
                                               : GraphEventKind::kRead;
      event.of_rmw = kind == InstrKind::kRmw;
      if (kind != InstrKind::kFence) event.cell = CellId(rng_.below(kCells));
      if (kind == InstrKind::kLoad && rng_.chance(20)) event.section = ++sections_;
    }
    depend(event, own);
    const auto part = event.kind == GraphEventKind::kRead    ? ModelPlan::Part::kRead
                      : event.kind == GraphEventKind::kWrite ? ModelPlan::Part::kWrite
                                                             : ModelPlan::Part::kFence;
    event.sets = plan_.sets_of({instruction, part, event.section != 0});
    return event;
  }

  void depend(Event& event, const std::vector<uint32_t>& own) {
    for (size_t i = 0; i < own.size(); ++i) {
      if (graph().event(own[i]).kind != GraphEventKind::kRead) continue;
      if (graph().event(own[i]).position == event.position) continue;
      if (rng_.chance(15)) event.ctrl.add(i);
      if (event.cell.valid() && rng_.chance(15)) event.addr.add(i);
      if (event.kind == GraphEventKind::kWrite && rng_.chance(15)) event.data.add(i);
    }
  }

  // One of two that the walk has chosen: so there are walks with many sequentially consistent fences.
  const Instruction* any(InstrKind kind) {
    std::vector<const Instruction*>& chosen = chosen_[kind];
    if (chosen.empty()) {
      std::vector<const Instruction*> all;
      for (const Instruction& i : program_.threads[0].code)
        if (i.kind == kind) all.push_back(&i);
      for (int n = 0; n < 2; ++n) chosen.push_back(all[rng_.below(all.size())]);
    }
    return chosen[rng_.below(2)];
  }

  // A new write that an old read of another thread reads: what was added after the read goes, unless it is before the
  // write.
  bool revisit() {
    const ThreadId thread(rng_.below(kThreads));
    const Instruction* instruction = nullptr;
    const Event write = random_event(thread, instruction);
    if (write.kind != GraphEventKind::kWrite || graph().coherence(write.cell).empty()) return false;
    const Set before = graph().prefix_of_next(thread, kNoEvent);
    std::vector<uint32_t> reads;
    for (uint32_t e = 0; e < graph().size(); ++e)
      if (graph().event(e).kind == GraphEventKind::kRead && graph().event(e).cell == write.cell &&
          graph().event(e).thread != thread && !before.has(e))
        reads.push_back(e);
    if (reads.empty()) return false;
    const uint32_t r = reads[rng_.below(reads.size())];
    Set kept = Set::first(r) | before;
    kept |= graph().initial_writes();
    RandomGraph<kWords> child;
    child.graph.assign_restricted(graph(), kept);
    kept.for_each([&](size_t e) { child.instructions.push_back(random_.instructions[e]); });
    child.graph.add(write, 1 + rng_.below(child.graph.coherence(write.cell).size()));
    child.instructions.push_back(instruction);
    GraphEvent<kWords> read = graph().event(r);
    read.source = static_cast<uint32_t>(child.graph.size() - 1);
    read.value = write.value;
    child.graph.add_revisited(read, 0);
    child.instructions.push_back(random_.instructions[r]);
    random_ = std::move(child);
    bottom_ = graph().size();
    ++revisits_;
    const bool holds = relations_.assign(graph());
    compare(holds);
    if (!holds) restart();
    return true;
  }

  void restart() {
    random_ = {};
    bottom_ = 0;
    relations_.assign(graph());
  }

  inline static const std::vector<uint32_t> kNone;
  const CatModel& model_;
  const Program& program_;
  const FenceSet no_fences_;
  const Overlay overlay_;
  const ModelPlan plan_;
  RandomGraph<kWords> random_;
  Relations<kWords> relations_;
  size_t bottom_ = 0;  // what has been assigned as a whole cannot be removed one by one
  size_t most_events_;
  Rng rng_;
  std::map<InstrKind, std::vector<const Instruction*>> chosen_;
  uint32_t sections_ = 0;
  size_t accepted_ = 0, rejected_ = 0, revisits_ = 0, flagged_ = 0, too_low_ = 0;
};

template <size_t kWords>
void walk(const CatModel& model, size_t most_events, size_t walks, size_t steps) {
  const Program program = all_kinds();
  size_t accepted = 0, rejected = 0, revisits = 0, flagged = 0, too_low = 0;
  for (uint64_t seed = 1; seed <= walks; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walk<kWords> one(model, program, most_events, seed);
    one.run(steps);
    accepted += one.accepted();
    rejected += one.rejected();
    revisits += one.revisits();
    flagged += one.flagged();
    too_low += one.too_low();
    if (::testing::Test::HasFailure()) return;
  }
  // The walks are of use only if both verdicts occur often.
  EXPECT_GT(accepted, steps);
  EXPECT_GT(rejected, walks);
  const bool has_rules = !ModelPlan(model, Overlay(program, {})).coherence_rules().empty();
  EXPECT_EQ(has_rules, too_low > walks);
  EXPECT_GT(revisits, walks / 4);
  const bool flags = std::any_of(model.constraints.begin(), model.constraints.end(),
                                 [](const Constraint& c) { return c.flag; });
  EXPECT_EQ(flagged > 0, flags);
}

TEST(ExecutionsRelations, ShippedModelsOnSmallGraphs) {
  for (const std::string_view name : shipped_cat_names()) {
    if (name == "serial") continue;  // it does not suit the engine
    SCOPED_TRACE(std::string(name));
    walk<1>(shipped_cat(name), 24, 40, 200);
  }
}

TEST(ExecutionsRelations, ShippedModelsOnLargeGraphs) {
  for (const std::string_view name : {"tso", "rc11", "armv8", "power"}) {
    SCOPED_TRACE(name);
    walk<2>(shipped_cat(name), 100, 4, 400);
  }
}

// What shipped models do not use in axioms.
TEST(ExecutionsRelations, OtherTerms) {
  for (const char* text : {
           "acyclic po | rf | co | fr | (IW * (M \\ IW)) as c",
           "acyclic po-loc | rmw | rf | co | fr | ([range(rf & ext)]; po; [range(co)]) as c",
           "let rec p = rf | (p; po; rf)\nacyclic po-loc | rmw | co | fr | p as c",
           "let rec p = po-loc | rmw | (p; rf) | (p; q) and q = co | fr | ([W]; p; [R]; q)\nirreflexive p as "
           "c",
           "let rec s = range(rf & ext) | range([s]; po)\nacyclic ([s]; po) | po-loc | rmw | rf | co | fr as "
           "c",
           "acyclic (po \\ (rf^-1; rf)) | rmw | rf | co | fr as c\nflag ~empty (W * F) & ext as f",
           "irreflexive (rf | co | fr)+; (po-loc | rmw) as c\nempty rmw & (fr; co) as d",
           // A new event may connect old ones.
           "acyclic [F]; po; (fr | co | rf); po; [F] as c",
           "acyclic [F]; po; (rf | co | fr)+; po; [F] as c",
           "acyclic (id \\ id) | po-loc | rmw | rf | co | ((rf^-1; co) \\ id) as c",
       }) {
    SCOPED_TRACE(text);
    const CatModel model = load_cat({"test.cat", std::string(text) + "\n"});
    EXPECT_EQ(unsuitable_constraint(model), "");
    walk<1>(model, 24, 40, 200);
  }
}

// The axioms, recursive terms that they use, and what the terms are without recursion. A flag says where that differs.
struct ClosedForm {
  const char *terms, *axioms;
  std::vector<std::pair<const char*, const char*>> equal;
};

TEST(ExecutionsRelations, RecursiveTermsHaveTheirClosedForm) {
  const std::vector<ClosedForm> all = {
      // Power: what is initiated (i) or committed (c) before what.
      {"let rec ii = ii0 | ci | (ic; ci) | (ii; ii)\n"
       "    and ic = ii | cc | (ic; cc) | (ii; ic)\n"
       "    and ci = ci0 | (ci; ii) | (cc; ci)\n"
       "    and cc = cc0 | ci | (ci; ic) | (cc; cc)\n"
       "let step = ii0 | (cc0*; ci0)",
       "acyclic (ii & (R * R)) | (ic & (R * W)) | (cc & (W * W)) | rf | co | fr as c",
       {{"ii", "step+"},
        {"ic", "(step+) | (step*; cc0+)"},
        {"ci", "cc0*; ci0; step*"},
        {"cc", "(cc0+) | (cc0*; ci0; step*; cc0*)"}}},
      // A new event adds pairs of old ones.
      {"let rec p = coherent | (p; p)", "irreflexive p as c", {{"p", "coherent+"}}},
      {"let rec p = po-loc | rmw | q | (p; q) | (q; p) and q = com | (q; q)",
       "irreflexive p as c",
       {{"q", "com+"}, {"p", "(com*; (po-loc | rmw); com*) | com+"}}},
      {"let rec p = po-loc | rmw | rf | (p; p) | r and r = q; p? and q = co | fr",
       "irreflexive p as c",
       {{"p", "coherent+"}, {"r", "(co | fr); coherent*"}}},
      // Not all events of a sequence are needed, but more than the last.
      {"let rec p = rf | (p; po-loc) and q = p; po",
       "acyclic q | coherent as c",
       {{"p", "rf; po-loc*"}, {"q", "rf; po-loc*; po"}}},
      // A set that gains old events.
      {"let s = range([M \\ IW]; co)\nlet rec p = coherent | (p; p) | ([s]; q) and q = po",
       "irreflexive p as c",
       {{"p", "(coherent | ([s]; po))+"}}},
  };
  for (const ClosedForm& form : all) {
    SCOPED_TRACE(form.terms);
    std::string text =
        "let com = rf | co | fr\nlet coherent = po-loc | rmw | com\n"
        "let ii0 = addr | data | rfi | (po-loc & (fre; rfe))\n"
        "let ci0 = ((ctrl & (_ * F)); po) | (po-loc & (coe; rfe))\n"
        "let cc0 = addr | data | po-loc | rmw | ctrl | (addr; po)\n";
    text += std::string(form.terms) + "\n" + form.axioms + "\nflag ~empty rmw as some\n";
    for (const auto& [term, closed] : form.equal)
      text += std::string("flag ~empty (") + term + " \\ (" + closed + ")) | ((" + closed + ") \\ " + term +
              ") as differs-" + term + "\n";
    const CatModel model = load_cat({"test.cat", text});
    EXPECT_EQ(unsuitable_constraint(model), "");
    walk<1>(model, 24, 40, 200);
    walk<2>(model, 70, 4, 200);
  }
}

}  // namespace
}  // namespace fenceline::executions
