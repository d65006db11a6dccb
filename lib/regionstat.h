/*
 * regionstat.h: mark the regions of a program for regionstat(1).
 *
 * Two lines in a program are enough, and nothing has to be linked:
 *
 *     #include <regionstat.h>
 *     REGIONSTAT_SCOPE("render");
 *
 * Run as `regionstat ./program`, every region is measured per call. Run without it, a marker is one
 * load and one predicted branch. With -DREGIONSTAT_DISABLE markers compile to nothing.
 *
 * C99 to C23 and C++11 to C++23, gcc and clang, Linux. Static programs define REGIONSTAT_STATIC
 * before the include and link libregionstat.a. See regionstat(3).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REGIONSTAT_H
#define REGIONSTAT_H

/* Changes whenever a header and a runtime of different versions must not meet. */
#define REGIONSTAT_ABI 2

/* An asynchronous call, from REGIONSTAT_START() to regionstat_stop(): the program's to keep and to
 * copy. Zeroed: none. */
struct regionstat_call {
	unsigned long long word[8]; /* the runtime's */
};

#ifdef REGIONSTAT_DISABLE

#define REGIONSTAT_SCOPE(name) ((void)sizeof(name))
#define REGIONSTAT_FUNCTION() ((void)0)
#define REGIONSTAT_BEGIN(name) ((void)sizeof(name))
#define REGIONSTAT_END(name) ((void)sizeof(name))
#define REGIONSTAT_NEXT(ended, begun) ((void)sizeof(ended), (void)sizeof(begun))
#define REGIONSTAT_START(name) regionstat_no_call_(sizeof(name))
#define REGIONSTAT_PAUSE() ((void)0)
#define REGIONSTAT_RESUME() ((void)0)
#define regionstat_begin(name) ((void)(name))
#define regionstat_end(name) ((void)(name))
#define regionstat_next(ended, begun) ((void)(ended), (void)(begun))
#define regionstat_start(name) regionstat_no_call_(sizeof(name))
#define regionstat_stop(call) ((void)(call))
#define regionstat_pause() ((void)0)
#define regionstat_resume() ((void)0)

static inline __attribute__((unused)) struct regionstat_call regionstat_no_call_(unsigned long size)
{
	struct regionstat_call call = {{0}};
	(void)size;
	return call;
}

#else /* !REGIONSTAT_DISABLE */

