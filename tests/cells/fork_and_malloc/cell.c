#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int *before = malloc(4 << 20);
memset(before, 1, 4 << 20);
int status;
//---
// a child has as much memory as it needs, and none of it is the session's
if (!fork()) {
	char *p = malloc(64 << 20);
	if (!p)
		_exit(1);
	memset(p, 2, 64 << 20);
	p = realloc(p, 96 << 20);
	memset(before, 3, 4 << 20);
	_exit(p && p[(64 << 20) - 1] == 2 ? 0 : 2);
}
wait(&status);
status
//---
before[1000]
