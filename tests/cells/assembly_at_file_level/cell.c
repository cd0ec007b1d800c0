__asm__(".globl from_assembly\n.type from_assembly, @function\nfrom_assembly:\n"
#if defined(__x86_64__)
	"mov $42, %eax\nret\n"
#else
	"mov w0, #42\nret\n"
#endif
	".size from_assembly, .-from_assembly\n");
extern int from_assembly(void);
int call(void) { return from_assembly(); }
//---
call()
