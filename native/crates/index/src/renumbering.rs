//! New numbers for slots, in the same order: an image counts the slots in use, a loaded segment those that came back.

/// The new number of each old one that stays.
#[derive(Debug)]
pub struct Renumbering {
    /// By old number; `None` where all stay as they are.
    to: Option<Vec<u32>>,
    /// Old numbers there are.
    count: u32,
}

impl Renumbering {
    /// The number of what is gone.
    const GONE: u32 = u32::MAX;

    /// Numbers from 0 on for those of the old numbers that stay.
    pub fn of(stays: impl Iterator<Item = bool>) -> Self {
        let mut numbers = Renumber::default();
        stays.for_each(|stays| numbers.push(stays));
        numbers.finish()
    }

    /// All of so many numbers stay as they are.
    pub const fn same(count: u32) -> Self {
        Self { to: None, count }
    }

    /// The new number; `None` of what is gone.
    pub fn get(&self, old: u32) -> Option<u32> {
        match &self.to {
            None => (old < self.count).then_some(old),
            Some(to) => to.get(old as usize).copied().filter(|new| *new != Self::GONE),
        }
    }

    /// Old numbers are below this.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Whether every number stays as it is.
    pub const fn is_identity(&self) -> bool {
        self.to.is_none()
    }
}

/// A renumbering while it is made.
#[derive(Debug, Default)]
pub struct Renumber {
    to: Option<Vec<u32>>,
    count: u32,
    next: u32,
}

impl Renumber {
    /// The next old number: whether it stays.
    pub fn push(&mut self, stays: bool) {
        if !stays && self.to.is_none() {
            self.to = Some((0..self.count).collect());
        }
        if let Some(to) = &mut self.to {
            to.push(if stays { self.next } else { Renumbering::GONE });
        }
        self.next += u32::from(stays);
        self.count += 1;
    }

    /// The renumbering of all that were pushed.
    pub fn finish(self) -> Renumbering {
        Renumbering { to: self.to, count: self.count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_is_numbered_from_nothing_on() {
        let some = Renumbering::of([false, true, false, true].into_iter());
        assert_eq!([0, 1, 2, 3, 4].map(|old| some.get(old)), [None, Some(0), None, Some(1), None]);
        assert_eq!((some.count(), some.is_identity()), (4, false));
        for all in [Renumbering::same(3), Renumbering::of([true; 3].into_iter())] {
            assert_eq!([0, 2, 3, 4].map(|old| all.get(old)), [Some(0), Some(2), None, None]);
            assert_eq!((all.count(), all.is_identity()), (3, true));
        }
    }
}
