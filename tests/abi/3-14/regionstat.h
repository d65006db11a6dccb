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

/*
 * What this header and a runtime have agreed on, for life: it is compiled into programs that are
 * never compiled again. The table of entries below only grows at its end, and says how long it is;
 * nothing else of it changes. Another number would be another agreement, under names of its own, so
 * that headers of both may stand in one program.
 */
#define REGIONSTAT_ABI 3

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
#define REGIONSTAT_WORK(name, bytes, flops) \
	((void)sizeof(name), (void)sizeof(bytes), (void)sizeof(flops))
#define REGIONSTAT_PAUSE() ((void)0)
#define REGIONSTAT_RESUME() ((void)0)
#define regionstat_begin(name) ((void)(name))
#define regionstat_end(name) ((void)(name))
#define regionstat_next(ended, begun) ((void)(ended), (void)(begun))
#define regionstat_start(name) regionstat_no_call_(sizeof(name))
#define regionstat_stop(call) ((void)(call))
#define regionstat_work(name, bytes, flops) ((void)(name), (void)(bytes), (void)(flops))
#define regionstat_pause() ((void)0)
#define regionstat_resume() ((void)0)

#ifdef __GNUC__
#define REGIONSTAT_UNUSED_ __attribute__((unused)) __inline__
#else
#define REGIONSTAT_UNUSED_
#endif
static REGIONSTAT_UNUSED_ struct regionstat_call regionstat_no_call_(unsigned long size)
{
	struct regionstat_call call = {{0}};
	(void)size;
	return call;
}

#else /* !REGIONSTAT_DISABLE */

#if !defined(__GNUC__) || defined(__TINYC__)
#error "regionstat.h takes gcc or clang; with -DREGIONSTAT_DISABLE its markers are nothing"
#elif !defined(__linux__) || !defined(__ELF__)
#error "regionstat.h is for Linux; with -DREGIONSTAT_DISABLE its markers are nothing"
#elif defined(__cplusplus) && __cplusplus < 201103L
#error "regionstat.h takes C++11 or later: -std=c++11"
#elif !defined(__cplusplus) && defined(__STRICT_ANSI__) && \
	(!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "regionstat.h takes C99 or later: -std=c99, or -std=gnu89"
#endif

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
	unsigned int is_paired; /* its calls are ended by what they began with, not by their name */
};

/* Names one entry of a region, from its BEGIN to its END: 0 for none. */
typedef unsigned long long regionstat_ticket_;

/* What the runtime offers. Its name has how many entries it has: where headers of several ages
 * stand in one program, each has a type of its own. */
struct regionstat_table_14_ {
	unsigned int abi;
	unsigned int bytes; /* of the table: what lies beyond is not there */
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
	/* from here on not in the table of every runtime: see bytes */
	void (*work)(
		struct regionstat_site_ *site, unsigned long long bytes, unsigned long long flops);
	void (*work_name)(const char *name, unsigned long long bytes, unsigned long long flops);
};

/* What who attaches to a running program writes into an object (a program or shared library) that
 * includes this header: the two as the environment has them when one is launched. */
struct regionstat_request_3_ {
	unsigned int taken_by; /* the object's: the process that has begun to load the runtime */
	unsigned int reserved;
	char segment[128];
	char runtime[888];
};

#ifndef REGIONSTAT_RUNTIME_ONLY_ /* the runtime itself needs no more than the types */

/* Definitions of which an object has one, however many of its sources include this header. The
 * linker keeps one section of a name; one that does not know this keeps more, and uses one. */
#define REGIONSTAT_ONE_(section_name) \
	__attribute__((weak, used, visibility("hidden"), section(".gnu.linkonce." section_name)))
