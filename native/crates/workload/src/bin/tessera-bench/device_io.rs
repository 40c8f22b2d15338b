//! Direct reads and writes of a file through the windows of the storage, beside `fio` on the same file in the same minute.

use crate::Failure;
use crate::fio::{self, Got};
use crate::median::{median, quantile};
use crate::random::Random;
use crate::threads::on_threads;
use clap::Args;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_io::{Access, AlignedBuffer, Backend, BackendChoice, BackendWish, Disk, FileDisk, Piece, ReadWindow, WriteWindow};

const READ_BYTES: usize = 4096;
const READERS: usize = 4;
/// Of each reader.
const READ_DEPTH: usize = 8;
const WRITE_BYTES: usize = 128 * 1024;
const WRITE_DEPTH: usize = 8;
/// Pieces that are written with one call.
const PIECES: u64 = 64;

/// Who does a load.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Fio,
    Ours(Backend),
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Self::Fio => "Fio",
            Self::Ours(Backend::IoUring) => "IoUring",
            Self::Ours(Backend::Threads) => "Threads",
        }
    }
}

#[derive(Args)]
pub struct Options {
    /// Folder for the benchmark's files
    #[arg(long)]
    directory: PathBuf,
    /// MiB of the file
    #[arg(long, default_value_t = 2048)]
    megabytes: u64,
    /// Seconds per measurement
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Figures, medians of the rounds, `X` being `Fio`, `IoUring`, `Threads`: `readsPerSecondX`, `readP99MicrosX`,
/// `writeMegabytesPerSecondX`, and `readShareX`, `readP99TimesX`, `writeShareX` of fio's in the same round.
///
/// # Errors
/// A failed call, or a block that is not the one written.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let file = options.directory.join("device-io");
    let &Options { megabytes, rounds, seconds, .. } = options;
    let disk = Arc::new(FileDisk::open(&file, true, Access::Direct)?);
    if disk.access() != Access::Direct {
        return Err("the file system of this directory does not support direct access".into());
    }
    eprintln!("filling {megabytes} MiB");
    write(&disk, Backend::Threads, megabytes << 20, true)?;
    disk.sync()?;
    let mut all = vec![];
    match fio::is_installed() {
        true => all.push(Who::Fio),
        false => eprintln!("fio is not installed; its figures are left out"),
    }
    match BackendChoice::make(BackendWish::IoUring) {
        Ok(_) => all.push(Who::Ours(Backend::IoUring)),
        Err(error) => eprintln!("{error}; its figures are left out"),
    }
    all.push(Who::Ours(Backend::Threads));
    let mut table = Table::default();
    for round in 0..rounds {
        // There and back, so that a slope of the machine favours nobody.
        let order: Vec<Who> = if round.is_multiple_of(2) { all.clone() } else { all.iter().rev().copied().collect() };
        for &who in &order {
            let got = match who {
                Who::Fio => fio::random_reads(&file, READ_BYTES, READERS, READ_DEPTH, seconds)?,
                Who::Ours(backend) => random_reads(&disk, backend, Duration::from_secs(seconds), round as u64)?,
            };
            eprintln!("round {}, reads, {}: {:.0}/s, p99 {:.0} us", round + 1, who.name(), got.rate, got.p99_us);
            table.reads.push((who, got));
        }
        for &who in &order {
            let got = match who {
                Who::Fio => fio::sequential_writes(&file, fio::Ground::Written, file.metadata()?.len(), WRITE_BYTES, WRITE_DEPTH)?,
                Who::Ours(backend) => write(&disk, backend, megabytes << 20, false)?,
            };
            eprintln!("round {}, writes, {}: {:.0} MB/s", round + 1, who.name(), got.rate / 1e6);
            table.writes.push((who, got));
        }
        // What was written in a hurry tells no block from another.
        write(&disk, Backend::Threads, megabytes << 20, true)?;
    }
    Ok(table.figures(&all))
}

#[derive(Default)]
struct Table {
    reads: Vec<(Who, Got)>,
    writes: Vec<(Who, Got)>,
}

