//! The order of digests in many rounds and parts.

use super::{open, put};
use crate::scan::plan::{ScanSpec, plan_scan};
use crate::scan::traverse::{Traversal, WorkerScratch};
use crate::scan::walk::{Damaged, End, Found, Visitor};
use crate::{Container, DeviceConfig, Namespace, NamespaceConfig, SetConfig};
use std::ops::ControlFlow;
use tessera_base::Result;
use tessera_record::{Digest, KeyRef};

const KEYS: i64 = 400;

/// Notes the digests that it meets, a few in a step.
#[derive(Default)]
struct Noting(Vec<Digest>);

impl Visitor for Noting {
    fn most(&self) -> usize {
        3
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        self.0.push(found.digest);
        ControlFlow::Continue(())
    }

    fn stepped(&mut self, _: u64, damaged: &[Damaged]) -> Result<()> {
        assert!(damaged.is_empty());
        Ok(())
    }
}

/// What a walk meets, which begins with an estimate of so many records, and does `between` between its items.
fn met(namespace: &Namespace, wanted: u64, after: Option<Digest>, mut between: impl FnMut(usize)) -> Vec<Digest> {
    let store = namespace.store();
    let (_, selection) = plan_scan(store, &ScanSpec { in_order: true, ..ScanSpec::default() }).unwrap();
    let traversal = Traversal::in_small_parts(store, &selection, wanted, after);
    let walk = traversal.walk(store, &selection, true);
    let (mut visitor, mut scratch) = (Noting::default(), WorkerScratch::default());
    for item in 0..traversal.items(store) {
        assert!(traversal.item(&walk, item, &mut scratch, &mut visitor).unwrap().is_continue());
        between(item);
    }
    visitor.0
}

#[test]
fn each_record_comes_once_and_in_its_place_however_many_rounds_and_parts_there_are() {
    let flat = NamespaceConfig { container: Container::Flat, ..NamespaceConfig::memory("flat") };
    let moving = SetConfig { name: "s".into(), distribution_bin: Some("n".into()), ..SetConfig::default() };
    let placed = NamespaceConfig { sets: vec![moving], ..NamespaceConfig::memory("placed") };
    for config in [NamespaceConfig::memory("memory"), flat, placed, NamespaceConfig::device("device", DeviceConfig::default())] {
        let (_directory, _engine, namespace) = open(NamespaceConfig { segments: 8, ..config });
        (0..KEYS).for_each(|key| put(&namespace, "s", key, (key % 50) as usize));
        let mut all: Vec<Digest> = (0..KEYS).map(|key| Digest::of("s", KeyRef::Integer(key))).collect();
        all.sort_unstable_by_key(|digest| (digest.place(), *digest));
        // An estimate may be wrong.
        for wanted in [1, 30, KEYS as u64, 100_000] {
            assert!(met(&namespace, wanted, None, |_| {}) == all, "{} of {wanted}", namespace.name());
            for at in [0, 7, 200, 398, 399] {
                assert!(met(&namespace, wanted, Some(all[at]), |_| {}) == all[at + 1..], "{} of {wanted} behind {at}", namespace.name());
            }
            // Others come and go, and their slots are taken by others.
            let mut next = KEYS;
            let found = met(&namespace, wanted, None, |_| {
                put(&namespace, "s", next, 10);
                put(&namespace, "s", next % KEYS, 3);
                namespace.delete("s", KeyRef::Integer(next - 3), None).map(drop).unwrap_or_default();
                next += 1;
                if next - 4 < KEYS {
                    put(&namespace, "s", next - 4, 5);
                }
            });
            assert!(found.windows(2).all(|two| (two[0].place(), two[0]) < (two[1].place(), two[1])), "{}", namespace.name());
            let kept: Vec<Digest> = found.into_iter().filter(|digest| all.contains(digest)).collect();
            let untouched = |digest: &&Digest| (KEYS - 3..KEYS).all(|key| Digest::of("s", KeyRef::Integer(key)) != **digest);
            assert!(all.iter().filter(untouched).all(|digest| kept.contains(digest)), "{} of {wanted}", namespace.name());
            (KEYS..next).for_each(|key| {
                let _ = namespace.delete("s", KeyRef::Integer(key), None).unwrap();
            });
            (KEYS - 4..KEYS).for_each(|key| put(&namespace, "s", key, 1));
        }
    }
}
