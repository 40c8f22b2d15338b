//! Events that charts draw as vertical lines: jobs that start and end, configuration changes.

use parking_lot::Mutex;
use tessera_base::clock::unix_millis;

/// Most marks between two frames; more are dropped, so that a storm of events cannot grow a frame without bound.
const PENDING: usize = 256;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub time_ms: u64,
    /// `job-start`, `job-end`, `config`, ...: what a chart picks a colour by.
    pub kind: String,
    pub text: String,
    pub job: Option<String>,
    /// The namespace that it is about. `None`: the whole server, or an event of before this was noted.
    pub namespace: Option<String>,
}

/// Marks waiting for the next frame.
#[derive(Debug, Default)]
pub struct Marks {
    pending: Mutex<Vec<Mark>>,
}

impl Marks {
    /// Notes an event of now.
    pub fn add(&self, kind: &str, text: impl Into<String>, job: Option<&str>, namespace: Option<&str>) {
        let mut pending = self.pending.lock();
        if pending.len() < PENDING {
            let [job, namespace] = [job, namespace].map(|name| name.map(str::to_owned));
            pending.push(Mark { time_ms: unix_millis(), kind: kind.to_owned(), text: text.into(), job, namespace });
        }
    }

    /// Empties the list into the frame that is being made.
    pub fn take(&self) -> Vec<Mark> {
        std::mem::take(&mut *self.pending.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_of_marks_is_bounded() {
        let marks = Marks::default();
        for n in 0..PENDING * 2 {
            marks.add("config", n.to_string(), None, None);
        }
        assert_eq!(marks.take().len(), PENDING);
        assert!(marks.take().is_empty());
    }
}
