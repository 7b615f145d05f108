// error: not supported: printf with a text that is not a literal
// line: 9
#include <stdio.h>

char format[] = "%n";
int count;

int main(void) {
  printf(format, &count);
  return 0;
}
