// SPDX-License-Identifier: GPL-3.0-or-later
//
// Words of the textual form that its printer and its parser must agree on.
#pragma once

#include <array>
#include <string_view>

namespace fenceline::ir_text {

// The destination of an rmw whose result is not used.
inline constexpr std::string_view kNoDest = "none";

// Comparisons of unsigned numbers, and the types of kWrap, followed by their width.
inline constexpr std::string_view kUlt = "ult", kUle = "ule";
// The operators of 64 bits.
inline constexpr std::string_view kAdd64 = "add64", kSub64 = "sub64", kMul64 = "mul64", kShl64 = "shl64";
inline constexpr char kSigned = 's', kUnsigned = 'u';

inline constexpr std::string_view kTransactional = "transactional", kStamp = "stamp";
inline constexpr std::string_view kDecides = "decides", kEndProgram = "end_program";

// By MemoryOrder, RmwOp, PropertyKind, and the bits of FenceKinds from the lowest.
inline constexpr std::array<std::string_view, 7> kOrders = {"plain",   "relaxed", "consume", "acquire",
                                                            "release", "acq_rel", "seq_cst"};
inline constexpr std::array<std::string_view, 7> kRmws = {"cas",       "cas_value", "xchg",     "fetch_add",
                                                          "fetch_and", "fetch_or",  "fetch_xor"};
inline constexpr std::array<std::string_view, 9> kProperties = {
    "never",       "always",    "finally", "observations",
    "no_deadlock", "no_errors", "opacity", "strict_serializability",
    "liveness"};
// By HistoryOp; the first two are said of no instruction.
inline constexpr std::array<std::string_view, 6> kHistory = {"load", "store",  "rollback",
                                                             "rfin", "commit", "abort"};
inline constexpr std::array<std::string_view, 5> kFences = {"store_load", "store_store", "load_load",
                                                            "load_store", "process_wide"};

}  // namespace fenceline::ir_text
