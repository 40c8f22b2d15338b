//! Counts that look at no record one by one, beside a model of what is there.

use super::open;
use crate::config::SetConfig;
use crate::scan::traverse::Traversal;
use crate::scan::{PlanChoice, Selection, TallySpec, UseIndex};
use crate::segment::Removal;
use crate::{Container, DeviceConfig, Namespace, NamespaceConfig, PagedConfig};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::clock;
use tessera_jobs::{Job, JobKind};
use tessera_record::{Digest, KeyRef, Meta};

const SETS: [&str; 3] = ["indexed", "plain", ""];

/// Writes, or removes, a record whose expiry is what it may be after a touch, a change of its time to live, or a long stop.
fn change(namespace: &Namespace, set: &str, key: i64, expires_at: Option<u32>) {
    let set = namespace.store().find_set(set).unwrap();
    let digest = Digest::of(&set.name, KeyRef::Integer(key));
    let cell = &namespace.cells()[digest.0[0] as usize % namespace.cells().len()];
    let meta = |expires_at| Meta { generation: 1, expires_at, updated_at: clock::unix_millis() };
    cell.write(|segment| {
        match (segment.find(&digest).unwrap().and_then(|slot| Some((slot, segment.record(slot).unwrap()?))), expires_at) {
            (None, None) => {}
            (None, Some(at)) => drop(segment.insert(&set, digest, meta(at), b"").unwrap()),
            (Some((slot, old)), Some(at)) => segment.overwrite(&set, slot, &old, meta(at), b"").unwrap(),
            (Some((slot, old)), None) => {
                segment.remove(&set, slot, &old, Removal::Logged).unwrap();
                segment.tidy();
            }
        }
    });
}

fn counted(namespace: &Arc<Namespace>, set: Option<&str>) -> serde_json::Value {
    let spec = TallySpec {
        kind: JobKind::Count,
        set: set.map(str::to_owned),
        filter: None,
        sample: None,
        aggregate: None,
        use_index: UseIndex::Auto,
        plan: PlanChoice::Auto,
        threads: 2,
        records_per_second: None,
    };
    let result = |job: Arc<Job>| job.wait_blocking(Duration::from_secs(60)).result.unwrap();
    serde_json::from_str(&result(namespace.tally(spec).unwrap())).unwrap()
}

#[test]
fn workers_that_share_a_segment_count_each_record_once() {
    let now = clock::unix_seconds();
    for expiries in [&[0][..], &[0, now - 1000, now + 3600]] {
        let set = |index: bool| SetConfig { name: SETS[usize::from(!index)].into(), index, ..SetConfig::default() };
        let config = NamespaceConfig { container: Container::Flat, sets: vec![set(true), set(false)], ..NamespaceConfig::memory("a") };
        let (_directory, _engine, namespace) = open(config);
        let mut alive = [0; 3];
        for key in 0..10_000_usize {
            let (set, at) = (key % 3, expiries[key / 3 % expiries.len()]);
            change(&namespace, SETS[set], key as i64, Some(at));
            if key % 10 == 0 {
                change(&namespace, SETS[set], key as i64, None);
            } else {
                alive[set] += u64::from(at == 0 || at > now);
            }
        }
        let traversal = Traversal::begin(namespace.store(), &Selection::default(), 0, false);
        assert!(traversal.items(namespace.store()) > 2);
        let wanted = [(None, alive.iter().sum::<u64>()), (Some(0), alive[0]), (Some(1), alive[1]), (Some(2), alive[2])];
        for (set, records) in wanted {
            let answer = counted(&namespace, set.map(|set| SETS[set]));
            assert_eq!(answer, serde_json::json!({"records": records, "scanned": records}), "{set:?} of {expiries:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_count_finds_what_has_not_expired(
        changes in prop::collection::vec((0..3usize, 0..700i64, prop::option::weighted(0.8, 0..4u8)), 1..1500), segments in 1..3u32, engine in 0..3u8
    ) {
        let set = |index: bool| SetConfig { name: SETS[usize::from(!index)].into(), index, ..SetConfig::default() };
        let base = match engine {
            0 => NamespaceConfig::memory("a"),
            1 => NamespaceConfig::device("a", DeviceConfig::default()),
            _ => NamespaceConfig::paged("a", PagedConfig::smallest()),
        };
        let config = NamespaceConfig { segments, sets: vec![set(true), set(false)], ..base };
        let (_directory, _engine, namespace) = open(config);
        let (now, mut model) = (clock::unix_seconds(), BTreeMap::new());
        for (set, key, expiry) in changes {
            // Never, long ago, just now, in an hour: all of them are the same a second later.
            let expires_at = expiry.map(|kind| [0, now - 1000, now, now + 3600][usize::from(kind)]);
            change(&namespace, SETS[set], key, expires_at);
            match expires_at {
                Some(at) => drop(model.insert((set, key), at == 0 || at > now)),
                None => drop(model.remove(&(set, key))),
            }
        }
        for wanted in [None, Some(0), Some(1), Some(2)] {
            let alive = model.iter().filter(|((set, _), alive)| **alive && wanted.is_none_or(|wanted| wanted == *set)).count();
            let answer = counted(&namespace, wanted.map(|set| SETS[set]));
            prop_assert_eq!(&answer["records"], &serde_json::json!(alive), "{:?}", wanted);
            // Of the counters or the times of expiry: what has expired is looked at by nobody.
            prop_assert_eq!(&answer["scanned"], &answer["records"]);
        }
    }
}
