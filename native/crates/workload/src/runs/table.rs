//! The list of runs: those that go on, and as many of those that ended as there is room for.
//!
//! Runs are counted by namespace: the one that has most gives way. So a long series on one takes no place of the others.

use super::{Live, RunInfo, RunPage};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tessera_jobs::{JobKind, JobQuery};

/// Most runs that are kept, and most bytes of their files.
const KEPT: usize = 10_000;
const KEPT_BYTES: u64 = 2 << 30;

#[derive(Default)]
pub(super) struct Table {
    /// By their ids, which ascend.
    live: BTreeMap<String, Arc<Live>>,
    ended: BTreeMap<String, Kept>,
    namespaces: HashMap<String, Share>,
    bytes: u64,
}

struct Kept {
    info: Box<RunInfo>,
    bytes: u64,
}

/// What a namespace has of all runs.
#[derive(Default)]
struct Share {
    runs: usize,
    bytes: u64,
}

impl Table {
    /// A table of these runs, and the ids of those for which it has no room.
    pub(super) fn of(mut runs: Vec<(RunInfo, u64)>) -> (Self, Vec<String>) {
        runs.sort_unstable_by(|(a, _), (b, _)| a.id.cmp(&b.id));
        let mut table = Self::default();
        let forgotten = runs.into_iter().flat_map(|(run, bytes)| table.end(run, bytes)).collect();
        (table, forgotten)
    }

    pub(super) fn begin(&mut self, live: Arc<Live>) {
        self.live.insert(live.job.id().to_owned(), live);
    }

    /// Forgets a run that did not begin.
    pub(super) fn call_off(&mut self, id: &str) {
        self.live.remove(id);
    }

    /// Of all runs that go on.
    pub(super) fn busy_threads(&self) -> u32 {
        self.live.values().map(|live| live.spec.threads).sum()
    }

    pub(super) fn live(&self, id: &str) -> Option<&Arc<Live>> {
        self.live.get(id)
    }

    pub(super) fn ended(&self, id: &str) -> Option<&RunInfo> {
        self.ended.get(id).map(|kept| &*kept.info)
    }

    /// Keeps a run that ended, and answers the ids of those that had to go for it.
    pub(super) fn end(&mut self, info: RunInfo, bytes: u64) -> Vec<String> {
        self.live.remove(&info.id);
        let share = self.namespaces.entry(info.spec.namespace.clone()).or_default();
        share.runs += 1;
        share.bytes += bytes;
        self.bytes += bytes;
        self.ended.insert(info.id.clone(), Kept { info: Box::new(info), bytes });
        std::iter::from_fn(|| self.forget_one(KEPT, KEPT_BYTES)).collect()
    }

    /// Notes that the end of a run was written. Answers the ids of runs that had to go for it: its own if it is not here any more.
    pub(super) fn saved(&mut self, id: &str, bytes: u64) -> Vec<String> {
        let Some(kept) = self.ended.get_mut(id) else { return vec![id.to_owned()] };
        kept.info.unsaved = None;
        kept.bytes += bytes;
        self.bytes += bytes;
        if let Some(share) = self.namespaces.get_mut(&kept.info.spec.namespace) {
            share.bytes += bytes;
        }
        std::iter::from_fn(|| self.forget_one(KEPT, KEPT_BYTES)).collect()
    }

    /// Notes why the end of a run could not be written.
    pub(super) fn not_saved(&mut self, id: &str, why: String) {
        if let Some(kept) = self.ended.get_mut(id) {
            kept.info.unsaved = Some(why);
        }
    }

    /// The oldest run of the namespace that has most, if all have too many.
    fn forget_one(&mut self, most: usize, most_bytes: u64) -> Option<String> {
        let largest = |size: fn(&Share) -> u64| {
            let largest = self.namespaces.iter().max_by_key(|(_, share)| size(share));
            largest.map(|(namespace, _)| namespace.as_str())
        };
        let namespace = if self.ended.len() > most {
            largest(|share| share.runs as u64)?
        } else if self.bytes > most_bytes {
            largest(|share| share.bytes)?
        } else {
            return None;
        };
        let id = self.ended.values().find(|kept| kept.info.spec.namespace == namespace)?.info.id.clone();
        self.forget(&id).map(|run| run.id)
    }

