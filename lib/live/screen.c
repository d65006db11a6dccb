/* SPDX-License-Identifier: MIT */
/*
 * This file draws pages with ncurses and handles keys. It takes a snapshot of the run once a
 * second. Colours add no information, so the view is complete without them.
 */
#include "live/screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/now.h"
#include "base/width.h"
#include "live/page.h"
#include "live/terminal.h"

#define LOOK_MS 1000
#define LEAST_WIDTH 20
#define LINE_BYTES 4096u
#define KEY_ESCAPE 27
#define KEY_CTRL_Z 26

struct screen {
	struct rs_watch watch;
	struct rs_live_view view;
	struct rs_live_page page;
	size_t top; /* index of the first visible line among the lines below the page's head */
	size_t selected; /* index of the selected line */
	bool is_paused;
	bool wants_quit;
	int64_t begin_ns; /* when the view began */
	int64_t next_ns; /* time of the next snapshot */
	int terminal;
};

/* The signal that ends the view; 0: none. */
static volatile sig_atomic_t ended_by;
static volatile sig_atomic_t wants_stop;

static void end_view(int number)
{
	ended_by = number;
}

static void stop_view(int number)
{
	(void)number;
	wants_stop = 1;
}

/* ---- drawing ---- */

static size_t lines_of_body(const struct screen *screen)
{
	size_t used = screen->page.n_head + 1; /* the last line shows the keys */
	return (size_t)LINES > used ? (size_t)LINES - used : 1;
}

static void draw_line(int row, const char *text, int attribute)
{
	char cut[LINE_BYTES];
	rs_width_cut(cut, sizeof(cut), text, (size_t)(COLS > 1 ? COLS : 1));
	attrset(attribute);
	mvaddstr(row, 0, cut);
	attrset((int)A_NORMAL);
}

static void draw_keys(const struct screen *screen)
{
	char text[LINE_BYTES];
	double own = (double)rs_now_ns(CLOCK_PROCESS_CPUTIME_ID) /
		     (double)(rs_now_ns(CLOCK_MONOTONIC) - screen->begin_ns + 1);
	const char *state = screen->watch.has_ended ? "ENDED  "
			    : screen->is_paused	    ? "PAUSED  "
						    : "";
	if (screen->view.is_detail)
		snprintf(text, sizeof(text),
			"%sq quit  esc back  arrows scroll  space pause  view %.1f%% CPU", state,
			own * 100);
	else
		snprintf(text, sizeof(text),
			"%sq quit  enter detail  s sort: %s  space pause  view %.1f%% CPU", state,
			rs_live_sort_word(screen->view.sort), own * 100);
	draw_line(LINES - 1, text, (int)A_REVERSE);
}

static void draw(struct screen *screen)
{
	const struct rs_live_page *page = &screen->page;
	size_t body = lines_of_body(screen), head = page->n_head;
	erase();
	for (size_t i = 0; i < head && i < page->n_lines && (int)i < LINES - 1; i++)
		draw_line((int)i, page->lines[i], (int)(i + 1 == head ? A_BOLD : A_NORMAL));
	for (size_t i = 0; i < body && head + screen->top + i < page->n_lines; i++) {
		size_t line = head + screen->top + i;
		bool is_selected = !screen->view.is_detail && line == screen->selected &&
				   page->regions[line];
		draw_line((int)(head + i), page->lines[line],
			(int)(is_selected ? A_REVERSE : A_NORMAL));
	}
	draw_keys(screen);
	refresh();
}

/* ---- pages ---- */

/* Keep the same region selected on a new page, and scroll it into view. */
static void find_selected(struct screen *screen)
{
	const struct rs_live_page *page = &screen->page;
	size_t first = page->n_head, body = lines_of_body(screen);
	for (size_t i = first; i < page->n_lines; i++)
		if (page->regions[i] && strcmp(page->regions[i], screen->view.region) == 0)
			screen->selected = i;
	if (screen->selected < first || screen->selected >= page->n_lines)
		screen->selected = first;
	if (screen->selected < first + screen->top)
		screen->top = screen->selected - first;
	if (screen->selected >= first + screen->top + body)
		screen->top = screen->selected - first - body + 1;
}

static bool make_page(struct screen *screen)
{
	rs_live_page_finish(&screen->page);
	screen->view.width = COLS > LEAST_WIDTH ? COLS : LEAST_WIDTH;
	if (!rs_live_page_make(&screen->page, &screen->watch, &screen->view))
		return false;
	if (!screen->view.is_detail)
		find_selected(screen);
	return true;
}

/* Take a snapshot of the run. If the run cannot be read any more, keep the latest snapshot. */
static bool look(struct screen *screen, struct rs_err *err)
{
	const char *histogram = screen->view.is_detail ? screen->view.region : NULL;
	screen->next_ns = rs_now_ns(CLOCK_MONOTONIC) + LOOK_MS * INT64_C(1000000);
	/* release the page first, because it points into the summary */
	rs_live_page_finish(&screen->page);
	return (screen->watch.has_ended && !histogram) ||
	       rs_watch_look(&screen->watch, histogram, err);
}

/* ---- keys ---- */