#define REGIONSTAT_ONE_FUNCTION_(type, name, parameters) \
	REGIONSTAT_ONE_("t.regionstat_" #name "_3_")     \
	type regionstat_##name##_3_ parameters;          \
	type regionstat_##name##_3_ parameters

/* The one thing that a marker looks at: a struct regionstat_table_14_ or a longer one; NULL unless
 * measured. */
extern __attribute__((visibility("hidden"))) const void *volatile regionstat_table_3_;
REGIONSTAT_ONE_("b.regionstat_table_3_") const void *volatile regionstat_table_3_;

extern __attribute__((visibility("hidden"))) struct regionstat_request_3_ regionstat_request_3_;
REGIONSTAT_ONE_("b.regionstat_request_3_") struct regionstat_request_3_ regionstat_request_3_;

/* libc's, under names of our own: so no header has to be included, and none can clash. What is not
 * there is NULL (in a static program, where a libc keeps dlopen in libdl), and markers stay off. How
 * the program itself refers to them stays as it is, unlike with declarations that are weak. */
#define REGIONSTAT_LIBC_(name) __attribute__((weakref(name)))

static int *regionstat_errno_(void) REGIONSTAT_LIBC_("__errno_location");

#ifdef REGIONSTAT_STATIC

/* From libregionstat.a. segment: NULL for what the environment says. Returns NULL when not launched
 * by regionstat, or of another ABI. */
const struct regionstat_table_14_ *regionstat_join(unsigned int abi, const char *segment);

REGIONSTAT_ONE_FUNCTION_(void, load, (const char *segment, const char *runtime))
{
	(void)runtime;
	__atomic_store_n(
		&regionstat_table_3_, regionstat_join(REGIONSTAT_ABI, segment), __ATOMIC_RELEASE);
}

REGIONSTAT_ONE_FUNCTION_(void, start, (void))
{
	if (!__atomic_load_n(&regionstat_table_3_, __ATOMIC_RELAXED))
		regionstat_load_3_(REGIONSTAT_NULL_, REGIONSTAT_NULL_);
}

#else

static char *regionstat_getenv_(const char *) REGIONSTAT_LIBC_("secure_getenv");
static int regionstat_sscanf_(const char *, const char *, ...) REGIONSTAT_LIBC_("sscanf");
static long regionstat_pread_(int, void *, unsigned long, long) REGIONSTAT_LIBC_("pread");
static long regionstat_pwrite_(int, const void *, unsigned long, long) REGIONSTAT_LIBC_("pwrite");
static int regionstat_fcntl_(int, int, ...) REGIONSTAT_LIBC_("fcntl");

/*
 * Nothing is loaded on the word of somebody with fewer rights: of the segment and of the runtime's
 * file it is proven first that they are root's, or those of the user whose rights the process has.
 */

/* Whether fd is a memfd with a segment's seals (F_GET_SEALS: against sealing, shrinking, growing),
 * magic and nonce. */
REGIONSTAT_ONE_FUNCTION_(int, is_segment, (int fd, unsigned long long nonce))
{
	unsigned long long start[4] = {0, 0, 0, 0};
	const long expected = sizeof(start);
	int seals = regionstat_fcntl_(fd, 1034);
	return seals > 0 && (seals & 7) == 7 &&
	       regionstat_pread_(fd, start, sizeof(start), 0) == expected &&
	       start[0] == 0x746174736e676572ull && start[3] == nonce;
}

/* Leave the reason why no runtime could be loaded where the launcher reads it. */
REGIONSTAT_ONE_FUNCTION_(void, tell, (int fd, const char *reason))
{
	unsigned long length = 0;
	while (reason && length < 511 && reason[length])
		length++;
	if (reason)
		regionstat_pwrite_(fd, reason, length + (length < 511), 320); /* with its NUL */
}

/* Of fstatat(2) as the kernel has it: its number, and where mode and owner are, in 4 bytes each. */
#if defined(__LP64__) && defined(__x86_64__)
#define REGIONSTAT_FSTATAT_ 262
#define REGIONSTAT_MODE_ 6
#define REGIONSTAT_OWNER_ 7
#elif defined(__LP64__) && (defined(__aarch64__) || defined(__riscv))
#define REGIONSTAT_FSTATAT_ 79
#define REGIONSTAT_MODE_ 4
#define REGIONSTAT_OWNER_ 6
#endif

#ifdef REGIONSTAT_FSTATAT_

typedef const void *(*regionstat_join_)(unsigned int abi, const char *segment);
static void *regionstat_dlopen_(const char *, int) REGIONSTAT_LIBC_("dlopen");
static regionstat_join_ regionstat_dlsym_(void *, const char *) REGIONSTAT_LIBC_("dlsym");
static char *regionstat_dlerror_(void) REGIONSTAT_LIBC_("dlerror");
static int regionstat_snprintf_(char *, unsigned long, const char *, ...)
	REGIONSTAT_LIBC_("snprintf");
static int regionstat_open_(const char *, int, ...) REGIONSTAT_LIBC_("open");
static int regionstat_close_(int) REGIONSTAT_LIBC_("close");
static int regionstat_fstatfs_(int, void *) REGIONSTAT_LIBC_("fstatfs");
static long regionstat_syscall_(long, ...) REGIONSTAT_LIBC_("syscall");
static unsigned int regionstat_geteuid_(void) REGIONSTAT_LIBC_("geteuid");

/* The mode (inode(7)) of what is theirs; 0 of anything else. path: itself where it is a symbolic
 * link; or "", for what fd is. */
REGIONSTAT_ONE_FUNCTION_(unsigned int, mode, (int fd, const char *path))
{
	unsigned int status[80], owner;
	int i;
	for (i = 0; i < 80; i++)
		status[i] = 0;
	/* AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW */
	if (regionstat_syscall_(REGIONSTAT_FSTATAT_, fd, path, status, 0x1100))
		return 0;
	owner = status[REGIONSTAT_OWNER_];
	return owner && owner != regionstat_geteuid_() ? 0 : status[REGIONSTAT_MODE_];
}

/* Whether that is a file that nobody else may write. */
REGIONSTAT_ONE_FUNCTION_(int, is_safe, (unsigned int mode))
{
	return (mode & 0170000) == 0100000 && !(mode & 022);
}

/* The same of the file that a path leads to, and nobody else can put another in its place: in no
 * directory on the way, but for sticky ones. */
REGIONSTAT_ONE_FUNCTION_(int, is_path_safe, (const char *path))
{
	char part[1024];
	int i;
	for (i = 0; i < 1023 && path[0] == '/'; i++) {
		unsigned int mode;
		part[i] = path[i];
		if (path[i] && path[i] != '/')
			continue;
		part[i ? i : 1] = '\0';
		mode = regionstat_mode_3_(-1, part);
		part[i] = path[i];
		if (!path[i])
			return regionstat_is_safe_3_(mode);
		if ((mode & 0170000) != 0040000 || (mode & 022 && !(mode & 01000)))
			return 0;
	}
	return 0;
}

/* The descriptor of the segment, a new one where *opened is set; -1 when there is none. */
REGIONSTAT_ONE_FUNCTION_(int, find, (const char *segment, int *opened))
{
	unsigned long long nonce = 0;
	char path[64];
	int fd = -1, launcher = 0, place;
	if (regionstat_sscanf_(segment, "%*u:%d:%d:%llx", &fd, &launcher, &nonce) != 3)
		return -1;
	if (regionstat_is_segment_3_(fd, nonce))
		return fd;
	/* closed by now: as the launcher has it. Looked at before it is opened, so that no terminal
	 * or device notices: O_PATH; O_RDWR, O_NOCTTY, O_NONBLOCK; O_CLOEXEC */
	regionstat_snprintf_(path, sizeof(path), "/proc/%d/fd/%d", launcher, fd);
	place = regionstat_open_(path, 0x280000);
	fd = -1;
	regionstat_snprintf_(path, sizeof(path), "/proc/self/fd/%d", place);
	if (place >= 0 && (regionstat_mode_3_(place, "") & 0170000) == 0100000)
		fd = regionstat_open_(path, 0x80902);
	if (place >= 0)
		regionstat_close_(place);
	*opened = fd >= 0;
	if (fd < 0 || regionstat_is_segment_3_(fd, nonce))
		return fd;
	regionstat_close_(fd);
	*opened = 0;
	return -1;
}

/* The runtime's file: by its path where that is safe, else as the very file that was looked at; not
 * from where who mounts a file system says whose its files are. NULL, with a reason unless dlerror()
 * has it: reason[512]. RTLD_NOW | RTLD_NODELETE */
REGIONSTAT_ONE_FUNCTION_(void *, open_file, (const char *runtime, char *reason))
{
	unsigned long long system[32] = {0};
	char path[64];
	void *handle = REGIONSTAT_NULL_;
	int place;
	if (!runtime || !*runtime || regionstat_is_path_safe_3_(runtime))
		return regionstat_dlopen_(
			runtime && *runtime ? runtime : "libregionstat.so.1", 0x2 | 0x1000);
	place = regionstat_open_(runtime, 0x280000);
	regionstat_snprintf_(path, sizeof(path), "/proc/self/fd/%d", place);
	if (place >= 0 && regionstat_is_safe_3_(regionstat_mode_3_(place, "")) &&
		!regionstat_fstatfs_(place, system) && system[0] != 0x65735546)
		handle = regionstat_dlopen_(path, 0x2 | 0x1000);
	else
		regionstat_snprintf_(reason, 512, "%.400s: %s", runtime,
			place < 0
				? "cannot be opened"
				: "neither root's nor the program's user's, or others may write it "
				  "(chmod go-w)");
	if (place >= 0)
		regionstat_close_(place);
	return handle;
}

/* Load the runtime, once and for good. Without success markers are off. */
REGIONSTAT_ONE_FUNCTION_(void, load, (const char *segment, const char *runtime))
{
	void *handle;
	regionstat_join_ join;
	const void *table = REGIONSTAT_NULL_;
	char reason[512];
	int fd = -1, opened = 0;
	reason[0] = '\0';
	if (regionstat_dlopen_ && regionstat_dlsym_ && regionstat_dlerror_ && regionstat_sscanf_ &&
		regionstat_snprintf_ && regionstat_pread_ && regionstat_pwrite_ &&
		regionstat_open_ && regionstat_close_ && regionstat_fcntl_ && regionstat_fstatfs_ &&
		regionstat_syscall_ && regionstat_geteuid_)
		fd = regionstat_find_3_(segment, &opened);
	if (fd >= 0 && !regionstat_mode_3_(fd, "")) {
		regionstat_tell_3_(fd, "the program's user is neither root nor who measures");
	} else if (fd >= 0) {
		handle = regionstat_open_file_3_(runtime, reason);
		join = handle ? regionstat_dlsym_(handle, "regionstat_join") : REGIONSTAT_NULL_;
		if (join)
			table = join(REGIONSTAT_ABI, segment);
		else
			regionstat_tell_3_(fd, reason[0] ? reason : regionstat_dlerror_());
	}
	if (opened)
		regionstat_close_(fd);
	__atomic_store_n(&regionstat_table_3_, table, __ATOMIC_RELEASE);
}

#undef REGIONSTAT_FSTATAT_
#undef REGIONSTAT_MODE_
#undef REGIONSTAT_OWNER_
#else

/* There is no runtime for these machines. */
REGIONSTAT_ONE_FUNCTION_(void, load, (const char *segment, const char *runtime))
{
	unsigned long long nonce = 0;
	int fd = -1;
	(void)runtime;
	if (regionstat_sscanf_ && regionstat_pread_ && regionstat_pwrite_ && regionstat_fcntl_ &&
		regionstat_sscanf_(segment, "%*u:%d:%*d:%llx", &fd, &nonce) == 2 &&
		regionstat_is_segment_3_(fd, nonce))
		regionstat_tell_3_(fd, "there is no runtime for programs of 32 bits, nor for any "
				       "but x86-64, arm64 and riscv64");
	__atomic_store_n(&regionstat_table_3_, REGIONSTAT_NULL_, __ATOMIC_RELEASE);
}

#endif

/* Finds the launcher through the environment (not in a setuid program). Loads the runtime that it
 * names. */
REGIONSTAT_ONE_FUNCTION_(void, start, (void))
{
	const char *segment;
	int saved_errno;
	if (__atomic_load_n(&regionstat_table_3_, __ATOMIC_RELAXED) || !regionstat_getenv_ ||
		!(segment = regionstat_getenv_("REGIONSTAT_SEGMENT")))
		return;
	saved_errno = regionstat_errno_ ? *regionstat_errno_() : 0;
	regionstat_load_3_(segment, regionstat_getenv_("REGIONSTAT_RUNTIME"));
	if (regionstat_errno_)
		*regionstat_errno_() = saved_errno;
}

#endif /* !REGIONSTAT_STATIC */

/*
 * The stub table: where a running program is attached to, its markers come here until the runtime is
 * there, and do nothing but that the first one starts a thread that loads it. Nobody waits for that.
 */
static int regionstat_thread_(unsigned long *, const void *, void *(*)(void *), void *)
	REGIONSTAT_LIBC_("pthread_create");
static int regionstat_detach_(unsigned long) REGIONSTAT_LIBC_("pthread_detach");
static unsigned int regionstat_getpid_(void) REGIONSTAT_LIBC_("getpid");
static int regionstat_mask_(int, const void *, void *) REGIONSTAT_LIBC_("pthread_sigmask");

REGIONSTAT_ONE_FUNCTION_(void *, run, (void *unused))
{
	regionstat_load_3_(regionstat_request_3_.segment, regionstat_request_3_.runtime);
	return unused;
}

/* A forked child has no such thread of its parent's, so it starts one itself. Without a thread markers
 * are off again. */
REGIONSTAT_ONE_FUNCTION_(void, wake, (void))
{
	unsigned long long all[16], old[16]; /* a sigset_t has 1024 bits */
	unsigned long thread;
	unsigned int process = regionstat_getpid_ ? regionstat_getpid_() : 1;
	int i, saved_errno;
	if (__atomic_exchange_n(&regionstat_request_3_.taken_by, process, __ATOMIC_RELAXED) ==
		process)
		return;
	saved_errno = regionstat_errno_ ? *regionstat_errno_() : 0;
	for (i = 0; i < 16; i++)
		all[i] = ~0ull;
	/* the program's signals are not for this thread; SIG_SETMASK */
	if (!regionstat_thread_ || !regionstat_detach_ || !regionstat_mask_ ||
		regionstat_mask_(2, all, old)) {
		regionstat_table_3_ = REGIONSTAT_NULL_;
		return;
	}
	if (!regionstat_thread_(&thread, REGIONSTAT_NULL_, regionstat_run_3_, REGIONSTAT_NULL_))
		regionstat_detach_(thread);
	else
		regionstat_table_3_ = REGIONSTAT_NULL_;
	regionstat_mask_(2, old, REGIONSTAT_NULL_);
	if (regionstat_errno_)
		*regionstat_errno_() = saved_errno;
}

#define REGIONSTAT_STUB_(name, parameters)                      \
	REGIONSTAT_ONE_FUNCTION_(void, stub_##name, parameters) \
	{                                                       \
		regionstat_wake_3_();                           \
	}
REGIONSTAT_STUB_(end, (regionstat_ticket_ ticket __attribute__((unused))))
REGIONSTAT_STUB_(site, (struct regionstat_site_ * site __attribute__((unused))))
REGIONSTAT_STUB_(sites, (struct regionstat_site_ * ended __attribute__((unused)),
				struct regionstat_site_ *begun __attribute__((unused))))
REGIONSTAT_STUB_(start, (struct regionstat_call * call __attribute__((unused)),
				struct regionstat_site_ *site __attribute__((unused))))
REGIONSTAT_STUB_(stop, (const struct regionstat_call *call __attribute__((unused))))
REGIONSTAT_STUB_(name, (const char *name __attribute__((unused))))
REGIONSTAT_STUB_(names,
	(const char *ended __attribute__((unused)), const char *begun __attribute__((unused))))
REGIONSTAT_STUB_(start_name, (struct regionstat_call * call __attribute__((unused)),
				     const char *name __attribute__((unused))))
REGIONSTAT_STUB_(work, (struct regionstat_site_ * site __attribute__((unused)),
			       unsigned long long bytes __attribute__((unused)),
			       unsigned long long flops __attribute__((unused))))
REGIONSTAT_STUB_(work_name,
	(const char *name __attribute__((unused)), unsigned long long bytes __attribute__((unused)),
		unsigned long long flops __attribute__((unused))))
#undef REGIONSTAT_STUB_

REGIONSTAT_ONE_FUNCTION_(regionstat_ticket_, stub_begin, (struct regionstat_site_ * site))
{
	regionstat_stub_site_3_(site);
	return 0;
}

REGIONSTAT_ONE_FUNCTION_(regionstat_ticket_, stub_begin_name, (const char *name))
{
	regionstat_stub_name_3_(name);
	return 0;
}

extern __attribute__((visibility("hidden"))) struct regionstat_table_14_ regionstat_stub_3_14_;
REGIONSTAT_ONE_("d.regionstat_stub_3_14_")
struct regionstat_table_14_ regionstat_stub_3_14_ = {REGIONSTAT_ABI,
	sizeof(struct regionstat_table_14_), regionstat_stub_begin_3_, regionstat_stub_end_3_,
	regionstat_stub_site_3_, regionstat_stub_sites_3_, regionstat_stub_start_3_,
	regionstat_stub_stop_3_, regionstat_stub_begin_name_3_, regionstat_stub_name_3_,
	regionstat_stub_names_3_, regionstat_stub_start_name_3_, regionstat_wake_3_,
	regionstat_wake_3_, regionstat_stub_work_3_, regionstat_stub_work_name_3_};

/*
 * The constructor, with the priority that the first ones have; and an ELF note, in which who
 * attaches finds what is to be written: 4 bytes each of ABI and of the size of the request, 8 bytes
 * each of the way from there to the request, to regionstat_table_3_, and to the stub table, whose
 * address goes there last. One of each in an object, so they are in groups; with link-time
 * optimization all sources may be one.
 */
#if __SIZEOF_POINTER__ == 8
#define REGIONSTAT_POINTER_ ".balign 8\n.quad "
#define REGIONSTAT_NOTE_                                                             \
	".pushsection .note.regionstat, \"aG\", %note, regionstat_once_3_, comdat\n" \
	".balign 4\n"                                                                \
	".long 11, 32, 2\n" /* sizes of name and contents, type */                   \
	".asciz \"regionstat\"\n"                                                    \
	".balign 4\n"                                                                \
	".long 3, 1024\n"                                                            \
	"771: .quad regionstat_request_3_ - 771b\n"                                  \
	"772: .quad regionstat_table_3_ - 772b\n"                                    \
	"773: .quad regionstat_stub_3_14_ - 773b\n"                                  \
	".popsection\n"
#else /* there is no runtime for these machines */
#define REGIONSTAT_POINTER_ ".balign 4\n.long "
#define REGIONSTAT_NOTE_ ""
#endif
__asm__(".ifndef .Lregionstat_3_\n"
	".set .Lregionstat_3_, 1\n"
	".pushsection .init_array.00101, \"awG\", %init_array, regionstat_once_3_, "
	"comdat\n" REGIONSTAT_POINTER_ "regionstat_start_3_\n"
	".popsection\n" REGIONSTAT_NOTE_ ".endif\n");
#undef REGIONSTAT_POINTER_
#undef REGIONSTAT_NOTE_

#if defined(__cplusplus)
#define REGIONSTAT_INLINE_ inline __attribute__((always_inline))
#else
/* Usable from C99 `inline` functions too, which must not call static ones. */
#define REGIONSTAT_INLINE_ extern inline __attribute__((gnu_inline, always_inline))
#endif

#if defined(__SANITIZE_THREAD__)
#define REGIONSTAT_THREAD_SANITIZER_
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define REGIONSTAT_THREAD_SANITIZER_
#endif
#endif

/* The table as a marker finds it, in one load: it may be set meanwhile. What it points to was there
 * before it was set, and is reached through it alone. Atomic built-ins would take gcc another
 * instruction on arm64 than a load of a pointer that is volatile; ThreadSanitizer knows those only. */
REGIONSTAT_INLINE_ const struct regionstat_table_14_ *regionstat_table_(void)
{
#ifdef REGIONSTAT_THREAD_SANITIZER_
	const void *table = __atomic_load_n(&regionstat_table_3_, __ATOMIC_ACQUIRE);
#else
	const void *table = regionstat_table_3_;
#endif
#ifdef __cplusplus
	return static_cast<const struct regionstat_table_14_ *>(table);
#else
	return table;
#endif
}

/* Keeps a marker at a function's end from becoming a jump: what ends by name is told by the stack
 * frame that its markers are called from. */
#define REGIONSTAT_CALL_(call)                                                           \
	do {                                                                             \
		const struct regionstat_table_14_ *regionstat_on_ = regionstat_table_(); \
		if (__builtin_expect(!!regionstat_on_, 0)) {                             \
			regionstat_on_->call;                                            \
			__asm__ volatile("");                                            \
		}                                                                        \
	} while (0)

/* The functions, for names that are made at run time: NUL-terminated UTF-8, copied before they
 * return, up to 127 bytes. Any thread, also in signal handlers. */
REGIONSTAT_INLINE_ void regionstat_begin(const char *name)
{
	REGIONSTAT_CALL_(begin_name(name));
}

REGIONSTAT_INLINE_ void regionstat_end(const char *name)
{
	REGIONSTAT_CALL_(end_name(name));
}

REGIONSTAT_INLINE_ void regionstat_next(const char *ended, const char *begun)
{
	REGIONSTAT_CALL_(next_name(ended, begun));
}

/* A call that need not nest: it may be stopped in any order, and on any thread. */
REGIONSTAT_INLINE_ struct regionstat_call regionstat_start(const char *name)
{
	struct regionstat_call call = {{0}};
	REGIONSTAT_CALL_(start_name(&call, name));
	return call;
}

/* On the thread that started it a call has all its events; on another one its time alone. One that
 * is never stopped costs nothing further. */
REGIONSTAT_INLINE_ void regionstat_stop(struct regionstat_call call)
{
	REGIONSTAT_CALL_(stop(&call));
}

/* Whether the runtime that a table is of is as new as the entry of a member. */
#define REGIONSTAT_HAS_(table, member) \
	((table)->bytes >=             \
		__builtin_offsetof(struct regionstat_table_14_, member) + sizeof((table)->member))

/* Bytes that the innermost open call of that name on this thread has moved, and floating-point
 * operations that it has done; added to what it has told of before. */
REGIONSTAT_INLINE_ void regionstat_work(
	const char *name, unsigned long long bytes, unsigned long long flops)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	if (__builtin_expect(!!table, 0) && REGIONSTAT_HAS_(table, work_name))
		table->work_name(name, bytes, flops);
}

REGIONSTAT_INLINE_ void regionstat_work_site_(
	struct regionstat_site_ *site, unsigned long long bytes, unsigned long long flops)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	if (__builtin_expect(!!table, 0) && REGIONSTAT_HAS_(table, work))
		table->work(site, bytes, flops);
}

