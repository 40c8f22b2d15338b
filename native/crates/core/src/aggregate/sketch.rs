//! How many different values there are, about: HyperLogLog (P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, 2007) over hashes of
//! 64 bits (S. Heule, M. Nunkesser, A. Hall, "HyperLogLog in Practice", 2013), read by the improved estimator of O. Ertl ("New
//! cardinality estimation algorithms for HyperLogLog sketches", arXiv:1702.01284, algorithm 6), which needs no tables.

/// 2^14 registers: a standard error of 1.04 / 2^7, or 0.81 percent.
const BITS: u32 = 14;
const REGISTERS: usize = 1 << BITS;
/// Bits of a hash that do not choose the register.
const REST: u32 = 64 - BITS;

#[derive(Clone, Debug)]
pub(super) struct Sketch {
    /// The longest run of zeros met, and one.
    registers: [u8; REGISTERS],
}

impl Default for Sketch {
    fn default() -> Self {
        Self { registers: [0; REGISTERS] }
    }
}

impl Sketch {
    pub(super) fn add(&mut self, hash: u64) {
        let register = &mut self.registers[(hash >> REST) as usize];
        // A mark behind the last bit bounds the run.
        let rank = ((hash << BITS) | (1 << (BITS - 1))).leading_zeros() as u8 + 1;
        *register = (*register).max(rank);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.registers.iter_mut().zip(&other.registers).for_each(|(own, other)| *own = (*own).max(*other));
    }

    pub(super) fn estimate(&self) -> u64 {
        let mut counts = [0u32; REST as usize + 2];
        self.registers.iter().for_each(|&register| counts[usize::from(register)] += 1);
        let m = REGISTERS as f64;
        let mut z = m * tau(1.0 - f64::from(counts[REST as usize + 1]) / m);
        for &count in counts[1..=REST as usize].iter().rev() {
            z = 0.5 * (z + f64::from(count));
        }
        z += m * sigma(f64::from(counts[0]) / m);
        (m * m / (2.0 * std::f64::consts::LN_2 * z)).round() as u64
    }
}

fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z <= before {
            return z;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z >= before {
            return z / 3.0;
        }
    }
}
