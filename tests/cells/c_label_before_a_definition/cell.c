int n = 0;
again: int last = n * n;
if (++n < 4) goto again;
last
//---
last + n
