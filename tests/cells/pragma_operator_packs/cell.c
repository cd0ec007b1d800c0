_Pragma("pack(push, 1)") struct tight { char c; int i; }; _Pragma("pack(pop)") struct loose { char c; int i; };
sizeof(struct tight) * 100 + sizeof(struct loose)
//---
struct tight x; struct loose y; sizeof x * 100 + sizeof y
//---
#define PACKED _Pragma("pack(push, 1)") struct whole { char c; int i; }; _Pragma("pack(pop)")
PACKED
sizeof(struct whole)
//---
#define BEGIN_PACKED _Pragma("pack(push, 1)")
#define END_PACKED _Pragma("pack(pop)")
BEGIN_PACKED
struct between { char c; int i; };
//---
sizeof(struct whole) + sizeof(struct between)
//---
END_PACKED
struct behind { char c; int i; };
sizeof(struct behind)
//---
#define DO_PRAGMA(x) _Pragma(#x)
DO_PRAGMA(pack(push, 2))
struct two { char c; int i; };
DO_PRAGMA(pack(pop))
sizeof(struct two)
//---
#define AGAIN(n) _Pragma("clang loop unroll_count(2)") for (int i = 0; i < n; i++)
AGAIN(2) puts("again");
_Pragma("clang loop unroll(full)")
for (int i = 0; i < 2; i++) printf("%d\n", i);
sizeof(struct two)
