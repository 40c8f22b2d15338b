//! Damage of every kind to every file of a `paged` namespace, after an orderly stop and after a kill: nothing acknowledged is lost
//! in silence, nothing is served that was never written, and nothing older, unless a report names it or bounds it.
//! `TESSERA_CRASH_ROUNDS` says how many cases; without it, each damage to each file comes after one of the stops.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[path = "../bodies/mod.rs"]
mod bodies;
mod child;
mod files;
#[path = "../pages/mod.rs"]
mod pages;
mod script;
mod verdict;

use child::{EARLIER, Stop};
use files::{Dice, FILES, Image, Kind, LOG};
use script::{Operation, State, idle, mix, operation};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tessera_base::Result;
use tessera_core::{Engine, EngineOptions, NamespaceConfig};
use verdict::Expected;

const LONG: Duration = Duration::from_secs(60);
const NAMESPACE: &str = "damaged";
const DIRECTORY: &str = "TESSERA_DAMAGE_DIRECTORY";
const CASES: u64 = (Stop::ALL.len() * FILES.len() * Kind::ALL.len()) as u64;
/// After so many cases new files are made.
const CASES_A_BASE: u64 = 3 * CASES;
/// Cases at once: they wait for their disks most of the time.
const AT_ONCE: usize = 6;

fn config(page_bytes: u32) -> NamespaceConfig {
    NamespaceConfig { segments: 4, max_record_bytes: 1 << 20, ..pages::paged(NAMESPACE, page_bytes) }
}

fn open(directory: &Path) -> Result<Arc<Engine>> {
    Engine::open(directory, EngineOptions::default())
}

fn wait_for(mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < LONG, "waited for a minute");
        std::thread::yield_now();
    }
}

/// Files as a stop left them, what was there earlier, and what was acknowledged.
struct Base {
    image: Image,
    earlier: Vec<Image>,
    page_bytes: u32,
    seed: u64,
    /// Operations that were acknowledged, and how many of them the head of the pages knows.
    acknowledged: u64,
    noted: u64,
    stop: Stop,
}

/// Runs only as the child of the test below.
#[test]
fn child() {
    let Ok(words) = std::env::var(DIRECTORY) else { return };
    let words: Vec<&str> = words.split('|').collect();
    let stop = Stop::ALL[words[3].parse::<usize>().unwrap()];
    child::run(Path::new(words[0]), words[1].parse().unwrap(), words[2].parse().unwrap(), stop);
}

