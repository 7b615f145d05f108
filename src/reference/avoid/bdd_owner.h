// SPDX-License-Identifier: GPL-3.0-or-later
//
// BuDDy has one global manager. This is its owner: while one of these lives, the `bdd` type of <bdd.h> may be
// used, by the thread that made it; there is never more than one.
#pragma once

namespace fenceline::reference {

class BddOwner {
 public:
  // Waits until no other owner lives. Precondition: variables > 0.
  explicit BddOwner(int variables);
  ~BddOwner();
  BddOwner(const BddOwner&) = delete;
  BddOwner& operator=(const BddOwner&) = delete;
};

}  // namespace fenceline::reference