static void move_by(struct screen *screen, long lines)
{
	const struct rs_live_page *page = &screen->page;
	long last = (long)page->n_lines - 1, first = (long)page->n_head;
	if (screen->view.is_detail) {
		long top = (long)screen->top + lines,
		     most = (long)page->n_lines - (long)lines_of_body(screen);
		top = top > most ? most : top;
		screen->top = top > 0 ? (size_t)top : 0;
		return;
	}
	long line = (long)screen->selected + lines;
	line = line > last ? last : line;
	screen->selected = (size_t)(line < first ? first : line);
	if (screen->selected < page->n_lines && page->regions[screen->selected])
		snprintf(screen->view.region, sizeof(screen->view.region), "%s",
			page->regions[screen->selected]);
}

/* Show a region in detail, or all regions again. */
static void set_detail(struct screen *screen, bool is_detail)
{
	move_by(screen, 0); /* this selects the region of the current line */
	if (screen->view.is_detail == is_detail || (is_detail && !screen->view.region[0]))
		return;
	screen->view.is_detail = is_detail;
	screen->top = 0;
	screen->next_ns = 0; /* take a snapshot at once, with the region's distribution */
}

static void take_key(struct screen *screen, int key)
{
	long body = (long)lines_of_body(screen);
	switch (key) {
	case 'q':
		screen->wants_quit = true;
		return;
	case ' ':
		screen->is_paused = !screen->is_paused;
		return;
	case KEY_CTRL_Z:
		wants_stop = 1;
		return;
	case 's':
		screen->view.sort = (screen->view.sort + 1) % RS_LIVE_SORTS;
		return;
	case '\n':
	case '\r':
	case KEY_ENTER:
		set_detail(screen, true);
		return;
	case KEY_ESCAPE:
	case KEY_BACKSPACE:
	case KEY_LEFT:
		set_detail(screen, false);
		return;
	case KEY_UP:
	case 'k':
		move_by(screen, -1);
		return;
	case KEY_DOWN:
	case 'j':
		move_by(screen, 1);
		return;
	case KEY_PPAGE:
		move_by(screen, -body);
		return;
	case KEY_NPAGE:
		move_by(screen, body);
		return;
	default:
		return;
	}
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

/* While the view is stopped or in the background, let the shell use the terminal. */
static void wait_for_foreground(const struct screen *screen)
{
	const struct timespec pause = {0, LOOK_MS * 1000000L / 10};
	while (ended_by == 0 && (wants_stop || tcgetpgrp(screen->terminal) != getpgrp())) {
		if (stdscr && !isendwin())
			endwin();
		if (wants_stop) {
			/* stop as Ctrl-Z does, after the terminal's modes are restored */
			handle(SIGTSTP, SIG_DFL);
			kill(0, SIGTSTP);
			handle(SIGTSTP, stop_view);
			wants_stop = 0;
		} else {
			nanosleep(&pause, NULL);
		}
	}
}

static bool run(struct screen *screen, struct rs_err *err)
{
	for (;;) {
		wait_for_foreground(screen);
		if (screen->wants_quit || ended_by != 0)
			return true;
		int64_t left_ns = screen->next_ns - rs_now_ns(CLOCK_MONOTONIC);
		bool is_due = left_ns <= 0 && (!screen->is_paused || screen->next_ns == 0);
		if (is_due && !look(screen, err))
			return false;
		if (!make_page(screen))
			return rs_err_set_errno(err, ENOMEM, "cannot show the run");
		draw(screen);
		left_ns = screen->next_ns - rs_now_ns(CLOCK_MONOTONIC);
		timeout(left_ns > 0 ? (int)(left_ns / 1000000) + 1 : LOOK_MS);
		take_key(screen, getch());
	}
}

/* ---- the terminal ---- */

/* Handle the signals that end or stop the view, and ignore SIGTTIN and SIGTTOU. The kernel sends
 * these two if the view uses the terminal in the background (termios(3), "Job control"). They would
 * stop the whole job, which includes the program. */
static void catch_signals(void)
{
	handle(SIGINT, end_view);
	handle(SIGTERM, end_view);
	handle(SIGHUP, end_view);
	handle(SIGTSTP, stop_view);
	handle(SIGTTIN, SIG_IGN);
	handle(SIGTTOU, SIG_IGN);
}

/* Let the terminal pass Ctrl-Z as a key, so that the view can restore the terminal's modes before
 * it stops. */
static void set_modes(const struct screen *screen)
{
	struct termios modes;
	cbreak();
	noecho();
	nonl();
	if (tcgetattr(screen->terminal, &modes) == 0) {
		modes.c_cc[VSUSP] = _POSIX_VDISABLE;
		tcsetattr(screen->terminal, TCSANOW, &modes);
		def_prog_mode();
	}
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
}

int rs_live_show(int fd, char *const *argv, struct rs_err *err)
{
	struct screen screen = {.begin_ns = rs_now_ns(CLOCK_MONOTONIC),
		.view = {.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0}};
	if (!rs_live_check_terminal(err) || !rs_watch_init(&screen.watch, fd, argv, err))
		return -1;
	FILE *in = fopen("/dev/tty", "re"), *out = fopen("/dev/tty", "we");
	SCREEN *terminal = NULL;
	if (in && out) {
		screen.terminal = fileno(in);
		catch_signals();
		wait_for_foreground(&screen);
		terminal = newterm(NULL, out, in);
	}
	bool done = terminal || rs_err_set_errno(err, errno, "cannot show the run: /dev/tty");
	if (terminal) {
		set_modes(&screen);
		done = run(&screen, err);
		if (!isendwin())
			endwin();
		delscreen(terminal);
	}
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	rs_live_page_finish(&screen.page);
	rs_watch_finish(&screen.watch);
	return done ? ended_by : -1;
}
