__attribute__((weak)) int hook(void) { return 1; }
hook()
//---
int hook(void) { return 2; }
hook()
