use super::super::samples;
use super::*;
use crate::metrics::series::SeriesKind;
use proptest::prelude::*;
use std::collections::BTreeMap;
use tessera_base::latency::Histogram;

/// Seconds between two frames: one, as a rule; now and then the clock is set.
fn pace() -> impl Strategy<Value = i64> {
    prop_oneof![20 => Just(1_i64), 2 => 2..20_i64, 1 => 60..2000_i64, 1 => -2000..0_i64]
}

fn frames(paces: &[i64]) -> Vec<Arc<Frame>> {
    let mut time_s = 1_000_000_i64;
    let numbered = paces.iter().zip(1..);
    let frame = |(pace, seq): (&i64, u64)| {
        time_s += pace;
        Arc::new(samples::frame(seq, time_s as u64))
    };
    numbered.map(frame).collect()
}

fn counted(frames: &[Arc<Frame>]) -> BTreeMap<(String, SeriesKind), Histogram> {
    let mut all: BTreeMap<_, Histogram> = BTreeMap::new();
    for series in frames.iter().flat_map(|frame| &frame.latency) {
        all.entry((series.namespace.to_string(), series.kind)).or_default().add(&series.histogram());
    }
    all
}

/// What the tiers must be: the frames of each stay in a slot, added up at once.
fn offline(tier: usize, frames: &[Arc<Frame>]) -> Vec<Vec<Arc<Frame>>> {
    let slot = |frame: &Frame| TIERS[tier].slot_of(frame.time_ms);
    frames.chunk_by(|one, next| tier > 0 && slot(one) == slot(next)).map(<[Arc<Frame>]>::to_vec).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(24)))]

    #[test]
    fn every_tier_is_the_sum_of_its_frames(paces in prop::collection::vec(pace(), 1..1500)) {
        let frames = frames(&paces);
        let mut rollup = RollUp::default();
        let mut tiers = TIERS.map(|_| Vec::new());
        for frame in &frames {
            rollup.add(Arc::clone(frame), |tier, point| tiers[tier].push(point));
        }
        for (tier, points) in tiers.iter().enumerate() {
            let mut groups = offline(tier, &frames);
            // The last slot is open.
            groups.truncate(groups.len() - usize::from(tier > 0));
            prop_assert_eq!(points.len(), groups.len());
            for (point, group) in points.iter().zip(&groups) {
                prop_assert_eq!(&**point, &Frame::sum(group, |_| true));
                prop_assert_eq!(counted(std::slice::from_ref(point)), counted(group));
                prop_assert_eq!((point.first, point.seq), (group[0].first, group[group.len() - 1].seq));
                prop_assert_eq!(point.duration_nanos, group.iter().map(|frame| frame.duration_nanos).sum::<u64>());
            }
        }
    }

    /// A process that begins at any moment with the points of the one before makes the points that that would have made.
    #[test]
    fn it_goes_on_where_another_ended(paces in prop::collection::vec(pace(), 1..1500), cut in any::<prop::sample::Index>()) {
        let frames = frames(&paces);
        let cut = cut.index(frames.len());
        let (mut whole, mut halves) = (TIERS.map(|_| Vec::new()), TIERS.map(|_| Vec::new()));
        let mut rollup = RollUp::default();
        frames.iter().for_each(|frame| rollup.add(Arc::clone(frame), |tier, point| whole[tier].push(point)));
        let mut first = RollUp::default();
        frames[..cut].iter().for_each(|frame| first.add(Arc::clone(frame), |tier, point| halves[tier].push(point)));
        let mut second = RollUp::default();
        for tier in 1..TIERS.len() {
            let done = halves[tier].last().map_or(0, |last: &Arc<Frame>| last.seq);
            let finer: Vec<_> = halves[tier - 1].iter().filter(|point| point.first > done).cloned().collect();
            second.resume(tier, finer.into_iter(), |tier, point| halves[tier].push(point));
        }
        frames[cut..].iter().for_each(|frame| second.add(Arc::clone(frame), |tier, point| halves[tier].push(point)));
        prop_assert!(halves == whole);
    }
}
