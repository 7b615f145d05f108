// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the checker needs of symbolic states: the steps must omit none (automata_buffer.h), and the order is
// inclusion of languages, queue by queue. A state whose buffers may be empty among others is looked at both
// as what it is and as the one state with empty buffers that it contains, see certificate_checker.cpp.
//
// This file converts automata to languages, after checking that they are well-formed.
#include "task/automata_certificate.h"

#include <fmt/format.h>

#include "check/check_certificate.h"
#include "check/statespace/automata_buffer.h"
#include "check/statespace/certificate_checker.h"

namespace fenceline::check {
namespace {

std::optional<std::string> malformed(const Letter& letter, const Program& program, Buffering buffering) {
  const bool per_cell = buffering == Buffering::kPerCell;
  if (letter.variable == Letter::kBarrier) {
    if (!per_cell) return "a barrier where there is not one buffer per cell";
    if (letter != Letter::barrier()) return "a barrier with a value or a mark";
    return std::nullopt;
  }
  if (letter.variable >= program.cell_count) return fmt::format("there is no cell {}", letter.variable);
  if (letter.marked && !per_cell) return "a mark where there is not one buffer per cell";
  const CellId cell(letter.variable);
  const Object& object = program.object(program.object_of(cell));
  if (object.declared && !object.declared->contains(letter.value))
    return fmt::format("{} = {} is outside its range", program.cell_name(cell), letter.value);
  return std::nullopt;
}

std::optional<std::string> malformed(const Automaton& automaton, const Program& program,
                                     Buffering buffering) {
  for (size_t s = 0; s < automaton.states.size(); ++s) {
    const auto& edges = automaton.states[s].edges;
    for (size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].to >= automaton.states.size())
        return fmt::format("an edge from state {} leads to no state", s);
      if (e > 0 && edges[e - 1].letter >= edges[e].letter)
        return fmt::format("the letters of state {} are not a sorted set", s);
      if (auto problem = malformed(edges[e].letter, program, buffering))
        return fmt::format("an edge from state {}: {}", s, *problem);
    }
  }
  return std::nullopt;
}

CertificateCheck rejected(std::string why) {
  CertificateCheck check;
  check.why_not = std::move(why);
  return check;
}

CertificateCheck check_languages(const Task& task, const AutomataCertificate& certificate, Limits& limits) {
  QueueLanguages languages(limits);
  std::vector<QueueLanguages::Number> numbers;  // by automaton
  for (size_t a = 0; a < certificate.automata.size(); ++a) {
    const Automaton& automaton = certificate.automata[a];
    if (const auto problem = malformed(automaton, task.program, task.model.buffering))
      return rejected(fmt::format("automaton {}: {}", a, *problem));
    numbers.push_back(languages.accepted_by(automaton));
  }
  std::vector<CertificateState<AutomataBuffer::Contents>> states;
  states.reserve(certificate.states.size());
  for (size_t s = 0; s < certificate.states.size(); ++s) {
    const SymbolicState& symbolic = certificate.states[s];
    auto& state = states.emplace_back();
    state.locations = symbolic.locations;
    state.memory = symbolic.memory;
    state.registers = symbolic.registers;
    for (const auto& queues : symbolic.queues) {
      auto& buffer = state.buffers.emplace_back();
      for (const uint32_t number : queues) {
        const bool absent = number == SymbolicState::kNoQueue;
        if (!absent && number >= numbers.size())
          return rejected(fmt::format("state {}: there is no automaton {}", s, number));
        buffer.push_back(absent ? AutomataBuffer::kAbsent : numbers[number]);
      }
    }
  }
  AutomataBuffer buffers(languages, task.model.buffering, task.program.cell_count);
  return check_states(task, states, buffers, limits);
}

}  // namespace

CertificateCheck check_certificate(const Task& task, const AutomataCertificate& certificate, Limits& limits) {
  try {
    return check_languages(task, certificate, limits);
  } catch (const OutOfLimits&) {
    CertificateCheck check = rejected(limits.describe(limits.poll()));
    check.gave_up = true;
    return check;
  }
}

}  // namespace fenceline::check