    pub(super) fn forget(&mut self, id: &str) -> Option<RunInfo> {
        let Kept { info, bytes } = self.ended.remove(id)?;
        self.bytes -= bytes;
        if let Some(share) = self.namespaces.get_mut(&info.spec.namespace) {
            share.runs -= 1;
            share.bytes -= bytes;
            if share.runs == 0 {
                self.namespaces.remove(&info.spec.namespace);
            }
        }
        Some(*info)
    }

    pub(super) fn page(&self, query: &JobQuery) -> RunPage {
        let before = |id: &str| query.after.as_deref().is_none_or(|after| id < after);
        let wanted = |run: &RunInfo| query.takes(JobKind::Workload, run.state, &run.spec.namespace, run.created_at_ms);
        let most = query.limit.saturating_add(1);
        let live = self.live.values().rev().map(|live| live.info()).filter(|run| before(&run.id) && wanted(run));
        let ended = self.ended.values().rev().map(|kept| &*kept.info).filter(|run| before(&run.id) && wanted(run));
        let mut runs: Vec<RunInfo> = live.take(most).chain(ended.take(most).cloned()).collect();
        runs.sort_unstable_by(|a, b| b.id.cmp(&a.id));
        let more = runs.len() > query.limit;
        runs.truncate(query.limit);
        RunPage { runs, more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::WorkloadSpec;
    use tessera_jobs::JobState;

    fn run(id: &str, namespace: &str) -> RunInfo {
        RunInfo {
            id: id.to_owned(),
            namespace_id: None,
            spec: WorkloadSpec::new(namespace),
            state: JobState::Done,
            created_at_ms: 1,
            started_at_ms: None,
            ended_at_ms: Some(2),
            error: None,
            result: None,
            unsaved: None,
        }
    }

    #[test]
    fn a_series_on_one_namespace_takes_no_place_of_the_others() {
        let mut table = Table::default();
        assert!(table.end(run("000", "mine"), 5).is_empty());
        (1..=20).for_each(|number| drop(table.end(run(&format!("{number:03}"), "lab"), 10)));
        let forgotten: Vec<String> = std::iter::from_fn(|| table.forget_one(15, u64::MAX)).collect();
        assert_eq!(forgotten, (1..=6).map(|number| format!("{number:03}")).collect::<Vec<_>>());
        let forgotten: Vec<String> = std::iter::from_fn(|| table.forget_one(15, 35)).collect();
        assert_eq!((forgotten.len(), table.bytes, table.ended.len()), (11, 35, 4));
        assert!(table.ended("000").is_some());
        // A large one of the other's goes before those that are small by then.
        table.end(run("050", "mine"), 100);
        assert_eq!(std::iter::from_fn(|| table.forget_one(15, 134)).collect::<Vec<_>>(), ["000"]);
        assert!(table.forget("000").is_none() && table.forget("050").is_some());
        assert_eq!((table.bytes, table.namespaces.len()), (30, 1));
    }

    #[test]
    fn all_that_is_promised_fits() {
        let runs = (0..KEPT + 10).map(|number| (run(&format!("{number:05}"), "lab"), 1000)).collect();
        let (table, forgotten) = Table::of(runs);
        assert_eq!((table.ended.len(), forgotten.len(), forgotten[0].as_str()), (KEPT, 10, "00000"));
        let page = table.page(&JobQuery { limit: 3, after: Some("00500".to_owned()), ..JobQuery::default() });
        assert_eq!(page.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["00499", "00498", "00497"]);
        assert!(page.more && !table.page(&JobQuery { limit: KEPT, ..JobQuery::default() }).more);
    }
}
