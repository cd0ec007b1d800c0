char s[] = "abc";
void *p = s;
*(char *)(p + 2)
