// SPDX-License-Identifier: MIT
//! Everything that the crate can do, in one program. It prints a line for every region: its calls,
//! two total times in ns, and its name. The program's own clock gives these times, read within the
//! markers and around them. Regions that this clock does not time have -1.

use std::time::{Duration, Instant};

const N: u32 = 200;

fn told(name: &str, calls: u32, times: Option<(Duration, Duration)>) {
    match times {
        Some((within, around)) => {
            println!(
                "{} {} {} {}",
                calls,
                within.as_nanos(),
                around.as_nanos(),
                name
            )
        }
        None => println!("{} -1 -1 {}", calls, name),
    }
}

fn spin() {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_micros(20) {}
}

/// Nested scopes, with their times by the program's clock.
fn scopes() {
    let mut times = [Duration::ZERO; 4];
    for _ in 0..N {
        let (within, inner);
        let around = Instant::now();
        {
            let _outer = regionstat::scope!("outer");
            let begun = Instant::now();
            spin();
            let inner_around = Instant::now();
            let inner_within;
            {
                let _inner = regionstat::scope!("inner");
                let begun = Instant::now();
                spin();
                inner_within = begun.elapsed();
            }
            inner = (inner_within, inner_around.elapsed());
            within = begun.elapsed();
        }
        times[1] += around.elapsed();
        times[0] += within;
        times[2] += inner.0;
        times[3] += inner.1;
    }
    told("outer", N, Some((times[0], times[1])));
    told("inner", N, Some((times[2], times[3])));
}

fn fib(n: u32) -> u32 {
    let _region = regionstat::scope!("fib");
    if n < 2 {
        n
    } else {
        fib(n - 1) + fib(n - 2)
    }
}

fn panics(n: u32) {
    let _region = regionstat::Scope::new("panics");
    if n == 0 {
        std::panic::resume_unwind(Box::new(()));
    }
    panics(n - 1);
}

/// Inner calls return without `end`. The outer one still ends its own call.
#[inline(never)]
fn careless(n: u32) {
    regionstat::begin("careless");
    if n == 0 {
        return;
    }
    careless(n - 1);
    if n < 5 {
        return;
    }
    regionstat::end("careless");
}

fn calls() {
    let mut open: Vec<_> = (0..N).map(|_| regionstat::start!("request")).collect();
    // The latest calls end first, and half of them on another thread.
    while open.len() > N as usize / 2 {
        open.pop().unwrap().stop();
    }
    std::thread::spawn(move || drop(open)).join().unwrap();
    told("request", N, None);
    regionstat::Call::new(&format!("named {}", 1)).stop();
    told("named 1", 1, None);
}

fn main() {
    scopes();
    assert_eq!(fib(10), 55);
    told("fib", 177, None);
    assert!(std::panic::catch_unwind(|| panics(5)).is_err());
    told("panics", 6, None);
    careless(5);
    told("careless", 1, None);
    for _ in 0..N {
        regionstat::begin("first");
        regionstat::next("first", "second");
        regionstat::work("second", 800, 100);
        regionstat::end("second");
    }
    told("first", N, None);
    told("second", N, None);
    calls();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                for _ in 0..N {
                    let _region = regionstat::scope!("thread");
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    told("thread", 4 * N, None);
    {
        let _region = regionstat::Scope::new(&"long ".repeat(300));
    }
    regionstat::pause();
    drop(regionstat::scope!("paused"));
    regionstat::resume();
    eprintln!("measured: {}", regionstat::is_measured());
}
