#include <uchar.h>
L"hi \"é\" €\n"
//---
u"hi 😀"
//---
U"hi 😀"
//---
u8"hi 😀"
//---
(L"in parentheses")
//---
wchar_t name[] = L"Zoë", *p = name + 1; const char16_t *q = u"ab\x01""cd"; char32_t r[] = { U'x', 0x10ffff, 0xd800, 0x110000, 0 };
name
//---
p
//---
q
//---
r
//---
name[2]
//---
wchar_t none = 0; none
//---
L'é'
//---
char16_t lone[] = { 0xd83d, 'a', 0xde00, 0 };
lone
//---
struct { wchar_t text[4]; char16_t c; wchar_t *p; } s = { L"abc", u'z', name };
s
//---
wchar_t cut[3] = { 'a', 'b', 'c' }, *bad = (wchar_t *)16, *empty = L"", *null = NULL;
cut
//---
bad
//---
empty
//---
null
//---
typedef wchar_t letter; letter word[2][3] = { L"ab", L"cd" };
word
//---
unsigned short numbers[] = { 'a', 'b' }; numbers
//---
wchar_t *gone(void) { static wchar_t text[5000]; wmemset(text, L'x', 4999); return text; }
wcslen(gone())
//---
wchar_t *half = (wchar_t *)((char *)L"odd one" + 1); *half
//---
wcsdup(L"on the heap")
