#include <unistd.h>
char path[] = "/tmp/cells-XXXXXX";
close(mkstemp(path));
FILE *file = freopen(path, "w", stdout);
printf("for the file\n");
fclose(stdout);
puts("for the notebook");
file == stdout
//---
freopen(path, "a", stdout);
puts("and more");
//---
puts("in the notebook again");
freopen(path, "r", stdin);
char first[32], second[32];
fgets(first, sizeof(first), stdin);
fgets(second, sizeof(second), stdin);
unlink(path);
printf("%s%s", first, second);
freopen("/no/such/folder/x", "w", stdout) == NULL && freopen(path, "r", stdin) == NULL && freopen(NULL, "w", stdout) == stdout
