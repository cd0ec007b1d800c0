%run 5
int limit = 2;
puts("set up");
int main(int argc, char **argv) { printf("%d %s\n", limit, argv[1]); return 0; }
