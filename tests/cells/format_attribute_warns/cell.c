void say(const char *f, ...) __attribute__((format(printf, 1, 2)));
void say(const char *f, ...) { (void)f; }
say("%d", "text");
