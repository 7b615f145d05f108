// SPDX-License-Identifier: GPL-3.0-or-later
//
// What programs for GenMC include. Marks of loops have no effect here: which loops only wait is found out.
#ifndef FENCELINE_GENMC_H
#define FENCELINE_GENMC_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

void __VERIFIER_assume(int condition);
int __VERIFIER_nondet_int(void);
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(bool done);
void __VERIFIER_opt_begin(void);

#ifdef __cplusplus
}
#endif

#define await_while(condition) while (condition)

#endif
