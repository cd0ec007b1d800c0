#define COLORS X(RED, 1) X(GREEN, 2) X(BLUE, 4)
#define X(name, value) name = value,
enum { COLORS };
#undef X
#define X(name, value) #name,
const char *names[] = { COLORS };
#undef X
RED + GREEN + BLUE
//---
names[2]
