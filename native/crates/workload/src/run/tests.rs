use super::*;
use crate::client::{Client, Embedded, Ended, Gateway};
use crate::operation::{Kind, Operation};
use crate::spec::Mix;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use tessera_base::wait_until;
use tessera_core::{DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, Namespace, NamespaceConfig};
use tessera_record::KeyRef;

#[derive(Default)]
pub(super) struct Frames(Vec<Frame>);

impl Watch for Frames {
    fn second(&mut self, frame: Frame, _counts: &Counts) -> Result<()> {
        self.0.push(frame);
        Ok(())
    }
}

pub(super) fn namespace() -> (tempfile::TempDir, Arc<Engine>, Arc<Namespace>) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig::memory("test")).unwrap();
    (directory, engine, namespace)
}

fn small() -> WorkloadSpec {
    WorkloadSpec { keys: 1000, threads: 4, object: crate::spec::Object::parse("B:10").unwrap(), ..WorkloadSpec::new("test") }
}

#[test]
fn an_insert_writes_every_key_once() {
    let (_directory, engine, namespace) = namespace();
    let spec = WorkloadSpec { workload: Mix::Insert, first_key: 5, keys: 1001, ..small() };
    let mut frames = Frames::default();
    let summary = run(&spec, &Embedded::new(namespace.clone(), &spec).unwrap(), &Stop::default(), &mut frames).unwrap();
    assert_eq!((summary.operations, summary.write.count, summary.read.count), (1001, 1001, 0));
    assert_eq!(namespace.size(Some("bench")), 1001);
    let mut body = Vec::new();
    for (key, there) in [("0000000004", false), ("0000000005", true), ("0000001005", true), ("0000001006", false)] {
        assert_eq!(namespace.get("bench", KeyRef::String(key), &mut body).unwrap().is_some(), there, "{key}");
    }
    assert_eq!(frames.0.iter().map(|frame| frame.write.count).sum::<u64>(), 1001);
    engine.close().unwrap();
}

#[test]
fn a_mix_fills_first_and_keeps_its_share() {
    let (_directory, engine, namespace) = namespace();
    let spec = WorkloadSpec { operations: Some(20_000), fill: true, workload: Mix::ReadUpdate { read_percent: 80 }, ..small() };
    let summary = run(&spec, &Embedded::new(namespace.clone(), &spec).unwrap(), &Stop::default(), &mut Frames::default()).unwrap();
    assert_eq!((summary.operations, namespace.size(None), summary.errors.len()), (20_000, 1000, 0));
    assert!((15_000..17_000).contains(&summary.read.count), "{}", summary.read.count);
    engine.close().unwrap();
}

#[test]
fn sizes_and_iterations_are_of_the_whole_namespace_and_count_as_reads() {
    let (_directory, engine, namespace) = namespace();
    for (workload, kind) in [("SIZE", Kind::Size), ("ITERATE,100", Kind::Iterate), ("ITERATE,1,keys", Kind::Iterate)] {
        let spec = WorkloadSpec { operations: Some(7), fill: true, workload: Mix::parse(workload).unwrap(), ..small() };
        let summary = run(&spec, &Embedded::new(namespace.clone(), &spec).unwrap(), &Stop::default(), &mut Frames::default()).unwrap();
        let kinds: Vec<_> = summary.kinds.iter().map(|kind| (kind.kind, kind.count)).collect();
        assert_eq!((summary.operations, summary.read.count, summary.errors.len(), kinds), (7, 7, 0, vec![(kind, 7)]), "{workload}");
        let refused = Gateway::new("127.0.0.1", 1, None, &spec).err().unwrap();
        assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::ConfigInvalid, Some("workload")));
    }
    assert_eq!(namespace.size(None), 1000);
    engine.close().unwrap();
}

