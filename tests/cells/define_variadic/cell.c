#define LOG(fmt, ...) printf("[" fmt "]\n", ##__VA_ARGS__)
LOG("plain");
LOG("%d %s", 1, "x");
