sizeof(u8"é") * 100 + sizeof(u"ab") * 10 + sizeof(U"a")
