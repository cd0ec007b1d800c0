int v = 1;
//---
int rounds = 0;
again:
int v = 3;
v++;
if (++rounds < 3) goto again;
v
//---
if (v) goto over;
int v = 100;
over: v
