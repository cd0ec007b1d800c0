struct z { char a : 4; int : 0; char b : 4; };
sizeof(struct z)
