//! A run over disks that remember every write: what it wrote and when that was acknowledged, and so what may be found after a
//! power loss at any moment of it.

use super::rig::{Index, Rig, State};
use crate::Storage;
use crate::device::DeviceOptions;
use tessera_base::dice::Dice;
use tessera_base::{ErrorCode, Result};
use tessera_io::faulty::{Fault, FaultyDisk};

const KEYS: u32 = 12;
const EIO: i32 = 5;
/// Ways to lose what was not synced: all kept, all lost, and half of the sectors.
pub const LOSSES: u64 = 3;
/// Rounds of defragmentation in which a write that needs room gets it.
const ROUNDS_MOST: u32 = 200;

struct Version {
    /// The moment at which it was known to be stored.
    acknowledged: Option<usize>,
    /// `None`: deleted.
    body: Option<Vec<u8>>,
}

pub struct Run {
    /// How it came to be, for messages.
    name: String,
    options: DeviceOptions,
    disks: Vec<FaultyDisk>,
    pub rig: Rig,
    /// Every version of each key, in order.
    history: Vec<Vec<Version>>,
    /// The moment at which its start was over.
    pub started: usize,
}

impl Run {
    /// A run on disks that begin with `images`. What it finds there is what it has to keep.
    pub fn start(name: String, images: Vec<Vec<u8>>, options: DeviceOptions) -> Self {
        let disks = FaultyDisk::several(images);
        let rig = Rig::open_all(&disks, options.clone()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!((rig.report.damaged, rig.report.losses.len()), (0, 0), "{name}: {:?}, {:?}", rig.report.damage, rig.report.losses);
        let version = |key| vec![Version { acknowledged: Some(0), body: body(&rig.index, key) }];
        let (history, started) = ((0..KEYS).map(version).collect(), disks[0].moment());
        Self { name, options, disks, rig, history, started }
    }

    /// Starts again after an orderly end.
    pub fn restart(&mut self) {
        self.mend();
        self.rig.storage.close().unwrap();
        self.rig = Rig::open_all(&self.disks, self.options.clone()).unwrap();
    }

    pub fn moment(&self) -> usize {
        self.disks[0].moment()
    }

    /// Writes, deletes and makes room; with `faults`, syncs fail at times and lose what was written.
    pub fn work(&mut self, dice: &mut Dice, steps: u32, faults: bool) {
        for step in 0..steps {
            if faults && dice.roll(12) == 0 {
                self.disks[dice.roll(self.disks.len() as u64) as usize].set_fault(Some(Fault::Sync(EIO)));
            }
            let key = dice.roll(u64::from(KEYS)) as u32;
            let body = if self.rig.place(key).is_some() && dice.roll(4) == 0 {
                self.with_room(|rig| rig.remove(key, rig.place(key).unwrap()));
                None
            } else {
                let body = vec![step as u8; 1 + dice.roll(3000) as usize];
                self.with_room(|rig| rig.put(key, &body));
                Some(body)
            };
            self.history[key as usize].push(Version { acknowledged: None, body });
            if dice.roll(8) == 0 {
                self.make_room();
            }
            if dice.roll(3) == 0 {
                self.acknowledge();
            }
        }
        for key in 0..KEYS {
            let newest = self.history[key as usize].last().and_then(|version| version.body.clone());
            assert_eq!(self.rig.place(key).map(|at| self.rig.read(key, at).unwrap()), newest, "{}: key {key}", self.name);
        }
    }

    /// Does it again after making room, as long as that is what it needs.
    fn with_room<T>(&self, act: impl Fn(&Rig) -> Result<T>) -> T {
        for _ in 0..ROUNDS_MOST {
            match act(&self.rig) {
                Ok(done) => return done,
                Err(error) if error.code == ErrorCode::StorageFailed => self.mend(),
                Err(error) => assert_eq!(error.code, ErrorCode::DeviceFull, "{}", self.name),
            }
            self.make_room();
        }
        panic!("{}: no room for ever: {:?}", self.name, self.rig.storage.usage());
    }

    fn make_room(&self) {
        if let Err(error) = self.rig.storage.defragment(&self.rig.index) {
            assert!([ErrorCode::StorageFailed, ErrorCode::DeviceFull].contains(&error.code), "{}: {error:?}", self.name);
            self.mend();
        }
    }

    /// Ends every fault, and stores what it kept from being stored.
    fn mend(&self) {
        self.disks.iter().for_each(|disk| disk.set_fault(None));
        // A sync that was under way may still fail.
        while self.rig.sync().is_err() {}
    }

    fn acknowledge(&mut self) {
        if self.rig.sync().is_err() {
            self.mend();
        }
        let moment = self.moment();
        for version in self.history.iter_mut().flatten() {
            version.acknowledged.get_or_insert(moment);
        }
    }

    /// The run that follows on a power loss at `moment` of this one. It finds what this one acknowledged, or something newer.
    pub fn after_power_loss(&self, moment: usize, loss: u64, dice: &mut Dice) -> Self {
        let mut keep = || match loss {
            0 => true,
            1 => false,
            _ => dice.roll(2) == 0,
        };
        let images = self.disks.iter().map(|disk| disk.after_power_loss(moment, &mut keep)).collect();
        let next = Self::start(format!("{}, power lost at {moment} in way {loss}", self.name), images, self.options.clone());
        for (key, versions) in (0..).zip(&self.history) {
            let floor = versions.iter().rposition(|version| version.acknowledged.is_some_and(|at| at <= moment));
            let found = body(&next.rig.index, key);
            let allowed = versions[floor.unwrap_or(0)..].iter().any(|version| version.body == found);
            assert!(allowed, "{}: key {key}", next.name);
        }
        next
    }
}

fn body(index: &Index, key: u32) -> Option<Vec<u8>> {
    match index.get(key) {
        None | Some(State::Deleted) => None,
        Some(State::Body(_, body)) => Some(body),
        Some(State::Damaged(_)) => panic!("power loss looks like damage"),
    }
}
