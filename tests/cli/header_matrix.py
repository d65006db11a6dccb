# SPDX-License-Identifier: MIT
"""regionstat.h compiles without warnings with every compiler, language standard, optimization and
variant that it supports. header_compilers.py links programs."""

import glob
import itertools
import os
import re
import subprocess
from functools import partialmethod

import harness

C_SOURCE = r"""
#include <regionstat.h>
#include <regionstat.h> /* twice is once */

#define NAME "by a macro"

int work(int argument);
int use_inline(int argument);

/* A C99 inline function takes the function forms. */
inline int use_inline(int argument)
{
	regionstat_begin("inline");
	argument++;
	regionstat_end("inline");
	return argument;
}
extern int use_inline(int argument);

static int two_scopes(int argument)
{
	REGIONSTAT_FUNCTION();
	REGIONSTAT_SCOPE(NAME);
	REGIONSTAT_SCOPE(NAME " and more");
	REGIONSTAT_SCOPE("first");
	REGIONSTAT_SCOPE("second");
	{
		REGIONSTAT_SCOPE("inner");
		if (argument > 3)
			return 1;
	}
	return 0;
}

int work(int argument)
{
	int i;
	char name[] = "made at run time";
	REGIONSTAT_SCOPE("work");
	for (i = 0; i < argument; i++) {
		REGIONSTAT_SCOPE("loop");
		if (i == 7)
			break;
		REGIONSTAT_WORK("loop", sizeof(name), 2);
		regionstat_work(name, 1, 0);
		if (i % 2)
			REGIONSTAT_BEGIN("odd");
		else
			REGIONSTAT_BEGIN("even");
		switch (i) {
		case 0:
			REGIONSTAT_NEXT("even", "odd");
			break;
		default:
			REGIONSTAT_PAUSE();
			REGIONSTAT_RESUME();
		}
		REGIONSTAT_END("odd");
	}
	regionstat_begin(name);
	regionstat_next(name, "other");
	regionstat_end("other");
	{
		struct regionstat_call first = REGIONSTAT_START("asynchronous"), second, copy;
		second = regionstat_start(name);
		struct regionstat_values values;
		copy = first;
		if (REGIONSTAT_READ("loop", REGIONSTAT_TIME, REGIONSTAT_PROCESS, &values) ||
			regionstat_read(name, 1, REGIONSTAT_OPEN_CALL, &values) ||
			regionstat_peek(first, regionstat_event("cycles"), &values))
			argument += values.total_ > values.self_;
		if (argument > 100 && (!regionstat_open(name) || !regionstat_report(name)))
			regionstat_begin(regionstat_event_name(0));
		regionstat_stop(copy);
		regionstat_stop(second);
	}
	regionstat_pause();
	regionstat_resume();
	return two_scopes(argument) + use_inline(argument);
}
"""

CPP_SOURCE = C_SOURCE.replace("extern int use_inline(int argument);", "") + r"""
namespace
{
template <typename Number> Number twice(Number number)
{
	REGIONSTAT_SCOPE("template");
	return number + number;
}
struct object {
	object() { REGIONSTAT_BEGIN("object"); }
	~object() { REGIONSTAT_END("object"); }
	int method() const { REGIONSTAT_FUNCTION(); return 1; }
};
}
int use_cpp();
int use_cpp()
{
	auto lambda = [](int n) { REGIONSTAT_SCOPE("lambda"); return n; };
	object one;
	return twice(1) + static_cast<int>(twice(2.0)) + lambda(3) + one.method();
}
#if __cplusplus >= 201402L
constexpr int in_constexpr(int number, bool marked)
{
	if (marked)
		regionstat_begin("constexpr");
	return number;
}
static_assert(in_constexpr(3, false) == 3, "still constant");
#endif
"""

# Names that programs define as macros, so the header must not use them. All names in the runtime's
# own sources are added.
HOSTILE = """error unused used weak visibility section cleanup nothrow name call begin end next weakref
    noinline always_inline gnu_inline constructor destructor hidden packed aligned alias format likely
    unlikely min max abs work stop start site table ticket region word bytes flops abi pause resume
    request segment runtime member check type number variable parameters section_name opened system
    handle join status owner mode path part place reason length launcher nonce seals fd i all old
    thread process saved_errno thread_sanitizer N M X T _ I E PI""".split()
KEYWORDS = """alignas alignof asm auto bool break case catch char char8_t char16_t char32_t class concept
    const const_cast consteval constexpr constinit continue decltype default defined delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline int linux long
    mutable namespace new noexcept nullptr operator private protected public register reinterpret_cast
    requires restrict return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename typeof unix union unsigned using
    virtual void volatile wchar_t while and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq""".split()
