/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang in this process, behind a C interface: the only door to C++. It turns one translation unit
 * into an object in memory, reports diagnostics and file-scope names through callbacks, builds the
 * precompiled header, and completes code. It knows nothing of cells but this: file-scope names are
 * those whose `#line` file is job.name; functions and variables that an included file defines are
 * part of the object only if the #include stands in such a line; statements stand among
 * declarations; and when the last of them is an expression without
 * `;`, its value goes to cgpu_display_value().
 *
 * With options for C++ the names reported are extern "C" functions, variables at file scope, whose
 * names are not mangled, and types, as C text.
 *
 * Callbacks run inside the call that was given them; texts live for the callback only.
 */
#ifndef CGPU_COMPILER_CLANG_SHIM_H
#define CGPU_COMPILER_CLANG_SHIM_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options as parsed once from a clang command line; each compilation starts from a copy. */
struct clang_options;

enum clang_severity { CLANG_NOTE, CLANG_WARNING, CLANG_ERROR };

enum clang_diagnostic_kind {
	CLANG_OTHER,
	CLANG_CLASH,
	CLANG_PREVIOUS,
	CLANG_INSTANTIATION,
	CLANG_INSTANTIATED,
	CLANG_CAPTURES_GLOBAL,
	CLANG_UNCONVERTED,
	CLANG_UNPOPPED,
	CLANG_OTHER_TARGET,
	CLANG_LAUNCH,
	CLANG_SHARED_INIT,
	CLANG_NO_FILE,
	CLANG_FEW_ARGUMENTS,
	CLANG_UNKNOWN,
	CLANG_ODD_IN_C,
	CLANG_OF_CPP,
};

struct clang_diagnostic {
	enum clang_severity severity;
	enum clang_diagnostic_kind kind; /* by clang's number of it: clang-diagnostics.def */
	const char *message;
	const char *name;  /* the first one that it is about, as spelled, or the file that is not
			      found; NULL: none */
	const char *guess; /* of clang, for a name that is misspelt; NULL: none */
	const char *incomplete; /* the class or enum that it is about and that has no definition;
				   NULL: none */
	unsigned wanted;        /* of a call with too few arguments: how many, at least */
	const char *flag;       /* "-Wparentheses" or "" */
	bool in_syntax;         /* the parser's, not about what the text means */
	const char *file;       /* as #line says; "" without a place */
	unsigned line, column;
	bool in_system_header; /* of the C++ library, of CUDA: no file of the user's */
	const char *source;    /* the line of a file that is included; NULL elsewhere */
	const char *hint;      /* what to do, which clang's words do not say; NULL */
	const char *macro;  /* whose text this place is in, as the cell spells it; NULL: in none */
	const char *header; /* "<vector>": of the standard library, where what is missing stands;
			       NULL: none */
	const char *include_file; /* from where, as #line says; NULL: not included */
	unsigned include_line;
	long offset;                 /* in the job's text; -1 when elsewhere */
	long range_begin, range_end; /* the first range in the job's text; -1 for none */
};

enum clang_symbol_kind {
	CLANG_VARIABLE,
	CLANG_FUNCTION,
	CLANG_TYPEDEF,
	CLANG_MACRO,
	CLANG_CONSTANT,
	CLANG_TAG
};

struct clang_symbol {
	enum clang_symbol_kind kind;
	bool in_cell; /* its #line file is the job's name; others come from headers: typedefs, and
		       * all kinds when a header is built */
	bool in_include; /* not in_cell, but defined by a file that the cell includes */
	bool is_definition;
	bool waits; /* of a C cell: a variable that keeps the session's value, if it has one, until
		       its cell comes to it */
	bool is_thread_local;
	bool is_c;         /* of a C++ cell: extern "C", it is meant for C */
	bool is_entry;     /* of a C++ cell: a kernel, by the name of its stub */
	bool is_on_device; /* of a C++ cell: a variable that the host has a stand-in of */
	bool has_label; /* of a C++ cell: a function whose symbol is another word than its name */
	const char *name;
	const char *type;        /* "double [16]"; of a macro: the first word of its body */
	const char *declaration; /* "double x[16]": for a variable, function or typedef, without
				  * storage class; of a header's function with parameter names */
	const char *type_code;   /* of a variable */
	const char
		*value;  /* of a constant of C that is a number, as a literal; NULL: of all else */
	uint64_t layout; /* of a C variable or function, see common/code/unit.h */
	uint64_t size;
	unsigned line, column;
};

/* The text of a kernel has its body where this macro is defined, else a `;`. */
#define CLANG_ANEW "CGPU_ANEW"
/* The text of another function that later cells have the body of has a `;` where this macro is
 * defined. */
#define CLANG_DECLARED "CGPU_DECLARED"

/* `extern const int n` of an earlier cell has this annotation, and the number that it is. */
#define CLANG_VALUE "cgpu_value"

