//! `tessera bench`: the load generator on the command line, in the core or against a running gateway.

mod arguments;
mod bench;
mod options;
mod place;
mod signals;

use clap::{ArgAction, Parser, Subcommand};
use std::process::ExitCode;

/// Tools for Tessera.
#[derive(Parser)]
#[command(name = "tessera", disable_help_flag = true, disable_help_subcommand = true, args_override_self = true)]
struct Tessera {
    #[command(subcommand)]
    tool: Tool,
    /// Show this text
    #[arg(short, long, visible_alias = "help", action = ArgAction::Help)]
    usage: Option<bool>,
}

#[derive(Subcommand)]
enum Tool {
    /// Generate load and measure it
    Bench(arguments::Arguments),
}

fn main() -> ExitCode {
    match Tessera::parse().tool {
        Tool::Bench(arguments) => bench::command(arguments),
    }
}
