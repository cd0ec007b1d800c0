int v = 5;
void *any = &v;
*(int *)any + 1
