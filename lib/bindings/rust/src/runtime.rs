// SPDX-License-Identifier: MIT
//! This module loads the runtime that the environment names, as regionstat.h does. A user with
//! fewer rights must not choose what is loaded. Therefore a program that has more rights than its
//! caller ignores the environment (`secure_getenv(3)`). The segment must be a sealed memfd with the
//! launcher's nonce that belongs to root or to the effective user. The runtime's file must also
//! belong to one of them, and only its owner may write it. If another user could replace the file,
//! this module loads the checked descriptor instead of the path. It writes errors into the segment
//! for the launcher, and preserves errno.

use std::ffi::{c_void, CStr, CString, OsStr};
use std::fs::{symlink_metadata, File, Metadata, OpenOptions};
use std::mem::ManuallyDrop;
use std::os::raw::{c_char, c_int, c_uint};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::os::unix::io::{AsRawFd, FromRawFd};
use std::path::{Component, Path, PathBuf};
use std::ptr::{null_mut, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::markers::{Read, Site, Table, Words};

const ABI: c_uint = 1;
pub const CALL_WORDS: usize = 8;
pub const NO_REPORT: &str = "nothing is measured";

const MAGIC: u64 = 0x7461_7473_6e67_6572;
const LOAD_ERROR: (u64, usize) = (320, 512); // offset in the segment, and size in bytes
const F_GET_SEALS: c_int = 1034;
const SEALS: c_int = 7; // seals that forbid further seals, shrinking and growing
const O_PATH: c_int = 0o10000000;
const O_NOCTTY_NONBLOCK: c_int = 0o400 | 0o4000;
const RTLD_NOW_NODELETE: c_int = 0x2 | 0x1000;
const FUSE_MAGIC: u64 = 0x6573_5546;
const SHARED_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;

extern "C" {
    fn secure_getenv(name: *const c_char) -> *const c_char;
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
    fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    fn fstatfs(fd: c_int, status: *mut c_void) -> c_int;
    fn geteuid() -> c_uint;
    fn __errno_location() -> *mut c_int;
}

/// Size of the table up to `work`, which every runtime of this ABI has.
const LEAST_BYTES: usize = 8 + 12 * std::mem::size_of::<usize>();

/// The runtime's table, set before `main` or by `open_process`. NULL if nothing is measured.
static TABLE: AtomicPtr<Table> = AtomicPtr::new(null_mut());

/// The constructor that loads the runtime. Loading it at the first marker could wait for a lock
/// that the marker's caller holds.
#[used]
#[link_section = ".init_array"]
static START: extern "C" fn() = {
    extern "C" fn start() {
        let table = join() as *mut Table;
        // SAFETY: The table is never freed, and begins with these two members.
        let is_ours = !table.is_null()
            && unsafe { (*table).abi == ABI && (*table).bytes as usize >= LEAST_BYTES };
        if is_ours {
            TABLE.store(table, Ordering::Release);
        }
    }
    start
};

/// Return the table if the program is measured.
#[inline(always)]
pub fn table() -> Option<NonNull<Table>> {
    // The constructor sets it before any thread of the program starts. `open` must be called before
    // other threads use markers.
    NonNull::new(TABLE.load(Ordering::Relaxed))
}

const _: () = {
    assert!(std::mem::size_of::<Site>() == 16);
    assert!(std::mem::size_of::<Words>() == 64);
    assert!(std::mem::size_of::<Table>() == 8 + 29 * 8);
    assert!(std::mem::size_of::<Read>() == 56);
};

type Join = unsafe extern "C" fn(c_uint, *const c_char) -> *const c_void;

/// Return an environment variable. The name ends with NUL.
fn variable(name: &[u8]) -> Option<CString> {
    // SAFETY: The name ends with NUL. The value is copied before it can change, because no other
    // thread runs yet.
    unsafe {
        let value = secure_getenv(name.as_ptr() as *const c_char);
        (!value.is_null()).then(|| CStr::from_ptr(value).to_owned())
    }
}

fn is_ours(status: &Metadata) -> bool {
    // SAFETY: geteuid() has no arguments and cannot fail.
    status.uid() == 0 || status.uid() == unsafe { geteuid() }
}

/// Return true if a file is a segment with this nonce.
fn is_segment(file: &File, nonce: u64) -> bool {
    // SAFETY: F_GET_SEALS changes nothing, and returns an error for an invalid descriptor.
    let seals = unsafe { fcntl(file.as_raw_fd(), F_GET_SEALS) };
    let mut start = [0; 32];
    if seals <= 0 || seals & SEALS != SEALS || file.read_exact_at(&mut start, 0).is_err() {
        return false;
    }
    let word = |at: usize| u64::from_ne_bytes(start[at..at + 8].try_into().unwrap());
    word(0) == MAGIC && word(24) == nonce
}

/// Open a file only to look at it, which has no effects on a terminal or device.
fn open_place(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(O_PATH).open(path)
}

/// Find the segment by its descriptor. If the program has closed the descriptor, open that of the
/// launcher. Check the file first, because opening a terminal or device has effects.
fn find_segment(address: &str) -> Option<ManuallyDrop<File>> {
    let mut parts = address.split(':').skip(1);
    let fd: c_int = parts.next()?.parse().ok().filter(|fd| *fd >= 0)?;
    let launcher: u32 = parts.next()?.parse().ok()?;
    let nonce = u64::from_str_radix(parts.next()?, 16).ok()?;
    // SAFETY: The descriptor is never closed here. is_segment() changes nothing, and an invalid
    // descriptor only gives an error.
    let inherited = ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
    if is_segment(&inherited, nonce) {
        return Some(inherited);
    }
    let path = format!("/proc/{}/fd/{}", launcher, fd);
    let place = open_place(Path::new(&path)).ok()?;
    if !place.metadata().ok()?.is_file() {
        return None;
    }
    let path = format!("/proc/self/fd/{}", place.as_raw_fd());
    let mut options = OpenOptions::new();
    let opened = options
        .read(true)
        .write(true)
        .custom_flags(O_NOCTTY_NONBLOCK)
        .open(path)
        .ok()?;
    // the caller closes it
    is_segment(&opened, nonce).then(|| ManuallyDrop::new(opened))
}

fn is_safe_file(status: &Metadata) -> bool {
    is_ours(status) && status.is_file() && status.mode() & SHARED_WRITE == 0
}

/// Return true if no other user can write or replace the file. For that, no other user may write a
/// directory on its path, unless it is sticky, and no part may be a symbolic link.
fn is_safe_path(path: &Path) -> bool {
    if !path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return false;
    }
    let is_safe_directory = |directory: &Path| {
        symlink_metadata(directory).map_or(false, |status| {
            let is_shared = status.mode() & SHARED_WRITE != 0 && status.mode() & STICKY == 0;
            is_ours(&status) && status.is_dir() && !is_shared
        })
    };
    path.ancestors().skip(1).all(is_safe_directory)
        && symlink_metadata(path).map_or(false, |status| is_safe_file(&status))
}

