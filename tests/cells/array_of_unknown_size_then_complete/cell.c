extern int later[];
int later[3] = { 1, 2, 3 };
later[2]
