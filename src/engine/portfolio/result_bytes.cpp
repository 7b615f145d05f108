// SPDX-License-Identifier: GPL-3.0-or-later
//
// Both directions are one function: each field is handed to a writer, or to a reader, in the same order.
#include "app/result_bytes.h"

#include "check/replay/queue_replay.h"
#include "check/replay/replay.h"
#include "env/bytes.h"
#include "env/errors.h"

namespace fenceline {
namespace {

template <class Carrier, class AResult>
void carry(AResult& result, bool& queues, Carrier& carrier) {
  const auto as_is = [&](auto& value) { carrier(value); };
  carrier(result.verdict);
  carrier(result.reason);
  carrier(result.not_covered);
  carrier.if_there(result.bound, [&](auto& bound) {
    carrier(bound.what);
    carrier(bound.limit);
  });
  carrier.if_there(result.trace, [&](auto& trace) { carrier.each(trace.steps, as_is); });
  carrier(queues);
  carrier(result.shortest);
  carrier.if_there(result.certificate, [&](auto& certificate) {
    carrier(certificate.kind);
    carrier(certificate.size);
    carrier(certificate.checked);
    carrier(certificate.unit);
  });
  carrier(result.abstraction);
  carrier(result.spurious);
  carrier.each(result.crossed, [&](auto& place) {
    carrier(place.first);
    carrier(place.second);
  });
  carrier(result.states);
  carrier(result.transitions);
  carrier(result.seconds);
  carrier.each(result.statistics, [&](auto& figure) {
    carrier(figure.first);
    carrier(figure.second);
  });
}

}  // namespace

std::string to_bytes(const Result& result) {
  ByteWriter writer;
  bool queues = result.replay && result.replay->queues;
  carry(result, queues, writer);
  return std::move(writer.bytes);
}

Result from_bytes(std::string_view bytes, const Task& task) {
  ByteReader reader(bytes);
  Result result;
  bool queues = false;
  carry(result, queues, reader);
  if (!reader.at_end()) throw Bug("a result from another process is too long");
  if (result.verdict == Verdict::kViolated && result.trace) {
    result.replay = queues ? replay_queues(task, *result.trace) : replay(task, *result.trace);
    if (!result.replay->ok) throw Bug("a trace does not replay: " + result.replay->why_not);
  }
  return result;
}

}  // namespace fenceline
