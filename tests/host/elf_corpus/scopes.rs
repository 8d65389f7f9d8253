// SPDX-License-Identifier: GPL-2.0
//! Functions of modules and types. elf_scopes uses their names and lines.

#[inline(never)]
fn mix(first: u64, second: u32, third: u64) -> u64 {
    first * 3 + second as u64 + third // line in a crate
}

struct Shop {
    sold: u64,
}

impl Shop {
    #[inline(never)]
    fn sell(&mut self, number: u64) -> u64 {
        self.sold += number;
        self.sold
    }
}

fn main() {
    let n = std::env::args().count();
    let mut shop = Shop { sold: 1 };
    println!("{}", mix(n as u64, n as u32 + 1, 7 * n as u64) + shop.sell(n as u64));
}
