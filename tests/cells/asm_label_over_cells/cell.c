int renamed(void) __asm__("real_name");
int renamed(void) { return 42; }
int rv __asm__("real_v") = 7;
const int rc = renamed();
renamed()
//---
rv++; renamed() + rv + rc
//---
