%run
int x = 1;