/// Has a child write, and stops or kills it.
fn base(seed: u64, page_bytes: u32, stop: Stop) -> Base {
    let directory = tempfile::tempdir().unwrap();
    let at = Stop::ALL.iter().position(|other| *other == stop).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(DIRECTORY, format!("{}|{seed}|{page_bytes}|{at}", directory.path().display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (mut ends, wanted) = (BTreeMap::new(), idle(seed) + mix(seed) % 300);
    for line in lines.by_ref().map_while(|line| line.ok()) {
        if let Some((number, end)) = line.strip_prefix("@ ").and_then(|rest| rest.split_once(' ')) {
            ends.insert(number.parse::<u64>().unwrap(), end.parse::<u64>().unwrap());
        }
        let killed = match stop {
            Stop::Orderly => false,
            Stop::Idle => line == "idle",
            Stop::Busy => ends.contains_key(&wanted),
        };
        if killed {
            child.kill().unwrap();
            break;
        }
    }
    for line in lines.map_while(|line| line.ok()) {
        if let Some((number, end)) = line.strip_prefix("@ ").and_then(|rest| rest.split_once(' ')) {
            // A line that the kill cut short acknowledges nothing.
            ends.extend(number.parse::<u64>().ok().zip(end.parse::<u64>().ok()));
        }
    }
    child.wait().unwrap();
    let image = files::read(&directory.path().join("data"));
    let acknowledged = ends.keys().next_back().unwrap() + 1;
    let stable = files::stable(image[files::PAGES].as_ref().unwrap());
    let noted = ends.iter().filter(|(_, end)| **end <= stable).map(|(number, _)| number + 1).max().unwrap_or(0);
    assert!(stop == Stop::Busy || noted == acknowledged, "{noted} of {acknowledged} operations are noted");
    let earlier = EARLIER.map(|name| files::read(&directory.path().join(name))).to_vec();
    Base { image, earlier, page_bytes, seed, acknowledged, noted, stop }
}

impl Base {
    /// What may be there where the last `torn` acknowledged operations may be torn.
    fn expected(&self, torn: u64) -> Expected {
        let (mut state, mut states) = (State::new(), vec![]);
        let mut ever = BTreeMap::<_, BTreeSet<u64>>::new();
        // One more may have been written without its acknowledgement getting out.
        let last = self.acknowledged + u64::from(self.stop == Stop::Busy);
        for number in 0..last {
            if number >= self.acknowledged - torn {
                states.push(state.clone());
            }
            let operation = operation(self.seed, number);
            operation.apply(number, &mut state);
            if let Operation::Put(key) = operation {
                ever.entry(key).or_default().insert(number);
            }
        }
        states.push(state);
        Expected { page_bytes: self.page_bytes, states, ever }
    }

    /// One case of damage while the files are open.
    fn open_case(&self, file: usize, kind: Kind, dice: &mut Dice) -> Option<Case> {
        let directory = tempfile::tempdir().unwrap();
        files::write(directory.path(), &self.image);
        let (path, expected) = (directory.path().to_owned(), self.expected(0));
        let (before, mut after) = (self.image.clone(), self.image.clone());
        let done = files::damage(&mut after, &self.earlier[0], file, kind, self.page_bytes as usize, dice)?;
        let outcome = verdict::within_time(move || {
            let open = path.clone();
            verdict::check_open(&path, expected, move || files::patch(&open, file, &before, &after))
        });
        Some((done.text, outcome))
    }

    /// One case; how its damage was told, or what is wrong.
    fn case(&self, file: usize, kind: Kind, dice: &mut Dice) -> Option<Case> {
        let (mut image, older) = (self.image.clone(), &self.earlier[dice.roll(self.earlier.len())]);
        let done = files::damage(&mut image, older, file, kind, self.page_bytes as usize, dice)?;
        // What the head of the pages was not told of yet is taken for torn if nothing whole follows.
        let torn = match (self.stop, file, done.bits) {
            (Stop::Busy, LOG, Some(bits)) => bits,
            (Stop::Busy, LOG, None) => self.acknowledged - self.noted,
            _ => 0,
        };
        let directory = tempfile::tempdir().unwrap();
        files::write(directory.path(), &image);
        let expected = self.expected(torn);
        let path = directory.path().to_owned();
        Some((done.text, verdict::within_time(move || verdict::check(&path, &expected))))
    }
}

/// What was done, and how it was told, or what is wrong.
type Case = (String, std::result::Result<String, String>);

/// Panics of any thread.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

/// How often each damage to each file after each stop was told in each way.
#[derive(Default)]
struct Table {
    told: BTreeMap<[String; 4], u64>,
    faults: Vec<String>,
}

/// Does some cases on files that are made for them.
fn some_cases(numbers: Range<u64>, table: &Mutex<Table>) {
    let which = |number: u64| {
        // So that each combination meets pages of both sizes.
        (number % Stop::ALL.len() as u64, 4096 << ((number + number / CASES) % 2 * 2))
    };
    let wanted: BTreeSet<(u64, u32)> = numbers.clone().map(which).collect();
    let seed = mix(numbers.start / CASES_A_BASE + 7);
    let bases: BTreeMap<(u64, u32), Base> = std::thread::scope(|scope| {
        let made = wanted.into_iter().map(|which| (which, scope.spawn(move || base(seed, which.1, Stop::ALL[which.0 as usize]))));
        made.collect::<Vec<_>>().into_iter().map(|(which, made)| (which, made.join().unwrap())).collect()
    });
    let next = AtomicU64::new(numbers.start);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(number) = Some(next.fetch_add(1, Relaxed)).filter(|number| numbers.contains(number)) {
                    if is_wanted(number) {
                        one_case(number, &bases[&which(number)], table);
                    }
                }
            });
        }
    });
}

fn one_case(number: u64, base: &Base, table: &Mutex<Table>) {
    let rest = number as usize / Stop::ALL.len();
    let (file, kind) = (rest % FILES.len(), Kind::ALL[rest / FILES.len() % Kind::ALL.len()]);
    let mut dice = Dice(mix(number));
    let case = (0..8).find_map(|_| base.case(file, kind, &mut dice));
    note(number, base, file, kind, case, table);
}

/// Enters a case into the table.
fn note(number: u64, base: &Base, file: usize, kind: Kind, case: Option<Case>, table: &Mutex<Table>) {
    let Some((text, outcome)) = case else { return };
    let panics = std::mem::take(&mut *PANICS.lock().unwrap());
    let outcome = if panics.is_empty() { outcome } else { Err(panics.join("; ")) };
    let (name, stop) = (FILES[file].rsplit('/').next().unwrap(), base.stop);
    let mut table = table.lock().unwrap();
    let told = outcome.unwrap_or_else(|why| {
        table.faults.push(format!("case {number}, {stop:?}, {} bytes a page, {name}: {text}: {why}", base.page_bytes));
        "FAULT".to_owned()
    });
    *table.told.entry([format!("{kind:?}"), name.to_owned(), format!("{stop:?}"), told]).or_default() += 1;
}

