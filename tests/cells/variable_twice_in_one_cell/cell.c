int v = 1;
int v = 2;
