// SPDX-License-Identifier: GPL-3.0-or-later
//
// The inner loops of the explicit engine, one by one: unpacking and expanding states, packing their
// successors, looking them up, storing them; and reading a program. A change that makes a whole verification
// slower shows here where it does so.
//
// The states are those that a search meets: the first ones in breadth-first order of a lock with three
// threads, without reduction, so that all kinds of steps occur.
#include <benchmark/benchmark.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "engine/search/state_store.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "machine/store_buffer/system.h"
#include "property/properties.h"

namespace fenceline::bench {
namespace {

constexpr const char* kProgram = "corpus/mutex/fast.3.pso.fl";
constexpr size_t kStates = 20'000;

// The benchmark may be started anywhere inside the repository.
std::string find_in_repository(const std::string& file) {
  for (std::filesystem::path folder = std::filesystem::current_path();; folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / file)) return (folder / file).string();
    if (folder == folder.root_path()) throw NoSuchFile(file + ": start this inside the repository");
  }
}

// Packed states, with the readable bytes behind each that BitReader asks for.
class PackedStates {
 public:
  void add(machine::PackedState packed) {
    std::vector<uint8_t> bytes(packed.size() + kBitSlack);
    std::memcpy(bytes.data(), packed.data(), packed.size());
    states_.push_back({std::move(bytes), packed.size()});
  }
  size_t size() const { return states_.size(); }
  machine::PackedState operator[](size_t i) const { return {states_[i].bytes.data(), states_[i].length}; }

 private:
  struct Bytes {
    std::vector<uint8_t> bytes;
    size_t length;
  };
  std::vector<Bytes> states_;
};

// Inserts as a search does: growing the store where it gets crowded.
engine::StateStore::Inserted insert(engine::StateStore& store, machine::PackedState packed) {
  if (store.crowded()) {
    store.begin_growth();
    store.reinsert(0);
    store.end_growth();
  }
  return store.insert(0, packed, engine::StateStore::hash(packed), engine::StateStore::kNone);
}

struct CollectingSink final : machine::StateSink {
  void expanding(const machine::StateView&) override {}
  void state(machine::PackedState packed) override {
    if (insert(store, packed).fresh) found.add(packed);
  }
  void buffer_full() override {}
  void error() override {}
  void overflow() override {}

  engine::StateStore store{1};
  PackedStates found;
};

struct CountingSink final : machine::StateSink {
  void expanding(const machine::StateView& view) override { benchmark::DoNotOptimize(view.memory); }
  void state(machine::PackedState packed) override {
    ++successors;
    benchmark::DoNotOptimize(packed.data());
  }
  void buffer_full() override {}
  void error() override {}
  void overflow() override {}

  uint64_t successors = 0;
};

// A system and some of its states.
class Sample {
 public:
  Sample(const char* model, bool reduce)
      : program_(frontend::parse_fl(read_source_file(find_in_repository(kProgram)))),
        system_(program_, no_fences_, memory_model(model),
                property::observed_by(program_, program_.properties[0]),
                property::visible_to(program_, program_.properties[0]), {.reduce = reduce}),
        worker_(system_.worker()) {
    CollectingSink sink;
    worker_->initial(sink);
    for (size_t next = 0; next < sink.found.size() && sink.found.size() < kStates; ++next)
      worker_->successors(sink.found[next], sink);
    states_ = std::move(sink.found);
  }

  machine::TransitionSystem& worker() const { return *worker_; }
  const PackedStates& states() const { return states_; }

 private:
  Program program_;
  FenceSet no_fences_;
  machine::System system_;
  std::unique_ptr<machine::TransitionSystem> worker_;
  PackedStates states_;
};

// Unpacking alone, nearly: no thread is tried, only looked at.
void unpack_state(benchmark::State& state, const char* model) {
  const Sample sample(model, false);
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(sample.worker().excused(sample.states()[next]));
    if (++next == sample.states().size()) next = 0;
  }
  state.SetItemsProcessed(state.iterations());
}

// Unpacking one state and packing all its successors. Items are successors.
void expand_state(benchmark::State& state, const char* model, bool reduce) {
  const Sample sample(model, reduce);
  CountingSink sink;
  size_t next = 0;
  for (auto _ : state) {
    sample.worker().successors(sample.states()[next], sink);
    if (++next == sample.states().size()) next = 0;
  }
  state.SetItemsProcessed(static_cast<int64_t>(sink.successors));
}

void hash_state(benchmark::State& state) {
  const Sample sample("tso", false);
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine::StateStore::hash(sample.states()[next]));
    if (++next == sample.states().size()) next = 0;
  }
  state.SetItemsProcessed(state.iterations());
}

// All states of the sample into an empty store, growing it as a search does.
void insert_fresh(benchmark::State& state) {
  const Sample sample("tso", false);
  for (auto _ : state) {
    engine::StateStore store(1);
    for (size_t i = 0; i < sample.states().size(); ++i) insert(store, sample.states()[i]);
    benchmark::DoNotOptimize(store.size());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(sample.states().size()));
}

// The same states again: what most transitions of a search end in.
void insert_duplicate(benchmark::State& state) {
  const Sample sample("tso", false);
  engine::StateStore store(1);
  for (size_t i = 0; i < sample.states().size(); ++i) insert(store, sample.states()[i]);
  size_t next = 0;
  for (auto _ : state) {
    const machine::PackedState packed = sample.states()[next];
    benchmark::DoNotOptimize(
        store.insert(0, packed, engine::StateStore::hash(packed), engine::StateStore::kNone));
    if (++next == sample.states().size()) next = 0;
  }
  state.SetItemsProcessed(state.iterations());
}

void parse_file(benchmark::State& state) {
  const SourceFile source = read_source_file(find_in_repository(kProgram));
  for (auto _ : state) benchmark::DoNotOptimize(frontend::parse_fl(source));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(source.text.size()));
}

BENCHMARK_CAPTURE(unpack_state, sc, "sc");
BENCHMARK_CAPTURE(unpack_state, tso, "tso");
BENCHMARK_CAPTURE(unpack_state, pso, "pso");
BENCHMARK_CAPTURE(expand_state, sc, "sc", false);
BENCHMARK_CAPTURE(expand_state, tso, "tso", false);
BENCHMARK_CAPTURE(expand_state, pso, "pso", false);
BENCHMARK_CAPTURE(expand_state, tso_reduced, "tso", true);
BENCHMARK_CAPTURE(expand_state, pso_reduced, "pso", true);
BENCHMARK(hash_state);
BENCHMARK(insert_fresh)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_duplicate);
BENCHMARK(parse_file)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fenceline::bench

BENCHMARK_MAIN();