/* `#pragma` with this word and a name of headers: the session has it for its own
 * (compiler/clang/clang-own.hh). */
#define CLANG_OWN "cgpu_own"

/* What later C++ cells get of a C++ cell: a declaration at file scope, or a directive. */
struct clang_piece {
	const char *key;  /* a later piece with the same one takes its place; unique in a cell */
	const char *name; /* the plain one; "" for none */
	const char *text;
	unsigned line;
};

/*
 * The text of such a declaration ends with this line, which has the layout of what it declares
 * (clang_declaration_layout() in compiler/clang/clang-types.hh). A line without one: it is not
 * known.
 */
#define CLANG_LAYOUT "/* layout %016" PRIx64 " */"
#define CLANG_LAYOUT_READ "/* layout %" SCNx64

/* What a C++ cell declares at file scope, or in a namespace. */
struct clang_definition {
	const char *key, *name; /* as of the piece that it would be */
	uint64_t layout;        /* 0: not known */
	long end;               /* of all that stands up to its `;` or `}`, in the text */
};

/* A CUDA entry (`__global__` function), or an instance of a template of one, that the host's object
 * has a stub of. */
struct clang_entry {
	const char *ptx_name; /* its symbol in the PTX */
	const char *stub;     /* its symbol in the object */
	unsigned line;
};

enum clang_effort {
	CLANG_FULL, /* clang's own way to an object, whatever the options */
	CLANG_LOOPS,
	CLANG_NESTED, /* loops within loops: vectorised and unrolled, too */
	CLANG_LIGHT,  /* optimised, but machine code is made as without */
	CLANG_ONCE,   /* straight-line code that runs once: not optimised */
	CLANG_CPP,    /* C++: as CLANG_LOOPS, whatever it has */
	CLANG_EFFORTS
};

struct clang_job {
	const struct clang_options *options;
	const char *header;       /* precompiled, in place of the options' own; NULL for that */
	const char *name;         /* of the text, and of the cell in #line */
	const char *const *files; /* other names in #line of lines that count as the cell's */
	size_t n_files;
	const char *text; /* NUL-terminated */
	size_t len;
	const char *behind; /* declarations that come behind the text of a C++ cell; NULL: none */
	/* Of a C cell: what the function that holds its statements is called. Of a C++ cell: one
	 * that they call; NULL: none. */
	const char *run;
	const char *statements; /* of a C++ cell: what functions made of statements at file scope
				   are called, before a number */
	/*
	 * Of a C++ cell with `instance`: what stands in front of the symbols of inline functions
	 * and instances of templates that units give each other, and those that the session has, a
	 * line each, without it.
	 */
	const char *instances;
	const char *given;
	enum clang_effort effort;
	bool functions_only; /* of a C cell: its variables are elsewhere, its statements have run */
	bool checked;        /* each access to memory calls the functions of runtime/memcheck/ */
	void *context;
	void (*diagnostic)(void *context, const struct clang_diagnostic *d);
	void (*symbol)(void *context, const struct clang_symbol *s); /* may be NULL */
	void (*piece)(void *context,
		      const struct clang_piece *p); /* of a C++ cell without errors; may be NULL */
	/* Of a C++ cell with errors: what it declares that is well; may be NULL. */
	void (*definition)(void *context, const struct clang_definition *d);
	/*
	 * Of a C++ cell without errors: a declaration of an earlier cell that stands behind one of
	 * its own; file: as #line says. May be NULL.
	 */
	void (*dependent)(void *context, const char *file, uint64_t layout);
	/*
	 * Of a C cell, also after errors: what stands at its top from `begin` to `end` of the text.
	 * function: what it defines, with its body from `body`; NULL: none. May be NULL.
	 */
	void (*item)(void *context, unsigned begin, unsigned body, unsigned end,
		     const char *function);
	/* Of a C cell, also after errors: a branch of #if that is not taken, [begin, end) of the
	 * text; may be NULL. */
	void (*skipped)(void *context, unsigned begin, unsigned end);
	/* Of a cell, also after errors: a directive outside of all brackets, by its text behind
	 * "#pragma"; may be NULL. */
	void (*pragma)(void *context, const char *text);
	/* Of a C++ cell: the symbol of a weak variable that its own text defines, or of its guard;
	 * may be NULL */
	void (*own_variable)(void *context, const char *symbol);
	/* Of a C++ cell: the unit's code of this symbol is for others, too. NULL: they get none,
	 * and it takes none. */
	void (*instance)(void *context, const char *symbol);
	/*
	 * As `instance`: an instance of a template of headers alone that the cell uses and no
	 * header has; the key is for clang_shim_build_instances(). May be NULL.
	 */
	void (*instantiated)(void *context, const char *key);
	void (*refused)(void *context,
			const char *key); /* for clang_shim_build_instances() alone */
	void (*entry)(void *context, const struct clang_entry *e); /* as `piece` */
	/* As `piece`: a function that its object has under another symbol than its name, and its
	 * type. */
	void (*function)(void *context, const char *symbol, const char *type, unsigned line);
	/* Of a C++ cell: has_device_code will be set. Called once, as soon as it is known; may be
	 * NULL. */
	void (*device_code)(void *context);
	/*
	 * Of a C++ cell, also after errors: with [begin, end) of the text replaced, its lambdas
	 * capture what they name. Edits do not overlap. May be NULL.
	 */
	void (*edit)(void *context, unsigned begin, unsigned end, const char *with);
	/* As `edit`: device code launches a kernel whose body is not there; file: where it is
	 * declared, as #line says. */
	void (*launched)(void *context, const char *file);
	void (*file)(void *context,
		     const char *path); /* each file that a header is made of; may be NULL */
};

