#define PACKED __attribute__((packed))
struct PACKED tight { char c; int i; };
struct tight t = { 1, 2 };
sizeof t
//---
sizeof(struct tight) + t.i
