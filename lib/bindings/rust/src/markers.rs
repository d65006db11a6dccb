// SPDX-License-Identifier: MIT
//! The markers, which call the runtime's table if the program is measured.
//!
//! They are safe because:
//! - The table is found before `main`, or by `open`, and checked to have this ABI. It is never
//!   unloaded or changed. Functions that an older runtime does not have are not read.
//! - A site is static. The runtime writes only its atomic member.
//! - A ticket comes from the runtime and is returned once, on the same thread. No other code can
//!   make or read one, and `Scope` is neither `Send` nor `Sync`. If the call of a ticket is gone
//!   (its thread ended, or this is a forked child), the runtime notices that.
//! - The words of a call come from the runtime and are returned once, on any thread.
//! - Names end with NUL, and are copied before a marker returns.

use std::ffi::CString;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int, c_uint, c_ulonglong};
use std::ptr::{addr_of, NonNull};
use std::sync::atomic::AtomicU32;

use crate::runtime::{self, table, CALL_WORDS};
use crate::{Values, What};

/// `struct regionstat_site_`.
#[doc(hidden)]
#[repr(C)]
pub struct Site {
    name: Text,
    region: AtomicU32,
    is_paired: u32,
}

/// A static text that ends with NUL.
#[repr(transparent)]
struct Text(*const c_char);

// SAFETY: The pointer is to static memory that is never written.
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
}

/// `struct regionstat_call`; empty if markers are disabled.
#[repr(C)]
pub struct Words([u64; CALL_WORDS]);

/// `struct regionstat_table_29_` of ABI 1. `bytes` is its size in this runtime.
#[repr(C)]
pub struct Table {
    pub abi: c_uint,
    pub bytes: c_uint,
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
    // older runtimes do not have the following functions
    work: unsafe extern "C" fn(*const Site, c_ulonglong, c_ulonglong),
    work_name: unsafe extern "C" fn(*const c_char, c_ulonglong, c_ulonglong),
    adapter: [usize; 9],
    read: usize,
    read_name: unsafe extern "C" fn(*const c_char, c_int, c_uint, *mut Read, c_ulonglong) -> c_int,
    peek: unsafe extern "C" fn(*const Words, c_int, *mut Read, c_ulonglong) -> c_int,
    event: unsafe extern "C" fn(*const c_char) -> c_int,
    event_name: usize,
    report: unsafe extern "C" fn(*const c_char) -> *const c_char,
}

/// `struct regionstat_values`.
#[repr(C)]
#[derive(Default)]
pub struct Read {
    calls: u64,
    total: f64,
    self_: f64,
    p50: f64,
    p90: f64,
    p99: f64,
    validity: c_int,
    quantiles_validity: c_int,
}

/// Size of the table up to `adapter`.
const WORK_BYTES: usize = 8 + 14 * std::mem::size_of::<usize>();

/// Read a member of the table. The member is within LEAST_BYTES, or `bytes` was
/// checked. There is no reference to the whole table, because its end may be missing.
macro_rules! entry {
    ($table:expr, $member:ident) => {
        addr_of!((*$table.as_ptr()).$member).read()
    };
}

/// Limit of the length of names. The runtime has a lower limit, and marks names that it cuts.
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

/// A call of a region on this thread. It ends when this value is dropped.
#[must_use = "a scope ends when it is dropped: `let _region = ...`"]
pub struct Scope {
    ticket: u64,
    thread: PhantomData<*const ()>,
}

