//! Runs whose end could not be written: in memory, and written again while the process lives.

use super::{Live, Runs};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Most runs that are kept so; beyond that the oldest has only the seconds that its file has.
const KEPT: usize = 16;

#[derive(Default)]
pub(super) struct Unsaved {
    state: Mutex<State>,
    closed: Condvar,
}

#[derive(Default)]
struct State {
    /// By their ids, which ascend.
    runs: BTreeMap<String, Arc<Live>>,
    /// Whether a thread tries again.
    tried: bool,
    closed: bool,
}

impl Unsaved {
    pub(super) fn get(&self, id: &str) -> Option<Arc<Live>> {
        self.state.lock().runs.get(id).cloned()
    }

    pub(super) fn all(&self) -> Vec<Arc<Live>> {
        self.state.lock().runs.values().cloned().collect()
    }

    pub(super) fn remove(&self, id: &str) {
        self.state.lock().runs.remove(id);
    }

    /// Keeps a run for `runs` to save it again, each time after `pause`.
    pub(super) fn keep(self: &Arc<Self>, live: Arc<Live>, runs: Weak<Runs>, pause: Duration) {
        let mut state = self.state.lock();
        state.runs.insert(live.job.id().to_owned(), live);
        while state.runs.len() > KEPT {
            state.runs.pop_first();
        }
        if state.tried || state.closed {
            return;
        }
        let me = self.clone();
        // Without a thread, the next run that cannot be saved begins one, and a close tries once more.
        state.tried = std::thread::Builder::new().name("workload-save".into()).spawn(move || me.again(&runs, pause)).is_ok();
    }

    fn again(&self, runs: &Weak<Runs>, pause: Duration) {
        loop {
            let mut state = self.state.lock();
            if state.runs.is_empty() || state.closed {
                state.tried = false;
                return;
            }
            let _ = self.closed.wait_for(&mut state, pause);
            drop(state);
            match runs.upgrade() {
                Some(runs) => runs.save_again(),
                None => return,
            }
        }
    }

    /// Ends the thread.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.closed.notify_all();
    }
}
