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
//! Run as `regionstat ./program`, every region is measured per call: how often it was called,
//! average, p90 and max of its time and of hardware events. Run without it, a marker is one load
//! and one branch. With the feature `disable` markers compile to nothing, as they do where
//! regionstat has no runtime (anything but Linux on x86-64, arm64 and riscv64).
//!
//! Nothing is linked and no C compiler is needed: before `main` the crate looks into the
//! environment, and loads the runtime that the launcher names. Before, it proves that the runtime
//! is root's or this user's own.
//!
//! Calls of a region may be
//! - a [`Scope`], from [`scope!`] or [`Scope::new`]: nested, on one thread, ended when it is
//!   dropped, also by a panic;
//! - from [`begin`] to [`end`]: the same, paired by the region's name;
//! - a [`Call`], from [`start!`] or [`Call::new`]: it need not nest, and may be sent to another
//!   thread. That is for futures: a [`Scope`] cannot be kept over an `.await` of a future that is
//!   sent.
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

#[cfg(all(
    not(feature = "disable"),
    target_os = "linux",
    target_pointer_width = "64",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
#[path = "on.rs"]
mod markers;

#[cfg(not(all(
    not(feature = "disable"),
    target_os = "linux",
    target_pointer_width = "64",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
#[path = "off.rs"]
mod markers;

#[doc(hidden)]
pub use markers::Site;
pub use markers::{begin, end, is_measured, next, pause, resume, work, Call, Scope};

/// A region from here on, until what this gives is dropped: keep it in a variable with a name
/// (`let _region`; a bare `_` drops it at once). The name is a literal; its region is looked up
/// once.
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
    ($name:literal) => {{
        static SITE: $crate::Site = $crate::Site::new(concat!($name, "\0"));
        $crate::Scope::of(&SITE)
    }};
}

/// A call that need not nest, until what this gives is dropped, on any thread.
///
/// ```
/// let call = regionstat::start!("request");
/// std::thread::spawn(move || drop(call)).join().unwrap();
/// ```
#[macro_export]
macro_rules! start {
    ($name:literal) => {{
        static SITE: $crate::Site = $crate::Site::new(concat!($name, "\0"));
        $crate::Call::of(&SITE)
    }};
}