HOSTILE_SOURCE = r"""
#include <regionstat.h>
void hostile_function(const char *hostile_text);
void hostile_function(const char *hostile_text)
{
	REGIONSTAT_FUNCTION();
	REGIONSTAT_SCOPE("a");
	REGIONSTAT_BEGIN("b");
	REGIONSTAT_NEXT("b", "c");
	REGIONSTAT_WORK("c", 1, 2);
	REGIONSTAT_END("c");
	{
		struct regionstat_call hostile_call = REGIONSTAT_START("d");
		regionstat_stop(hostile_call);
		regionstat_stop(regionstat_start(hostile_text));
		struct regionstat_values hostile_values;
		REGIONSTAT_READ("d", REGIONSTAT_TIME, REGIONSTAT_THREAD | REGIONSTAT_SELF, &hostile_values);
		regionstat_read(hostile_text, regionstat_event(hostile_text), REGIONSTAT_PROCESS,
			&hostile_values);
		regionstat_peek(hostile_call, REGIONSTAT_CPU_TIME, &hostile_values);
		regionstat_begin(regionstat_event_name(hostile_values.validity_));
	}
	if (!regionstat_open(hostile_text))
		regionstat_begin(regionstat_report(hostile_text));
	REGIONSTAT_PAUSE();
	REGIONSTAT_RESUME();
	regionstat_begin(hostile_text);
	regionstat_next(hostile_text, hostile_text);
	regionstat_work(hostile_text, 1, 2);
	regionstat_end(hostile_text);
	regionstat_pause();
	regionstat_resume();
}
"""

# every function of libc that the header declares
FORTIFIED_SOURCE = """
#undef _GNU_SOURCE
#define _GNU_SOURCE 1
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 2
#include <regionstat.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>
void *run(void *text);
void *run(void *text)
{
	char room[64];
	struct statfs about;
	sigset_t mask, before;
	pthread_attr_t attributes;
	pthread_t thread = pthread_self();
	int n = 0, fd;
	REGIONSTAT_SCOPE("fortified");
	snprintf(room, sizeof(room), "%p%d", text, getpid());
	fd = open(room, fcntl(0, F_GETFD));
	if (pread(fd, room, sizeof(room), 0) < 0 || pwrite(fd, room, 1, 0) < 0)
		return dlopen(secure_getenv(room), RTLD_NOW);
	if (sscanf(room, "%d", &n) < 0 || fstatfs(fd, &about) || syscall(n, geteuid()))
		return dlsym(text, dlerror());
	if (pthread_attr_init(&attributes) || sigemptyset(&mask) || sigemptyset(&before))
		close(fd);
	pthread_sigmask(SIG_BLOCK, &mask, &before);
	pthread_create(&thread, &attributes, run, text);
	pthread_detach(thread);
	return text;
}
"""

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wshadow", "-Wconversion"]
# each language's standards and further warnings
LANGUAGES = {
    "c": (["c99", "gnu99", "c11", "gnu11", "c17", "c2x"],
          ["-Wstrict-prototypes", "-Wmissing-prototypes", "-Wvla", "-Wundef", "-Wc++-compat"]),
    "c++": (["c++11", "gnu++11", "c++14", "c++17", "c++20", "c++2b"],
            ["-Wundef", "-Wnon-virtual-dtor", "-Wold-style-cast",
             "-Wzero-as-null-pointer-constant"]),
}
OTHER_VARIANTS = [["-DREGIONSTAT_DISABLE"], ["-DREGIONSTAT_STATIC"]]
INCLUDE = "-I" + os.path.dirname(harness.HEADER)


