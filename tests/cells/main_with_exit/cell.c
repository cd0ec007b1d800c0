int main(void) { puts("before"); exit(4); }
//---
main();
//---
%run
