puts("/* no comment */ // neither");