/// With a number of cases each of them; else one for each damage to each file, with the stops in turn.
fn is_wanted(case: u64) -> bool {
    let stops = Stop::ALL.len() as u64;
    let (stop, rest) = (case % stops, case / stops);
    let (file, kind) = (rest % FILES.len() as u64, rest / FILES.len() as u64);
    number("TESSERA_CRASH_ROUNDS").is_some() || number("TESSERA_DAMAGE_FROM").is_some() || (file + kind) % stops == stop
}

/// Cases and the first of them, as the environment says. A case is repeated by its number alone, with the files of its stretch.
fn wanted(default: u64) -> Range<u64> {
    let from = number("TESSERA_DAMAGE_FROM").unwrap_or(0);
    from..from + number("TESSERA_CRASH_ROUNDS").unwrap_or(default)
}

fn watch_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.lock().unwrap().push(info.to_string());
            before(info);
        }));
    });
}

impl Table {
    fn show(self, cases: u64) {
        for ([kind, name, stop, told], many) in &self.told {
            println!("{kind:<11} {name:<10} {stop:<8} {many:>4} {told}");
        }
        let done: u64 = self.told.values().sum();
        println!("{done} cases");
        assert!(done > cases / 2, "hardly anything was damaged");
        assert!(self.faults.is_empty(), "{} faults:\n{}", self.faults.len(), self.faults.join("\n"));
    }
}

#[test]
fn no_damage_is_passed_over_in_silence() {
    watch_panics();
    let (cases, table) = (wanted(CASES), Mutex::new(Table::default()));
    for start in cases.clone().step_by(CASES_A_BASE as usize) {
        some_cases(start..(start + CASES_A_BASE).min(cases.end), &table);
    }
    table.into_inner().unwrap().show(cases.filter(|case| is_wanted(*case)).count() as u64);
}

/// A page that is whole and older hides records or shows deleted ones, unless it is known.
#[test]
fn each_page_of_the_index_that_is_put_back_is_told() {
    const DATA: [u8; 2] = [3, 8];
    let base = base(mix(11), 4096, Stop::Orderly);
    let older = &base.earlier[0];
    let index = files::changed_pages(&base.image, older, 4096).into_iter().filter(|(_, kind)| !DATA.contains(kind));
    let mut kinds = BTreeMap::<_, usize>::new();
    for (page, kind) in index {
        // The first of each kind, and some of the others.
        let met = kinds.entry(kind).or_default();
        *met += 1;
        if *met > 2 && !met.is_multiple_of(tessera_base::one_in()) {
            continue;
        }
        let mut image = base.image.clone();
        files::put_back(&mut image, older, page, 4096);
        let directory = tempfile::tempdir().unwrap();
        files::write(directory.path(), &image);
        let (path, expected) = (directory.path().to_owned(), base.expected(0));
        let told = verdict::within_time(move || verdict::check(&path, &expected));
        assert!(
            told.as_ref().is_ok_and(|told| ["named", "data_rolled_back of a page", "record_damaged of a page"].contains(&&told[..])),
            "page {page} of kind {kind}: {told:?}"
        );
    }
    // Leaves, slot maps, and lists of extents.
    assert!([2, 5, 7].iter().all(|kind| kinds.contains_key(kind)), "{kinds:?}");
}

#[test]
fn no_damage_under_an_open_namespace_is_served() {
    watch_panics();
    let kinds = [Kind::Bits, Kind::Zeroed, Kind::Swapped, Kind::OlderBlock];
    let (cases, table) = (wanted(2 * (kinds.len() * 2) as u64), Mutex::new(Table::default()));
    let bases = [4096, 16_384].map(|page_bytes| base(mix(cases.start + 3), page_bytes, Stop::Orderly));
    let next = AtomicU64::new(cases.start);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(number) = Some(next.fetch_add(1, Relaxed)).filter(|number| cases.contains(number)) {
                    let (base, kind) = (&bases[number as usize % 2], kinds[number as usize / 2 % kinds.len()]);
                    let file = [files::PAGES, LOG][number as usize / 2 / kinds.len() % 2];
                    let mut dice = Dice(mix(number));
                    let case = (0..8).find_map(|_| base.open_case(file, kind, &mut dice));
                    note(number, base, file, kind, case, &table);
                }
            });
        }
    });
    table.into_inner().unwrap().show(cases.end - cases.start);
}
