sizeof(int) + sizeof(long) + sizeof(void *) + sizeof(char) + sizeof(short)
