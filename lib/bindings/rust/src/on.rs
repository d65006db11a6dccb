// SPDX-License-Identifier: MIT
//! The markers: through the table of the runtime, where there is one.
//!
//! They are safe to call because:
//! - The table is found before `main`, proven to be of this ABI, and never unloaded nor changed.
//!   Entries that an older runtime does not have are not read.
//! - A site is a static; what the runtime writes into it is an atomic of the crate's own type.
//! - A ticket is one that the runtime gave, and is given back once, on the same thread: no other
//!   code can make or read one, and `Scope` is neither `Send` nor `Sync`. Of one whose entry is
//!   gone by then (its thread ended, or this is a forked child) the runtime knows it.
//! - A call's words are the runtime's, copied by it, and given back once, on any thread.
//! - Names are copied before a marker returns, and end in a NUL.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_uint, c_ulonglong};
use std::ptr::{addr_of, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

#[path = "runtime.rs"]
mod runtime;

/// `struct regionstat_site_`.
#[doc(hidden)]
#[repr(C)]
pub struct Site {
    name: Text,
    region: AtomicU32,
    is_paired: u32,
}

/// A static text that ends in a NUL.
#[repr(transparent)]
struct Text(*const c_char);

// SAFETY: it points to static memory that is never written.
unsafe impl Sync for Text {}

impl Site {
    #[doc(hidden)]
    pub const fn new(name: &'static str) -> Site {
        let bytes = name.as_bytes();
        assert!(
            !bytes.is_empty() && bytes[bytes.len() - 1] == 0,
            "a name ends in a NUL"
        );
        Site {
            name: Text(bytes.as_ptr() as *const c_char),
            region: AtomicU32::new(0),
            is_paired: 1,
        }
    }

    fn place(&'static self) -> *const Site {
        let _ = (&self.name.0, &self.region, self.is_paired); // read by the runtime
        self
    }
}

/// `struct regionstat_call`.
#[repr(C)]
struct Words([u64; 8]);

/// `struct regionstat_table_14_` of ABI 1. `bytes` says what of it is there.
#[repr(C)]
struct Table {
    abi: c_uint,
    bytes: c_uint,
    begin: unsafe extern "C" fn(*const Site) -> u64,
    end: unsafe extern "C" fn(u64),
    end_site: unsafe extern "C" fn(*const Site),
    next: unsafe extern "C" fn(*const Site, *const Site),
    start: unsafe extern "C" fn(*mut Words, *const Site),
    stop: unsafe extern "C" fn(*const Words),
    begin_name: unsafe extern "C" fn(*const c_char) -> u64,
    end_name: unsafe extern "C" fn(*const c_char),
    next_name: unsafe extern "C" fn(*const c_char, *const c_char),
    start_name: unsafe extern "C" fn(*mut Words, *const c_char),
    pause: unsafe extern "C" fn(),
    resume: unsafe extern "C" fn(),
    // from here on not in the table of every runtime
    work: unsafe extern "C" fn(*const Site, c_ulonglong, c_ulonglong),
    work_name: unsafe extern "C" fn(*const c_char, c_ulonglong, c_ulonglong),
}

/// Up to `work`: what every runtime of this ABI has.
const LEAST_BYTES: usize = 8 + 12 * std::mem::size_of::<usize>();

/// NULL unless measured; set once, before `main`.
static TABLE: AtomicPtr<Table> = AtomicPtr::new(null_mut());

/// Find the launcher while nothing else runs: loading the runtime at the first marker could wait
/// for a lock that its caller holds.
#[used]
#[link_section = ".init_array"]
static START: extern "C" fn() = {
    extern "C" fn start() {
        let table = runtime::join() as *mut Table;
        // SAFETY: what the runtime gives points to a table for life, which begins with these two.
        let is_ours = !table.is_null()
            && unsafe { (*table).abi == runtime::ABI && (*table).bytes as usize >= LEAST_BYTES };
        if is_ours {
            TABLE.store(table, Ordering::Release);
        }
    }
    start
};

/// The table as a marker finds it.
#[inline(always)]
fn table() -> *const Table {
    // what it points to was there before it was set, in the constructor, before any thread of ours
    TABLE.load(Ordering::Relaxed)
}

/// A member of a table that is not NULL: one within LEAST_BYTES, or known to be there. No reference
/// is made to the table as a whole, of which the end may be missing.
macro_rules! entry {
    ($table:expr, $member:ident) => {
        addr_of!((*$table).$member).read()
    };
}

/// Longer names are cut here; the runtime shortens what is left to what a region's name may be.
const NAME_BYTES: usize = 1024;

struct Name([u8; NAME_BYTES]);

impl Name {
    fn new(name: &str) -> Name {
        let mut length = name.len().min(NAME_BYTES - 1);
        while !name.is_char_boundary(length) {
            length -= 1;
        }
        let mut text = Name([0; NAME_BYTES]);
        text.0[..length].copy_from_slice(&name.as_bytes()[..length]);
        text
    }

    fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr() as *const c_char
    }
}

/// A call of a region on this thread, which ends when this is dropped.
#[must_use = "a scope ends when it is dropped: `let _region = ...`"]
pub struct Scope {
    ticket: u64,
    thread: PhantomData<*const ()>,
}