/// Return true if a file is in a FUSE file system, where the user who mounts it chooses the owners
/// of files.
fn is_fuse(file: &File) -> bool {
    let mut system = [0u64; 32];
    // SAFETY: struct statfs has 120 bytes, of which the first 8 are the type.
    let failed = unsafe { fstatfs(file.as_raw_fd(), system.as_mut_ptr() as *mut c_void) };
    failed != 0 || system[0] == FUSE_MAGIC
}

fn load(path: &Path) -> Result<*mut c_void, String> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: The path ends with NUL. The file was checked before.
    let handle = unsafe { dlopen(path.as_ptr(), RTLD_NOW_NODELETE) };
    if handle.is_null() {
        return Err(load_error());
    }
    Ok(handle)
}

fn load_error() -> String {
    // SAFETY: The text is valid until this thread calls a function of this kind again.
    unsafe {
        let text = dlerror();
        if text.is_null() {
            return "it has no regionstat_join".to_string();
        }
        CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}

fn load_file(path: &Path) -> Result<*mut c_void, String> {
    if path.as_os_str().is_empty() {
        return load(Path::new("libregionstat.so.1"));
    }
    if is_safe_path(path) {
        return load(path);
    }
    let shown = path.display();
    let place = open_place(path).map_err(|_| format!("{}: cannot be opened", shown))?;
    if !place
        .metadata()
        .map_or(false, |status| is_safe_file(&status))
        || is_fuse(&place)
    {
        return Err(format!(
            "{}: neither root's nor the program's user's, or others may write to it (chmod go-w)",
            shown
        ));
    }
    load(&PathBuf::from(format!(
        "/proc/self/fd/{}",
        place.as_raw_fd()
    )))
}

fn join_segment(segment: &CStr, file: &File) -> Result<*const c_void, String> {
    if !file.metadata().map_or(false, |status| is_ours(&status)) {
        return Err("the program's user is neither root nor who measures".to_string());
    }
    let path = variable(b"REGIONSTAT_RUNTIME\0").unwrap_or_default();
    let handle = load_file(Path::new(OsStr::from_bytes(path.as_bytes())))?;
    // SAFETY: The name ends with NUL. In a runtime it has this type (regionstat.h).
    unsafe {
        let join = dlsym(handle, b"regionstat_join\0".as_ptr() as *const c_char);
        if join.is_null() {
            return Err(load_error());
        }
        let join: Join = std::mem::transmute(join);
        Ok(join(ABI, segment.as_ptr()))
    }
}

/// Write the reason into the segment, where the launcher reads it.
fn tell(file: &File, reason: &str) {
    let (at, bytes) = LOAD_ERROR;
    let mut text = reason.as_bytes()[..reason.len().min(bytes - 1)].to_vec();
    text.push(0);
    let _ = file.write_all_at(&text, at); // if this fails, nothing else can report the reason
}

fn find() -> *const c_void {
    let segment = match variable(b"REGIONSTAT_SEGMENT\0") {
        Some(segment) => segment,
        None => return std::ptr::null(),
    };
    let file = match segment.to_str().ok().and_then(find_segment) {
        Some(file) => file,
        None => return std::ptr::null(),
    };
    let table = join_segment(&segment, &file).unwrap_or_else(|reason| {
        tell(&file, &reason);
        std::ptr::null()
    });
    let inherited = segment
        .to_str()
        .ok()
        .and_then(|text| text.split(':').nth(1)?.parse().ok());
    if inherited != Some(file.as_raw_fd()) {
        drop(ManuallyDrop::into_inner(file));
    }
    table
}

/// Return the runtime's table, or NULL if the program is not measured. Called once, before main.
fn join() -> *const c_void {
    // SAFETY: The address is that of this thread's errno.
    let errno = unsafe { __errno_location() };
    let saved = unsafe { *errno };
    // a panic must not leave a constructor
    let table = std::panic::catch_unwind(find).unwrap_or(std::ptr::null());
    unsafe { *errno = saved };
    table
}

/// Copy a text that a function of the runtime returned, or return `None` for NULL.
///
/// # Safety
/// The text ends with NUL.
pub unsafe fn copy(text: *const c_char) -> Option<String> {
    (!text.is_null()).then(|| {
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned()
    })
}

/// Load libregionstat and let it measure this process.
pub fn open_process(events: *const c_char) -> Result<(), String> {
    let handle = load(Path::new("libregionstat.so.1")).map_err(|reason| {
        format!(
            "cannot load regionstat's runtime: {}\n  try: install regionstat, or add the \
             directory of libregionstat.so.1 to LD_LIBRARY_PATH before the program starts",
            reason
        )
    })?;
    // SAFETY: The names end with NUL. In a runtime they have these types (regionstat.h).
    unsafe {
        let open = dlsym(
            handle,
            b"regionstat_open_process\0".as_ptr() as *const c_char,
        );
        let join = dlsym(handle, b"regionstat_join\0".as_ptr() as *const c_char);
        if open.is_null() || join.is_null() {
            return Err(load_error());
        }
        let open: unsafe extern "C" fn(c_uint, *const c_char) -> *const c_char =
            std::mem::transmute(open);
        let join: Join = std::mem::transmute(join);
        copy(open(ABI, events)).map_or(Ok(()), Err)?;
        let table = join(ABI, std::ptr::null());
        TABLE.store(table as *mut Table, Ordering::Release);
        Ok(())
    }
}
