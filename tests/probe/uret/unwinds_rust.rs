// SPDX-License-Identifier: GPL-2.0
// cflags: -C opt-level=1
//! Panics: caught, caught and resumed, from several causes, in a thread, while a destructor is
//! due, many of them, and one that nobody catches.  Prints what came of each.  With
//! RUST_BACKTRACE=1, the runtime also prints the functions through which they went.
use std::panic;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Guard;

#[no_mangle]
#[inline(never)]
pub fn probed_in_drop(x: u32) -> u32 {
    x + DROPPED.fetch_add(1, Ordering::Relaxed)
}

impl Drop for Guard {
    fn drop(&mut self) {
        probed_in_drop(1);
    }
}

#[no_mangle]
#[inline(never)]
pub fn probed_deep(n: u32, how: u32) -> u32 {
    let _guard = Guard;

    if n > 0 {
        return probed_deep(n - 1, how) + 1;
    }
    match how {
        0 => 0,
        1 => panic!("from the depth"),
        2 => [1, 2, 3][DROPPED.load(Ordering::Relaxed) as usize + 3],
        _ => None::<u32>.unwrap(),
    }
}

#[no_mangle]
#[inline(never)]
pub fn probed_takes_up(n: u32) -> u32 {
    match panic::catch_unwind(|| probed_deep(n, 1)) {
        Ok(depth) => depth,
        Err(cause) => panic::resume_unwind(cause),
    }
}

fn outcome(what: &str, of: thread::Result<u32>) {
    match of {
        Ok(depth) => println!("{what}: {depth}"),
        Err(cause) => println!(
            "{what}: {}",
            cause.downcast_ref::<&str>().copied().unwrap_or("a panic")
        ),
    }
}

fn main() {
    for how in 0..4 {
        outcome("deep", panic::catch_unwind(|| probed_deep(10, how)));
    }
    outcome("taken up", panic::catch_unwind(|| probed_takes_up(3)));
    outcome("thread", thread::spawn(|| probed_deep(5, 1)).join());

    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let caught = (0..200)
        .filter(|_| panic::catch_unwind(|| probed_deep(3, 1)).is_err())
        .count();
    panic::set_hook(hook);
    println!("{caught} caught, {} dropped", DROPPED.load(Ordering::Relaxed));
    probed_takes_up(2);
}
