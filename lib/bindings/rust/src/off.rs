// SPDX-License-Identifier: MIT
//! The functions of the crate if markers are disabled. They measure nothing.

use crate::{Values, What};
use std::marker::PhantomData;

#[doc(hidden)]
pub struct Site(());

impl Site {
    #[doc(hidden)]
    pub const fn new(_name: &'static str) -> Site {
        Site(())
    }
}

/// A call of a region on this thread. It ends when this value is dropped.
#[must_use = "a scope ends when it is dropped: `let _region = ...`"]
pub struct Scope(PhantomData<*const ()>);

impl Scope {
    /// Begin a call of a region whose name is made at run time.
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

/// An asynchronous call of a region. It ends when this value is dropped, on any thread.
#[must_use = "a call ends when it is dropped: `let _call = ...`"]
pub struct Call(());

impl Call {
    /// Begin a call of a region whose name is made at run time.
    #[inline(always)]
    pub fn new(_name: &str) -> Call {
        Call(())
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn of(_site: &'static Site) -> Call {
        Call(())
    }

    /// End the call.
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

/// End the innermost open call of this name that this function began, or else the innermost one on
/// this thread.
#[inline(always)]
pub fn end(_name: &str) {}

/// End one region and begin another, with one reading of the clock and the counters for both.
#[inline(always)]
pub fn next(_ended: &str, _begun: &str) {}

/// Add bytes moved and floating-point operations to the innermost open call of this name on this
/// thread.
#[inline(always)]
pub fn work(_name: &str, _bytes: u64, _flops: u64) {}

/// Stop all counting, of regions and of the run, until as many calls of [`resume`] follow.
#[inline(always)]
pub fn pause() {}

/// Start counting again after [`pause`].
#[inline(always)]
pub fn resume() {}

/// Return true if regionstat measures this process.
#[inline(always)]
pub fn is_measured() -> bool {
    false
}

/// Return `None`, because nothing is measured.
pub fn read(_region: &str, _event: &str, _what: What) -> Option<Values> {
    None
}

impl Call {
    /// Return `None`, because nothing is measured.
    pub fn peek(&self, _event: &str) -> Option<Values> {
        None
    }
}

/// Return an error, because markers are disabled by the feature or on this machine.
pub fn open(_events: &str) -> Result<(), String> {
    Err("markers are disabled".to_string())
}

/// Return an error, because there is no report.
pub fn report(_path: &str) -> Result<(), String> {
    Err("markers are disabled".to_string())
}
