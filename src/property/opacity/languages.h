// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sets of histories that transactions can be checked against; docs/stm.md defines them.
#pragma once

#include <memory>

#include "ir/program.h"
#include "machine/history_language.h"

namespace fenceline::property {

// Precondition: looks_at_history(property). All three throw Unsupported if there are too many threads or
// variables (more than 8 or 16).
std::unique_ptr<machine::HistoryLanguage> history_language(PropertyKind property,
                                                           const HistoryAlphabet& alphabet);
std::unique_ptr<machine::HistoryLanguage> opacity_language(const HistoryAlphabet& alphabet);
std::unique_ptr<machine::HistoryLanguage> strict_serializability_language(const HistoryAlphabet& alphabet);

}  // namespace fenceline::property
