// SPDX-License-Identifier: MIT
//! Mark the regions of a Rust program for `regionstat(1)`.
//!
//! ```
//! fn render() {
//!     let _region = regionstat::scope!("render");
//!     // ... measured until the end of the block, however it is left
//! }
//! render();
//! ```
//!
//! `regionstat ./program` measures every call of every region. It shows how many calls there were,
//! and the average, p90 and maximum of their time and of hardware events. Without regionstat, a
//! marker is one load and one branch. Markers compile to nothing with the feature `disable`, and
//! where regionstat has no runtime (anything but Linux on x86-64, arm64 and riscv64).
//!
//! There is nothing to link, and no C compiler is needed. Before `main`, the crate loads the
//! runtime that the launcher names in the environment. It first checks that the runtime belongs to
//! root or to this user.
//!
//! A call of a region is one of these:
//! - a [`Scope`], from [`scope!`] or [`Scope::new`]. It is nested, stays on one thread, and ends
//!   when it is dropped, even by a panic.
//! - from [`begin`] to [`end`]. It is nested too, and identified by the region's name.
//! - a [`Call`], from [`start!`] or [`Call::new`]. It is asynchronous and may be sent to another
//!   thread. Use it in futures: a future that keeps a [`Scope`] across an `.await` cannot be sent
//!   to another thread.
//!
//! ```
//! async fn request() {
//!     let _call = regionstat::start!("request");
//!     other().await;
//! }
//! # async fn other() {}
//! # drop(request());
//! ```

#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

mod markers;

#[cfg_attr(
    any(
        feature = "disable",
        not(target_os = "linux"),
        not(target_pointer_width = "64"),
        not(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "riscv64"
        ))
    ),
    path = "disabled.rs"
)]
mod runtime;

#[doc(hidden)]
pub use markers::Site;
pub use markers::{
    begin, end, is_measured, next, open, pause, read, report, resume, work, Call, Scope,
};

/// Which calls [`read`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The calls of this thread that have ended.
    Thread = 0,
    /// The calls of all threads of the process that have ended.
    Process = 1,
    /// The innermost open call of this thread, so far.
    OpenCall = 2,
}

/// One value of one region so far. Times are in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Values {
    /// How many calls have ended.
    pub calls: u64,
    /// The sum over these calls.
    pub total: f64,
    /// The sum without nested regions.
    pub self_total: f64,
    /// p50, p90 and p99 of one call, if they are known.
    pub quantiles: Option<[f64; 3]>,
    /// The sums are estimates: calls are sampled, or the event is multiplexed.
    pub is_estimate: bool,
}

/// Begin a region, which ends when the result is dropped. Keep the result in a variable with a name
/// (`let _region`), because a bare `_` drops it at once. The name is a literal or a macro
/// such as `concat!` that makes one, and is looked up only once.
///
/// ```
/// let _region = regionstat::scope!("solve");
/// ```
///
/// A scope stays on its thread:
///
/// ```compile_fail
/// let region = regionstat::scope!("solve");
/// std::thread::spawn(move || drop(region));
/// ```
#[macro_export]
macro_rules! scope {
    ($name:expr) => {{
        static SITE: $crate::Site = $crate::Site::new(concat!($name, "\0"));
        $crate::Scope::of(&SITE)
    }};
}

/// Start an asynchronous call, which ends when the result is dropped, on any thread.
///
/// ```
/// let call = regionstat::start!("request");
/// std::thread::spawn(move || drop(call)).join().unwrap();
/// ```
#[macro_export]
macro_rules! start {
    ($name:expr) => {{
        static SITE: $crate::Site = $crate::Site::new(concat!($name, "\0"));
        $crate::Call::of(&SITE)
    }};
}