struct clang_result {
	char *object; /* malloc-ed; NULL when the job was only parsed */
	size_t object_len;
	char *display_type; /* malloc-ed; NULL when nothing is displayed */
	char *display_type_code;
	long display_offset; /* of a C++ cell: where its last expression begins in the text, shown
				or not; 0: there is none */
	bool has_run; /* of a C cell: there is job.run; of a C++ cell: its statements call that */
	bool has_device_code; /* of a C++ cell: clang_shim_compile_device() is to be called, with
				 the options for a device */
};

struct clang_completion {
	const char *text;      /* what is inserted */
	const char *kind;      /* function, variable, type, macro, keyword, member */
	const char *type;      /* result or value type, "" if none */
	const char *signature; /* "double pow(double x, double y)" */
	const char *comment;   /* brief comment or "" */
	unsigned priority;     /* small is better */
};

void clang_shim_init(void);
const char *clang_shim_version(void);

/*
 * argv as for the clang driver, argv[0] its name. On failure NULL, and the driver's complaint in
 * text (cut to size). Free with clang_options_free().
 */
struct clang_options *clang_options_new(const char *const *argv, size_t n, char *text, size_t size);
void clang_options_free(struct clang_options *o);
/*
 * These options are cgpu's own, none is a user's: machine code may be made in a shorter way than
 * clang's, which knows them all.
 */
void clang_options_are_own(struct clang_options *o);
/* Use this precompiled header from here on. */
void clang_options_set_header(struct clang_options *o, const char *path);
/* Directives that each text starts with, behind the header. Copied. */
void clang_options_set_macros(struct clang_options *o, const char *text);
/*
 * The cc1 command line, one argument a line: what a precompiled header depends on, so without the
 * folder that debugging information names. malloc-ed.
 */
char *clang_options_describe(const struct clang_options *o);

/* A structure that is the last thing in the text of a header of C++: the virtual tables that its
 * classes need go into it, too. */
#define CLANG_HEADER_END "cgpu_header_end"
/* Precompile job->text into the file at path; reports all its names. 0, or -1 after diagnostics. */
int clang_shim_build_header(const struct clang_job *job, const char *path);
/*
 * Precompile instances of templates that job->header has, which must stay where it is, into the
 * file at path: job->text has their keys (`instantiated`), a line each. Each of those that there
 * are not is told to job->refused. 0, or -1 when there are errors in some, which are told, too.
 */
int clang_shim_build_instances(const struct clang_job *job, const char *path);

/* Compile to an object. 0, or -1 after diagnostics. Release the result with clang_result_release().
 */
int clang_shim_compile(const struct clang_job *job, struct clang_result *ret);
/*
 * The device's half of a C++ cell: PTX, malloc-ed. 0, or -1 after diagnostics. It may run on a
 * thread of its own while another one is in clang_shim_compile(), behind the callback device_code.
 */
int clang_shim_compile_device(const struct clang_job *job, char **ret_ptx, size_t *ret_len);
/*
 * While nothing is to be compiled: take down the last compilation, and begin the next one ahead,
 * with these options and this header as in a job. options NULL: begin none.
 */
void clang_shim_rest(const struct clang_options *options, const char *header);
/* The same for a C++ cell, in steps of some milliseconds: false when all is done. */
bool clang_shim_rest_cpp(const struct clang_options *options, const char *header);
/* Parse only; symbols are reported even after errors. 0, or -1 when there were errors. */
int clang_shim_parse(const struct clang_job *job);
void clang_result_release(struct clang_result *r);

/*
 * Members, locals, keywords and names of the text itself (not of headers) that start with prefix.
 * line and column of job->text (from 1) are where the prefix starts.
 */
void clang_shim_complete(const struct clang_job *job, const char *prefix, unsigned line,
			 unsigned column,
			 void (*found)(void *context, const struct clang_completion *c));

#ifdef __cplusplus
}
#endif

#endif