impl Scope {
    /// A region whose name is made at run time.
    #[inline]
    pub fn new(name: &str) -> Scope {
        #[cold]
        fn begin(table: *const Table, name: &str) -> u64 {
            // SAFETY: the name ends in a NUL, and is copied.
            unsafe { entry!(table, begin_name)(Name::new(name).as_ptr()) }
        }
        let table = table();
        let ticket = if table.is_null() {
            0
        } else {
            begin(table, name)
        };
        Scope {
            ticket,
            thread: PhantomData,
        }
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn of(site: &'static Site) -> Scope {
        let table = table();
        let ticket = if table.is_null() {
            0
        } else {
            // SAFETY: the site is static, and the runtime's to write.
            unsafe { entry!(table, begin)(site.place()) }
        };
        Scope {
            ticket,
            thread: PhantomData,
        }
    }
}

impl Drop for Scope {
    #[inline(always)]
    fn drop(&mut self) {
        if self.ticket != 0 {
            // SAFETY: where there is a ticket there is a table; it is this thread's.
            unsafe { entry!(table(), end)(self.ticket) }
        }
    }
}

/// A call of a region that need not nest, which ends when this is dropped, on any thread. A stop on
/// the thread that started it gives time and events; on another thread it gives time only.
#[must_use = "a call ends when it is dropped: `let _call = ...`"]
pub struct Call(Words);

impl Call {
    /// A region whose name is made at run time.
    #[inline]
    pub fn new(name: &str) -> Call {
        #[cold]
        fn start(table: *const Table, words: &mut Words, name: &str) {
            // SAFETY: the name ends in a NUL, and is copied; the words are the runtime's to write.
            unsafe { entry!(table, start_name)(words, Name::new(name).as_ptr()) }
        }
        let mut words = Words([0; 8]);
        let table = table();
        if !table.is_null() {
            start(table, &mut words, name);
        }
        Call(words)
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn of(site: &'static Site) -> Call {
        let mut words = Words([0; 8]);
        let table = table();
        if !table.is_null() {
            // SAFETY: the site is static, and the words are the runtime's to write.
            unsafe { entry!(table, start)(&mut words, site.place()) }
        }
        Call(words)
    }

    /// End it here.
    #[inline(always)]
    pub fn stop(self) {}
}

impl Drop for Call {
    #[inline(always)]
    fn drop(&mut self) {
        let table = table();
        if !table.is_null() {
            // SAFETY: the words are what start gave, and given back once; or zeros, which are no
            // call.
            unsafe { entry!(table, stop)(&self.0) }
        }
    }
}

#[derive(Clone, Copy)]
enum Mark {
    Begin,
    End,
    Next,
}

/// The runtime distinguishes calls of the same name by the caller's stack frame. So this is one
/// function for all markers, never inlined: calls of one function have one frame.
#[cold]
#[inline(never)]
fn mark(table: *const Table, what: Mark, name: &str, other: &str) {
    let (first, second) = (Name::new(name), Name::new(other));
    // SAFETY: the names end in a NUL, and are copied.
    unsafe {
        match what {
            Mark::Begin => {
                entry!(table, begin_name)(first.as_ptr());
            }
            Mark::End => entry!(table, end_name)(first.as_ptr()),
            Mark::Next => entry!(table, next_name)(first.as_ptr(), second.as_ptr()),
        }
    }
}

/// Begin a call of a region on this thread.
#[inline(always)]
pub fn begin(name: &str) {
    let table = table();
    if !table.is_null() {
        mark(table, Mark::Begin, name, "");
    }
}

/// End the innermost open call of that name on this thread that this function has begun, else the
/// innermost.
#[inline(always)]
pub fn end(name: &str) {
    let table = table();
    if !table.is_null() {
        mark(table, Mark::End, name, "");
    }
}

/// [`end`] of the first and [`begin`] of the second, with one reading of clock and counters for
/// both.
#[inline(always)]
pub fn next(ended: &str, begun: &str) {
    let table = table();
    if !table.is_null() {
        mark(table, Mark::Next, ended, begun);
    }
}

/// Bytes that the innermost open call of that name on this thread has moved, and floating-point
/// operations that it has done.
#[inline]
pub fn work(name: &str, bytes: u64, flops: u64) {
    #[cold]
    fn tell(table: *const Table, name: &str, bytes: u64, flops: u64) {
        // SAFETY: the entry is there where its bytes are; the name ends in a NUL, and is copied.
        unsafe {
            if entry!(table, bytes) as usize >= std::mem::size_of::<Table>() {
                entry!(table, work_name)(Name::new(name).as_ptr(), bytes, flops)
            }
        }
    }
    let table = table();
    if !table.is_null() {
        tell(table, name, bytes, flops);
    }
}

/// Stop all counting, of regions and of the run, until this process has called [`resume`] as often.
pub fn pause() {
    let table = table();
    if !table.is_null() {
        // SAFETY: it takes nothing.
        unsafe { entry!(table, pause)() }
    }
}

/// Count again.
pub fn resume() {
    let table = table();
    if !table.is_null() {
        // SAFETY: it takes nothing.
        unsafe { entry!(table, resume)() }
    }
}

/// Whether regionstat measures this process.
#[inline(always)]
pub fn is_measured() -> bool {
    !table().is_null()
}

const _: () = {
    assert!(std::mem::size_of::<Site>() == 16);
    assert!(std::mem::size_of::<Words>() == 64);
    assert!(std::mem::size_of::<Table>() == 8 + 14 * 8);
    assert!(std::mem::size_of::<*const c_void>() == 8);
};
