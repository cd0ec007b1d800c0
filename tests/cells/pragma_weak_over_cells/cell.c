#pragma weak maybe
extern int maybe(void);
maybe ? maybe() : -1
//---
int try(void) { return maybe ? maybe() : -2; }
try()
//---
int target(void) { return 9; }
#pragma weak other = target
//---
extern int other(void);
other()
