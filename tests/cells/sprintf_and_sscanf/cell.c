char buf[32];
snprintf(buf, sizeof buf, "%d:%s", 7, "x");
int n; char s[8];
sscanf(buf, "%d:%7s", &n, s) + n
