;;; puts("a");;