impl Scope {
    /// Begin a call of a region whose name is made at run time.
    #[inline]
    pub fn new(name: &str) -> Scope {
        #[cold]
        fn begin(table: NonNull<Table>, name: &str) -> u64 {
            // SAFETY: The name ends with NUL, and is copied.
            unsafe { entry!(table, begin_name)(Name::new(name).as_ptr()) }
        }
        Scope {
            ticket: table().map_or(0, |table| begin(table, name)),
            thread: PhantomData,
        }
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn of(site: &'static Site) -> Scope {
        // SAFETY: The site is static, and the runtime may write it.
        let begin = |table: NonNull<Table>| unsafe { entry!(table, begin)(site) };
        Scope {
            ticket: table().map_or(0, begin),
            thread: PhantomData,
        }
    }
}

impl Drop for Scope {
    #[inline(always)]
    fn drop(&mut self) {
        if self.ticket != 0 {
            if let Some(table) = table() {
                // SAFETY: The ticket belongs to this thread.
                unsafe { entry!(table, end)(self.ticket) }
            }
        }
    }
}

/// An asynchronous call of a region. It ends when this value is dropped, on any thread. If it ends
/// on the thread that started it, its events are counted. Otherwise only its time is measured.
#[must_use = "a call ends when it is dropped: `let _call = ...`"]
pub struct Call(Words);

impl Call {
    /// Begin a call of a region whose name is made at run time.
    #[inline]
    pub fn new(name: &str) -> Call {
        #[cold]
        fn start(table: NonNull<Table>, words: &mut Words, name: &str) {
            // SAFETY: The name ends with NUL, and is copied. The runtime may write the words.
            unsafe { entry!(table, start_name)(words, Name::new(name).as_ptr()) }
        }
        let mut words = Words([0; CALL_WORDS]);
        if let Some(table) = table() {
            start(table, &mut words, name);
        }
        Call(words)
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn of(site: &'static Site) -> Call {
        let mut words = Words([0; CALL_WORDS]);
        if let Some(table) = table() {
            // SAFETY: The site is static, and the runtime may write the words.
            unsafe { entry!(table, start)(&mut words, site) }
        }
        Call(words)
    }

    /// End the call.
    #[inline(always)]
    pub fn stop(self) {}
}

impl Drop for Call {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(table) = table() {
            // SAFETY: The words come from start and are returned once. Or they are zeros, which
            // the runtime does not accept as a call.
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

/// Call a marker by name. The runtime distinguishes calls of the same name by the caller's stack
/// frame. Therefore all markers use this function, which is never inlined.
#[cold]
#[inline(never)]
fn mark(table: NonNull<Table>, what: Mark, name: &str, other: &str) {
    let (first, second) = (Name::new(name), Name::new(other));
    // SAFETY: The names end with NUL, and are copied.
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
    if let Some(table) = table() {
        mark(table, Mark::Begin, name, "");
    }
}

/// End the innermost open call of this name that this function began, or else the innermost one on
/// this thread.
#[inline(always)]
pub fn end(name: &str) {
    if let Some(table) = table() {
        mark(table, Mark::End, name, "");
    }
}

/// End one region and begin another, with one reading of the clock and the counters for both.
#[inline(always)]
pub fn next(ended: &str, begun: &str) {
    if let Some(table) = table() {
        mark(table, Mark::Next, ended, begun);
    }
}

/// Add bytes moved and floating-point operations to the innermost open call of this name on this
/// thread.
#[inline]
pub fn work(name: &str, bytes: u64, flops: u64) {
    #[cold]
    fn tell(table: NonNull<Table>, name: &str, bytes: u64, flops: u64) {
        // SAFETY: `bytes` says if the function exists. The name ends with NUL, and is copied.
        unsafe {
            if entry!(table, bytes) as usize >= WORK_BYTES {
                entry!(table, work_name)(Name::new(name).as_ptr(), bytes, flops)
            }
        }
    }
    if let Some(table) = table() {
        tell(table, name, bytes, flops);
    }
}

/// Return the table if it has the functions that read.
fn reading() -> Option<NonNull<Table>> {
    // SAFETY: The table begins with its size.
    table().filter(|table| unsafe { entry!(table, bytes) as usize >= std::mem::size_of::<Table>() })
}

fn values_of(read: Read) -> Option<Values> {
    (read.validity != 0).then_some(Values {
        calls: read.calls,
        total: read.total,
        self_total: read.self_,
        quantiles: (read.quantiles_validity != 0).then_some([read.p50, read.p90, read.p99]),
        is_estimate: read.validity == 2,
    })
}

/// Read what a region has measured so far of "time", "cpu-time" or an event. Return `None` if that
/// is unknown.
pub fn read(region: &str, event: &str, what: What) -> Option<Values> {
    const SELF_AND_QUANTILES: c_uint = 16 | 32;
    let table = reading()?;
    let mut read = Read::default();
    // SAFETY: The names end with NUL, and are copied or compared. The size of `read` is passed.
    unsafe {
        let event = entry!(table, event)(Name::new(event).as_ptr());
        entry!(table, read_name)(
            Name::new(region).as_ptr(),
            event,
            what as c_uint | SELF_AND_QUANTILES,
            &mut read,
            std::mem::size_of::<Read>() as c_ulonglong,
        );
    }
    values_of(read)
}

impl Call {
    /// Read what this call has used so far, on the thread that started it.
    pub fn peek(&self, event: &str) -> Option<Values> {
        let table = reading()?;
        let mut read = Read::default();
        // SAFETY: As in `read`; the words come from start.
        unsafe {
            let event = entry!(table, event)(Name::new(event).as_ptr());
            let bytes = std::mem::size_of::<Read>() as c_ulonglong;
            entry!(table, peek)(&self.0, event, &mut read, bytes);
        }
        values_of(read)
    }
}

/// Let this process measure itself if regionstat did not launch it. events: perf's names, such as
/// "instructions,cycles", or "" for time only. Call it before other threads use markers.
pub fn open(events: &str) -> Result<(), String> {
    if is_measured() {
        return Ok(());
    }
    let events = CString::new(events).map_err(|error| error.to_string())?;
    runtime::open_process(events.as_ptr())
}

/// Write the report so far to a file, as `-o` does.
pub fn report(path: &str) -> Result<(), String> {
    let table = reading().ok_or(runtime::NO_REPORT)?;
    let path = CString::new(path).map_err(|error| error.to_string())?;
    // SAFETY: The path ends with NUL. The text of the result is copied.
    unsafe { runtime::copy(entry!(table, report)(path.as_ptr())) }.map_or(Ok(()), Err)
}

/// Stop all counting, of regions and of the run, until as many calls of [`resume`] follow.
pub fn pause() {
    if let Some(table) = table() {
        // SAFETY: The function has no arguments.
        unsafe { entry!(table, pause)() }
    }
}

/// Start counting again after [`pause`].
pub fn resume() {
    if let Some(table) = table() {
        // SAFETY: The function has no arguments.
        unsafe { entry!(table, resume)() }
    }
}

/// Return true if regionstat measures this process.
#[inline(always)]
pub fn is_measured() -> bool {
    table().is_some()
}
