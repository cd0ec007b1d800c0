int main(int argc, char *argv[]) { for (int i = 1; i < argc; i++) puts(argv[i]); return argc; }
//---
main(3, (char *[]){ "prog", "x", "y", NULL })
