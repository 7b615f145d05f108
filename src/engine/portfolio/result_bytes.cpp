// SPDX-License-Identifier: GPL-3.0-or-later
//
// Both directions are one function: each field is handed to a writer, or to a reader, in the same order.
#include "engine/portfolio/result_bytes.h"

#include <cstdint>
#include <type_traits>
#include <utility>

#include "check/axiomatic/execution_checker.h"
#include "check/replay/queue_replay.h"
#include "check/replay/replay.h"
#include "env/bytes.h"
#include "env/errors.h"

namespace fenceline::engine {
namespace {

enum class Kind : uint8_t { kUnknown, kProof, kTrace, kQueueTrace, kExecution };

template <class Carrier, class Orderings>
void carry_orderings(Orderings& orderings, Carrier& carrier) {
  carrier.each(orderings, [&](auto& ordering) {
    carrier(ordering.first);
    carrier(ordering.second);
  });
}

template <class Carrier, class AnUnknown>
void carry_unknown(AnUnknown& unknown, Carrier& carrier) {
  carrier(unknown.reason);
  carrier.if_there(unknown.bound, [&](auto& bound) {
    carrier(bound.what);
    carrier(bound.limit);
  });
  carry_orderings(unknown.violated_orderings, carrier);
}

template <class Carrier, class AProof>
void carry_proof(AProof& proof, Carrier& carrier) {
  carrier.if_there(proof.certificate, [&](auto& certificate) {
    carrier(certificate.kind);
    carrier(certificate.size);
    carrier(certificate.checked);
    carrier(certificate.unit);
  });
  carrier(proof.not_covered);
}

template <class Carrier, class ACounterexample>
void carry_trace(ACounterexample& found, Carrier& carrier) {
  carrier.each(found.trace.steps, [&](auto& step) { carrier(step); });
  carrier(found.shortest);
  carry_orderings(found.violated_orderings, carrier);
}

template <class Carrier, class AnExecution>
void carry_execution(AnExecution& execution, Carrier& carrier) {
  const auto as_is = [&](auto& value) { carrier(value); };
  carrier.each(execution.events, as_is);
  carrier.each(execution.reads_from, as_is);
  carrier.each(execution.coherence, [&](auto& writes) { carrier.each(writes, as_is); });
  carrier.each(execution.choices, [&](auto& choices) { carrier.each(choices, as_is); });
  carrier.each(execution.locations, as_is);
}

template <class Carrier, class AResult>
void carry_rest(AResult& result, Carrier& carrier) {
  carrier(result.reason);
  carrier(result.abstraction);
  carrier.each(result.buffers, [&](auto& buffer) {
    carrier(buffer.thread);
    carrier(buffer.line);
    carrier(buffer.language);
  });
  carrier(result.statistics.states);
  carrier(result.statistics.transitions);
  carrier(result.statistics.seconds);
  carrier.each(result.statistics.figures, [&](auto& figure) {
    carrier(figure.first);
    carrier(figure.second);
  });
}

Kind kind_of(const Result& result) {
  if (result.unknown() != nullptr) return Kind::kUnknown;
  if (result.proof() != nullptr) return Kind::kProof;
  if (const Replay* replay = result.replay()) return replay->queues ? Kind::kQueueTrace : Kind::kTrace;
  return Kind::kExecution;
}

TraceCounterexample replayed(TraceCounterexample found, Kind kind, const Task& task) {
  found.replay =
      kind == Kind::kQueueTrace ? check::replay_queues(task, found.trace) : check::replay(task, found.trace);
  if (!found.replay.ok) throw Bug("a trace does not replay: " + found.replay.why_not);
  return found;
}

ExecutionCounterexample checked(ExecutionCounterexample found, const Task& task) {
  found.check = check::check_execution(task, axioms_of(task.model), found.execution);
  if (!found.check.ok) throw Bug("the check rejects an execution: " + found.check.why_not);
  return found;
}

}  // namespace

std::string to_bytes(const Result& result) {
  ByteWriter writer;
  const Kind kind = kind_of(result);
  writer(kind);
  switch (kind) {
    case Kind::kUnknown:
      carry_unknown(*result.unknown(), writer);
      break;
    case Kind::kProof:
      carry_proof(*result.proof(), writer);
      break;
    case Kind::kTrace:
    case Kind::kQueueTrace:
      carry_trace(*result.trace_counterexample(), writer);
      break;
    case Kind::kExecution:
      carry_execution(result.execution_counterexample()->execution, writer);
      break;
  }
  carry_rest(result, writer);
  return std::move(writer.bytes);
}

Result from_bytes(std::string_view bytes, const Task& task) {
  ByteReader reader(bytes);
  Result result;
  Kind kind = Kind::kUnknown;
  reader(kind);
  switch (kind) {
    case Kind::kUnknown:
      carry_unknown(result.conclusion.emplace<Unknown>(), reader);
      break;
    case Kind::kProof:
      carry_proof(result.conclusion.emplace<Proof>(), reader);
      break;
    case Kind::kTrace:
    case Kind::kQueueTrace: {
      TraceCounterexample found;
      carry_trace(found, reader);
      result.conclusion = replayed(std::move(found), kind, task);
      break;
    }
    case Kind::kExecution: {
      ExecutionCounterexample found;
      carry_execution(found.execution, reader);
      result.conclusion = checked(std::move(found), task);
      break;
    }
  }
  carry_rest(result, reader);
  if (!reader.at_end()) throw Bug("a result from another process has bytes left over");
  return result;
}

}  // namespace fenceline::engine
