_Thread_local int t = 4;
t++;
//---
t
