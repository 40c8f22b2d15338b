//! What an import tells at its end.

use super::reject_info::RejectFileInfo;
use serde::Serialize;
use std::collections::BTreeMap;
use tessera_base::Error;

/// Most rejects that are told one by one; all are counted.
pub const REJECTS_KEPT: usize = 1000;
/// Most rows of a dry run's sample.
pub const SAMPLE_ROWS: usize = 20;

/// Most bytes of a row that a dry run shows.
const ROW_SHOWN: usize = 256;

/// A row that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reject {
    /// Line of the stream where the row begins, from 1.
    pub line: u64,
    pub code: &'static str,
    pub message: String,
    /// The column or field at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Of a dry run: the row's beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
}

impl Reject {
    pub fn new(line: u64, error: Error) -> Self {
        let field = error.field.map(|field| field.chars().take(64).collect());
        Self { line, code: error.code.as_str(), message: error.message, field, row: None }
    }

    /// As it is told of a dry run, with the beginning of its row as text.
    #[must_use]
    pub fn with_row(mut self, row: &[u8]) -> Self {
        let shown = &row[..row.len().min(ROW_SHOWN)];
        self.row = Some(match std::str::from_utf8(shown) {
            Ok(text) => text.to_owned(),
            // The cut may lie within a character.
            Err(fault) if fault.error_len().is_none() => String::from_utf8_lossy(&shown[..fault.valid_up_to()]).into_owned(),
            Err(_) => String::from_utf8_lossy(shown).into_owned(),
        });
        self
    }
}

/// The first rejects by line, whichever thread found them when.
#[derive(Debug)]
pub struct Rejects {
    kept: BTreeMap<u64, Reject>,
    most: usize,
}

impl Rejects {
    /// `most`: how many are told one by one.
    pub const fn new(most: usize) -> Self {
        Self { kept: BTreeMap::new(), most }
    }

    pub fn add(&mut self, found: impl IntoIterator<Item = Reject>) {
        for reject in found {
            keep(&mut self.kept, self.most, reject.line, reject);
        }
    }
}

/// The first rows of a dry run by line, as JSON.
#[derive(Debug, Default)]
pub struct Sample {
    rows: BTreeMap<u64, Vec<u8>>,
}

impl Sample {
    /// Whether a row of this line would still belong to the sample.
    pub fn wants(&self, line: u64) -> bool {
        self.rows.len() < SAMPLE_ROWS || self.rows.last_key_value().is_some_and(|(&last, _)| line < last)
    }

    pub fn add(&mut self, line: u64, row: Vec<u8>) {
        keep(&mut self.rows, SAMPLE_ROWS, line, row);
    }
}

fn keep<T>(kept: &mut BTreeMap<u64, T>, most: usize, line: u64, item: T) {
    if kept.len() < most || kept.last_key_value().is_some_and(|(&last, _)| line < last) {
        kept.insert(line, item);
        if kept.len() > most {
            kept.pop_last();
        }
    }
}

/// The end of an import. Every row of the stream is inserted, updated or rejected; in a dry run, merely read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    pub rows: u64,
    pub inserted: u64,
    pub updated: u64,
    pub rejected_total: u64,
    /// All of them.
    pub rejected_by_code: BTreeMap<String, u64>,
    /// The first 1000 by line; of a dry run the first 20.
    pub rejected: Vec<Reject>,
    /// What was rejected, for whoever mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reject_file: Option<RejectFileInfo>,
    /// NDJSON into a set with a distribution bin: rows without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_route: Option<u64>,
    /// As they arrived, before unpacking.
    pub bytes: u64,
    pub elapsed_ms: f64,
    pub rows_per_second: f64,
    /// Of a dry run: the first 20 rows, one JSON object `{"key","bins"}` a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
}

impl ImportReport {
    pub(in crate::load) fn set_rejects(&mut self, rejects: Rejects) {
        self.rejected = rejects.kept.into_values().collect();
    }

    pub(in crate::load) fn set_sample(&mut self, sample: Sample) {
        let lines = sample.rows.into_values().flat_map(|mut row| {
            row.push(b'\n');
            row
        });
        self.sample = String::from_utf8(lines.collect()).ok();
    }

    /// The report as the job keeps it: without the sample, with the first few rejects.
    pub(in crate::load) fn summary(&self) -> String {
        let few = self.rejected.iter().take(SAMPLE_ROWS).cloned().collect();
        let summary = Self { rejected: few, sample: None, ..self.clone() };
        serde_json::to_string(&summary).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_base::ErrorCode;

    #[test]
    fn the_first_by_line_are_kept_whatever_the_order() {
        let mut rejects = Rejects::new(REJECTS_KEPT);
        for line in (1..=3000u64).rev().chain(3001..4000) {
            rejects.add([Reject::new(line, Error::new(ErrorCode::CsvInvalid, "x").in_field("f".repeat(1000)))]);
        }
        let mut report = ImportReport::default();
        report.set_rejects(rejects);
        assert!(report.rejected.iter().map(|reject| reject.line).eq(1..=1000));
        assert_eq!(report.rejected[0].field.as_ref().unwrap().len(), 64);
        let long = Reject::new(1, Error::new(ErrorCode::CsvInvalid, "x")).with_row("é".repeat(200).as_bytes());
        assert_eq!(long.row, Some("é".repeat(128)));
        let mut sample = Sample::default();
        for line in (1..=50u64).rev() {
            assert!(sample.wants(line));
            sample.add(line, line.to_string().into_bytes());
        }
        assert!(!sample.wants(21));
        report.set_sample(sample);
        assert_eq!(report.sample.as_ref().unwrap().lines().count(), SAMPLE_ROWS);
        assert!(report.sample.as_ref().unwrap().starts_with("1\n2\n"));
        assert!(report.summary().starts_with(r#"{"rows":0,"inserted":0"#) && !report.summary().contains("sample"));
    }
}
