// SPDX-License-Identifier: MIT
// Makes 40 calls of "rust", each with two of "inner" in it, and 10 of "request".
use std::ffi::CString;
use std::os::raw::c_char;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Call {
    word: [u64; 8],
}

#[link(name = "regionstat")]
extern "C" {
    fn regionstat_begin(name: *const c_char);
    fn regionstat_end(name: *const c_char);
    fn regionstat_start(name: *const c_char) -> Call;
    fn regionstat_stop(call: Call);
}

fn main() {
    let outer = CString::new("rust").unwrap();
    let inner = CString::new("inner").unwrap();
    let request = CString::new("request").unwrap();
    for _ in 0..40 {
        unsafe {
            regionstat_begin(outer.as_ptr());
            for _ in 0..2 {
                regionstat_begin(inner.as_ptr());
                regionstat_end(inner.as_ptr());
            }
            regionstat_end(outer.as_ptr());
        }
    }
    for _ in 0..10 {
        unsafe {
            let call = regionstat_start(request.as_ptr());
            regionstat_stop(call);
        }
    }
}
