// SPDX-License-Identifier: MIT
//! The same names where there are no markers.

use std::marker::PhantomData;

#[doc(hidden)]
pub struct Site(());

impl Site {
    #[doc(hidden)]
    pub const fn new(_name: &'static str) -> Site {
        Site(())
    }
}

/// A call of a region on this thread, which ends when this is dropped.
#[must_use = "a scope ends when it is dropped: `let _region = ...`"]
pub struct Scope(PhantomData<*const ()>);

impl Scope {
    /// A region whose name is made at run time.
    #[inline(always)]
    pub fn new(_name: &str) -> Scope {
        Scope(PhantomData)
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn of(_site: &'static Site) -> Scope {
        Scope(PhantomData)
    }
}

impl Drop for Scope {
    #[inline(always)]
    fn drop(&mut self) {}
}

/// A call of a region that need not nest, which ends when this is dropped, on any thread.
#[must_use = "a call ends when it is dropped: `let _call = ...`"]
pub struct Call(());

impl Call {
    /// A region whose name is made at run time.
    #[inline(always)]
    pub fn new(_name: &str) -> Call {
        Call(())
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn of(_site: &'static Site) -> Call {
        Call(())
    }

    /// End it here.
    #[inline(always)]
    pub fn stop(self) {}
}

impl Drop for Call {
    #[inline(always)]
    fn drop(&mut self) {}
}

/// Begin a call of a region on this thread.
#[inline(always)]
pub fn begin(_name: &str) {}

/// End the innermost open call of that name on this thread that this function has begun, else the
/// innermost.
#[inline(always)]
pub fn end(_name: &str) {}

/// [`end`] of the first and [`begin`] of the second, with one reading of clock and counters for
/// both.
#[inline(always)]
pub fn next(_ended: &str, _begun: &str) {}

/// Bytes that the innermost open call of that name on this thread has moved, and floating-point
/// operations that it has done.
#[inline(always)]
pub fn work(_name: &str, _bytes: u64, _flops: u64) {}

/// Stop all counting, of regions and of the run, until this process has called [`resume`] as often.
#[inline(always)]
pub fn pause() {}

/// Count again.
#[inline(always)]
pub fn resume() {}

/// Whether regionstat measures this process.
#[inline(always)]
pub fn is_measured() -> bool {
    false
}
