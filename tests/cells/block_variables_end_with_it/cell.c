{ int inner = 4; printf("%d\n", inner); }
//---
inner
