extern int level;
int step(int);
static int level = 4;
static int step(int by) { return level += by; }
register int fast = 3;
auto int slow = 2;
inline int both(void) { return fast + slow; }
step(2) + both()
//---
printf("%d\n", level);
static int level = 40;
level + step(1) + both()
