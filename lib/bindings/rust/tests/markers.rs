// SPDX-License-Identifier: MIT
//! Markers in a program that is not measured, and wrong uses of markers. They must have no effect.

use std::thread;

fn is_send<T: Send>(_: &T) {}

#[test]
fn calls_may_be_sent() {
    let call = regionstat::start!("sent");
    is_send(&call);
    thread::spawn(move || call.stop()).join().unwrap();
}

#[test]
fn names_may_be_anything() {
    for name in [
        "",
        "\0",
        "a\0b",
        "\u{1f600}",
        &"x".repeat(5000),
        &"\u{e4}".repeat(600),
    ] {
        regionstat::begin(name);
        regionstat::next(name, name);
        regionstat::work(name, u64::MAX, 0);
        regionstat::end(name);
        drop(regionstat::Scope::new(name));
        regionstat::Call::new(name).stop();
    }
    drop(regionstat::scope!(concat!(module_path!(), "::a")));
}

#[test]
fn what_was_never_begun_may_end() {
    regionstat::end("never begun");
    regionstat::next("never begun", "begun");
    regionstat::end("begun");
}

#[test]
fn scopes_end_in_any_order() {
    let first = regionstat::scope!("first");
    let second = regionstat::scope!("second");
    drop(first);
    drop(second);
    std::mem::forget(regionstat::scope!("forgotten"));
}

#[test]
fn values_are_there_only_if_they_are_measured() {
    drop(regionstat::scope!("read"));
    let values = regionstat::read("read", "time", regionstat::What::Thread);
    assert_eq!(values.is_some(), regionstat::is_measured());
    assert_eq!(
        regionstat::read("read", "no event", regionstat::What::Process),
        None
    );
    let call = regionstat::start!("open");
    assert_eq!(call.peek("time").is_some(), regionstat::is_measured());
}
