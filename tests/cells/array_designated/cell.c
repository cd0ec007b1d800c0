int a[] = { [3] = 7, 8, [0] = 1 };
sizeof a / sizeof *a
//---
a
