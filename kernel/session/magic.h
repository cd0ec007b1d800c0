/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands to the kernel inside a cell. `% b` and `!x;` are legal C, so `%name`, `%%name`,
 * `!command`, `?name` and `name?` are commands only in the leading block of a cell, before its
 * first C token; `//%name` is one at the start of any line, which keeps editors and compilers
 * content. Commands run in order before the cell's C code. Their text is blanked, so lines and
 * columns of the C code hold.
 *
 * A command is one file with its struct magic on top, and a row in kernel/magics/magics.def.
 */
#ifndef CGPU_KERNEL_SESSION_MAGIC_H
#define CGPU_KERNEL_SESSION_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell;
struct error;
struct session;
struct magic_call;

enum magic_form {
	MAGIC_LINE = 1,     /* %name arguments */
	MAGIC_CELL = 2,     /* %%name arguments, and the rest of the cell is its body */
	MAGIC_COMPILER = 8, /* with MAGIC_CELL: the whole cell is the compiler's, with this line */
	/* The text behind the name (and the body) is C code of the cell, not arguments. */
	MAGIC_CODE = 4,
	/* With MAGIC_CODE: the line form has arguments behind the name all the same. */
	MAGIC_WORDS = 16,
	MAGIC_PARKED = 64, /* needs no worker: it can be asked while the session is parked */
	/* With MAGIC_CODE: both forms have arguments behind the name, and the code in the lines
	 * below. */
	MAGIC_OPTIONS = 32,
};

/* What a word of the arguments, or of the body, can be. The front end is offered these. */
enum magic_word {
	MAGIC_WORD_NONE, /* something that cannot be listed */
	MAGIC_WORD_CODE, /* a name, as in code of the cell */
	MAGIC_WORD_FILE,
	MAGIC_WORD_FOLDER,
	MAGIC_WORD_SHELL,    /* of a command: a program at its start, a file behind that */
	MAGIC_WORD_PACKAGE,  /* a library's, as %pkg has it */
	MAGIC_WORD_VARIABLE, /* of the session */
	MAGIC_WORD_MAGIC,    /* the name of a magic */
};

/* Receives each possible word; `type` is for the front end. */
typedef void magic_candidate(void *data, const char *word, const char *type);

struct magic {
	const char *name;
	const char *alias; /* "" for none */
	unsigned forms;    /* enum magic_form */
	const char *usage; /* "%limit [gpu|ram|output SIZE|off]" */
	/* Markdown, with no line broken: a sentence for the list of all, then paragraphs and
	 * items. */
	const char *help;
	/*
	 * 0: done; -1: failed, with a text for the user; 1: it goes on and calls
	 * hooks->magic_done() later. Before that an interrupt calls cell->cancel, if it was set.
	 */
	int (*run)(struct session *s, struct cell *c, const struct magic_call *call,
		   struct error *err);
	const char *words;    /* what the first of the arguments can be; NULL: see `word` */
	enum magic_word word; /* what else each of the arguments can be */
	enum magic_word body; /* what a word of the body can be */
	/* Calls fn for the words that can follow the arguments `before`, which are whole words, and
	 * returns what else can. The caller leaves out what does not fit. NULL: `words` and `word`
	 * say all. */
	enum magic_word (*complete)(struct session *s, const char *before, magic_candidate *fn,
				    void *data);
};

struct magic_call {
	const struct magic *magic;
	const struct magic *const *table; /* all magics */
	char *args;                       /* trimmed; owned */
	char *body;                       /* of a cell magic; NULL for a line magic; owned */
	bool is_cell;                     /* %%name */
	uint32_t line;
};

struct magic_script {
	struct magic_call *calls;
	size_t n_calls;
	char *code;    /* the cell with all commands blanked; owned */
	char *written; /* that, before magic_script_put() changed it; NULL: it has not; owned */
};

/* Releases the script. A zeroed struct is accepted. */
void magic_script_release(struct magic_script *s);
/* Returns line `line` (from 1) of the code; the last line when there are not so many. */
const char *magic_script_line(const struct magic_script *s, uint32_t line);
/* Puts a text in place of what the code has from `at` to `end`. A shorter one is filled up with
 * blanks, so that what follows keeps its column. ERROR_MEMORY. */
int magic_script_put(struct magic_script *s, const char *at, const char *end, const char *text,
		     struct error *err);

/* Finds the magic with this name or alias; NULL: there is none. A table ends with NULL. */
const struct magic *magic_find(const struct magic *const *table, const char *name);
/* Finds the known name with the smallest edit distance; NULL when none is near. */
const struct magic *magic_nearest(const struct magic *const *table, const char *name);

/* Calls fn for each word of a list with blanks between, as keywords. */
void magic_offer(const char *words, magic_candidate *fn, void *data);

/* Tells whether a text is one of the magic's `words`. */
bool magic_has_word(const struct magic *m, const char *text);

/* Takes the next word off *args, the arguments of a magic, and cuts it there; "" at the end. */
char *magic_next_word(char **args);

#endif
