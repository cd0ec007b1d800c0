#define X 3
//---
#undef X
//---
int X = 7;
X
