{
#pragma pack(push, 1)
	struct in { char c; int i; };
#pragma pack(pop)
	printf("%zu\n", sizeof(struct in));
}
#pragma pack(push, 1)
{ struct in { char c; int i; }; printf("%zu\n", sizeof(struct in)); }
#pragma pack(pop)
{ struct in { char c; int i; }; printf("%zu\n", sizeof(struct in)); }
