struct __attribute__((packed)) tight { char c; int i; };
struct wide { char c; } __attribute__((aligned(32)));
sizeof(struct tight) * 100 + sizeof(struct wide)
//---
struct tight t = { 1, 2 };
t
