//! A sum that loses nothing it can keep.

use super::Number;

/// Integers exactly; doubles compensated (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
/// Summen", ZAMM 54, 1974).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    /// 2^64 integers of 64 bits fit.
    integers: i128,
    doubles: f64,
    lost: f64,
    /// Whether there was a double: the sum is one then.
    double: bool,
}

impl Sum {
    pub(super) fn add(&mut self, number: Number) {
        match number {
            Number::Int(n) => self.integers += i128::from(n),
            Number::Double(d) => {
                self.double = true;
                self.add_double(d);
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.integers += other.integers;
        self.double |= other.double;
        self.add_double(other.doubles);
        self.lost += other.lost;
    }

    fn add_double(&mut self, d: f64) {
        let sum = self.doubles + d;
        self.lost += if self.doubles.abs() >= d.abs() { (self.doubles - sum) + d } else { (d - sum) + self.doubles };
        self.doubles = sum;
    }

    /// The sum where only integers went in.
    pub(super) fn integer(&self) -> Option<i128> {
        (!self.double).then_some(self.integers)
    }

    pub(super) fn double(&self) -> f64 {
        let mut all = *self;
        all.add_double(self.integers as f64);
        all.doubles + all.lost
    }
}
