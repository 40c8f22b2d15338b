//! Document indexes built over one, two, four and eight times as many events, with one and with two threads, and the floor under it.

use crate::event_rows::{self, PUBLISHED};
use crate::import::payload_index;
use crate::median::median;
use crate::stage::Stage;
use crate::threads::on_threads;
use crate::{Failure, memory};
use clap::Args;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tessera_index::document::terms::each_term;
use tessera_record::ValueRef;
use tessera_record::json::parse_value;

/// Sizes, in times the rows.
const TIMES: [u64; 4] = [1, 2, 4, 8];
/// What an index leaves is given back to the system in the background; it ends in this time.
const REST: Duration = Duration::from_millis(300);

#[derive(Args)]
pub struct Options {
    /// Events
    #[arg(long, default_value_t = PUBLISHED)]
    rows: u64,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Figures: for each size `rows`, `seconds1` and `seconds2` (medians of rounds in which all sizes are built in turn, with one thread and with two),
/// `microsPerRow1`, `microsPerRow2`, `speedup`, and the index's `indexBytes` and `bytesPerRow`; `growth1` and `growth2`: the time of
/// a row at eight times the rows over that at one time; `floorSeconds1` and `floorSeconds2`: the same payloads as at one time parsed, their terms
/// extracted and sorted by a bare loop in the same rounds, and `buildOverFloor1`, `buildOverFloor2`.
///
/// # Errors
/// A failed call, or indexes of the same rows that differ in their entries.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let &Options { rows, rounds, .. } = options;
    let payloads = payloads(rows)?;
    let mut sizes = TIMES.into_iter().map(|times| Size::load(rows * times)).collect::<Result<Vec<_>, _>>()?;
    let resident = memory::resident()?;
    let mut floor = [vec![], vec![]];
    for round in 1..=rounds {
        for (seconds, threads) in floor.iter_mut().zip([1, 2]) {
            seconds.push(bare_loop(&payloads, threads)?);
        }
        sizes.iter_mut().try_for_each(Size::build)?;
        let of = |size: &Size| format!("{:.3} {:.3}", size.seconds[0][round - 1], size.seconds[1][round - 1]);
        let built: Vec<String> = sizes.iter().map(of).collect();
        eprintln!("round {round}: {} s, the floor {:.3} {:.3} s", built.join(", "), floor[0][round - 1], floor[1][round - 1]);
    }
    let micros = |size: &Size, threads: usize| median(&size.seconds[threads - 1]) * 1e6 / size.rows as f64;
    let growth = |threads| match (sizes.first(), sizes.last()) {
        (Some(least), Some(most)) => thousandths(micros(most, threads) / micros(least, threads)),
        _ => 0.0,
    };
    let over = |threads: usize| thousandths(median(&sizes[0].seconds[threads - 1]) / median(&floor[threads - 1]));
    Ok(json!({
        "sizes": sizes.iter().map(Size::figures).collect::<Vec<_>>(),
        "growth1": growth(1),
        "growth2": growth(2),
        "floorSeconds1": thousandths(median(&floor[0])),
        "floorSeconds2": thousandths(median(&floor[1])),
        "buildOverFloor1": over(1),
        "buildOverFloor2": over(2),
        "residentBytesLoaded": resident,
    }))
}

/// So many events, and the times of indexing them.
struct Size {
    stage: Stage,
    rows: u64,
    seconds: [Vec<f64>; 2],
    entries: u64,
    bytes: u64,
}

impl Size {
    fn load(rows: u64) -> Result<Self, Failure> {
        eprintln!("loading {rows} events");
        let stage = Stage::events("index-growth")?;
        stage.import_rows(0..rows, 2)?;
        Ok(Self { stage, rows, seconds: [vec![], vec![]], entries: 0, bytes: 0 })
    }

    fn build(&mut self) -> Result<(), Failure> {
        for (seconds, threads) in self.seconds.iter_mut().zip([1, 2]) {
            seconds.push(self.stage.build_index(payload_index(), threads)?);
            let stats = self.stage.namespace.index("payload")?.stats;
            if self.entries != 0 && self.entries != stats.entries {
                return Err(format!("{} entries now, {} before", stats.entries, self.entries).into());
            }
            (self.entries, self.bytes) = (stats.entries, stats.bytes);
            self.stage.namespace.drop_index("payload")?;
            std::thread::sleep(REST);
        }
        Ok(())
    }

    fn figures(&self) -> Value {
        let (one, two) = (median(&self.seconds[0]), median(&self.seconds[1]));
        let per_row = |value: f64| thousandths(value / self.rows as f64);
        json!({
            "rows": self.rows,
            "seconds1": thousandths(one),
            "seconds2": thousandths(two),
            "microsPerRow1": per_row(one * 1e6),
            "microsPerRow2": per_row(two * 1e6),
            "speedup": thousandths(one / two),
            "entries": self.entries,
            "indexBytes": self.bytes,
            "bytesPerRow": per_row(self.bytes as f64),
        })
    }
}

/// The payloads of the events, as JSON.
fn payloads(rows: u64) -> Result<Vec<Vec<u8>>, Failure> {
    let mut csv = csv::ReaderBuilder::new().from_reader(std::io::Cursor::new(event_rows::chunks(0..rows)?.concat()));
    let column = csv.headers()?.iter().position(|name| name == "payload").ok_or("events have no payload")?;
    csv.byte_records().map(|row| Ok(row?[column].to_vec())).collect()
}

/// Parses the payloads, sorts their terms by term and document, and makes lists of them; the seconds it took.
fn bare_loop(payloads: &[Vec<u8>], threads: u64) -> Result<f64, Failure> {
    let share = payloads.len().div_ceil(threads as usize).max(1);
    let begun = Instant::now();
    on_threads(threads, |thread| {
        let (mut value, mut pairs) = (Vec::new(), Vec::new());
        for (document, payload) in payloads.chunks(share).nth(thread as usize).unwrap_or_default().iter().enumerate() {
            value.clear();
            parse_value(payload, &mut value)?;
            each_term(&ValueRef::of(&value), &mut |term| pairs.push((term, document as u32)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let (mut terms, mut documents) = (Vec::new(), Vec::with_capacity(pairs.len()));
        for list in pairs.chunk_by(|a, b| a.0 == b.0) {
            terms.push((list[0].0, documents.len()));
            documents.extend(list.iter().map(|pair| pair.1));
        }
        Ok(std::hint::black_box((terms, documents)).1.len())
    })?;
    Ok(begun.elapsed().as_secs_f64())
}

fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
