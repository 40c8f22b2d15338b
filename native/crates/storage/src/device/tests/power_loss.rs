//! The plug is pulled at moments of a recorded run on one to three disks, and what was not yet synced is dropped or torn at
//! random; then again while and after the next start runs, and once more.

use super::recorded_run::{LOSSES, Run};
use super::rig::{BLOCK, options};
use crate::Storage;
use crate::device::DeviceOptions;
use tessera_base::dice::Dice;

/// Recordings of every kind; `TESSERA_CRASH_ROUNDS` asks for more. They begin with the seed `TESSERA_SEED`, or 1.
const ROUNDS: u64 = 1;
/// Steps of the two runs that are recorded.
const STEPS: [u32; 2] = [160, 100];
/// Steps of the runs after that, and how often the power fails in each.
const FOLLOWING: [(u32, u32); 2] = [(25, 8), (10, 1)];
/// One of so many power losses is followed by more.
const FOLLOWED_PART: u64 = 16;
/// Most moments from one power loss to the next.
const STRIDE: u64 = 16;

#[test]
fn every_acknowledged_write_survives_and_none_is_half_there() {
    let variable = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (first, rounds) = (variable("TESSERA_SEED").unwrap_or(1), variable("TESSERA_CRASH_ROUNDS").unwrap_or(ROUNDS));
    for seed in first..first + rounds {
        // With room for everything, and with so little that blocks are used again and again.
        for (disks, blocks) in [(1, 0), (1, 8), (1, 10), (2, 0), (2, 8), (3, 8)] {
            for faults in [false, true] {
                record(seed, disks, blocks * BLOCK, faults);
            }
        }
    }
}

fn record(seed: u64, disks: usize, capacity_bytes: u64, faults: bool) {
    let dice = &mut Dice(seed);
    let options = DeviceOptions { capacity_bytes, defrag_bytes_per_second: 0, ..options() };
    let name = format!("seed {seed}, {disks} disks of {capacity_bytes} bytes, faults {faults}");
    let mut run = Run::start(name, vec![vec![]; disks], options);
    run.work(dice, STEPS[0], faults);
    // A second run in the same files: losses there must leave the first alone.
    run.restart();
    run.work(dice, STEPS[1], faults);
    assert!(capacity_bytes == 0 || run.rig.storage.usage().moved_bytes > 0);
    let mut moment = 0;
    while moment <= run.moment() {
        for loss in 0..LOSSES {
            let following = if dice.roll(FOLLOWED_PART) == 0 { &FOLLOWING[..] } else { &[] };
            go_on(run.after_power_loss(moment, loss, dice), dice, faults, following);
        }
        moment += 1 + dice.roll(STRIDE) as usize;
    }
}

fn go_on(mut run: Run, dice: &mut Dice, faults: bool, following: &[(u32, u32)]) {
    let Some(((steps, losses), following)) = following.split_first() else { return };
    run.work(dice, *steps, faults);
    for number in 0..*losses {
        // Every other one while the run is still starting.
        let until = if number % 2 == 0 { run.moment() } else { run.started };
        let (moment, loss) = (dice.roll(until as u64 + 1) as usize, dice.roll(LOSSES));
        go_on(run.after_power_loss(moment, loss, dice), dice, faults, following);
    }
}
