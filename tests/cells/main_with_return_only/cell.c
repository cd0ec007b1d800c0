int main(void) { puts("main"); return 3; }
//---
main();
//---
main()
