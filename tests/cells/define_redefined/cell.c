#define N 1
int a[N];
//---
#define N 3
int b[N];
sizeof a + sizeof b
