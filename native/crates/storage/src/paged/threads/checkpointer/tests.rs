use super::*;
use crate::paged::cache::tests::{pages, put};
use tessera_base::wait_until;
use tessera_io::faulty::{Fault, FaultyDisk};

#[test]
fn stopping_ends_the_pause_after_a_checkpoint_that_failed() {
    let disk = FaultyDisk::default();
    let pages = pages(&disk);
    put(&pages, 3, 1);
    disk.set_fault(Some(Fault::Write(5)));
    let checkpointer = Checkpointer { retry_after: Duration::from_secs(600), ..Checkpointer::new(Duration::from_millis(1)) };
    std::thread::scope(|scope| {
        let running = scope.spawn(|| checkpointer.run(&pages));
        wait_until(|| !checkpointer.history().is_empty());
        checkpointer.stop();
        running.join().unwrap();
    });
    let causes: Vec<_> = checkpointer.history().iter().map(|made| (made.cause, made.whole)).collect();
    assert_eq!(causes, [("time", false)]);
}

#[test]
fn stopping_ends_a_checkpoint_that_is_spread() {
    let disk = FaultyDisk::default();
    let pages = pages(&disk);
    (2..500).for_each(|id| put(&pages, id, 1));
    let checkpointer = Checkpointer::new(Duration::from_secs(600));
    std::thread::scope(|scope| {
        let making = scope.spawn(|| checkpointer.make(&pages, Cause::Time));
        checkpointer.stop();
        making.join().unwrap().unwrap();
    });
    assert!(!checkpointer.history()[0].whole);
    checkpointer.make(&pages, Cause::Close).unwrap();
    assert!(checkpointer.history()[1].whole);
}
