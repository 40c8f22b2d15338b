//! `tessera bench`: the load generator on the command line, in the core or against a running gateway.

mod bench;
mod options;
mod place;
mod signals;

use std::process::ExitCode;

const USAGE: &str = "usage: tessera bench [option value]...   (tessera bench -u lists the options)";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    match words.next().as_deref() {
        Some("bench") => bench::command(&words.collect::<Vec<_>>()),
        Some("-u" | "--usage" | "--help") => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
