//! How long runs have to be until a comparison can tell: an interval is half as wide if the runs are four times as long.

/// By how many times an interval has to be narrower than a difference that is none worth the name. Two equal runs do not give equal
/// figures: these lie apart by less than 1.96 standard errors in 95 of 100 pairs, and half of the interval is 2.6 or more. The rest
/// is for how much the width of the interval itself varies.
const ROOM: f64 = 2.0;

/// Seconds that each of two equal runs needs, so that 95 pairs in 100 are said to have no difference. They were compared by
/// so many seconds, and half of the interval was `half` then. `None`: no length is known that would do.
pub(super) fn seconds((first, second): (usize, usize), half: f64, smallest: f64) -> Option<u64> {
    let compared = 2.0 / (1.0 / first as f64 + 1.0 / second as f64);
    let seconds = compared * (ROOM * half / smallest).powi(2);
    // The first second is left out.
    (smallest > 0.0 && seconds.is_finite()).then(|| seconds.ceil() as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_width_takes_four_times_as_long() {
        assert_eq!(seconds((30, 30), 10.0, 10.0), Some(121));
        assert_eq!(seconds((30, 30), 5.0, 10.0), Some(31));
        assert_eq!(seconds((60, 20), 5.0, 10.0), Some(31));
    }

    #[test]
    fn nothing_is_known_if_there_is_nothing_to_compare_with() {
        assert_eq!(seconds((30, 30), 1.0, 0.0), None);
        assert_eq!(seconds((30, 30), f64::INFINITY, 1.0), None);
    }
}
