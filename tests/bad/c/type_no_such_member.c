// error: no member named 'tail'
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
struct queue {
  int head;
} queue;

int main(void) {
  queue.tail = 1;
  return 0;
}
