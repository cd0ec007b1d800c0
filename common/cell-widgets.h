/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Widgets and comms of cells: the functions as the worker has them; cgpu-widgets.h of the prelude
 * adds what the language can do. A widget is memory of the session, so a cell that fails has made
 * and changed none, and what the browser shows follows.
 *
 * A callback runs between cells, as a cell of its own: what it does is kept, or rolled back if it
 * fails. Of a function of the session the newest definition is called.
 *
 * A widget is for one thread at a time.
 *
 * Each function writes what is wrong with its arguments on stderr, with its name in front.
 */
#ifndef CGPU_COMMON_CELL_WIDGETS_H
#define CGPU_COMMON_CELL_WIDGETS_H

typedef struct cgpu_comm cgpu_comm;
typedef struct cgpu_comm cgpu_widget; /* a comm with a state */

/* Bytes beside the JSON of a message. */
typedef struct cgpu_bytes {
	const void *at;
	unsigned long size;
} cgpu_bytes;

/* What a front end has sent; it ends with the callback. */
typedef struct cgpu_message {
	const char *json;
	const cgpu_bytes *buffers;
	unsigned n_buffers;
} cgpu_message;

typedef void cgpu_on_change(cgpu_widget *w, void *data);
typedef void cgpu_on_message(cgpu_comm *c, const cgpu_message *m, void *data);

/* A slider of cgpu_interact(). */
struct cgpu_range {
	const char *label;
	double least, most, value;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Make a slider from least to most. It moves in whole numbers if all three are whole and the range
 * is above 1, else in hundredths of the range. */
cgpu_widget *cgpu_slider_new(const char *label, double least, double most, double value);
/* Make a slider move in such steps. */
void cgpu_slider_step(cgpu_widget *w, double step);
/* Make a checkbox; its value is 0 or 1. */
cgpu_widget *cgpu_checkbox_new(const char *label, int checked);
/* Make a list of n options to choose one of; its value is the number of the option, from 0, and its
 * text is the option. */
cgpu_widget *cgpu_dropdown_new(const char *label, const char *const *options, unsigned n);
/* Make a line of text to be edited. */
cgpu_widget *cgpu_textbox_new(const char *label, const char *text);
/* Make a button: cgpu_widget_on_change() says what a click does. */
cgpu_widget *cgpu_button_new(const char *label);
/* Make a bar that shows a value between least and most. */
cgpu_widget *cgpu_meter_new(const char *label, double least, double most, double value);
/* Make a line of text to be read. */
cgpu_widget *cgpu_label_new(const char *text);
/* Make a place for output: see cgpu_widget_output(), cgpu_output_begin(). */
cgpu_widget *cgpu_output_new(void);
/* Put widgets one below the other: cgpu_vbox(a, b, c). */
cgpu_widget *cgpu_vbox(cgpu_widget *const *children, unsigned n);
/* Put widgets side by side: cgpu_hbox(a, b, c). */
cgpu_widget *cgpu_hbox(cgpu_widget *const *children, unsigned n);
/* Make a widget of your own: the text of a JavaScript module as anywidget has it, and the state
 * that it begins with, a JSON object. */
cgpu_widget *cgpu_anywidget(const char *esm, const char *json);

/* Show the widget below this cell. */
void cgpu_widget_show(cgpu_widget *w);
/* Close the widget in the browser, and give its memory back. */
void cgpu_widget_free(cgpu_widget *w);
/* The value: of a slider, a meter, a checkbox, a dropdown. */
double cgpu_value(const cgpu_widget *w);
/* The text: of a textbox, a label, a dropdown. It stays until the widget changes. */
const char *cgpu_value_text(const cgpu_widget *w);
/* Set the value; the browser shows it within a twentieth of a second, or at the end of the cell. */
void cgpu_set_value(cgpu_widget *w, double value);
/* Set the text of a textbox or a label. */
void cgpu_set_text(cgpu_widget *w, const char *text);
/* Set a member of the widget's state, any that its model has, to JSON:
 * cgpu_widget_set(w, "disabled", "true"). */
void cgpu_widget_set(cgpu_widget *w, const char *key, const char *json);
/* The JSON of a member of the widget's state, until the next call for this widget; NULL: there is
 * none. */
const char *cgpu_widget_get(cgpu_widget *w, const char *key);
/* Call f(w, data) when a user has changed the widget, or clicked on it; f NULL: nothing. */
void cgpu_widget_on_change(cgpu_widget *w, cgpu_on_change *f, void *data);
/* What callbacks of the widget print and show goes to this place of cgpu_output_new(). */
void cgpu_widget_output(cgpu_widget *w, cgpu_widget *output);
/* What this cell prints and shows from here on goes to that place. */
void cgpu_output_begin(cgpu_widget *output);
/* What this cell prints and shows from here on stands below the cell again. */
void cgpu_output_end(void);

/* Sliders for the arguments of f, which is called at once and at each change; what it prints and
 * shows stands below them: cgpu_interact(f, cgpu_range("a", 0, 10, 3)). Here types has a letter for
 * each parameter, i int, d double, f float. */
cgpu_widget *cgpu_interact(void (*f)(void), const char *types, const struct cgpu_range *ranges,
			   unsigned n);

/* Open a comm to what front ends have registered under this name, with JSON for it. */
cgpu_comm *cgpu_comm_open(const char *target, const char *json);
/* Send JSON to the front end: to a widget as its custom message. It is sent at once, and stays sent
 * when the cell fails. */
void cgpu_comm_send(cgpu_comm *c, const char *json);
/* Send JSON and n buffers. */
void cgpu_comm_send_buffers(cgpu_comm *c, const char *json, const cgpu_bytes *buffers, unsigned n);
/* Call f(c, message, data) for each message of the front end, of a widget its custom ones. */
void cgpu_comm_on_message(cgpu_comm *c, cgpu_on_message *f, void *data);
/* Is it open? A front end may have closed it. */
int cgpu_comm_is_open(const cgpu_comm *c);
/* Close the comm, and give its memory back. */
void cgpu_comm_free(cgpu_comm *c);
/* Call f(c, message, data) when a front end opens a comm of this name; f NULL: it cannot any more.
 */
void cgpu_comm_target(const char *name, cgpu_on_message *f, void *data);

#ifdef __cplusplus
}
#endif

#endif
