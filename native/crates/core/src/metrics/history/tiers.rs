//! How finely the past is kept, for how long, and in how much space.

use std::time::Duration;

/// One way of looking at the past: points of one interval, the newest so many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tier {
    pub(super) seconds: u32,
    /// Points kept.
    pub(super) points: usize,
    /// Most bytes that its files may take; older points go before they have more.
    pub(super) bytes: u64,
}

/// Finest first; each interval is a multiple of the one before.
pub(super) const TIERS: [Tier; 5] = [
    Tier::new(1, Duration::from_secs(3600), 32),
    Tier::new(5, Duration::from_secs(3600), 16),
    Tier::new(15, Duration::from_secs(6 * 3600), 24),
    Tier::new(60, Duration::from_secs(48 * 3600), 56),
    Tier::new(600, Duration::from_secs(30 * 86_400), 128),
];

/// Most bytes of all files together.
pub(super) const TOTAL_BYTES: u64 = {
    let (mut sum, mut at) = (0, 0);
    while at < TIERS.len() {
        sum += TIERS[at].bytes;
        at += 1;
    }
    sum
};

/// A frame ends at a whole second or a little later.
pub(super) const LATE_MS: u64 = 500;

impl Tier {
    const fn new(seconds: u32, kept: Duration, mebibytes: u64) -> Self {
        Self { seconds, points: (kept.as_secs() / seconds as u64) as usize, bytes: mebibytes << 20 }
    }

    pub(super) const fn millis(&self) -> u64 {
        self.seconds as u64 * 1000
    }

    pub(super) const fn nanos(&self) -> u64 {
        self.seconds as u64 * 1_000_000_000
    }

    /// The slot of a point that ended at this moment.
    pub(super) const fn slot_of(&self, time_ms: u64) -> u64 {
        time_ms.saturating_sub(LATE_MS) / self.millis()
    }

    /// Where the slot of a point begins that ended at this moment.
    pub(super) const fn begin_ms(&self, time_ms: u64) -> u64 {
        self.slot_of(time_ms) * self.millis() + LATE_MS
    }

    /// What a segment holds, and most bytes of one point: an eighth, so that at least seven are left when the oldest goes.
    pub(super) const fn segment_bytes(&self) -> u64 {
        self.bytes / 8
    }

    pub(super) const fn segment_points(&self) -> usize {
        self.points / 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tiers_are_those_of_the_documentation() {
        let told: Vec<String> =
            TIERS.iter().map(|tier| format!("{} s, {} points, {} MiB", tier.seconds, tier.points, tier.bytes >> 20)).collect();
        let expected = [
            "1 s, 3600 points, 32 MiB",
            "5 s, 720 points, 16 MiB",
            "15 s, 1440 points, 24 MiB",
            "60 s, 2880 points, 56 MiB",
            "600 s, 4320 points, 128 MiB",
        ];
        assert_eq!((told.iter().map(String::as_str).collect::<Vec<_>>(), TOTAL_BYTES >> 20), (expected.to_vec(), 256));
        assert!(TIERS.windows(2).all(|two| two[1].seconds % two[0].seconds == 0));
    }
}
