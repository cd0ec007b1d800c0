#define LEN 4
struct buf { char text[LEN]; };
//---
#define LEN 9
sizeof(struct buf)
