char *end;
long v = strtol("12abc", &end, 10);
errno = 0; strtol("99999999999999999999", NULL, 10);
v + (errno == ERANGE)
//---
end
