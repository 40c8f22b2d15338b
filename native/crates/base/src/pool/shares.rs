//! How many helpers there are of each class, and who may have one more.

/// What a helper works for. Each class has its own bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A job whose answer somebody reads, or does not.
    Stream,
    /// Any other job.
    Job,
}

impl Class {
    const ALL: usize = 2;
}

#[derive(Debug, Default)]
pub(super) struct Helpers([usize; Class::ALL]);

impl Helpers {
    pub(super) fn all(&self) -> usize {
        self.0.iter().sum()
    }

    pub(super) fn of(&self, class: Class) -> usize {
        self.0[class as usize]
    }

    /// Whether a job of so many workers may have one more, if the class has at most `most`: no more than it leaves to others.
    pub(super) fn may_have(&self, class: Class, workers: usize, most: usize) -> bool {
        workers <= most.saturating_sub(self.of(class))
    }

    pub(super) fn join(&mut self, class: Class) {
        self.0[class as usize] += 1;
    }

    pub(super) fn leave(&mut self, class: Class) {
        self.0[class as usize] -= 1;
    }
}
