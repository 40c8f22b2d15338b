//! Which page leaves the cache: S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi: "FIFO queues are all you need for cache eviction", SOSP 2023).
//!
//! A page that comes in for the first time waits in a small queue, a tenth of the cache. Who is asked for again there goes on to the main
//! queue; who is not leaves, and is remembered as a ghost for as long as a main queue's worth of others. A ghost that is asked for goes to the main queue at
//! once. The main queue lets go of who was not asked for since it last came to its head. So a scan passes through the tenth alone.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// How often a frame was asked for lately, up to three.
#[derive(Debug, Default)]
pub struct Visits(AtomicU8);

impl Visits {
    const MOST: u8 = 3;

    pub fn note(&self) {
        let visits = self.0.load(Relaxed);
        // A visit that another thread's overwrites is one of many.
        if visits < Self::MOST {
            self.0.store(visits + 1, Relaxed);
        }
    }

    pub fn clear(&self) {
        self.0.store(0, Relaxed);
    }

    fn take(&self) -> bool {
        let visits = self.0.load(Relaxed);
        self.0.store(visits.saturating_sub(1), Relaxed);
        visits > 0
    }

    fn several(&self) -> bool {
        self.0.load(Relaxed) > 1
    }

    /// Whether a frame that has come to the head of `queue` stays.
    pub fn stays(&self, queue: Queue) -> bool {
        match queue {
            Queue::Small => self.several(),
            Queue::Main => self.0.load(Relaxed) > 0,
        }
    }

    /// How often it was asked for lately: 0 to 3.
    pub fn count(&self) -> u8 {
        self.0.load(Relaxed)
    }
}

/// The queue in which a frame waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    Small,
    Main,
}

/// The two queues, of frames by number; those in neither are free or held by whoever fills them.
#[derive(Debug)]
pub struct Policy {
    small: VecDeque<u32>,
    main: VecDeque<u32>,
    /// Frames that hold no page.
    free: Vec<u32>,
    /// How many the small queue has before it gives way first.
    share: usize,
    /// Frames that were given to be used so far.
    given: u64,
}

impl Policy {
    pub fn new(frames: u32) -> Self {
        let share = (frames as usize / 10).max(1);
        Self { small: VecDeque::new(), main: VecDeque::new(), free: (0..frames).rev().collect(), share, given: 0 }
    }

    /// How long a ghost is remembered: pages that left the small queue since.
    pub fn memory(frames: u32) -> u32 {
        frames - frames / 10
    }

    pub fn add(&mut self, frame: u32, queue: Queue) {
        match queue {
            Queue::Small => self.small.push_back(frame),
            Queue::Main => self.main.push_back(frame),
        }
    }

    /// Gives back a frame that holds no page.
    pub fn free(&mut self, frame: u32) {
        self.free.push(frame);
    }

    /// The next `most` frames of each queue, to `out`, and how many have been given so far; nothing while there are as many frames without a page.
    pub fn ahead(&self, most: usize, out: &mut Vec<(u32, Queue)>) -> u64 {
        out.clear();
        if self.free.len() < most {
            out.extend(self.small.iter().take(most).map(|frame| (*frame, Queue::Small)));
            out.extend(self.main.iter().take(most).map(|frame| (*frame, Queue::Main)));
        }
        self.given
    }

    /// Frames that hold a page, or are about to.
    pub fn used(&self, frames: usize) -> usize {
        frames - self.free.len()
    }

    /// The frame to use next, and where it waited (`None`: it is free); it is in no queue from now on. `visits`: of a frame. `None` when every frame is
    /// in use by those who fill them.
    pub fn next<'a>(&mut self, visits: &dyn Fn(u32) -> &'a Visits) -> Option<(u32, Option<Queue>)> {
        self.given += 1;
        if let Some(frame) = self.free.pop() {
            return Some((frame, None));
        }
        // Each round takes a visit from a frame or moves one from the small queue to the main one: at most three a frame.
        loop {
            if self.small.len() > self.share || self.main.is_empty() {
                let frame = self.small.pop_front()?;
                if !visits(frame).stays(Queue::Small) {
                    return Some((frame, Some(Queue::Small)));
                }
                visits(frame).clear();
                self.main.push_back(frame);
            } else {
                let frame = self.main.pop_front()?;
                if !visits(frame).take() {
                    return Some((frame, Some(Queue::Main)));
                }
                self.main.push_back(frame);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache of page numbers, as large as `frames`.
    struct Model {
        policy: Policy,
        visits: Vec<Visits>,
        pages: Vec<Option<u32>>,
        ghosts: Vec<u32>,
    }

    impl Model {
        fn new(frames: u32) -> Self {
            let visits = (0..frames).map(|_| Visits::default()).collect();
            Self { policy: Policy::new(frames), visits, pages: vec![None; frames as usize], ghosts: vec![] }
        }

        /// Whether the page was there.
        fn ask(&mut self, page: u32) -> bool {
            if let Some(frame) = self.pages.iter().position(|held| *held == Some(page)) {
                self.visits[frame].note();
                return true;
            }
            let Self { policy, visits, .. } = self;
            let (frame, from) = policy.next(&|frame| &visits[frame as usize]).unwrap();
            let left = self.pages[frame as usize].replace(page);
            let queue = if self.ghosts.contains(&page) { Queue::Main } else { Queue::Small };
            if let (Some(left), Some(Queue::Small)) = (left, from) {
                self.ghosts.push(left);
                let most = Policy::memory(self.pages.len() as u32) as usize;
                self.ghosts.drain(..self.ghosts.len().saturating_sub(most));
            }
            self.visits[frame as usize].clear();
            self.policy.add(frame, queue);
            false
        }
    }

    impl Model {
        fn ask_all(&mut self, pages: std::ops::Range<u32>) {
            for page in pages {
                self.ask(page);
            }
        }
    }

    #[test]
    fn a_scan_leaves_what_is_asked_for_often() {
        let mut model = Model::new(100);
        for _ in 0..5 {
            model.ask_all(0..60);
        }
        (1000..3000).for_each(|page| assert!(!model.ask(page)));
        let kept = (0..60).filter(|page| model.ask(*page)).count();
        assert_eq!(kept, 60);
    }

    #[test]
    fn a_page_that_comes_back_soon_stays() {
        let mut model = Model::new(20);
        model.ask_all(0..30);
        assert!(!model.ask(0), "it had left");
        model.ask_all(100..118);
        assert!(model.ask(0), "the ghost went to the main queue");
    }

    #[test]
    fn every_frame_can_be_taken_and_no_more() {
        let mut model = Model::new(10);
        (0..30).for_each(|n| model.ask_all(n / 3..n / 3 + 1));
        let Model { policy, visits, .. } = &mut model;
        let mut taken: Vec<_> = (0..10).map(|_| policy.next(&|frame| &visits[frame as usize]).unwrap().0).collect();
        taken.sort_unstable();
        assert_eq!((taken, policy.next(&|frame| &visits[frame as usize])), ((0..10).collect(), None));
        policy.free(4);
        assert_eq!(policy.next(&|frame| &visits[frame as usize]), Some((4, None)));
    }
}
