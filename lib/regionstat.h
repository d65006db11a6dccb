/*
 * regionstat.h: mark the regions of a program for regionstat(1).
 *
 * Two lines in a program are enough, and there is nothing to link:
 *
 *     #include <regionstat.h>
 *     REGIONSTAT_SCOPE("render");
 *
 * `regionstat ./program` measures every call of every region. Without regionstat, a marker is one
 * load and one predicted branch. With -DREGIONSTAT_DISABLE, markers compile to nothing.
 *
 * The header works with gcc and clang on Linux, with C99 to C23, GNU C89 and C++11 to C++23.
 * Statically linked programs define REGIONSTAT_STATIC before the include and link libregionstat.a.
 * regionstat(3) describes all markers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REGIONSTAT_H
#define REGIONSTAT_H

/* C90 has no long long: -std=gnu89 -pedantic. With _FORTIFY_SOURCE, libc's headers define some
 * functions for which this header has private names. These functions have other attributes. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
#if __GNUC__ >= 9 && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-attributes"
#endif
#endif

/*
 * The version of the interface between this header and the runtime. It never changes, because
 * programs contain the header and are not recompiled. The table of functions below stores its own
 * size and only grows at its end.
 */
#define REGIONSTAT_ABI 1

/* An asynchronous call, from REGIONSTAT_START() to regionstat_stop(). The program may keep and copy
 * this value. A zeroed value is not a call. */
struct regionstat_call {
	unsigned long long word_[8]; /* private to the runtime */
};

/* The values that regionstat_read() and regionstat_peek() can read (event_). The events of -e
 * follow, from REGIONSTAT_EVENTS on, in the order of -e. regionstat_event() finds them by name. */
#define REGIONSTAT_TIME 0
#define REGIONSTAT_CPU_TIME 1
#define REGIONSTAT_BLOCKED 2
#define REGIONSTAT_PREEMPTED 3
#define REGIONSTAT_EVENTS 4

/* The calls that regionstat_read() reads (what_): the finished calls of the calling thread or of
 * the whole process, or the calling thread's innermost open call. To read self_ or the quantiles
 * too, add REGIONSTAT_SELF or REGIONSTAT_QUANTILES. Without them only calls_, total_ and validity_
 * are set, which is fastest. */
#define REGIONSTAT_THREAD 0u
#define REGIONSTAT_PROCESS 1u
#define REGIONSTAT_OPEN_CALL 2u
#define REGIONSTAT_SELF 16u
#define REGIONSTAT_QUANTILES 32u

/* Values of validity_: how far to trust a result. */
#define REGIONSTAT_ABSENT 0 /* unknown; the values are 0 */
#define REGIONSTAT_VALID 1 /* measured, without the overhead of markers */
#define REGIONSTAT_SCALED 2 /* an estimate: calls are sampled, or the event is multiplexed */

/* One value of one region. Times are in ns, events in their own units. Later versions may add
 * members at the end. Names end in '_' so that no macro of the program can change them. */
struct regionstat_values {
	unsigned long long calls_;
	double total_;
	double self_; /* without nested regions */
	double p50_;
	double p90_;
	double p99_;
	int validity_; /* validity of total_ and self_ */
	int quantiles_validity_;
};

#ifdef REGIONSTAT_DISABLE

#define REGIONSTAT_SCOPE(name_) ((void)sizeof(name_))
#define REGIONSTAT_FUNCTION() ((void)0)
#define REGIONSTAT_BEGIN(name_) ((void)sizeof(name_))
#define REGIONSTAT_END(name_) ((void)sizeof(name_))
#define REGIONSTAT_NEXT(ended_, begun_) ((void)sizeof(ended_), (void)sizeof(begun_))
#define REGIONSTAT_START(name_) regionstat_no_call_(sizeof(name_))
#define REGIONSTAT_WORK(name_, bytes_, flops_) \
	((void)sizeof(name_), (void)sizeof(bytes_), (void)sizeof(flops_))
#define REGIONSTAT_PAUSE() ((void)0)
#define REGIONSTAT_RESUME() ((void)0)
#define regionstat_begin(name_) ((void)(name_))
#define regionstat_end(name_) ((void)(name_))
#define regionstat_next(ended_, begun_) ((void)(ended_), (void)(begun_))
#define regionstat_start(name_) regionstat_no_call_(sizeof(name_))
#define regionstat_stop(call_) ((void)(call_))
#define regionstat_work(name_, bytes_, flops_) ((void)(name_), (void)(bytes_), (void)(flops_))
#define regionstat_pause() ((void)0)
#define regionstat_resume() ((void)0)
#define REGIONSTAT_READ(name_, event_, what_, values_) \
	regionstat_read(name_, event_, what_, values_)
#define regionstat_peek(call_, event_, values_) \
	((void)(call_), regionstat_read("", event_, REGIONSTAT_OPEN_CALL, values_))
#define regionstat_event(name_) ((void)(name_), -1)
#define regionstat_event_name(event_) ((void)(event_), regionstat_no_name_())
#define regionstat_open(events_) ((void)(events_), "markers are disabled")
#define regionstat_report(path_) ((void)(path_), "markers are disabled")

#ifdef __GNUC__
#define REGIONSTAT_UNUSED_ __attribute__((__unused__)) __inline__
#else
#define REGIONSTAT_UNUSED_
#endif
static REGIONSTAT_UNUSED_ struct regionstat_call regionstat_no_call_(unsigned long size_)
{
	struct regionstat_call call_ = {{0}};
	(void)size_;
	return call_;
}
static REGIONSTAT_UNUSED_ int regionstat_read(
	const char *name_, int event_, unsigned int what_, struct regionstat_values *values_)
{
	static const struct regionstat_values none_ = {0, 0, 0, 0, 0, 0, 0, 0};
	(void)name_, (void)event_, (void)what_;
	*values_ = none_;
	return REGIONSTAT_ABSENT;
}
static REGIONSTAT_UNUSED_ const char *regionstat_no_name_(void)
{
	static const char *none_;
	return none_;
}

#else /* !REGIONSTAT_DISABLE */

