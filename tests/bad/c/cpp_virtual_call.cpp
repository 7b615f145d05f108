// error: virtual
// line: 23
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>

struct Shape {
  virtual int sides() const = 0;
};
struct Triangle : Shape {
  int sides() const override { return 3; }
};
struct Square : Shape {
  int sides() const override { return 4; }
};

Triangle triangle;
Square square;
Shape* shape;
int x;

int main() {
  shape = fl_nondet(0, 1) ? static_cast<Shape*>(&triangle) : &square;
  x = shape->sides();
  return 0;
}
