/* SPDX-License-Identifier: MIT */
/*
 * itt_starts HOW [N] [PLUGIN]: how and where a static part of ITT starts, and what a collector
 * finds there. HOW:
 *
 *   names       domains and strings as wide characters, from before the start, and without a name
 *   old         domains from before the start, which are off, as in static parts of 2011
 *   masked      only functions of some groups are requested, N tasks
 *   stray       ends without a begin, and N tasks
 *   plugin      N tasks of PLUGIN, which is loaded late; twice, and unloaded in between
 *   both        this static part and that of PLUGIN start on two threads at once, N tasks each
 *   magic, version, entries, library   the static part is of an unknown kind
 *   none, half, nothing   the static part is incomplete: no entries, an entry without a function,
 *               or no static part at all
 */
#include "itt_program.h"
#include "plugin.h"

/* ---- names ---- */

static void use_names(struct itt_domain *early, struct itt_string *early_string)
{
	CHECK(ITT_DOMAIN("dom") == dom && ITT_STRING("outer") == outer);
	CHECK(!ITT_DOMAIN(NULL) && !ITT_STRING(NULL));
	/* The data from before the start is used again. */
	struct itt_domain *again = ITT_DOMAIN("early");
	ITT_BEGIN(early, early_string);
	ITT_END(again);
	ITT_BEGIN(again, ITT_STRING("early string"));
	ITT_END(early);
	ITT_BEGIN(
		itt_domain_createW(L"w\u00efde"), itt_string_handle_createW(L"\u20ac \U0001f600"));
	ITT_END(ITT_DOMAIN("w\u00efde"));
	ITT_BEGIN(ITT_DOMAIN(""), ITT_STRING("bare"));
	ITT_END(ITT_DOMAIN(""));
	ITT_BEGIN(dom, NULL);
	ITT_END(dom);
}

static void names_from_before(int is_old)
{
	if (is_old)
		itt_part.version_build = 20111111;
	struct itt_domain *early = itt_early_domain("early", !is_old);
	struct itt_domain *off = itt_early_domain("off", 0);
	struct itt_string *early_string = itt_early_string("early string");
	CHECK(itt_start(ITT_GROUP_ALL));
	CHECK(early->flags && !off->flags == !is_old);
	names_create();
	use_names(early, early_string);
}

static void names(void)
{
	names_from_before(0);
}

static void old(void)
{
	names_from_before(1);
}

static void masked(void)
{
	itt_start(ITT_GROUP_STRUCTURE);
	names_create();
	CHECK(itt_task_begin && itt_domain_create);
	CHECK(!itt_event_create && !itt_event_start && !itt_pause);
	CHECK(!itt_sync_prepare && !itt_thread_set_name);
	tasks(n);
}

static void start(void)
{
	itt_start(ITT_GROUP_ALL);
	names_create();
}

static void stray(void)
{
	start();
	ITT_END(dom);
	ITT_CALL(region_end, dom, id_of(1));
	ITT_CALL(task_end_overlapped, dom, id_of(1));
	ITT_CALL(frame_end_v3, dom, NULL);
	tasks(n);
	ITT_END(dom);
}

/* ---- plugins ---- */

static const char *path;

static void plugin(void)
{
	start();
	for (int i = 0; i < 2; i++) {
		void *handle;
		plugin_run_function *run = plugin_open(path, &handle);
		ITT_BEGIN(dom, outer);
		run(n);
		ITT_END(dom);
		CHECK(!dlclose(handle));
	}
}

static void start_and_run(void)
{
	start();
	tasks(n);
}

static void start_both(void)
{
	plugin_run_beside(path, n, start_and_run);
}

/* ---- unknown static parts ---- */

/* Entries as before 2010, with four words. */
static struct {
	const char *name;
	void (**func_ptr)(void);
	void (*init_func)(void);
	long group;
} short_entries[] = {{"__itt_task_begin", (void (**)(void))(void *)&itt_task_begin, itt_before, -1},
	{"__itt_task_end", (void (**)(void))(void *)&itt_task_end, itt_before, -1},
	{NULL, NULL, NULL, 0}};

static const char *what;

static void unlike(void)
{
	if (!strcmp(what, "magic"))
		itt_part.magic[3] ^= 1;
	else if (!strcmp(what, "version"))
		itt_part.version_major = 4;
	else if (!strcmp(what, "entries"))
		itt_part.api_list_ptr = (struct itt_entry *)(void *)short_entries;
	else if (!strcmp(what, "none"))
		itt_part.api_list_ptr = NULL;
	else if (!strcmp(what, "half"))
		itt_part.api_list_ptr[3].func_ptr = NULL;
	if (strcmp(what, "library") != 0 && strcmp(what, "nothing") != 0) {
		itt_start(ITT_GROUP_ALL);
	} else {
		/* The caller is not the library that the static part has loaded. */
		void (*init)(struct itt_global *, int);
		void *library = dlopen(getenv("INTEL_LIBITTNOTIFY64"), RTLD_LAZY);
		*(void **)&init = dlsym(library, "__itt_api_init");
		itt_part.lib = &itt_part;
		init(!strcmp(what, "library") ? &itt_part : NULL, ITT_GROUP_ALL);
	}
	CHECK(!itt_task_begin && !itt_domain_create);
}

static const struct how hows[] = {{"names", names}, {"old", old}, {"masked", masked},
	{"stray", stray}, {"plugin", plugin}, {"both", start_both}, {"none", unlike},
	{"half", unlike}, {"nothing", unlike}, {"magic", unlike}, {"version", unlike},
	{"entries", unlike}, {"library", unlike}};

int main(int argc, char **argv)
{
	what = argv[1];
	n = argc > 2 ? atoi(argv[2]) : 1;
	path = argc > 3 ? argv[3] : "";
	FIND_HOW(hows, what)->run();
	return 0;
}
