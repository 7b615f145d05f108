// error: no function 'main'
// SPDX-License-Identifier: GPL-3.0-or-later
int x;

void thread(void) { x = 1; }