impl Table {
    fn figures(&self, all: &[Who]) -> Value {
        let mut figures = Map::new();
        for &who in all {
            let (reads, writes) = (of(&self.reads, who), of(&self.writes, who));
            let mut put = |figure: &str, values: &[f64], decimals: i32| {
                let scale = 10_f64.powi(decimals);
                figures.insert(format!("{figure}{}", who.name()), json!((median(values) * scale).round() / scale));
            };
            let rates = |got: &[Got]| got.iter().map(|got| got.rate).collect::<Vec<_>>();
            let p99s: Vec<f64> = reads.iter().map(|got| got.p99_us).collect();
            put("readsPerSecond", &rates(&reads), 0);
            put("readP99Micros", &p99s, 0);
            put("writeMegabytesPerSecond", &rates(&writes).iter().map(|rate| rate / 1e6).collect::<Vec<_>>(), 0);
            if who != Who::Fio && all.contains(&Who::Fio) {
                let (fio_reads, fio_writes) = (of(&self.reads, Who::Fio), of(&self.writes, Who::Fio));
                let share = |ours: &[f64], fio: &[f64]| ours.iter().zip(fio).map(|(a, b)| a / b).collect::<Vec<_>>();
                put("readShare", &share(&rates(&reads), &rates(&fio_reads)), 3);
                let fio_p99s: Vec<f64> = fio_reads.iter().map(|got| got.p99_us).collect();
                put("readP99Times", &share(&p99s, &fio_p99s), 3);
                put("writeShare", &share(&rates(&writes), &rates(&fio_writes)), 3);
            }
        }
        Value::Object(figures)
    }
}

fn of(rows: &[(Who, Got)], who: Who) -> Vec<Got> {
    rows.iter().filter(|(whose, _)| *whose == who).map(|(_, got)| *got).collect()
}

fn random_reads(disk: &Arc<FileDisk>, backend: Backend, time: Duration, seed: u64) -> Result<Got, Failure> {
    let begun = Instant::now();
    let micros = on_threads(READERS as u64, |number| read(disk, backend, time, seed << 8 | number))?.concat();
    let elapsed = begun.elapsed().as_secs_f64();
    Ok(Got { rate: micros.len() as f64 / elapsed, p99_us: quantile(&micros, 0.99) })
}

/// One reader; the microseconds that each read took, from its start until its bytes were there.
fn read(disk: &Arc<FileDisk>, backend: Backend, time: Duration, seed: u64) -> Result<Vec<f64>, Failure> {
    let disks: Arc<[Arc<dyn Disk>]> = Arc::from([disk.clone() as Arc<dyn Disk>]);
    let blocks = disk.length()? / READ_BYTES as u64;
    let mut window = ReadWindow::open(backend, disks, READ_DEPTH)?;
    if window.backend() != backend {
        return Err("the requested I/O backend is not available".into());
    }
    let mut random = Random::new(seed);
    let mut micros = vec![];
    // By tag: the block asked for, and when.
    let mut asked = [(0, Instant::now()); READ_DEPTH];
    let end = Instant::now() + time;
    let mut start = |window: &mut ReadWindow, asked: &mut [(u64, Instant)], tag: usize| {
        let block = random.below(blocks);
        asked[tag] = (block, Instant::now());
        window.start(tag as u64, 0, block * READ_BYTES as u64, READ_BYTES)
    };
    for tag in 0..READ_DEPTH {
        start(&mut window, &mut asked, tag)?;
    }
    while let Some(read) = window.next() {
        let tag = read.tag as usize;
        let (block, begun) = asked[tag];
        if read.result?.first_chunk() != Some(&stamp(block)) {
            return Err(format!("block {block} has the wrong content").into());
        }
        let now = Instant::now();
        micros.push((now - begun).as_nanos() as f64 / 1000.0);
        if now < end {
            start(&mut window, &mut asked, tag)?;
        }
    }
    Ok(micros)
}

/// How a block begins.
fn stamp(block: u64) -> [u8; 8] {
    (block ^ 0x7465_7373_6572_6121).to_le_bytes()
}

/// Writes `length` bytes from the beginning, every block of `READ_BYTES` stamped with its number if asked.
fn write(disk: &Arc<FileDisk>, backend: Backend, length: u64, stamped: bool) -> Result<Got, Failure> {
    let mut window = WriteWindow::open(backend, WRITE_DEPTH)?;
    let mut buffer = AlignedBuffer::new(PIECES as usize * WRITE_BYTES)?;
    buffer.resize_zeroed(buffer.capacity())?;
    let begun = Instant::now();
    let mut offset = 0;
    while offset < length {
        for (at, block) in buffer.chunks_exact_mut(READ_BYTES).enumerate().filter(|_| stamped) {
            block[..8].copy_from_slice(&stamp(offset / READ_BYTES as u64 + at as u64));
        }
        let rest = &buffer[..(length - offset).min(buffer.len() as u64) as usize];
        let piece = |(bytes, at): (_, u64)| Piece { disk: &**disk, offset: offset + at * WRITE_BYTES as u64, bytes };
        window.write(&rest.chunks(WRITE_BYTES).zip(0..).map(piece).collect::<Vec<_>>())?;
        offset += rest.len() as u64;
    }
    Ok(Got { rate: length as f64 / begun.elapsed().as_secs_f64(), p99_us: 0.0 })
}
