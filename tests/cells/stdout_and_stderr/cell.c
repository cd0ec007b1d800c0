fprintf(stderr, "warning\n");
fputs("text\n", stdout);
