#pragma pack(1)
typedef struct { char c; double d; } record;
#pragma pack()
//---
record r[2];
sizeof r
