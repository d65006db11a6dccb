/* SPDX-License-Identifier: MIT */
/*
 * Compiler attributes and built-ins: likely branches, inlining, cold code, and accesses to words
 * that other threads may use.
 */
#ifndef RS_RUNTIME_COMPILER_H
#define RS_RUNTIME_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#define RS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define RS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/* The condition is almost always true: a path after several such checks is still likely. */
#ifdef __clang__
#define RS_SURE(condition) RS_LIKELY(condition)
#else
#define RS_SURE(condition) __builtin_expect_with_probability(!!(condition), 1, 1.0)
#endif
#define RS_COLD __attribute__((cold, noinline))
#define RS_INLINE static inline __attribute__((always_inline))

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RS_HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RS_HAS_SANITIZER 1
#endif

/* For functions that walk over many words that only this thread uses. ThreadSanitizer makes the
 * walk so slow that each walk has a context switch, which starts a new walk. The marker would never
 * end. */
#if defined(RS_HAS_SANITIZER)
#define RS_OWN_WORDS __attribute__((no_sanitize_thread))
#else
#define RS_OWN_WORDS
#endif

/* Store the word that releases this thread's state. The thread that takes the state waits for a
 * barrier on all CPUs (thread.c). ThreadSanitizer does not know this barrier. */
RS_INLINE void rs_store_last(uintptr_t *word, uintptr_t value)
{
#if defined(RS_HAS_SANITIZER)
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
#else
	*word = value;
#endif
}

/* Load an aligned word that other threads or processes may write at the same time. On arm64, gcc
 * uses one instruction less for a plain load than for the atomic form. */
RS_INLINE uint32_t rs_load_32(const uint32_t *word)
{
#if defined(__aarch64__) && !defined(RS_HAS_SANITIZER)
	return *word;
#else
	return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}
/* Load a word from memory again, so that the compiler need not keep it in a register. */
RS_INLINE uint64_t rs_load_again(const uint64_t *word)
{
	return *(const volatile uint64_t *)word;
}
/* Return the low half of a 64-bit word. */
RS_INLINE uint32_t rs_low_half(const void *word)
{
	return rs_load_32((const uint32_t *)word + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
}
/* Load 64 bits that other threads or processes may write at the same time. gcc needs one more
 * instruction for the atomic form. */
RS_INLINE uint64_t rs_load_64(const uint64_t *word)
{
#if defined(RS_HAS_SANITIZER)
	return __atomic_load_n(word, __ATOMIC_RELAXED);
#else
	return *word;
#endif
}
/* Load a setting of the measurement, while another thread may replace it for the next one. */
RS_INLINE bool rs_load_flag(const bool *flag)
{
#if defined(RS_HAS_SANITIZER)
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
#else
	return *flag;
#endif
}
RS_INLINE void rs_store_flag(bool *flag, bool value)
{
	__atomic_store_n(flag, value, __ATOMIC_RELAXED);
}
RS_INLINE void rs_store_32(uint32_t *word, uint32_t value)
{
#if defined(__aarch64__) && !defined(RS_HAS_SANITIZER)
	*(volatile uint32_t *)word = value;
#else
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

/* Add to a word that only this thread writes and that others may read at the same time. */
RS_INLINE void rs_add_32(uint32_t *word, uint32_t n)
{
#if defined(__x86_64__) && !defined(RS_HAS_SANITIZER)
	__asm__ volatile("addl %1, %0" : "+m"(*word) : "ri"(n) : "cc");
#else
	rs_store_32(word, *word + n);
#endif
}

/* Store 64 bits so that other threads or processes may read them at the same time. */
RS_INLINE void rs_store_64(uint64_t *word, uint64_t value)
{
#if defined(RS_HAS_SANITIZER)
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
#else
	*(volatile uint64_t *)word = value;
#endif
}
RS_INLINE void rs_add_64(uint64_t *word, uint64_t n)
{
#if defined(__x86_64__) && !defined(RS_HAS_SANITIZER)
	__asm__ volatile("addq %1, %0" : "+m"(*word) : "er"(n) : "cc");
#else
	rs_store_64(word, *word + n);
#endif
}

/* Prevent inlining and cloning. */
#ifdef __clang__
#define RS_ONE_BODY __attribute__((noinline))
#else
#define RS_ONE_BODY __attribute__((noipa))
#endif

#endif
