int run(const char *code)
{
	static void *const ops[] = { &&add, &&twice, &&stop };
	int v = 1;
	goto *ops[*code++ - 'a'];
add:	v += 3; goto *ops[*code++ - 'a'];
twice:	v *= 2; goto *ops[*code++ - 'a'];
stop:	return v;
}
run("abbc")
