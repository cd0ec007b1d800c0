wchar_t w[] = L"abc";
wcslen(w) + w[1]
