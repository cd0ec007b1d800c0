char s[32] = "hello";
strcat(s, " world");
strchr(s, 'w')
//---
char *parts = strdup("a,b,c"); int n = 0;
for (char *t = strtok(parts, ","); t; t = strtok(NULL, ",")) n++;
n
