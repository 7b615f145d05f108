// SPDX-License-Identifier: GPL-3.0-or-later
//
// Re-executes a trace on the interpreter: maps and lists, written from the rules in docs/semantics.md, sharing
// no code with machine/. Every trace passes through here before a user sees it.
#pragma once

#include "task/counterexample.h"
#include "task/task.h"
#include "task/trace.h"

namespace fenceline::check {

// Never throws on a bad trace; that is `ok == false`. Throws Bug for a model that has no store buffers.
Replay replay(const Task& task, const Trace& trace);

}  // namespace fenceline::check
