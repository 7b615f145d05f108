// SPDX-License-Identifier: GPL-3.0-or-later
//
// What programs for Dartagnan include. Marks and bounds of loops have no effect here: which loops only wait, and how
// often the others iterate, is found out.
#ifndef FENCELINE_DAT3M_H
#define FENCELINE_DAT3M_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void __VERIFIER_assert(bool condition);
void __VERIFIER_assume(bool condition);
void __VERIFIER_loop_bound(int bound);
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(bool done);

bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);

#ifdef __cplusplus
}
#endif

#define await_while(condition) while (condition)

#endif
