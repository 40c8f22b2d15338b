//! How sure a mean is whose parts follow each other, as the seconds of a run do. Neighbours are alike, so they count for fewer
//! than they are. The console compares spans by the same rule (`web/src/live/latency/verdict.ts`).

/// Normal quantile of the intervals, two-sided: 99%.
const Z: f64 = 2.576;
/// How alike few parts are is a guess, which makes the variance larger already.
const LEAST_FREEDOM: f64 = 3.0;
/// Parts more alike than this would count for hardly any.
const MOST_ALIKE: f64 = 0.9;

#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub variance_of_mean: f64,
    /// Degrees of freedom of that variance.
    pub freedom: f64,
}

impl Spread {
    /// From what the parts differ by from their mean. A single part varies by nothing that it could show.
    ///
    /// Few parts show themselves less alike than they are: their autocorrelation r at lag 1 comes out smaller by about
    /// (1 + 3r) / n (Kendall, 1954; Marriott and Pope, 1954). n parts with r count for n (1 − r) / (1 + r) independent ones.
    pub(super) fn of(rests: &[f64]) -> Self {
        let count = rests.len() as f64;
        let squares: f64 = rests.iter().map(|rest| rest * rest).sum();
        let neighbours: f64 = rests.windows(2).map(|pair| pair[0] * pair[1]).sum();
        let shown = if squares > 0.0 { (neighbours / squares).max(0.0) } else { 0.0 };
        let alike = (shown + (1.0 + 3.0 * shown) / count).min(MOST_ALIKE);
        let effective = count * (1.0 - alike) / (1.0 + alike);
        let variance_of_mean = if count > 1.0 { squares / (count - 1.0) / effective } else { 0.0 };
        Self { variance_of_mean, freedom: (effective - 1.0).max(LEAST_FREEDOM) }
    }

    /// Half the width of the interval of the mean.
    pub(super) fn margin(self) -> f64 {
        quantile(self.freedom) * self.variance_of_mean.sqrt()
    }

    /// Half the width of Welch's interval of the difference of two means.
    pub(super) fn margin_between(self, other: Self) -> f64 {
        let variance = self.variance_of_mean + other.variance_of_mean;
        let part = |of: Self| of.variance_of_mean.powi(2) / of.freedom;
        let parts = part(self) + part(other);
        if parts > 0.0 { quantile(variance.powi(2) / parts) * variance.sqrt() } else { 0.0 }
    }
}

/// Student's quantile by its expansion around the normal one.
pub(super) fn quantile(freedom: f64) -> f64 {
    let v = freedom.max(1.0);
    let (z3, z5, z7) = (Z.powi(3), Z.powi(5), Z.powi(7));
    let (first, second) = ((z3 + Z) / 4.0, (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / 96.0);
    let third = (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * Z) / 384.0;
    Z + first / v + second / v.powi(2) + third / v.powi(3)
}
