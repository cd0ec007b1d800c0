int answer(void) __asm__("another_name");
int answer(void) { return 42; }
answer()
