int strlen(char *);
strlen("four")
