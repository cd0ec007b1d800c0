#if 1
int x = 1;
