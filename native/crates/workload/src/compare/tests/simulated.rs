//! Runs whose seconds vary as was asked for. The numbers come from fixed seeds.

use super::*;

/// How the seconds of a run are spread.
#[derive(Clone, Copy)]
pub(super) struct Seconds {
    /// Those that are compared.
    pub count: usize,
    /// By how much the level of a second varies, as a share.
    pub noise: f64,
    /// How much of its level a second has from the one before.
    pub alike: f64,
    pub level: f64,
}

pub(super) const FIGURES: [&str; 3] = ["tps", "readMean", "readUnder1ms"];
const OPERATIONS: u64 = 100_000;
const MISSES: f64 = 1000.0;

fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
}

pub(super) fn frames(rng: &mut Rng, seconds: Seconds) -> Vec<Frame> {
    // A longer run leaves its first second out.
    let length = seconds.count + usize::from(seconds.count > WARM_AFTER);
    let mut own = normal(rng);
    let mut second = |at| {
        let level = seconds.level * (seconds.noise * own).exp();
        own = seconds.alike * own + (1.0 - seconds.alike.powi(2)).sqrt() * normal(rng);
        let misses = MISSES * level + (MISSES * level).sqrt() * normal(rng);
        let mut frame = Frame { tps: 10_000.0 * level, ..Frame::new(&Counts::default(), at as f64, 1.0) };
        (frame.read.count, frame.read.mean_ms) = (OPERATIONS, 0.2 * level);
        frame.read.within1ms = Some(OPERATIONS - misses.max(0.0) as u64);
        frame
    };
    (0..length).map(&mut second).collect()
}

/// By figure, on how many of so many pairs a verdict is passed that counts. The second run is so many times the first.
pub(super) fn counted(pairs: u64, seconds: Seconds, times: f64, counts: fn(&str, Verdict) -> bool) -> [u64; 3] {
    let mut found = [0; 3];
    let mut rng = Rng::new(seconds.count as u64, 0, 0);
    for _ in 0..pairs {
        let runs = [frames(&mut rng, seconds), frames(&mut rng, Seconds { level: times, ..seconds })];
        for row in rows(&runs) {
            if let Some(at) = FIGURES.iter().position(|name| *name == row.figure) {
                assert_eq!(row.runs[1].seconds, seconds.count);
                found[at] += u64::from(counts(row.figure, row.runs[1].verdict));
            }
        }
    }
    found
}
