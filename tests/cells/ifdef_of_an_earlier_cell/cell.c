#define FEATURE
//---
#ifdef FEATURE
puts("on");
#else
puts("off");
#endif
//---
#undef FEATURE
//---
#ifdef FEATURE
puts("on");
#else
puts("off");
#endif
