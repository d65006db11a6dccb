/* SPDX-License-Identifier: MIT */
/*
 * Why there are no regions: the program has no markers, called none, or could not load what measures
 * them.
 */
#include <string.h>

#include "stats/warnings.h"

/* Why the runtime was not loaded, or did not serve who loaded it: those that speak of another ABI
 * found it. */
static void tell_not_loaded(struct rs_messages *warnings, const char *reason)
{
	const char *text = rs_message_show(warnings->arena, reason);
	if (strstr(reason, "the program's marker header is of ABI "))
		rs_messages_add(warnings, RS_ABOUT("header-abi"),
			"the program's markers are of another time: %s\n"
			"  try: compile it again with the regionstat.h of this regionstat",
			text);
	else if (strstr(reason, " is of ABI "))
		rs_messages_add(warnings, RS_ABOUT("runtime-abi"),
			"the program has the runtime of another regionstat: %s\n"
			"  try: link or load the libregionstat of this one, or run the regionstat "
			"of "
			"that",
			text);
	else if (strstr(reason, "there is no runtime for "))
		rs_messages_add(warnings, RS_ABOUT("no-runtime"),
			"the program's regions are not measured: %s\n"
			"  try: build it for one of these",
			text);
	else
		rs_messages_add(warnings, RS_ABOUT("runtime-not-loaded"),
			"the program could not load the runtime that measures regions: %s\n"
			"  try: check that libregionstat.so.1 is where regionstat was installed, "
			"of its version,\n"
			"  and that limits such as ulimit -v leave it room",
			text);
}

static bool is_any_left_out(const struct rs_collection *collection)
{
	for (size_t i = 0; i < collection->n_regions; i++)
		if (collection->regions[i].flags & RS_REGION_IS_LEFT_OUT)
			return true;
	return false;
}

/* The name of a command that starts or opens what may have markers, so that the launcher has looked
 * at another program than the one that is meant; NULL: it is not known as such. */
static const char *name_of_starter(const struct rs_warnings_source *source)
{
	static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "fish", "env",
		"make", "mpirun", "mpiexec", "srun", "timeout", "xargs"};
	static const char *const interpreters[] = {
		"python", "perl", "ruby", "lua", "node", "julia"};
	const char *const *argv = (const char *const *)source->summary->argv;
	if (!argv || !argv[0])
		return NULL;
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(name, shells[i]))
			return name;
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++)
		if (!strncmp(name, interpreters[i], strlen(interpreters[i])))
			return name;
	return NULL;
}

static void tell_of_starter(struct rs_messages *warnings, bool has_markers, const char *name)
{
	bool is_python = !strncmp(name, "python", 6);
	const char *shown = rs_message_show(warnings->arena, name);
	rs_messages_add(warnings, has_markers ? RS_ABOUT("no-calls") : RS_ABOUT("no-markers"),
		"the program %s; try: --markers NAME, for what %s %s\n"
		"  with likwid, itt, nvtx, kokkos, openmp, papi, caliper, functions or roctx: a "
		"program that was\n"
		"  compiled with <regionstat.h> is found without it%s",
		has_markers ? "has markers but called none" : "has no markers", shown,
		is_python ? "loads" : "starts",
		is_python ? "\n  try, where Python has no module regionstat: pip install "
			    "lib/bindings/python, of\n  regionstat's source"
			  : "");
}

void rs_warnings_of_no_regions(
	struct rs_messages *warnings, const struct rs_warnings_source *source)
{
	const struct rs_collection *collection = source->collection;
	const char *starter = source->how->n_markers > 0 ? NULL : name_of_starter(source);
	if (collection->load_error[0])
		tell_not_loaded(warnings, collection->load_error);
	else if (collection->n_cells > 0 || collection->n_damaged > 0 ||
		 is_any_left_out(collection))
		return; /* with --only as it is wanted; globs that match none are told elsewhere */
	else if (starter)
		tell_of_starter(warnings, collection->n_processes > 0, starter);
	else if (collection->n_processes > 0)
		rs_messages_add(warnings, RS_ABOUT("no-calls"),
			"the program has markers but called none: only the run's totals\n"
			"  try: check that the marked code is reached");
	else
		rs_messages_add(warnings, RS_ABOUT("no-markers"),
			"the program has no markers: only the run's totals\n"
			"  try: #include <regionstat.h> and REGIONSTAT_SCOPE(\"name\") in it; "
			"static programs also need\n"
			"  REGIONSTAT_STATIC and libregionstat.a; setuid ones stay off, and those "
			"of 32 bits%s",
			source->how->n_markers > 0
				? ""
				: "\n  try, where it starts or opens what has another API's "
				  "markers: --markers with its name");
}
