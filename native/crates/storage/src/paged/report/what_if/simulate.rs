//! A page cache without pages: which visits it would answer from memory. It keeps what the real one keeps, by the same policy.

use crate::paged::cache::policy::{Policy, Queue, Visits};
use hashbrown::HashMap;
use std::collections::VecDeque;

/// What is known of a page.
#[derive(Clone, Copy)]
enum Held {
    Frame(u32),
    /// It left the small queue as the so-manieth.
    Ghost(u64),
}

pub struct SimulatedCache {
    policy: Policy,
    visits: Vec<Visits>,
    /// By frame.
    pages: Vec<u64>,
    held: HashMap<u64, Held>,
    /// Pages that left the small queue, the oldest first, and how many did before the first of them.
    ghosts: VecDeque<u64>,
    forgotten: u64,
}

impl SimulatedCache {
    /// A cache of so many pages, at least 1.
    pub fn new(frames: u32) -> Self {
        Self {
            policy: Policy::new(frames),
            visits: (0..frames).map(|_| Visits::default()).collect(),
            pages: vec![0; frames as usize],
            held: HashMap::new(),
            ghosts: VecDeque::new(),
            forgotten: 0,
        }
    }

    /// Whether every frame has had a page.
    pub fn is_full(&self) -> bool {
        self.policy.used(self.pages.len()) == self.pages.len()
    }

    /// Asks for a page, which is there from then on: whether it was.
    pub fn ask(&mut self, page: u64) -> bool {
        let queue = match self.held.get(&page) {
            Some(Held::Frame(frame)) => {
                self.visits[*frame as usize].note();
                return true;
            }
            Some(Held::Ghost(_)) => Queue::Main,
            None => Queue::Small,
        };
        let visits = &self.visits;
        let Some((frame, from)) = self.policy.next(&|frame| &visits[frame as usize]) else { return false };
        let left = std::mem::replace(&mut self.pages[frame as usize], page);
        match from {
            Some(Queue::Small) => self.remember(left),
            Some(Queue::Main) => {
                self.held.remove(&left);
            }
            None => {}
        }
        self.visits[frame as usize].clear();
        self.held.insert(page, Held::Frame(frame));
        self.policy.add(frame, queue);
        false
    }

    fn remember(&mut self, page: u64) {
        self.held.insert(page, Held::Ghost(self.forgotten + self.ghosts.len() as u64));
        self.ghosts.push_back(page);
        if self.ghosts.len() > Policy::memory(self.pages.len() as u32) as usize
            && let Some(oldest) = self.ghosts.pop_front()
        {
            // It may have come back, and even left again, since.
            if matches!(self.held.get(&oldest), Some(Held::Ghost(number)) if *number == self.forgotten) {
                self.held.remove(&oldest);
            }
            self.forgotten += 1;
        }
    }

    /// Pages that something is known of.
    #[cfg(test)]
    pub fn known(&self) -> usize {
        self.held.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_leaves_what_is_asked_for_often_and_is_forgotten() {
        let mut cache = SimulatedCache::new(100);
        for _ in 0..5 {
            (0..60).for_each(|page| {
                cache.ask(page);
            });
        }
        assert!(!cache.is_full());
        (1000..30_000).for_each(|page| assert!(!cache.ask(page)));
        assert!(cache.is_full() && cache.known() <= 200, "{}", cache.known());
        assert!((0..60).all(|page| cache.ask(page)));
    }

    #[test]
    fn a_ghost_that_comes_back_stays() {
        let mut cache = SimulatedCache::new(20);
        (0..30).for_each(|page| assert!(!cache.ask(page)));
        assert!(!cache.ask(0), "it had left");
        (100..118).for_each(|page| assert!(!cache.ask(page)));
        assert!(cache.ask(0), "the ghost went to the main queue");
    }
}
