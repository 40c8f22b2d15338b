//! The same loads by `fio`, the yardstick of device benchmarks, where it is installed.

use crate::Failure;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What a load got.
#[derive(Clone, Copy, Default)]
pub struct Got {
    /// Operations, or bytes, a second.
    pub rate: f64,
    /// From the start of an operation to its end, microseconds; 0 where it was not measured.
    pub p99_us: f64,
}

pub fn is_installed() -> bool {
    Command::new("fio").arg("--version").output().is_ok_and(|found| found.status.success())
}

/// Random reads of `block` bytes of all of `file`, direct, by io_uring, on `threads` threads of `depth` each.
///
/// # Errors
/// When fio fails or says something else than it used to.
pub fn random_reads(file: &Path, block: usize, threads: usize, depth: usize, seconds: u64) -> Result<Got, Failure> {
    let answer = run(
        file,
        &[
            size_of(file)?,
            "--rw=randread".to_owned(),
            "--norandommap".to_owned(),
            "--randrepeat=0".to_owned(),
            "--time_based".to_owned(),
            format!("--runtime={seconds}"),
            format!("--bs={block}"),
            format!("--numjobs={threads}"),
            format!("--iodepth={depth}"),
        ],
    )?;
    let read = &answer["jobs"][0]["read"];
    let p99 = number(&read["lat_ns"]["percentile"]["99.000000"])?;
    Ok(Got { rate: number(&read["iops"])?, p99_us: p99 / 1000.0 })
}

/// What a sequential write finds in the place of its file.
#[derive(Clone, Copy)]
pub enum Ground {
    /// Space that was reserved and never written.
    Reserved,
    /// A file that was written before.
    Written,
}

/// `file` written from its beginning to `length` bytes, in blocks of `block` bytes, direct, by io_uring, `depth` in flight.
///
/// # Errors
/// As `random_reads`.
pub fn sequential_writes(file: &Path, ground: Ground, length: u64, block: usize, depth: usize) -> Result<Got, Failure> {
    let ground = match ground {
        Ground::Reserved => {
            std::fs::File::create(file)?;
            "--fallocate=native"
        }
        Ground::Written => "--overwrite=1",
    };
    let size = format!("--size={length}");
    let answer = run(file, &[size, "--rw=write".to_owned(), format!("--bs={block}"), format!("--iodepth={depth}"), ground.to_owned()])?;
    let write = &answer["jobs"][0]["write"];
    Ok(Got { rate: number(&write["bw_bytes"])?, p99_us: number(&write["lat_ns"]["percentile"]["99.000000"])? / 1000.0 })
}

/// All of `file` read from its beginning in blocks of `block` bytes, direct, by io_uring, `depth` in flight.
///
/// # Errors
/// As `random_reads`.
pub fn sequential_reads(file: &Path, block: usize, depth: usize) -> Result<Got, Failure> {
    let answer = run(file, &[size_of(file)?, "--rw=read".to_owned(), format!("--bs={block}"), format!("--iodepth={depth}")])?;
    let read = &answer["jobs"][0]["read"];
    Ok(Got { rate: number(&read["bw_bytes"])?, p99_us: number(&read["lat_ns"]["percentile"]["99.000000"])? / 1000.0 })
}

fn run(file: &Path, options: &[String]) -> Result<Value, Failure> {
    let common = "--name=load --ioengine=io_uring --direct=1 --thread --group_reporting --lat_percentiles=1 --clat_percentiles=0";
    let output = Command::new("fio")
        .args(common.split(' '))
        .arg("--output-format=json")
        .arg(format!("--filename={}", file.display()))
        .args(options)
        .output()?;
    if !output.status.success() {
        return Err(format!("fio: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn size_of(file: &Path) -> Result<String, Failure> {
    Ok(format!("--size={}", file.metadata()?.len()))
}

fn number(value: &Value) -> Result<f64, Failure> {
    value.as_f64().ok_or_else(|| "fio's output does not have the expected fields".into())
}
