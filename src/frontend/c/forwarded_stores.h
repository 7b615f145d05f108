// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which thread is joined? Its number is known only when the program is lowered. Until then it is in a `pthread_t`, inside
// of a `std::thread` perhaps, and that is in memory. So constants are forwarded from stores to loads of such *handles*:
// loads that are not atomic, of a cell that no other thread accesses, where every path stores the same constant to it
// last. C gives these loads one value on every model. Where the number has been copied to, that is a handle as well. Other
// loads stay: they may order something.
//
// What a started thread gets as its argument is forwarded likewise if it is a constant: it is stored before the start.
#pragma once

#include <vector>

#include "ir/program.h"

namespace fenceline::frontend::c {

// `arguments` are the cells by which threads get their arguments, `handles` those to which the start of a thread stores its
// number.
void forward_stores(Program& program, const std::vector<CellId>& arguments,
                    const std::vector<CellId>& handles);

}  // namespace fenceline::frontend::c
