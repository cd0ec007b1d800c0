puts("tab\there \"quoted\" \\ \x41\102 \u00e9 \?");
