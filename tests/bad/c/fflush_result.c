// error: not supported: what 'fflush' returns
// line: 10
#include <stdio.h>

int failed;

int main(void) {
  int unused = puts("one");
  (void)printf("%d\n", 2);
  failed = fflush(0);
  return 0;
}
