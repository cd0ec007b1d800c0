int f(void) { extern int far_away; return far_away; }
int far_away = 5;
f()