def knows_standard(compiler, language, standard):
    return subprocess.run([compiler, "-x", language, "-std=" + standard, "-fsyntax-only", "-"],
                          input=b"", stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


class Languages:
    """Tests with each compiler of each language. Subclasses define check()."""

    def check_compiler(self, compiler, language):
        harness.need_tool(compiler)
        self.check(compiler, language)

    test_c_with_gcc = partialmethod(check_compiler, "gcc", "c")
    test_c_with_clang = partialmethod(check_compiler, "clang", "c")
    test_cpp_with_gcc = partialmethod(check_compiler, "g++", "c++")
    test_cpp_with_clang = partialmethod(check_compiler, "clang++", "c++")


class Matrix(Languages, harness.TestCase):

    OPTIMIZATIONS = ["-O2"]
    # Language standards change the accepted source, and these options change the output, so not
    # every pair is tested.
    OTHER_OPTIMIZATIONS = ["-O0", "-O1", "-O3"]
    BETWEEN = True  # also standards between the oldest and the newest one
    OUTPUT = ["-c"]

    def source(self, language):
        return C_SOURCE if language == "c" else CPP_SOURCE

    def check(self, compiler, language):
        standards, warnings = LANGUAGES[language]
        file = self.text_file("source." + language.replace("+", "p"), self.source(language))
        known = [standard for standard in standards if knows_standard(compiler, language, standard)]
        self.assertTrue(known)
        n_compiled = 0
        ends = (known[0], known[-1])
        builds = list(itertools.product(known if self.BETWEEN else ends, self.OPTIMIZATIONS, [[]]))
        builds += itertools.product(ends, self.OTHER_OPTIMIZATIONS, [[]])
        builds += itertools.product(ends, ["-O2"], OTHER_VARIANTS)
        builds += itertools.product(known[:1], ["-O0"], OTHER_VARIANTS)
        for standard, optimization, variant in builds:
            # what is accepted does not need code
            output = self.OUTPUT if standard in ends else ["-fsyntax-only"]
            command = [compiler, "-std=" + standard, optimization, *variant, *WARNINGS, *warnings,
                       INCLUDE, *output, file, "-o", self.path("object.o")]
            result = harness.run(command)
            with self.subTest(" ".join(command[1:4])):
                self.assertEqual((result.status, result.stderr), (0, ""), result)
            n_compiled += 1
        harness.note("%s: %d builds of %s" % (compiler, n_compiled, ", ".join(known)))


def hostile_macros():
    """Return a text that makes every use of a name that is not reserved an error."""
    names = set(HOSTILE)
    for layer in ("runtime", "adapters", "segment"):
        for file in glob.glob(os.path.join(harness.SOURCE, "lib", layer, "**", "*.[ch]"),
                              recursive=True):
            names |= set(re.findall(r"\b[A-Za-z]\w*", harness.read_text(file)))
    ours = re.compile(r"regionstat|REGIONSTAT|hostile|__|.*_$")
    names = sorted(name for name in names if name not in KEYWORDS and not ours.match(name))
    return "".join("#define %s%s @\n" % (name, "(...)" if name == "error" else "")
                   for name in names)


class Fortified(Matrix):
    """Libc's headers define functions that the header also uses, if a program calls them."""

    OPTIMIZATIONS, OTHER_OPTIMIZATIONS = ["-O2"], []
    BETWEEN = False

    def source(self, language):
        return FORTIFIED_SOURCE


class HostileMacros(Matrix):
    """The header compiles, whatever macros a program defined before it."""

    OPTIMIZATIONS, OTHER_OPTIMIZATIONS = ["-O1"], []
    BETWEEN = False
    OUTPUT = ["-fsyntax-only"]  # what a macro expands to is an error of syntax

    def source(self, language):
        return hostile_macros() + HOSTILE_SOURCE


class Literals(Languages, harness.TestCase):
    """A name that is no string literal is an error that says what to use instead."""

    MARKERS = ("REGIONSTAT_SCOPE(%s);", "REGIONSTAT_BEGIN(%s);", "REGIONSTAT_END(%s);",
               'REGIONSTAT_NEXT("a", %s);', 'REGIONSTAT_NEXT(%s, "a");',
               "struct regionstat_call call = REGIONSTAT_START(%s); regionstat_stop(call);",
               "REGIONSTAT_WORK(%s, 8, 1);")
    NAMES = ("__func__", "__FUNCTION__", "argument", "array", "choose(argument)",
             'argument ? "a" : argument')
    SOURCE = """
        #include <regionstat.h>
        const char *choose(const char *name);
        void function(const char *argument);
        void function(const char *argument)
        {
            static const char array[] = "array";
            (void)argument; (void)array;
            %s
        }
        """

    def compile_markers(self, compiler, language, standard, optimization, markers):
        """Compile a source with these markers. Return the result, and the line of each marker."""
        text = self.SOURCE % "\n".join("{ %s }" % marker for marker in markers)
        source = self.text_file("source", text)
        first = text[:text.index("{ " + markers[0])].count("\n") + 1
        result = harness.run([compiler, "-x", language, "-std=" + standard, optimization, INCLUDE,
                              *(["-ferror-limit=0"] if "clang" in compiler else []),
                              "-c", source, "-o", self.path("object.o")])
        return result, {first + i: marker for i, marker in enumerate(markers)}

    def check(self, compiler, language):
        standards = ("c99", "gnu11") if language == "c" else ("c++11", "c++20")
        for standard, optimization in zip(standards, ("-O0", "-O2")):
            where = (compiler, language, standard, optimization)
            result, _ = self.compile_markers(*where, [marker % '"literal"' for marker in self.MARKERS])
            self.assertEqual(result.status, 0, result)
            result, lines = self.compile_markers(*where, [
                marker % name for marker in self.MARKERS for name in self.NAMES])
            self.assertNotEqual(result.status, 0, where)
            errors = re.findall(r"error: .*must be a string literal.*REGIONSTAT_FUNCTION\(\).*"
                                r"regionstat_begin\(\)", result.stderr)
            self.assertEqual(len(errors), len(lines), result)
            told = set(map(int, re.findall(r"source:(\d+):", result.stderr)))
            self.assertEqual([marker for line, marker in lines.items() if line not in told], [], where)
