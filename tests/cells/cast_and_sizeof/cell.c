(int)3.9 + sizeof(char[7]) + sizeof 'a'
