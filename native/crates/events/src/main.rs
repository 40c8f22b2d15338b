//! `tessera-events --rows N --seed N --format csv|ndjson`: writes generated events to standard output.

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;
use tessera_events::{CSV_HEADER, Events, Format};

const HELP: &str = "tessera-events: writes generated events in the shape of the GitHub Archive (2015-01-01) to standard output

  --rows N      number of events (default 1000)
  --seed N      the same seed gives the same events (default 1)
  --format F    csv (default; PostgreSQL's dialect, with a header) or ndjson (like the Archive's hourly files)
  --help        show this text
";
/// Size of a write, bytes.
const BUFFER: usize = 1 << 20;

struct Options {
    rows: u64,
    seed: u64,
    format: Format,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let options = match parse(&arguments) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("tessera-events: {message} (--help lists the options)");
            return ExitCode::from(2);
        }
    };
    match write(&options) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has seen enough: `| head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tessera-events: write the events: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options { rows: 1000, seed: 1, format: Format::Csv };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let (name, given) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument.as_str(), None),
        };
        let mut value = || given.or_else(|| rest.next().map(String::as_str)).ok_or_else(|| format!("{name} needs a value"));
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{name} must be a whole number, got '{text}'"));
        match name {
            "--rows" => options.rows = number(value()?)?,
            "--seed" => options.seed = number(value()?)?,
            "--format" => {
                options.format = match value()? {
                    "csv" => Format::Csv,
                    "ndjson" => Format::Ndjson,
                    other => return Err(format!("--format must be csv or ndjson, got '{other}'")),
                }
            }
            _ => return Err(format!("unknown argument '{argument}'")),
        }
    }
    Ok(options)
}

fn write(options: &Options) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut events = Events::new(options.seed, options.format);
    let mut buffer = Vec::with_capacity(BUFFER + (BUFFER >> 2));
    if options.format == Format::Csv {
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
