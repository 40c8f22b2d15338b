//! The command. Prints a line per second on standard error, and the table or one JSON object at the end.

use crate::arguments::Arguments;
use crate::options::Options;
use crate::place::Place;
use crate::signals;
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tessera_base::Result;
use tessera_workload::figures::{Counts, Frame, Summary};
use tessera_workload::hdr_log::{HdrLog, with_log};
use tessera_workload::run::{Watch, run};
use tessera_workload::stop::Stop;

/// Collects the figures of every second for `--json`, and prints them with `-D`.
struct Monitor<'a, 'b, 'c> {
    debug: bool,
    frames: Vec<Frame>,
    log: Option<&'a mut HdrLog<'b, 'c>>,
}

pub fn command(arguments: Arguments) -> ExitCode {
    let options = Options::of(arguments).unwrap_or_else(|error| error.exit());
    match bench(&options) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("tessera bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(options: &Options) -> Result<ExitCode> {
    let stop = Arc::new(Stop::default());
    let interrupted = signals::heed(stop.clone())?;
    let place = Place::open(options)?;
    if options.debug {
        eprintln!("{}", serde_json::to_string(&place.spec).unwrap_or_default());
    }
    if place.spec.fill {
        eprintln!("writing {} keys before the run", place.spec.keys);
    }
    let (summary, frames) = match &options.hdr_log {
        Some(path) => with_log(path, |log| measure(options, &place, &stop, Some(log)))?,
        None => measure(options, &place, &stop, None)?,
    };
    if options.json {
        println!("{}", json!({ "spec": place.spec, "frames": frames, "result": summary }));
    } else {
        print!("{}", summary.table());
    }
    place.close()?;
    Ok(if interrupted.load(Ordering::Acquire) { signals::STATUS.into() } else { ExitCode::SUCCESS })
}

fn measure(options: &Options, place: &Place, stop: &Stop, log: Option<&mut HdrLog<'_, '_>>) -> Result<(Summary, Vec<Frame>)> {
    let mut monitor = Monitor { debug: options.debug, frames: Vec::new(), log };
    let summary = run(&place.spec, &*place.clients, stop, &mut monitor)?;
    Ok((summary, monitor.frames))
}

impl Watch for Monitor<'_, '_, '_> {
    fn second(&mut self, frame: Frame, counts: &Counts) -> Result<()> {
        eprintln!("{}", frame.line());
        if self.debug {
            eprintln!("{}", serde_json::to_string(&frame).unwrap_or_default());
        }
        if let Some(log) = &mut self.log {
            log.interval(counts, frame.at_seconds - frame.seconds, frame.seconds)?;
        }
        self.frames.push(frame);
        Ok(())
    }
}