#[test]
fn a_window_on_a_device_of_single_bins_reads_what_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let device = EngineConfig::Device(DeviceConfig::default());
    let config = NamespaceConfig { single_bin: true, engine: device, durability: Durability::Relaxed, ..NamespaceConfig::memory("test") };
    let namespace = engine.create_namespace(config).unwrap();
    // More than the newest blocks, which stay in memory.
    let large = || WorkloadSpec { object: crate::spec::Object::parse("B:30000").unwrap(), ..small() };
    let half = WorkloadSpec { workload: Mix::Insert, keys: 500, ..large() };
    run(&half, &Embedded::new(namespace.clone(), &half).unwrap(), &Stop::default(), &mut Frames::default()).unwrap();
    namespace.sync().unwrap();
    let spec = WorkloadSpec { operations: Some(2000), window: 16, workload: Mix::ReadUpdate { read_percent: 100 }, ..large() };
    let summary = run(&spec, &Embedded::new(namespace.clone(), &spec).unwrap(), &Stop::default(), &mut Frames::default()).unwrap();
    assert_eq!(summary.operations + summary.errors["record_not_found"], 2000);
    assert!((800..1200).contains(&summary.operations), "{}", summary.operations);
    let mixed = WorkloadSpec { fill: true, workload: Mix::ReadUpdate { read_percent: 50 }, ..spec };
    let summary = run(&mixed, &Embedded::new(namespace.clone(), &mixed).unwrap(), &Stop::default(), &mut Frames::default()).unwrap();
    assert_eq!((summary.operations, summary.errors.len(), namespace.size(None)), (2000, 0, 1000));
    let two = WorkloadSpec { bins: 2, ..mixed };
    assert_eq!(Embedded::new(namespace, &two).err().unwrap().code, ErrorCode::SingleBin);
    engine.close().unwrap();
}

#[test]
fn reads_of_nothing_are_errors_and_no_latencies() {
    let (_directory, engine, namespace) = namespace();
    let spec = WorkloadSpec { operations: Some(100), workload: Mix::ReadUpdate { read_percent: 100 }, ..small() };
    let summary = run(&spec, &Embedded::new(namespace, &spec).unwrap(), &Stop::default(), &mut Frames::default()).unwrap();
    assert_eq!((summary.operations, summary.read.count, summary.errors["record_not_found"]), (0, 0, 100));
    assert!(summary.error_message.unwrap().contains("there is no record"));
    engine.close().unwrap();
}

#[test]
fn a_stop_ends_workers_that_wait_for_their_time() {
    let (_directory, engine, namespace) = namespace();
    let spec = WorkloadSpec { target_tps: Some(1), duration_seconds: Some(3600), threads: 64, ..small() };
    let stop = Stop::default();
    let clients = Embedded::new(namespace, &spec).unwrap();
    let summary = std::thread::scope(|scope| {
        let working = scope.spawn(|| run(&spec, &clients, &stop, &mut Frames::default()));
        wait_until(|| stop.woken() >= 64);
        stop.ask();
        working.join().unwrap().unwrap()
    });
    assert!(summary.operations <= 64 && summary.elapsed_seconds < 3600.0);
    engine.close().unwrap();
}

/// The run is stopped while an operation of each worker is under way.
struct Interrupted<C>(C);

impl<C: Clients> Clients for Interrupted<C> {
    fn client<'a>(&'a self, worker: u32, stop: &'a Stop) -> Result<Box<dyn Client + 'a>> {
        Ok(Box::new(Interrupting { client: self.0.client(worker, stop)?, stop }))
    }
}

struct Interrupting<'a> {
    client: Box<dyn Client + 'a>,
    stop: &'a Stop,
}

impl Client for Interrupting<'_> {
    fn window(&self) -> usize {
        self.client.window()
    }

    fn start(&mut self, ticket: usize, operation: Operation, key: u64) {
        self.stop.ask();
        self.client.start(ticket, operation, key);
    }

    fn take(&mut self, until: Option<Instant>) -> Option<Ended> {
        self.client.take(until)
    }
}

