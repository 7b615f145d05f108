// error: expected
// line: 4
// SPDX-License-Identifier: GPL-3.0-or-later
this is not a program 