/* Stop all counting, of regions and of the run, until this process has called regionstat_resume()
 * as often. Returns when counting has stopped. */
REGIONSTAT_INLINE_ void regionstat_pause(void)
{
	REGIONSTAT_CALL_(pause());
}

REGIONSTAT_INLINE_ void regionstat_resume(void)
{
	REGIONSTAT_CALL_(resume());
}

REGIONSTAT_INLINE_ regionstat_ticket_ regionstat_scope_begin_(struct regionstat_site_ *site)
{
	const struct regionstat_table_14_ *table = regionstat_table_();
	return __builtin_expect(!!table, 0) ? table->begin(site) : 0;
}

/* Where there is a ticket there is a table. */
REGIONSTAT_INLINE_ void regionstat_scope_end_(regionstat_ticket_ *ticket)
{
	if (__builtin_expect(*ticket != 0, 0))
		regionstat_table_()->end(*ticket);
}

REGIONSTAT_INLINE_ struct regionstat_call regionstat_start_site_(struct regionstat_site_ *site)
{
	struct regionstat_call call = {{0}};
	REGIONSTAT_CALL_(start(&call, site));
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
#define REGIONSTAT_SITE_(variable, name, is_paired) \
	static struct regionstat_site_ variable = { \
		__builtin_constant_p(name) ? (name) : "", 0, is_paired}
#define REGIONSTAT_LITERAL_(name) \
	(__builtin_strncmp(#name, "\"", 1) ? regionstat_name_is_no_string_literal_() : (void)0)

#define REGIONSTAT_TICKET_(ticket, site, check)                                             \
	regionstat_ticket_ ticket __attribute__((cleanup(regionstat_scope_end_), unused)) = \
		(check, regionstat_scope_begin_(&site))
#define REGIONSTAT_SCOPE_(number, name)                                        \
	REGIONSTAT_SITE_(REGIONSTAT_JOIN_(regionstat_site_, number), name, 1); \
	REGIONSTAT_TICKET_(REGIONSTAT_JOIN_(regionstat_scope_, number),        \
		REGIONSTAT_JOIN_(regionstat_site_, number), REGIONSTAT_LITERAL_(name))

/* A region from here to the end of the block, however the block is left. */
#define REGIONSTAT_SCOPE(name) REGIONSTAT_SCOPE_(__COUNTER__, name)

/* The same, named after the function that it stands in. */
#define REGIONSTAT_FUNCTION()                                                   \
	static struct regionstat_site_ regionstat_function_ = {__func__, 0, 1}; \
	REGIONSTAT_TICKET_(regionstat_function_scope_, regionstat_function_, (void)0)

/* A region from BEGIN to END on the same thread. */
#define REGIONSTAT_BEGIN(name)                               \
	do {                                                 \
		REGIONSTAT_SITE_(regionstat_here_, name, 0); \
		REGIONSTAT_LITERAL_(name);                   \
		REGIONSTAT_CALL_(begin(&regionstat_here_));  \
	} while (0)
#define REGIONSTAT_END(name)                                   \
	do {                                                   \
		REGIONSTAT_SITE_(regionstat_here_, name, 0);   \
		REGIONSTAT_LITERAL_(name);                     \
		REGIONSTAT_CALL_(end_site(&regionstat_here_)); \
	} while (0)

/* END of the first and BEGIN of the second, with one reading of clock and counters for both. */
#define REGIONSTAT_NEXT(ended, begun)                                           \
	do {                                                                    \
		REGIONSTAT_SITE_(regionstat_ended_, ended, 0);                  \
		REGIONSTAT_SITE_(regionstat_begun_, begun, 0);                  \
		REGIONSTAT_LITERAL_(ended);                                     \
		REGIONSTAT_LITERAL_(begun);                                     \
		REGIONSTAT_CALL_(next(&regionstat_ended_, &regionstat_begun_)); \
	} while (0)

/* A call that need not nest, up to regionstat_stop() of the value, in any order, on any thread. */
#define REGIONSTAT_START(name)                               \
	__extension__({                                      \
		REGIONSTAT_SITE_(regionstat_here_, name, 1); \
		REGIONSTAT_LITERAL_(name);                   \
		regionstat_start_site_(&regionstat_here_);   \
	})

/* regionstat_work() for a name that is a literal. What it is told is computed in any case: where that
 * takes long, keep it. */
#define REGIONSTAT_WORK(name, bytes, flops)                             \
	do {                                                            \
		REGIONSTAT_SITE_(regionstat_here_, name, 1);            \
		REGIONSTAT_LITERAL_(name);                              \
		regionstat_work_site_(&regionstat_here_, bytes, flops); \
	} while (0)

/* regionstat_pause() and regionstat_resume() as macros. */
#define REGIONSTAT_PAUSE() regionstat_pause()
#define REGIONSTAT_RESUME() regionstat_resume()

#endif /* !REGIONSTAT_DISABLE */

#endif /* REGIONSTAT_H */
