// SPDX-License-Identifier: GPL-3.0-or-later
//
// For the tests of the certificate checker: a program and a model, and the checker's answers to certificates
// of either kind.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "check/check_certificate.h"
#include "frontend/fl/fl.h"
#include "unit/check/statespace/concrete_exploration.h"
#include "unit/check/statespace/symbolic_exploration.h"

namespace fenceline::testing {

struct Case {
  Program program;
  std::string model;
  FenceSet fences = {};
  Property errors{"errors", PropertyKind::kNoErrors, ExprId(), {}};

  Task task() const {
    return {program, fences, memory_model(model),
            program.properties.empty() ? errors : program.properties.front()};
  }
  Buffering buffering() const { return memory_model(model).buffering; }

  template <class Certificate>
  check::CertificateCheck check(const Certificate& certificate) const {
    Limits limits;
    return check::check_certificate(task(), certificate, limits);
  }
  // "ok" or why not.
  template <class Certificate>
  std::string verdict(const Certificate& certificate) const {
    const check::CertificateCheck checked = check(certificate);
    EXPECT_FALSE(checked.gave_up);
    EXPECT_EQ(checked.ok, checked.why_not.empty());
    return checked.ok ? "ok" : checked.why_not;
  }
  // The certificate that consists of these states.
  template <class Certificate>
  Certificate of(const Exploration& exploration) const {
    if constexpr (std::is_same_v<Certificate, AutomataCertificate>)
      return symbolically(exploration, task());
    else
      return exactly(exploration, buffering());
  }
  // The certificate that consists of all reachable states.
  template <class Certificate = CoherenceCertificate>
  Certificate reachable() const {
    const Exploration exploration = explore(task(), 9, 10000);
    EXPECT_TRUE(exploration.complete);
    return of<Certificate>(exploration);
  }
  template <class Certificate = CoherenceCertificate>
  std::string verdict() const {
    return verdict(reachable<Certificate>());
  }
};

inline Case parse(const std::string& text, const char* model) {
  return {frontend::parse_fl({"test.fl", text}), model};
}

inline bool contains(const std::string& verdict, const std::string& part) {
  return verdict.find(part) != std::string::npos;
}

}  // namespace fenceline::testing
