//! `tessera-events --rows N --seed N --format csv|ndjson`: writes generated events to standard output.

use clap::{Parser, ValueEnum};
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;
use tessera_events::{CSV_HEADER, Events, Format};

/// Size of a write, bytes.
const BUFFER: usize = 1 << 20;

/// Writes generated events in the shape of the GitHub Archive (2015-01-01) to standard output.
#[derive(Parser)]
#[command(name = "tessera-events", args_override_self = true)]
struct Options {
    /// Number of events
    #[arg(long, value_name = "N", default_value_t = 1000)]
    rows: u64,
    /// The same seed gives the same events
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// csv is PostgreSQL's dialect with a header, ndjson is like the Archive's hourly files
    #[arg(long, value_enum, default_value_t = Form::Csv)]
    format: Form,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    Csv,
    Ndjson,
}

fn main() -> ExitCode {
    match write(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has seen enough: `| head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tessera-events: write the events: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(options: &Options) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let format = match options.format {
        Form::Csv => Format::Csv,
        Form::Ndjson => Format::Ndjson,
    };
    let mut events = Events::new(options.seed, format);
    let mut buffer = Vec::with_capacity(BUFFER + (BUFFER >> 2));
    if format == Format::Csv {
        buffer.extend_from_slice(CSV_HEADER.as_bytes());
    }
    for row in 0..options.rows {
        events.write(row, &mut buffer);
        if buffer.len() >= BUFFER {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)?;
    out.flush()
}