#[test]
fn a_stop_leaves_an_iteration_between_two_batches_and_does_not_count_it() {
    let (_directory, engine, namespace) = namespace();
    let insert = WorkloadSpec { workload: Mix::Insert, ..small() };
    run(&insert, &Embedded::new(namespace.clone(), &insert).unwrap(), &Stop::default(), &mut Frames::default()).unwrap();
    // What is short is brought to its end.
    for (workload, operations) in [("ITERATE,100", 0), ("ITERATE,1,keys", 0), ("SIZE", 1), ("RU,100", 1)] {
        let spec = WorkloadSpec { operations: Some(1), threads: 1, workload: Mix::parse(workload).unwrap(), ..small() };
        let clients = Interrupted(Embedded::new(namespace.clone(), &spec).unwrap());
        let summary = run(&spec, &clients, &Stop::default(), &mut Frames::default()).unwrap();
        assert_eq!((summary.operations, summary.read.count, summary.errors.len()), (operations, operations, 0), "{workload}");
    }
    engine.close().unwrap();
}

/// Several operations in flight; each ends when the window is full or nothing else can begin.
struct Windowed {
    window: usize,
    flying: VecDeque<usize>,
    deepest: Arc<Mutex<usize>>,
}

impl Client for Windowed {
    fn window(&self) -> usize {
        self.window
    }

    fn start(&mut self, ticket: usize, _operation: Operation, _key: u64) {
        assert!(!self.flying.contains(&ticket), "a ticket is in flight twice");
        self.flying.push_back(ticket);
        let mut deepest = self.deepest.lock();
        *deepest = self.flying.len().max(*deepest);
    }

    fn take(&mut self, _until: Option<Instant>) -> Option<Ended> {
        self.flying.pop_back().map(|ticket| Ended { ticket, at: Instant::now(), outcome: Some(Ok(())) })
    }
}

struct Windows(Arc<Mutex<usize>>);

impl Clients for Windows {
    fn client<'a>(&'a self, _worker: u32, _stop: &'a Stop) -> Result<Box<dyn Client + 'a>> {
        Ok(Box::new(Windowed { window: 8, flying: VecDeque::new(), deepest: self.0.clone() }))
    }
}

#[test]
fn a_window_is_kept_full_and_emptied() {
    let deepest = Arc::new(Mutex::new(0));
    let spec = WorkloadSpec { operations: Some(1003), threads: 3, ..small() };
    let summary = run(&spec, &Windows(deepest.clone()), &Stop::default(), &mut Frames::default()).unwrap();
    assert_eq!((summary.operations, *deepest.lock()), (1003, 8));
}

/// Each operation takes until the run is over for the others.
struct Stuck;

impl Clients for Stuck {
    fn client<'a>(&'a self, _worker: u32, _stop: &'a Stop) -> Result<Box<dyn Client + 'a>> {
        Ok(Box::new(Slow(None)))
    }
}

struct Slow(Option<Ended>);

impl Client for Slow {
    fn window(&self) -> usize {
        1
    }

    fn start(&mut self, ticket: usize, _operation: Operation, _key: u64) {
        std::thread::sleep(Duration::from_millis(400));
        self.0 = Some(Ended { ticket, at: Instant::now(), outcome: Some(Ok(())) });
    }

    fn take(&mut self, _until: Option<Instant>) -> Option<Ended> {
        self.0.take()
    }
}

#[test]
fn an_open_loop_counts_from_when_operations_were_due() {
    let spec = WorkloadSpec { target_tps: Some(10), threads: 1, duration_seconds: Some(1), timeout_ms: 1, ..small() };
    let summary = run(&spec, &Stuck, &Stop::default(), &mut Frames::default()).unwrap();
    // Ten were due in the second; those that began waited for those before them, and the others never began.
    assert_eq!(summary.operations + summary.missed, 10);
    assert!(summary.missed >= 7, "{summary:?}");
    assert_eq!(summary.timeouts, summary.operations);
    let latest = summary.read.max_ms.max(summary.write.max_ms);
    assert!(latest > summary.read.service_p99_ms.max(summary.write.service_p99_ms) + 200.0, "{summary:?}");
}
