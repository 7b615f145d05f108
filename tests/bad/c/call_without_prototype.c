// error: a call of 'f' with arguments that do not match its declaration
// line: 5
// SPDX-License-Identifier: GPL-3.0-or-later
int f();
int main(void) { return f(1, 2); }
int f(long a) { return (int)a; }