#if !defined(__GNUC__) || defined(__TINYC__)
#error "regionstat.h needs gcc or clang; with -DREGIONSTAT_DISABLE markers do nothing"
#elif !defined(__linux__) || !defined(__ELF__)
#error "regionstat.h needs Linux; with -DREGIONSTAT_DISABLE markers do nothing"
#elif defined(__cplusplus) && __cplusplus < 201103L
#error "regionstat.h needs C++11 or later: -std=c++11"
#elif !defined(__cplusplus) && defined(__STRICT_ANSI__) && \
	(!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "regionstat.h needs C99 or later: -std=c99, or -std=gnu89"
#endif

#ifdef __cplusplus
#define REGIONSTAT_NULL_ nullptr
extern "C" {
#else
#define REGIONSTAT_NULL_ 0
#endif

/* The names below that end in '_' are private: the interface between this header and the
 * runtime. */

/* A marker in the source. The runtime looks up the region of this name once and stores it here.
 * The type is hidden in C++: otherwise gcc shares the markers of inline functions between all
 * objects, and dlclose(3) then unloads none of these objects. */
#ifdef __cplusplus
struct __attribute__((__visibility__("hidden"))) regionstat_site_ {
#else
struct regionstat_site_ {
#endif
	const char *name_;
	unsigned int region_; /* set by the runtime; 0 until then */
	unsigned int is_paired_; /* 1: a ticket or a handle ends a call; 0: the name ends it */
};

/* The identity of one call of a region, from BEGIN to END; 0: no call. */
typedef unsigned long long regionstat_ticket_;

/* The 29 functions of the runtime. Their count is part of the type's name, so that one program can
 * contain several versions of this header. */
struct regionstat_table_29_ {
	unsigned int abi_;
	unsigned int bytes_; /* size of this table */
	regionstat_ticket_ (*begin_)(struct regionstat_site_ *site_);
	void (*end_)(regionstat_ticket_ ticket_);
	void (*end_site_)(struct regionstat_site_ *site_);
	void (*next_)(struct regionstat_site_ *ended_, struct regionstat_site_ *begun_);
	void (*start_)(struct regionstat_call *call_, struct regionstat_site_ *site_);
	void (*stop_)(const struct regionstat_call *call_);
	regionstat_ticket_ (*begin_name_)(const char *name_);
	void (*end_name_)(const char *name_);
	void (*next_name_)(const char *ended_, const char *begun_);
	void (*start_name_)(struct regionstat_call *call_, const char *name_);
	void (*pause_)(void);
	void (*resume_)(void);
	void (*work_)(struct regionstat_site_ *site_, unsigned long long bytes_,
		unsigned long long flops_);
	void (*work_name_)(const char *name_, unsigned long long bytes_, unsigned long long flops_);
	/* Earlier runtimes end here; their bytes_ is smaller. The stub table has NULL from here on. */
	void (*adapter_[9])(void); /* for adapters of other marker APIs */
	/* Here bytes_ is the size of the caller's struct regionstat_values. */
	int (*read_)(struct regionstat_site_ *site_, int event_, unsigned int what_,
		struct regionstat_values *values_, unsigned long long bytes_);
	int (*read_name_)(const char *name_, int event_, unsigned int what_,
		struct regionstat_values *values_, unsigned long long bytes_);
	int (*peek_)(const struct regionstat_call *call_, int event_,
		struct regionstat_values *values_, unsigned long long bytes_);
	int (*event_)(const char *name_);
	const char *(*event_name_)(int event_);
	const char *(*report_)(const char *path_);
};

/* An attaching process writes this request into a program or shared library that contains this
 * header. segment_ and runtime_ are what a launched program finds in the environment variables
 * REGIONSTAT_SEGMENT and REGIONSTAT_RUNTIME. */
struct regionstat_request_1_ {
	/* pid of the process that is loading the runtime, 0 if there is none; the header writes
	 * it */
	unsigned int taken_by_;
	unsigned int reserved_;
	char segment_[128];
	char runtime_[752];
	/* A marker does not load the runtime while its thread blocks one of these signals (bit 0:
	 * signal 1), because a handler may be running. The threads whose ids are in threads_ always
	 * block some of these signals, so they may load the runtime. */
	unsigned long long signals_;
	unsigned int threads_[32];
};

/* The parts of a segment that the loader below uses. They are the same in all versions. If the
 * loader cannot load the runtime, it writes the reason at REGIONSTAT_REASON_OFFSET_. */
#define REGIONSTAT_MAGIC_ 0x746174736e676572ull /* "regnstat" in little-endian order */
#define REGIONSTAT_MAGIC_OFFSET_ 0
#define REGIONSTAT_NONCE_OFFSET_ 24
#define REGIONSTAT_REASON_OFFSET_ 320
#define REGIONSTAT_REASON_BYTES_ 512

#ifndef REGIONSTAT_RUNTIME_ONLY_ /* the runtime needs only the types above */

/* clang's control flow integrity ends a program that calls a function of another object by its
 * address. Functions with this attribute call the runtime's functions. */
#ifdef __clang__
#define REGIONSTAT_CALLS_OUT_ __attribute__((__no_sanitize__("cfi-icall")))
#else
#define REGIONSTAT_CALLS_OUT_
#endif

/* Define something once in a program or library, even if many of its sources include this header.
 * Of several sections with the same name, the linker keeps or uses one. */
#define REGIONSTAT_ONE_(section_name_)                               \
	__attribute__((__weak__, __used__, __visibility__("hidden"), \
		__section__(".gnu.linkonce." section_name_)))
#define REGIONSTAT_ONE_FUNCTION_(type_, name_, parameters_)                                        \
	REGIONSTAT_ONE_("t." #name_)                                                               \
	REGIONSTAT_CALLS_OUT_ __attribute__((__no_instrument_function__)) type_ name_ parameters_; \
	type_ name_ parameters_

/* A pointer to the table of functions. Every marker checks it; it is NULL unless the program is
 * measured. The table may be longer than struct regionstat_table_29_ of this header. */
extern __attribute__((__visibility__("hidden"))) const void *volatile regionstat_table_1_;
REGIONSTAT_ONE_("b.regionstat_table_1_") const void *volatile regionstat_table_1_;

extern __attribute__((__visibility__("hidden"))) struct regionstat_request_1_ regionstat_request_1_;
REGIONSTAT_ONE_("b.regionstat_request_1_") struct regionstat_request_1_ regionstat_request_1_;

/* Why regionstat_open() failed. */
extern __attribute__((__visibility__("hidden"))) char regionstat_why_1_[REGIONSTAT_REASON_BYTES_];
REGIONSTAT_ONE_("b.regionstat_why_1_") char regionstat_why_1_[REGIONSTAT_REASON_BYTES_];

/* Functions of libc under private names, so that this header needs no other header and no names
 * clash. A function that does not exist, such as dlopen(3) in a static program, is NULL: markers
 * stay off. */
#define REGIONSTAT_LIBC_(name_) __attribute__((__weakref__(name_)))

static int *regionstat_errno_(void) REGIONSTAT_LIBC_("__errno_location");

#define REGIONSTAT_FORKED_ \
	"child-not-loaded: a child process was forked while its parent loaded the runtime"

/* Turn the markers on or off after loading. Do nothing if regionstat_table_1_ is no longer before_:
 * the runtime clears this pointer when regionstat detaches. */
REGIONSTAT_ONE_FUNCTION_(void, regionstat_set_1_, (const void *before_, const void *table_))
{
	__atomic_compare_exchange_n(
		&regionstat_table_1_, &before_, table_, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

#ifdef REGIONSTAT_STATIC

/* Connect to the segment that segment_ describes, or the environment if segment_ is NULL. Return
 * NULL if the program does not run under regionstat, or if the ABI differs. */
const struct regionstat_table_29_ *regionstat_join(unsigned int abi_, const char *segment_);

REGIONSTAT_ONE_FUNCTION_(void, regionstat_load_1_,
	(const char *segment_, const char *runtime_, const char *failure_))
{
	const void *before_ = __atomic_load_n(&regionstat_table_1_, __ATOMIC_RELAXED);
	(void)runtime_;
	regionstat_set_1_(
		before_, failure_ ? REGIONSTAT_NULL_ : regionstat_join(REGIONSTAT_ABI, segment_));
}

REGIONSTAT_ONE_FUNCTION_(void, regionstat_start_1_, (void))
{
	if (!__atomic_load_n(&regionstat_table_1_, __ATOMIC_RELAXED))
		regionstat_load_1_(REGIONSTAT_NULL_, REGIONSTAT_NULL_, REGIONSTAT_NULL_);
}

/* regionstat_open() of libregionstat.a. */
const char *regionstat_open_process(unsigned int abi_, const char *events_);

REGIONSTAT_ONE_FUNCTION_(const char *, regionstat_open_1_, (const char *events_))
{
	return regionstat_open_process(REGIONSTAT_ABI, events_);
}

#else

static char *regionstat_getenv_(const char *) REGIONSTAT_LIBC_("secure_getenv");
static int regionstat_sscanf_(const char *, const char *, ...) REGIONSTAT_LIBC_("sscanf");
static long regionstat_pread_(int, void *, unsigned long, long) REGIONSTAT_LIBC_("pread");
static long regionstat_pwrite_(int, const void *, unsigned long, long) REGIONSTAT_LIBC_("pwrite");
static int regionstat_fcntl_(int, int, ...) REGIONSTAT_LIBC_("fcntl");

/* Users with fewer rights must not make a program load their code. So the loader first checks that
 * the segment and the runtime's file belong to root or to the process's effective user. */

/* Return 1 if fd_ is a memfd with a segment's magic and this nonce. It must be sealed against more
 * seals, shrinking and growing (1034 is F_GET_SEALS). */
REGIONSTAT_ONE_FUNCTION_(int, regionstat_is_segment_1_, (int fd_, unsigned long long nonce_))
{
	unsigned long long magic_ = 0, found_ = 0;
	const long expected_ = sizeof(magic_);
	int seals_ = regionstat_fcntl_(fd_, 1034);
	return seals_ > 0 && (seals_ & 7) == 7 &&
	       regionstat_pread_(fd_, &magic_, sizeof(magic_), REGIONSTAT_MAGIC_OFFSET_) ==
		       expected_ &&
	       regionstat_pread_(fd_, &found_, sizeof(found_), REGIONSTAT_NONCE_OFFSET_) ==
		       expected_ &&
	       magic_ == REGIONSTAT_MAGIC_ && found_ == nonce_;
}

/* Write into the segment why no runtime was loaded. The launcher reports it. Some reasons have the
 * code of a message (regionstat-output(5)) before them. */
REGIONSTAT_ONE_FUNCTION_(void, regionstat_tell_1_, (int fd_, const char *reason_))
{
	unsigned long length_ = 0;
	while (reason_ && length_ < REGIONSTAT_REASON_BYTES_ - 1 && reason_[length_])
		length_++;
	if (reason_) /* including its NUL */
		regionstat_pwrite_(fd_, reason_, length_ + (length_ < REGIONSTAT_REASON_BYTES_ - 1),
			REGIONSTAT_REASON_OFFSET_);
}

/* The system call number of fstatat(2), and the places of mode and owner in its result. The places
 * are indexes in an array of 4-byte words. */
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

typedef const void *(*regionstat_join_)(unsigned int abi_, const char *segment_);
static void *regionstat_dlopen_(const char *, int) REGIONSTAT_LIBC_("dlopen");
static regionstat_join_ regionstat_dlsym_(void *, const char *) REGIONSTAT_LIBC_("dlsym");
typedef const char *(*regionstat_open_process_)(unsigned int abi_, const char *events_);
static regionstat_open_process_ regionstat_symbol_(void *, const char *) REGIONSTAT_LIBC_("dlsym");
static const int *regionstat_word_(void *, const char *) REGIONSTAT_LIBC_("dlsym");
static char *regionstat_dlerror_(void) REGIONSTAT_LIBC_("dlerror");
static int regionstat_snprintf_(char *, unsigned long, const char *, ...)
	REGIONSTAT_LIBC_("snprintf");
static int regionstat_open_(const char *, int, ...) REGIONSTAT_LIBC_("open");
static int regionstat_close_(int) REGIONSTAT_LIBC_("close");
static int regionstat_fstatfs_(int, void *) REGIONSTAT_LIBC_("fstatfs");
static long regionstat_syscall_(long, ...) REGIONSTAT_LIBC_("syscall");
static unsigned int regionstat_geteuid_(void) REGIONSTAT_LIBC_("geteuid");

/* Return the mode (inode(7)) of a file that belongs to root or the effective user, or 0 for other
 * files. Symbolic links are not followed. If path is "", use the file of fd. */
REGIONSTAT_ONE_FUNCTION_(unsigned int, regionstat_mode_1_, (int fd_, const char *path_))
{
	unsigned int status_[80], owner_;
	int i_;
	for (i_ = 0; i_ < 80; i_++)
		status_[i_] = 0;
	/* AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW */
	if (regionstat_syscall_(REGIONSTAT_FSTATAT_, fd_, path_, status_, 0x1100))
		return 0;
	owner_ = status_[REGIONSTAT_OWNER_];
	return owner_ && owner_ != regionstat_geteuid_() ? 0 : status_[REGIONSTAT_MODE_];
}

/* Return 1 if a mode is that of a regular file that only its owner can write. */
REGIONSTAT_ONE_FUNCTION_(int, regionstat_is_safe_1_, (unsigned int mode_))
{
	return (mode_ & 0170000) == 0100000 && !(mode_ & 022);
}

/* Return 1 if only root or the effective user can write or replace the file at path. So every
 * directory of the path must be safe as well, or sticky. */
REGIONSTAT_ONE_FUNCTION_(int, regionstat_is_path_safe_1_, (const char *path_))
{
	char part_[1024];
	int i_;
	for (i_ = 0; i_ < 1023 && path_[0] == '/'; i_++) {
		unsigned int mode_;
		part_[i_] = path_[i_];
		if (path_[i_] && path_[i_] != '/')
			continue;
		part_[i_ ? i_ : 1] = '\0';
		mode_ = regionstat_mode_1_(-1, part_);
		part_[i_] = path_[i_];
		if (!path_[i_])
			return regionstat_is_safe_1_(mode_);
		if ((mode_ & 0170000) != 0040000 || (mode_ & 022 && !(mode_ & 01000)))
			return 0;
	}
	return 0;
}

/* Return the descriptor of the segment, or -1. If the descriptor is new, set *opened_ to the
 * segment's nonce; the caller closes the descriptor if it still belongs to the segment. */
REGIONSTAT_ONE_FUNCTION_(
	int, regionstat_find_1_, (const char *segment_, unsigned long long *opened_))
{
	unsigned long long nonce_ = 0;
	char path_[64];
	int fd_ = -1, launcher_ = 0, place_;
	if (regionstat_sscanf_(segment_, "%*u:%d:%d:%llx", &fd_, &launcher_, &nonce_) != 3)
		return -1;
	if (regionstat_is_segment_1_(fd_, nonce_))
		return fd_;
	/* The program has closed its descriptor, so open the launcher's. Check it first with O_PATH
	 * (0x280000), because opening a terminal or device has effects. The flags are then O_RDWR,
	 * O_NOCTTY, O_NONBLOCK and O_CLOEXEC. */
	regionstat_snprintf_(path_, sizeof(path_), "/proc/%d/fd/%d", launcher_, fd_);
	place_ = regionstat_open_(path_, 0x280000);
	fd_ = -1;
	regionstat_snprintf_(path_, sizeof(path_), "/proc/thread-self/fd/%d", place_);
	if (place_ >= 0 && (regionstat_mode_1_(place_, "") & 0170000) == 0100000)
		fd_ = regionstat_open_(path_, 0x80902);
	if (place_ >= 0)
		regionstat_close_(place_);
	if (fd_ < 0)
		return -1;
	*opened_ = nonce_;
	if (regionstat_is_segment_1_(fd_, nonce_))
		return fd_;
	regionstat_close_(fd_);
	return -1;
}

/* Load the runtime with dlopen(3), RTLD_NOW and RTLD_NODELETE. Use its path if only root or the
 * effective user can replace the file there, else use a descriptor of the checked file. Refuse
 * files in FUSE (0x65735546), because the user who mounts it chooses the owners of its files.
 * Return NULL on failure. Write the reason to reason_[REGIONSTAT_REASON_BYTES_], unless dlerror(3)
 * returns the reason. */
REGIONSTAT_ONE_FUNCTION_(void *, regionstat_open_file_1_, (const char *runtime_, char *reason_))
{
	unsigned long long system_[32] = {0};
	char path_[64];
	void *handle_ = REGIONSTAT_NULL_;
	int place_;
	if (!*runtime_ || regionstat_is_path_safe_1_(runtime_))
		return regionstat_dlopen_(
			*runtime_ ? runtime_ : "libregionstat.so.1", 0x2 | 0x1000);
	place_ = regionstat_open_(runtime_, 0x280000);
	regionstat_snprintf_(path_, sizeof(path_), "/proc/thread-self/fd/%d", place_);
	if (place_ >= 0 && regionstat_is_safe_1_(regionstat_mode_1_(place_, "")) &&
		!regionstat_fstatfs_(place_, system_) && system_[0] != 0x65735546)
		handle_ = regionstat_dlopen_(path_, 0x2 | 0x1000);
	else
		regionstat_snprintf_(reason_, REGIONSTAT_REASON_BYTES_, "%.400s: %s", runtime_,
			place_ < 0 ? "cannot be opened"
				   : "neither root's nor the program's user's, or others may write "
				     "to it "
				     "(chmod go-w)");
	if (place_ >= 0)
		regionstat_close_(place_);
	return handle_;
}

/* Load the runtime once. If that fails, markers stay off. The runtime sets regionstat_loaded when
 * it is ready. In a child that was forked while the parent loaded the runtime, it is not ready. If
 * failure_ is not NULL, do not load the runtime, and report this reason to the launcher. */
REGIONSTAT_ONE_FUNCTION_(void, regionstat_load_1_,
	(const char *segment_, const char *runtime_, const char *failure_))
{
	void *handle_;
	regionstat_join_ join_ = REGIONSTAT_NULL_;
	const int *loaded_ = REGIONSTAT_NULL_;
	const void *before_ = __atomic_load_n(&regionstat_table_1_, __ATOMIC_RELAXED);
	const void *table_ = REGIONSTAT_NULL_;
	char reason_[REGIONSTAT_REASON_BYTES_];
	unsigned long long opened_ = 0;
	int fd_ = -1;
	reason_[0] = '\0';
	if (regionstat_dlopen_ && regionstat_dlsym_ && regionstat_dlerror_ && regionstat_sscanf_ &&
		regionstat_snprintf_ && regionstat_pread_ && regionstat_pwrite_ &&
		regionstat_open_ && regionstat_close_ && regionstat_fcntl_ && regionstat_fstatfs_ &&
		regionstat_syscall_ && regionstat_geteuid_)
		fd_ = regionstat_find_1_(segment_, &opened_);
	if (fd_ >= 0 && !regionstat_mode_1_(fd_, "")) {
		regionstat_tell_1_(fd_, "the program's user is neither root nor who measures");
	} else if (fd_ >= 0) {
		handle_ = failure_ ? REGIONSTAT_NULL_ : regionstat_open_file_1_(runtime_, reason_);
		if (handle_) {
			loaded_ = regionstat_word_(handle_, "regionstat_loaded");
			join_ = regionstat_dlsym_(handle_, "regionstat_join");
		}
		if (loaded_ && !__atomic_load_n(loaded_, __ATOMIC_ACQUIRE))
			failure_ = REGIONSTAT_FORKED_;
		if (failure_)
			regionstat_tell_1_(fd_, failure_);
		else if (join_)
			table_ = join_(REGIONSTAT_ABI, segment_);
		else
			regionstat_tell_1_(fd_, reason_[0] ? reason_ : regionstat_dlerror_());
	}
	/* The program may have closed fd_, and may use the number for another file. */
	if (opened_ && regionstat_is_segment_1_(fd_, opened_))
		regionstat_close_(fd_);
	regionstat_set_1_(before_, table_);
}

/* Load libregionstat and let it measure this process. It turns on the markers of all objects. */
REGIONSTAT_ONE_FUNCTION_(const char *, regionstat_open_1_, (const char *events_))
{
	void *handle_;
	regionstat_open_process_ open_;
	if (!regionstat_dlopen_ || !regionstat_dlsym_ || !regionstat_dlerror_ ||
		!regionstat_snprintf_)
		return "the program has no dlopen(3); try: REGIONSTAT_STATIC and libregionstat.a";
	handle_ = regionstat_dlopen_("libregionstat.so.1", 0x2 | 0x1000);
	open_ = handle_ ? regionstat_symbol_(handle_, "regionstat_open_process") : REGIONSTAT_NULL_;
	if (open_)
		return open_(REGIONSTAT_ABI, events_);
	regionstat_snprintf_(regionstat_why_1_, sizeof(regionstat_why_1_),
		"cannot load regionstat's runtime: %.300s\n  try: install regionstat, or add the "
		"directory of libregionstat.so.1 to LD_LIBRARY_PATH before the program starts",
		regionstat_dlerror_());
	return regionstat_why_1_;
}

#undef REGIONSTAT_FSTATAT_
#undef REGIONSTAT_MODE_
#undef REGIONSTAT_OWNER_
#else

/* There is no runtime for these machines, so only tell the launcher. */
REGIONSTAT_ONE_FUNCTION_(void, regionstat_load_1_,
	(const char *segment_, const char *runtime_, const char *failure_))
{
	unsigned long long nonce_ = 0;
	int fd_ = -1;
	(void)runtime_;
	(void)failure_;
	if (regionstat_sscanf_ && regionstat_pread_ && regionstat_pwrite_ && regionstat_fcntl_ &&
		regionstat_sscanf_(segment_, "%*u:%d:%*d:%llx", &fd_, &nonce_) == 2 &&
		regionstat_is_segment_1_(fd_, nonce_))
		regionstat_tell_1_(fd_, "no-runtime: there is no runtime for programs of 32 bits, "
					"nor for any but x86-64, arm64 and riscv64");
	__atomic_store_n(&regionstat_table_1_, REGIONSTAT_NULL_, __ATOMIC_RELEASE);
}

REGIONSTAT_ONE_FUNCTION_(const char *, regionstat_open_1_, (const char *events_))
{
	(void)events_;
	return "there is no runtime for programs of 32 bits, nor for any but x86-64, arm64 and "
	       "riscv64";
}

#endif

/* Find the launcher by the environment, and load the runtime that the environment names.
 * secure_getenv(3) returns NULL in set-user-ID programs, so these load nothing. */
REGIONSTAT_ONE_FUNCTION_(void, regionstat_start_1_, (void))
{
	const char *segment_, *runtime_;
	int saved_errno_;
	if (__atomic_load_n(&regionstat_table_1_, __ATOMIC_RELAXED) || !regionstat_getenv_ ||
		!(segment_ = regionstat_getenv_("REGIONSTAT_SEGMENT")))
		return;
	saved_errno_ = regionstat_errno_ ? *regionstat_errno_() : 0;
	runtime_ = regionstat_getenv_("REGIONSTAT_RUNTIME");
	regionstat_load_1_(segment_, runtime_ ? runtime_ : "", REGIONSTAT_NULL_);
	if (regionstat_errno_)
		*regionstat_errno_() = saved_errno_;
}

#endif /* !REGIONSTAT_STATIC */

/* The stub table: the functions that markers call after regionstat has attached and before the
 * runtime is loaded. The first call starts a thread that loads the runtime. No marker waits for
 * this thread. */
static unsigned int regionstat_getpid_(void) REGIONSTAT_LIBC_("getpid");

REGIONSTAT_ONE_FUNCTION_(void *, regionstat_run_1_, (void *nothing_))
{
	regionstat_load_1_(
		regionstat_request_1_.segment_, regionstat_request_1_.runtime_, REGIONSTAT_NULL_);
	__atomic_store_n(&regionstat_request_1_.taken_by_, 0, __ATOMIC_RELEASE);
	return nothing_;
}

/* Run a function in a new thread that handles none of the program's signals. Return 0, or a
 * positive number if no thread can be started. If the calling thread blocks one of the request's
 * signals and the request does not list it, start no thread and return -1. The calling thread may
 * be in a handler that has interrupted malloc(3), and pthread_create(3) uses malloc(3). */
#ifdef REGIONSTAT_STATIC
/* libregionstat.a defines this function, so that static programs contain what it needs of libc. */
int regionstat_apart(void *(*run_)(void *), const struct regionstat_request_1_ *request_);
#define REGIONSTAT_APART_ regionstat_apart
#define REGIONSTAT_LOADS_ 0 /* The runtime is in the program. */
#else
#define REGIONSTAT_APART_ regionstat_apart_1_
#define REGIONSTAT_LOADS_ 1
static int regionstat_thread_(unsigned long *, const void *, void *(*)(void *), void *)
	REGIONSTAT_LIBC_("pthread_create");
static int regionstat_detach_(unsigned long) REGIONSTAT_LIBC_("pthread_detach");
static int regionstat_mask_(int, const void *, void *) REGIONSTAT_LIBC_("pthread_sigmask");
static unsigned int regionstat_call_(long, ...) REGIONSTAT_LIBC_("syscall");
#ifdef __x86_64__
#define REGIONSTAT_GETTID_ 186
#else
#define REGIONSTAT_GETTID_ 178
#endif

/* Return 1 if the request lists this thread. */
REGIONSTAT_ONE_FUNCTION_(
	int, regionstat_is_listed_1_, (const struct regionstat_request_1_ *request_))
{
	unsigned int thread_ = regionstat_call_ ? regionstat_call_(REGIONSTAT_GETTID_) : 0;
	int i_;
	for (i_ = 0; thread_ && i_ < 32; i_++)
		if (request_->threads_[i_] == thread_)
			return 1;
	return 0;
}
#undef REGIONSTAT_GETTID_

REGIONSTAT_ONE_FUNCTION_(int, regionstat_apart_1_,
	(void *(*run_)(void *), const struct regionstat_request_1_ *request_))
{
	unsigned long long all_[16], old_[16]; /* a sigset_t has 1024 bits */
	unsigned long thread_ = 0;
	int i_, failed_ = -1;
	for (i_ = 0; i_ < 16; i_++)
		all_[i_] = ~0ull;
	/* 2 is SIG_SETMASK. */
	if (!regionstat_thread_ || !regionstat_detach_ || !regionstat_mask_ ||
		regionstat_mask_(2, all_, old_))
		return 1;
	if (!(old_[0] & request_->signals_) || regionstat_is_listed_1_(request_))
		failed_ = regionstat_thread_(&thread_, REGIONSTAT_NULL_, run_, REGIONSTAT_NULL_);
	if (!failed_)
		regionstat_detach_(thread_);
	regionstat_mask_(2, old_, REGIONSTAT_NULL_);
	return failed_;
}
#endif

/* Start the thread that loads the runtime. If it cannot be started, turn markers off again. If this
 * marker may be in a signal handler, another marker starts the thread later. */
REGIONSTAT_ONE_FUNCTION_(void, regionstat_wake_1_, (void))
{
	unsigned int process_ = regionstat_getpid_ ? regionstat_getpid_() : 1;
	/* Acquire pairs with the release store of an earlier thread that loaded. */
	unsigned int before_ = __atomic_exchange_n(
		&regionstat_request_1_.taken_by_, process_, __ATOMIC_ACQUIRE);
	const char *failure_ = REGIONSTAT_NULL_;
	int saved_errno_, failed_ = 0;
	if (before_ == process_)
		return;
	saved_errno_ = regionstat_errno_ ? *regionstat_errno_() : 0;
	/* This process was forked while a thread of its parent was loading the runtime. The runtime
	 * may be in memory without relocations, so it must not run. */
	if (before_ && REGIONSTAT_LOADS_)
		failure_ = REGIONSTAT_FORKED_;
	else
		failed_ = REGIONSTAT_APART_(regionstat_run_1_, &regionstat_request_1_);
	if (failed_ > 0)
		failure_ = "thread-refused: no thread can be started (ulimit -u, pids.max)";
	if (failure_)
		regionstat_load_1_(regionstat_request_1_.segment_, REGIONSTAT_NULL_, failure_);
	if (failure_ || failed_ < 0)
		__atomic_store_n(&regionstat_request_1_.taken_by_, 0, __ATOMIC_RELEASE);
	if (regionstat_errno_)
		*regionstat_errno_() = saved_errno_;
}

#undef REGIONSTAT_APART_
#undef REGIONSTAT_LOADS_
#undef REGIONSTAT_FORKED_

#define REGIONSTAT_STUB_(name_, parameters_)               \
	REGIONSTAT_ONE_FUNCTION_(void, name_, parameters_) \
	{                                                  \
		regionstat_wake_1_();                      \
	}
REGIONSTAT_STUB_(regionstat_stub_end_1_, (regionstat_ticket_ ticket_ __attribute__((__unused__))))
REGIONSTAT_STUB_(
	regionstat_stub_site_1_, (struct regionstat_site_ * site_ __attribute__((__unused__))))
REGIONSTAT_STUB_(regionstat_stub_sites_1_,
	(struct regionstat_site_ * ended_ __attribute__((__unused__)),
		struct regionstat_site_ *begun_ __attribute__((__unused__))))
REGIONSTAT_STUB_(regionstat_stub_start_1_,
	(struct regionstat_call * call_ __attribute__((__unused__)),
		struct regionstat_site_ *site_ __attribute__((__unused__))))
REGIONSTAT_STUB_(
	regionstat_stub_stop_1_, (const struct regionstat_call *call_ __attribute__((__unused__))))
REGIONSTAT_STUB_(regionstat_stub_name_1_, (const char *name_ __attribute__((__unused__))))
REGIONSTAT_STUB_(regionstat_stub_names_1_, (const char *ended_ __attribute__((__unused__)),
						   const char *begun_ __attribute__((__unused__))))
REGIONSTAT_STUB_(
	regionstat_stub_start_name_1_, (struct regionstat_call * call_ __attribute__((__unused__)),
					       const char *name_ __attribute__((__unused__))))
REGIONSTAT_STUB_(
	regionstat_stub_work_1_, (struct regionstat_site_ * site_ __attribute__((__unused__)),
					 unsigned long long bytes_ __attribute__((__unused__)),
					 unsigned long long flops_ __attribute__((__unused__))))
REGIONSTAT_STUB_(regionstat_stub_work_name_1_,
	(const char *name_ __attribute__((__unused__)),
		unsigned long long bytes_ __attribute__((__unused__)),
		unsigned long long flops_ __attribute__((__unused__))))
#undef REGIONSTAT_STUB_

REGIONSTAT_ONE_FUNCTION_(
	regionstat_ticket_, regionstat_stub_begin_1_, (struct regionstat_site_ * site_))
{
	regionstat_stub_site_1_(site_);
	return 0;
}

REGIONSTAT_ONE_FUNCTION_(regionstat_ticket_, regionstat_stub_begin_name_1_, (const char *name_))
{
	regionstat_stub_name_1_(name_);
	return 0;
}

extern __attribute__((__visibility__("hidden"))) struct regionstat_table_29_ regionstat_stub_1_29_;
REGIONSTAT_ONE_("d.regionstat_stub_1_29_")
struct regionstat_table_29_ regionstat_stub_1_29_ = {REGIONSTAT_ABI,
	sizeof(struct regionstat_table_29_), regionstat_stub_begin_1_, regionstat_stub_end_1_,
	regionstat_stub_site_1_, regionstat_stub_sites_1_, regionstat_stub_start_1_,
	regionstat_stub_stop_1_, regionstat_stub_begin_name_1_, regionstat_stub_name_1_,
	regionstat_stub_names_1_, regionstat_stub_start_name_1_, regionstat_wake_1_,
	regionstat_wake_1_, regionstat_stub_work_1_, regionstat_stub_work_name_1_,
	{REGIONSTAT_NULL_}, REGIONSTAT_NULL_, REGIONSTAT_NULL_, REGIONSTAT_NULL_, REGIONSTAT_NULL_,
	REGIONSTAT_NULL_, REGIONSTAT_NULL_};

/*
 * The constructor, with the highest priority, and an ELF note for attaching processes.
 *
 * The note begins with the ABI and the size of the request, 4 bytes each. Three distances of 8
 * bytes each follow: to the request, to regionstat_table_1_ and to the stub table. An attaching
 * process first writes the request, and then the address of the stub table into
 * regionstat_table_1_.
 *
 * The constructor and the note are in section groups, so that a program or library has each once.
 * Link-time optimization may merge all sources into one, so a symbol prevents a second definition.
 */
#if __SIZEOF_POINTER__ == 8
#define REGIONSTAT_POINTER_ ".balign 8\n.quad "
#define REGIONSTAT_NOTE_                                                             \
	".pushsection .note.regionstat, \"aG\", %note, regionstat_once_1_, comdat\n" \
	".balign 4\n"                                                                \
	".long 11, 32, 2\n" /* bytes of name and contents, type */                   \
	".asciz \"regionstat\"\n"                                                    \
	".balign 4\n"                                                                \
	".long 1, 1024\n"                                                            \
	"771: .quad regionstat_request_1_ - 771b\n"                                  \
	"772: .quad regionstat_table_1_ - 772b\n"                                    \
	"773: .quad regionstat_stub_1_29_ - 773b\n"                                  \
	".popsection\n"
#else /* there is no runtime for these machines */
#define REGIONSTAT_POINTER_ ".balign 4\n.long "
#define REGIONSTAT_NOTE_ ""
#endif
__asm__(".ifndef .Lregionstat_1_\n"
	".set .Lregionstat_1_, 1\n"
	".pushsection .init_array.00101, \"awG\", %init_array, regionstat_once_1_, "
	"comdat\n" REGIONSTAT_POINTER_ "regionstat_start_1_\n"
	".popsection\n" REGIONSTAT_NOTE_ ".endif\n");
#undef REGIONSTAT_POINTER_
#undef REGIONSTAT_NOTE_

#if defined(__cplusplus)
#define REGIONSTAT_INLINE_    \
	REGIONSTAT_CALLS_OUT_ \
	__inline__ __attribute__((__always_inline__, __no_instrument_function__))
#else
/* C99 `inline` functions may call functions of this kind, but not static ones. */
#define REGIONSTAT_INLINE_    \
	REGIONSTAT_CALLS_OUT_ \
	extern __inline__     \
		__attribute__((__gnu_inline__, __always_inline__, __no_instrument_function__))
#endif

#if defined(__SANITIZE_THREAD__)
#define REGIONSTAT_THREAD_SANITIZER_
#elif defined(__has_feature)
#if __has_feature(__thread_sanitizer__)
#define REGIONSTAT_THREAD_SANITIZER_
#endif
#endif

/*
 * Return the table of functions. Load the pointer once, because another thread may set it (release
 * in regionstat_set_1_). The table is read only through the pointer.
 *
 * A volatile load saves gcc an instruction on arm64. ThreadSanitizer needs the atomic load.
 */
REGIONSTAT_INLINE_ const struct regionstat_table_29_ *regionstat_table_(void)
{
#ifdef REGIONSTAT_THREAD_SANITIZER_
	const void *table_ = __atomic_load_n(&regionstat_table_1_, __ATOMIC_ACQUIRE);
#else
	const void *table_ = regionstat_table_1_;
#endif
#ifdef __cplusplus
	return static_cast<const struct regionstat_table_29_ *>(table_);
#else
	return (const struct regionstat_table_29_ *)table_;
#endif
}

/* Call a function of the runtime if the program is measured. The empty asm prevents a tail call at
 * the end of a function, because an END by name needs its caller's stack frame. */
#define REGIONSTAT_CALL_(call_)                                                          \
	do {                                                                             \
		const struct regionstat_table_29_ *regionstat_on_ = regionstat_table_(); \
		if (__builtin_expect(!!regionstat_on_, 0)) {                             \
			regionstat_on_->call_;                                           \
			__asm__ __volatile__("");                                        \
		}                                                                        \
	} while (0)

/*
 * Markers with names that are made at run time: regionstat_begin() begins a call of a region,
 * regionstat_end() ends it, and regionstat_next() ends one and begins another. A name is UTF-8 of
 * up to 127 bytes, ended by NUL. It is copied before the function returns.
 *
 * Any thread and any signal handler may use these markers, except that signal handlers must not use
 * regionstat_pause() and regionstat_resume().
 */
REGIONSTAT_INLINE_ void regionstat_begin(const char *name_)
{
	REGIONSTAT_CALL_(begin_name_(name_));
}

REGIONSTAT_INLINE_ void regionstat_end(const char *name_)
{
	REGIONSTAT_CALL_(end_name_(name_));
}

REGIONSTAT_INLINE_ void regionstat_next(const char *ended_, const char *begun_)
{
	REGIONSTAT_CALL_(next_name_(ended_, begun_));
}

/* Start an asynchronous call and return it. Many calls may be open at once, and end in any order,
 * on any thread. */
REGIONSTAT_INLINE_ struct regionstat_call regionstat_start(const char *name_)
{
	struct regionstat_call call_ = {{0}};
	REGIONSTAT_CALL_(start_name_(&call_, name_));
	return call_;
}

/* End an asynchronous call. If the call ends on the thread that started it, its events are counted;
 * otherwise only its time is measured. A call that is never stopped has no further cost. */
REGIONSTAT_INLINE_ void regionstat_stop(struct regionstat_call call_)
{
	REGIONSTAT_CALL_(stop_(&call_));
}

/* Add bytes moved and floating-point operations to the innermost open call of this name on this
 * thread. The report shows them as rates, such as GB/s. */
REGIONSTAT_INLINE_ void regionstat_work(
	const char *name_, unsigned long long bytes_, unsigned long long flops_)
{
	REGIONSTAT_CALL_(work_name_(name_, bytes_, flops_));
}

REGIONSTAT_INLINE_ void regionstat_work_site_(
	struct regionstat_site_ *site_, unsigned long long bytes_, unsigned long long flops_)
{
	REGIONSTAT_CALL_(work_(site_, bytes_, flops_));
}

/* Stop all counting, of regions and of the run. Return when counting has stopped, or after one
 * second if regionstat does not answer. Counting starts again when this process has called
 * regionstat_resume() as often as regionstat_pause(). */
REGIONSTAT_INLINE_ void regionstat_pause(void)
{
	REGIONSTAT_CALL_(pause_());
}

REGIONSTAT_INLINE_ void regionstat_resume(void)
{
	REGIONSTAT_CALL_(resume_());
}

/* ---- the program reads its own results (regionstat_read(3)) ---- */

REGIONSTAT_INLINE_ void regionstat_no_values_(struct regionstat_values *values_)
{
	const struct regionstat_values none_ = {0, 0, 0, 0, 0, 0, 0, 0};
	*values_ = none_;
}

/* Return true if the runtime's table has this function. The stub table lacks some. */
#define REGIONSTAT_HAS_(table_, member_)                                                \
	((table_)->bytes_ >= __builtin_offsetof(struct regionstat_table_29_, member_) + \
				     sizeof((table_)->member_) &&                       \
		(table_)->member_)

/* Read one value of a region so far, as a report would show it now. event_ is REGIONSTAT_TIME,
 * REGIONSTAT_CPU_TIME, or a result of regionstat_event(). Return values_->validity_, which is
 * REGIONSTAT_ABSENT if nothing is measured, or if no region with this name has begun a call. Any
 * thread and any signal handler may call this. It takes no lock. */
REGIONSTAT_INLINE_ int regionstat_read(
	const char *name_, int event_, unsigned int what_, struct regionstat_values *values_)
{
	const struct regionstat_table_29_ *table_ = regionstat_table_();
	if (__builtin_expect(!!table_, 0) && REGIONSTAT_HAS_(table_, read_name_))
		return table_->read_name_(name_, event_, what_, values_, sizeof(*values_));
	regionstat_no_values_(values_);
	return REGIONSTAT_ABSENT;
}

REGIONSTAT_INLINE_ int regionstat_read_site_(struct regionstat_site_ *site_, int event_,
	unsigned int what_, struct regionstat_values *values_)
{
	const struct regionstat_table_29_ *table_ = regionstat_table_();
	if (__builtin_expect(!!table_, 0) && REGIONSTAT_HAS_(table_, read_))
		return table_->read_(site_, event_, what_, values_, sizeof(*values_));
	regionstat_no_values_(values_);
	return REGIONSTAT_ABSENT;
}

/* Read one value so far of an open asynchronous call that this thread started. Return what
 * regionstat_read() returns. That function reads other open calls, with REGIONSTAT_OPEN_CALL. */
REGIONSTAT_INLINE_ int regionstat_peek(
	struct regionstat_call call_, int event_, struct regionstat_values *values_)
{
	const struct regionstat_table_29_ *table_ = regionstat_table_();
	if (__builtin_expect(!!table_, 0) && REGIONSTAT_HAS_(table_, peek_))
		return table_->peek_(&call_, event_, values_, sizeof(*values_));
	regionstat_no_values_(values_);
	return REGIONSTAT_ABSENT;
}

/* Return event_ for the value with this name, such as "time", "cpu-time" or "instructions". Return
 * -1 if it is not measured. */
REGIONSTAT_INLINE_ int regionstat_event(const char *name_)
{
	const struct regionstat_table_29_ *table_ = regionstat_table_();
	if (__builtin_expect(!!table_, 0) && REGIONSTAT_HAS_(table_, event_))
		return table_->event_(name_);
	return -1;
}

/* Return the name of the value event_, or NULL. Values are numbered from 0 without gaps. */
REGIONSTAT_INLINE_ const char *regionstat_event_name(int event_)
{
	const struct regionstat_table_29_ *table_ = regionstat_table_();
	if (__builtin_expect(!!table_, 0) && REGIONSTAT_HAS_(table_, event_name_))
		return table_->event_name_(event_);
	return REGIONSTAT_NULL_;
}

/* Measure the regions of this process although regionstat did not launch it. events_ lists events
 * as -e does: "instructions,cycles"; "" measures time only. Return NULL on success, else a text
 * that says why it failed; markers then stay off. Do nothing if the program is measured already. */
REGIONSTAT_INLINE_ const char *regionstat_open(const char *events_)
{
	return regionstat_table_() ? REGIONSTAT_NULL_ : regionstat_open_1_(events_);
}

/* Write a report of the calls so far to a file, in the format that its extension selects, as -o
 * does. Return NULL on success, else a text that says why it failed. This runs regionstat(1). */
REGIONSTAT_INLINE_ const char *regionstat_report(const char *path_)
{
	const struct regionstat_table_29_ *table_ = regionstat_table_();
	if (__builtin_expect(!!table_, 0) && REGIONSTAT_HAS_(table_, report_))
		return table_->report_(path_);
	return "nothing is measured; try: regionstat_open(\"\") first";
}

REGIONSTAT_INLINE_ regionstat_ticket_ regionstat_scope_begin_(struct regionstat_site_ *site_)
{
	const struct regionstat_table_29_ *table_ = regionstat_table_();
	return __builtin_expect(!!table_, 0) ? table_->begin_(site_) : 0;
}

/* The table is NULL if regionstat has detached since the ticket was made. */
REGIONSTAT_INLINE_ void regionstat_scope_end_(regionstat_ticket_ *ticket_)
{
	if (__builtin_expect(*ticket_ != 0, 0))
		REGIONSTAT_CALL_(end_(*ticket_));
}

REGIONSTAT_INLINE_ void regionstat_begin_site_(struct regionstat_site_ *site_)
{
	REGIONSTAT_CALL_(begin_(site_));
}

REGIONSTAT_INLINE_ void regionstat_end_site_(struct regionstat_site_ *site_)
{
	REGIONSTAT_CALL_(end_site_(site_));
}

REGIONSTAT_INLINE_ void regionstat_next_sites_(
	struct regionstat_site_ *ended_, struct regionstat_site_ *begun_)
{
	REGIONSTAT_CALL_(next_(ended_, begun_));
}

REGIONSTAT_INLINE_ struct regionstat_call regionstat_start_site_(struct regionstat_site_ *site_)
{
	struct regionstat_call call_ = {{0}};
	REGIONSTAT_CALL_(start_(&call_, site_));
	return call_;
}

/* If the compiler cannot remove a call of this function, the call is an error with the text
 * below. */
extern void regionstat_name_is_no_string_literal_(void)
#if defined(__has_attribute)
#if __has_attribute(__error__)
	__attribute__((__nothrow__,
		__error__("a region's name must be a string literal here; for __func__ use "
			  "REGIONSTAT_FUNCTION(), for a name made at run time "
			  "regionstat_begin() and regionstat_end()")))
#endif
#endif
	;

#endif /* !REGIONSTAT_RUNTIME_ONLY_ */

#ifdef __cplusplus
}
#endif

#define REGIONSTAT_JOIN2_(a_, b_) a_##b_
#define REGIONSTAT_JOIN_(a_, b_) REGIONSTAT_JOIN2_(a_, b_)

/* A site needs a literal name, because the runtime looks the name up only once. */
#define REGIONSTAT_SITE_(variable_, name_, is_paired_) \
	static struct regionstat_site_ variable_ = {   \
		__builtin_constant_p(name_) ? (name_) : "", 0, is_paired_}
#define REGIONSTAT_LITERAL_(name_) \
	(__builtin_strncmp(#name_, "\"", 1) ? regionstat_name_is_no_string_literal_() : (void)0)

#define REGIONSTAT_TICKET_(ticket_, site_, check_)                                    \
	regionstat_ticket_ ticket_ __attribute__((__cleanup__(regionstat_scope_end_), \
		__unused__)) = (check_, regionstat_scope_begin_(&site_))
#define REGIONSTAT_SCOPE_(number_, name_)                                        \
	REGIONSTAT_SITE_(REGIONSTAT_JOIN_(regionstat_site_, number_), name_, 1); \
	REGIONSTAT_TICKET_(REGIONSTAT_JOIN_(regionstat_scope_, number_),         \
		REGIONSTAT_JOIN_(regionstat_site_, number_), REGIONSTAT_LITERAL_(name_))

/* Mark a region from here to the end of the block, even if return, break, goto or a C++ exception
 * leaves it. name_ is a string literal. This is a declaration, like that of a variable. */
#define REGIONSTAT_SCOPE(name_) REGIONSTAT_SCOPE_(__COUNTER__, name_)

/* Mark a region from here to the end of the block, with the name of the enclosing function. */
#define REGIONSTAT_FUNCTION()                                                   \
	static struct regionstat_site_ regionstat_function_ = {__func__, 0, 1}; \
	REGIONSTAT_TICKET_(regionstat_function_scope_, regionstat_function_, (void)0)

/* Mark a region from BEGIN to END on the same thread. END ends the innermost open call of its name
 * that began in the same stack frame. If there is none, it ends the innermost open call of its
 * name. name_ is a string literal. */
#define REGIONSTAT_BEGIN(name_)                               \
	do {                                                  \
		REGIONSTAT_SITE_(regionstat_here_, name_, 0); \
		REGIONSTAT_LITERAL_(name_);                   \
		regionstat_begin_site_(&regionstat_here_);    \
	} while (0)
#define REGIONSTAT_END(name_)                                 \
	do {                                                  \
		REGIONSTAT_SITE_(regionstat_here_, name_, 0); \
		REGIONSTAT_LITERAL_(name_);                   \
		regionstat_end_site_(&regionstat_here_);      \
	} while (0)

/* End a region and begin another one, with one reading of the clock and the counters for both. */
#define REGIONSTAT_NEXT(ended_, begun_)                                         \
	do {                                                                    \
		REGIONSTAT_SITE_(regionstat_ended_, ended_, 0);                 \
		REGIONSTAT_SITE_(regionstat_begun_, begun_, 0);                 \
		REGIONSTAT_LITERAL_(ended_);                                    \
		REGIONSTAT_LITERAL_(begun_);                                    \
		regionstat_next_sites_(&regionstat_ended_, &regionstat_begun_); \
	} while (0)

/* Start an asynchronous call, and return a struct regionstat_call. Pass it to regionstat_stop() to
 * end the call, in any order, on any thread. */
#define REGIONSTAT_START(name_)                               \
	__extension__({                                       \
		REGIONSTAT_SITE_(regionstat_here_, name_, 1); \
		REGIONSTAT_LITERAL_(name_);                   \
		regionstat_start_site_(&regionstat_here_);    \
	})

/* Add work as regionstat_work() does, for a literal name. The program computes bytes_ and flops_
 * even without regionstat, so avoid expensive expressions. */
#define REGIONSTAT_WORK(name_, bytes_, flops_)                            \
	do {                                                              \
		REGIONSTAT_SITE_(regionstat_here_, name_, 1);             \
		REGIONSTAT_LITERAL_(name_);                               \
		regionstat_work_site_(&regionstat_here_, bytes_, flops_); \
	} while (0)

/* Read as regionstat_read() does, for a literal name, which is looked up once. */
#define REGIONSTAT_READ(name_, event_, what_, values_)                            \
	__extension__({                                                           \
		REGIONSTAT_SITE_(regionstat_here_, name_, 1);                     \
		REGIONSTAT_LITERAL_(name_);                                       \
		regionstat_read_site_(&regionstat_here_, event_, what_, values_); \
	})

/* Stop and restart all counting, as regionstat_pause() and regionstat_resume() do. */
#define REGIONSTAT_PAUSE() regionstat_pause()
#define REGIONSTAT_RESUME() regionstat_resume()

#endif /* !REGIONSTAT_DISABLE */

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif /* REGIONSTAT_H */
