#pragma pack(push, 1)
struct tight { char c; int i; };
#pragma pack(pop)
struct loose { char c; int i; };
sizeof(struct tight) * 10 + sizeof(struct loose)
//---
struct tight t = { 1, 0x01020304 };
sizeof(struct tight) * 10 + offsetof(struct tight, i)
