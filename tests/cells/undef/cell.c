#define GONE 1
#undef GONE
int GONE = 5;
GONE
//---
GONE + 1