#ifdef __cplusplus
#define REGIONSTAT_NULL_ nullptr
extern "C" {
#else
#define REGIONSTAT_NULL_ 0
#endif

/* What follows up to the macros is between this header and the runtime; programs use the macros
 * and the regionstat_ functions below. */

/* One marker in the source. The runtime keeps the region that the name stands for here. */
struct regionstat_site_ {
	const char *name;
	unsigned int region; /* the runtime's; 0 until known */
};

/* Names one entry of a region, from its BEGIN to its END: 0 for none. */
typedef unsigned long long regionstat_ticket_;

/* What the runtime offers. */
struct regionstat_table_ {
	unsigned int abi;
	unsigned int bytes;
	regionstat_ticket_ (*begin)(struct regionstat_site_ *site);
	void (*end)(regionstat_ticket_ ticket);
	void (*end_site)(struct regionstat_site_ *site);
	void (*next)(struct regionstat_site_ *ended, struct regionstat_site_ *begun);
	void (*start)(struct regionstat_call *call, struct regionstat_site_ *site);
	void (*stop)(const struct regionstat_call *call);
	regionstat_ticket_ (*begin_name)(const char *name);
	void (*end_name)(const char *name);
	void (*next_name)(const char *ended, const char *begun);
	void (*start_name)(struct regionstat_call *call, const char *name);
	void (*pause)(void);
	void (*resume)(void);
};

#ifndef REGIONSTAT_RUNTIME_ONLY_ /* the runtime itself needs no more than the types */

/* The one thing that a marker looks at: NULL unless launched by regionstat. One in each DSO. */
__attribute__((weak, visibility("hidden"))) const struct regionstat_table_ *regionstat_table_;

/* Runs before the constructors of the program. The attributes stand here, at the first declaration,
 * since gcc would drop the priority of a later one. */
__attribute__((weak, visibility("hidden"), constructor(101))) void regionstat_start_(void);

#ifdef REGIONSTAT_STATIC

/* From libregionstat.a. NULL when not launched by regionstat, or of another ABI. */
const struct regionstat_table_ *regionstat_attach(unsigned int abi);

void regionstat_start_(void)
{
	if (!regionstat_table_)
		regionstat_table_ = regionstat_attach(REGIONSTAT_ABI);
}

#else

/* libc's, under names of our own: so no header has to be included, and none can clash. Weak:
 * without dlopen (a static program, a libc that keeps it in libdl) markers stay off. */
typedef const struct regionstat_table_ *(*regionstat_attach_)(unsigned int abi);
extern void *regionstat_dlopen_(const char *, int) __asm__("dlopen") __attribute__((weak));
extern regionstat_attach_ regionstat_dlsym_(void *, const char *) __asm__("dlsym")
	__attribute__((weak));
extern char *regionstat_dlerror_(void) __asm__("dlerror") __attribute__((weak));
extern char *regionstat_getenv_(const char *) __asm__("secure_getenv") __attribute__((weak));
extern int regionstat_sscanf_(const char *, const char *, ...) __asm__("sscanf")
	__attribute__((weak));
extern long regionstat_pread_(int, void *, unsigned long, long) __asm__("pread")
	__attribute__((weak));
extern long regionstat_pwrite_(int, const void *, unsigned long, long) __asm__("pwrite")
	__attribute__((weak));
extern int *regionstat_errno_(void) __asm__("__errno_location") __attribute__((weak));

/* Leave the reason why no runtime could be loaded where the launcher reads it: offset 320 of the
 * segment, once its magic and nonce prove that the descriptor is still the segment. */
static inline void regionstat_report_(const char *segment, const char *reason)
{
	unsigned long long nonce = 0, start[4] = {0, 0, 0, 0};
	unsigned long length = 0;
	const long expected = sizeof(start);
	int fd = -1;
	if (!reason || !regionstat_sscanf_ || !regionstat_pread_ || !regionstat_pwrite_ ||
		regionstat_sscanf_(segment, "%*u:%d:%*d:%llx", &fd, &nonce) != 2 ||
		regionstat_pread_(fd, start, sizeof(start), 0) != expected ||
		start[0] != 0x746174736e676572ull || start[3] != nonce)
		return;
	while (length < 511 && reason[length])
		length++;
	regionstat_pwrite_(fd, reason, length, 320);
}

/* Finds the launcher through the environment (not in a setuid program) and loads the runtime that
 * it names, once and for good. */
void regionstat_start_(void)
{
	const char *segment, *runtime;
	void *handle;
	regionstat_attach_ attach;
	int saved_errno;
	if (regionstat_table_ || !regionstat_getenv_ || !regionstat_dlopen_ || !regionstat_dlsym_ ||
		!(segment = regionstat_getenv_("REGIONSTAT_SEGMENT")))
		return;
	saved_errno = regionstat_errno_ ? *regionstat_errno_() : 0;
	runtime = regionstat_getenv_("REGIONSTAT_RUNTIME");
	/* RTLD_NOW | RTLD_NODELETE */
	handle = regionstat_dlopen_(runtime ? runtime : "libregionstat.so.1", 0x2 | 0x1000);
	attach = handle ? regionstat_dlsym_(handle, "regionstat_attach") : REGIONSTAT_NULL_;
	if (attach)
		regionstat_table_ = attach(REGIONSTAT_ABI);
	else
		regionstat_report_(
			segment, regionstat_dlerror_ ? regionstat_dlerror_() : REGIONSTAT_NULL_);
	if (regionstat_errno_)
		*regionstat_errno_() = saved_errno;
}

#endif /* !REGIONSTAT_STATIC */

#if defined(__cplusplus)
#define REGIONSTAT_INLINE_ inline __attribute__((always_inline))
#else
/* Usable from C99 `inline` functions too, which must not call static ones. */
#define REGIONSTAT_INLINE_ extern inline __attribute__((gnu_inline, always_inline))
#endif

#define REGIONSTAT_ON_ __builtin_expect(!!regionstat_table_, 0)

/* Keeps a marker at a function's end from becoming a jump: what ends by name is told by the stack
 * frame that its markers are called from. */
#define REGIONSTAT_CALL_(call)           \
	do {                             \
		regionstat_table_->call; \
		__asm__ volatile("");    \
	} while (0)

/* The functions, for names that are made at run time: NUL-terminated UTF-8, copied before they
 * return, up to 127 bytes. Any thread, also in signal handlers. */
REGIONSTAT_INLINE_ void regionstat_begin(const char *name)
{
	if (REGIONSTAT_ON_)
		REGIONSTAT_CALL_(begin_name(name));
}

REGIONSTAT_INLINE_ void regionstat_end(const char *name)
{
	if (REGIONSTAT_ON_)
		REGIONSTAT_CALL_(end_name(name));
}

REGIONSTAT_INLINE_ void regionstat_next(const char *ended, const char *begun)
{
	if (REGIONSTAT_ON_)
		REGIONSTAT_CALL_(next_name(ended, begun));
}

/* A call that need not nest: it may be stopped in any order, and on any thread. */
REGIONSTAT_INLINE_ struct regionstat_call regionstat_start(const char *name)
{
	struct regionstat_call call = {{0}};
	if (REGIONSTAT_ON_)
		regionstat_table_->start_name(&call, name);
	return call;
}

/* On the thread that started it a call has all its events; on another one its time alone. One that
 * is never stopped costs nothing further. */
REGIONSTAT_INLINE_ void regionstat_stop(struct regionstat_call call)
{
	if (REGIONSTAT_ON_)
		regionstat_table_->stop(&call);
}

/* Stop all counting, of regions and of the run, until this process has called regionstat_resume()
 * as often. Returns when counting has stopped. */
REGIONSTAT_INLINE_ void regionstat_pause(void)
{
	if (REGIONSTAT_ON_)
		regionstat_table_->pause();
}

REGIONSTAT_INLINE_ void regionstat_resume(void)
{
	if (REGIONSTAT_ON_)
		regionstat_table_->resume();
}

REGIONSTAT_INLINE_ regionstat_ticket_ regionstat_scope_begin_(struct regionstat_site_ *site)
{
	return REGIONSTAT_ON_ ? regionstat_table_->begin(site) : 0;
}

static inline __attribute__((always_inline)) void regionstat_scope_end_(regionstat_ticket_ *ticket)
{
	if (__builtin_expect(*ticket != 0, 0))
		regionstat_table_->end(*ticket);
}

REGIONSTAT_INLINE_ struct regionstat_call regionstat_start_site_(struct regionstat_site_ *site)
{
	struct regionstat_call call = {{0}};
	if (REGIONSTAT_ON_)
		regionstat_table_->start(&call, site);
	return call;
}

/* Never there: a call that is not optimized away is an error, with these words. */
extern void regionstat_name_is_no_string_literal_(void)
#if defined(__has_attribute)
#if __has_attribute(error)
	__attribute__((
		nothrow, error("a region's name must be a string literal here; for __func__ use "
			       "REGIONSTAT_FUNCTION(), for a name made at run time "
			       "regionstat_begin() and regionstat_end()")))
#endif
#endif
	;

#endif /* !REGIONSTAT_RUNTIME_ONLY_ */

#ifdef __cplusplus
}
#endif

