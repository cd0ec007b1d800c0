#pragma pack(push, 1)
//---
struct tight { char c; int i; };
sizeof(struct tight)
//---
#pragma pack(push)
#pragma pack(2)
struct two { char c; int i; };
*(volatile int *)0;
//---
struct one { char c; int i; };
sizeof(struct one)
//---
#pragma pack(pop) // back
struct loose { char c; int i; };
sizeof(struct loose)
//---
struct tight a[2]; struct loose b; sizeof a * 100 + sizeof b
//---
#pragma pack(4)
//---
struct four { char c; double d; };
sizeof(struct four)
//---
#pragma pack()
struct eight { char c; double d; };
sizeof(struct eight) * 100 + sizeof(struct four)
//---
#pragma pack(pop)