#define REGIONSTAT_JOIN2_(a, b) a##b
#define REGIONSTAT_JOIN_(a, b) REGIONSTAT_JOIN2_(a, b)

/* A site takes literals only, for it remembers what its name stands for. */
#define REGIONSTAT_SITE_(variable, name) \
	static struct regionstat_site_ variable = {__builtin_constant_p(name) ? (name) : "", 0}
#define REGIONSTAT_LITERAL_(name) \
	(__builtin_strncmp(#name, "\"", 1) ? regionstat_name_is_no_string_literal_() : (void)0)

#define REGIONSTAT_TICKET_(ticket, site, check)                                             \
	regionstat_ticket_ ticket __attribute__((cleanup(regionstat_scope_end_), unused)) = \
		(check, regionstat_scope_begin_(&site))

/* A region from here to the end of the block, however the block is left. */
#define REGIONSTAT_SCOPE(name)                                                \
	REGIONSTAT_SITE_(REGIONSTAT_JOIN_(regionstat_site_, __LINE__), name); \
	REGIONSTAT_TICKET_(REGIONSTAT_JOIN_(regionstat_scope_, __LINE__),     \
		REGIONSTAT_JOIN_(regionstat_site_, __LINE__), REGIONSTAT_LITERAL_(name))

/* The same, named after the function that it stands in. */
#define REGIONSTAT_FUNCTION()                                                \
	static struct regionstat_site_ regionstat_function_ = {__func__, 0}; \
	REGIONSTAT_TICKET_(regionstat_function_scope_, regionstat_function_, (void)0)

/* A region from BEGIN to END on the same thread. */
#define REGIONSTAT_BEGIN(name)                                      \
	do {                                                        \
		REGIONSTAT_SITE_(regionstat_here_, name);           \
		REGIONSTAT_LITERAL_(name);                          \
		if (REGIONSTAT_ON_)                                 \
			REGIONSTAT_CALL_(begin(&regionstat_here_)); \
	} while (0)
#define REGIONSTAT_END(name)                                           \
	do {                                                           \
		REGIONSTAT_SITE_(regionstat_here_, name);              \
		REGIONSTAT_LITERAL_(name);                             \
		if (REGIONSTAT_ON_)                                    \
			REGIONSTAT_CALL_(end_site(&regionstat_here_)); \
	} while (0)

/* END of the first and BEGIN of the second, with one reading of clock and counters for both. */
#define REGIONSTAT_NEXT(ended, begun)                                                   \
	do {                                                                            \
		REGIONSTAT_SITE_(regionstat_ended_, ended);                             \
		REGIONSTAT_SITE_(regionstat_begun_, begun);                             \
		REGIONSTAT_LITERAL_(ended);                                             \
		REGIONSTAT_LITERAL_(begun);                                             \
		if (REGIONSTAT_ON_)                                                     \
			REGIONSTAT_CALL_(next(&regionstat_ended_, &regionstat_begun_)); \
	} while (0)

/* A call that need not nest, up to regionstat_stop() of the value, in any order, on any thread. */
#define REGIONSTAT_START(name)                             \
	__extension__({                                    \
		REGIONSTAT_SITE_(regionstat_here_, name);  \
		REGIONSTAT_LITERAL_(name);                 \
		regionstat_start_site_(&regionstat_here_); \
	})

/* regionstat_pause() and regionstat_resume() as macros. */
#define REGIONSTAT_PAUSE() regionstat_pause()
#define REGIONSTAT_RESUME() regionstat_resume()

#endif /* !REGIONSTAT_DISABLE */

#endif /* REGIONSTAT_H */
