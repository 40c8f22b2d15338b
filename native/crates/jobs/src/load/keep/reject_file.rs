//! `imports/<job>.rejects.ndjson`: the rows that an import did not take, and why, to be mended and loaded again.

use super::header_file::keep_header;
use super::journal::Interrupted;
use super::reject_info::{CutShort, RejectFileInfo};
use super::report::Reject;
use crate::JobFiles;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, create_anew, sentence, thread_guard};
use tessera_record::ValueRef;
use tessera_record::json::{Shape, write_value};
use tessera_record::msgpack::unpack_value;

/// Most bytes of a row that are kept.
pub const ROW_KEPT: usize = 64 << 10;
/// Largest file.
pub const FILE_BYTES: u64 = 256 << 20;
/// About how much a reader is given at a time, bytes.
const CHUNK: usize = 256 << 10;

/// A reject with its row, or the beginning of it, without the end of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    pub reject: Reject,
    pub row: Vec<u8>,
    /// Whether `row` is only the beginning.
    pub cut: bool,
    /// Whether `row` is MessagePack.
    pub packed: bool,
}

impl Rejected {
    pub fn new(reject: Reject, row: &[u8]) -> Self {
        let row = row.strip_suffix(b"\n").unwrap_or(row);
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        Self { reject, row: row[..row.len().min(ROW_KEPT)].to_vec(), cut: row.len() > ROW_KEPT, packed: false }
    }

    /// Of a value in MessagePack, which has no lines.
    pub fn packed(reject: Reject, value: &[u8]) -> Self {
        Self { reject, row: value[..value.len().min(ROW_KEPT)].to_vec(), cut: value.len() > ROW_KEPT, packed: true }
    }

    /// As it is told of a dry run: with the beginning of its row, of MessagePack as JSON if it can be read.
    pub fn shown(self) -> Reject {
        if !self.packed {
            return self.reject.with_row(&self.row);
        }
        let (mut value, mut text) = (vec![], vec![]);
        match unpack_value(&self.row, &mut value) {
            Ok(()) => write_value(&mut text, ValueRef::of(&value), Shape::Record),
            Err(_) => write_value(&mut text, ValueRef::Bytes(&self.row), Shape::Record),
        }
        self.reject.with_row(&text)
    }
}

/// A row as it was sent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum RawRow<'a> {
    Text(std::borrow::Cow<'a, str>),
    /// It is no UTF-8: in base64.
    Bytes {
        #[serde(rename = "$bytes")]
        bytes: String,
    },
}

/// A line of the file.
#[derive(Debug, Serialize)]
struct LineOut<'a> {
    #[serde(flatten)]
    reject: &'a Reject,
    row: RawRow<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

#[derive(Debug, Deserialize)]
struct LineIn {
    line: u64,
    code: String,
    message: String,
    field: Option<String>,
    row: RawRow<'static>,
    #[serde(default)]
    cut: bool,
}

/// Takes rejects as they are found; made with the first. What goes wrong with it cuts it short and never harms the import.
#[derive(Debug)]
pub struct RejectFile {
    files: JobFiles,
    id: String,
    most: u64,
    file: Option<Arc<File>>,
    rows: u64,
    bytes: u64,
    cut_short: Option<CutShort>,
}

impl RejectFile {
    pub fn new(files: JobFiles, id: &str) -> Self {
        Self { files, id: id.to_owned(), most: FILE_BYTES, file: None, rows: 0, bytes: 0, cut_short: None }
    }

    #[cfg(test)]
    pub fn of_at_most(self, most: u64) -> Self {
        Self { most, ..self }
    }

    /// Of an import that goes on: keeps the rejects before its mark, and returns the first `told` of them by line.
    pub fn going_on(files: JobFiles, id: &str, from: &Interrupted, told: usize) -> (Self, Vec<Reject>) {
        let mut file = Self { cut_short: from.cut_short, ..Self::new(files, id) };
        let mut rejects = vec![];
        let kept = file.keep_before(from.mark.line, told, &mut rejects);
        if kept.is_err() || file.rows < from.counts.rejected.values().sum() {
            file.cut_short.get_or_insert(CutShort::Storage);
        }
        (file, rejects)
    }

    fn keep_before(&mut self, line: u64, told: usize, rejects: &mut Vec<Reject>) -> std::io::Result<()> {
        thread_guard::may_wait("goes through the rejects of an import");
        let before = match File::open(self.path()) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        self.files.make_directory()?;
        let kept = self.files.path(&self.id, JobFiles::REJECTS_NEW);
        let mut file = std::io::BufWriter::new(create_anew(&kept)?);
        let (mut lines, mut text) = (BufReader::new(before), vec![]);
        while next_line(&mut lines, &mut text)? {
            let Ok(found) = serde_json::from_slice::<LineIn>(&text) else { continue };
            if found.line < line {
                file.write_all(&text)?;
                (self.rows, self.bytes) = (self.rows + 1, self.bytes + text.len() as u64);
                if let Some(code) = ErrorCode::ALL.iter().find(|code| code.as_str() == found.code)
                    && rejects.len() < told
                {
                    rejects.push(Reject { line: found.line, code: code.as_str(), message: found.message, field: found.field, row: None });
                }
            }
        }
        let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(&kept, self.path())?;
        self.file = Some(Arc::new(file));
        self.files.sync_directory()
    }

    fn path(&self) -> PathBuf {
        self.files.path(&self.id, JobFiles::REJECTS)
    }

    /// Appends rejects; `header`: that of the upload, if it has one.
    pub fn add(&mut self, found: &[Rejected], header: &[u8]) {
        let mut text = vec![];
        for Rejected { reject, row, cut, packed } in found {
            if self.cut_short.is_some() {
                return;
            }
            let start = text.len();
            let row = match std::str::from_utf8(row) {
                _ if *packed => RawRow::Bytes { bytes: STANDARD.encode(row) },
                Ok(row) => RawRow::Text(row.into()),
                // A cut may lie within a character.
                Err(fault) if *cut && fault.error_len().is_none() => RawRow::Text(String::from_utf8_lossy(&row[..fault.valid_up_to()])),
                Err(_) => RawRow::Bytes { bytes: STANDARD.encode(row) },
            };
            if serde_json::to_writer(&mut text, &LineOut { reject, row, cut: *cut }).is_err() {
                text.truncate(start);
                continue;
            }
            text.push(b'\n');
            if self.bytes + text.len() as u64 > self.most {
                text.truncate(start);
                self.write(&text, header);
                self.cut_short.get_or_insert(CutShort::Size);
                return;
            }
            self.rows += 1;
        }
        self.write(&text, header);
    }

    /// Whole lines or nothing, so that a reader never meets half a one for long.
    fn write(&mut self, text: &[u8], header: &[u8]) {
        if text.is_empty() {
            return;
        }
        match self.append(text, header) {
            Ok(()) => self.bytes += text.len() as u64,
            Err(_) => {
                self.cut_short = Some(CutShort::Storage);
                self.rows -= memchr::memchr_iter(b'\n', text).count() as u64;
                if let Some(file) = &self.file {
                    // Readers pass over half a line that stays.
                    let _ = file.set_len(self.bytes);
                }
            }
        }
    }

    fn append(&mut self, text: &[u8], header: &[u8]) -> std::io::Result<()> {
        thread_guard::may_wait("writes the rejects of an import");
        if self.file.is_none() {
            self.files.make_directory()?;
            keep_header(&self.files, &self.id, header)?;
            self.file = Some(Arc::new(OpenOptions::new().create(true).append(true).open(self.path())?));
        }
        self.file.as_deref().map_or(Ok(()), |mut file| file.write_all(text))
    }

    /// What is to be brought to stable storage before a journal says that these rejects are there.
    pub fn written(&self) -> Option<Arc<File>> {
        self.file.clone()
    }

    /// Says that it lacks what the disk did not take.
    pub fn lacks_some(&mut self) {
        self.cut_short.get_or_insert(CutShort::Storage);
    }

    /// `None` where nothing was rejected.
    pub fn info(&self) -> Option<RejectFileInfo> {
        let there = self.rows > 0 || self.cut_short.is_some();
        there.then_some(RejectFileInfo { rows: self.rows, bytes: self.bytes, cut_short: self.cut_short.is_some(), reason: self.cut_short })
    }

    pub const fn cut_short(&self) -> Option<CutShort> {
        self.cut_short
    }
}

/// Reads a whole line; false at the end, or at half a line that is being written.
fn next_line(lines: &mut impl BufRead, text: &mut Vec<u8>) -> std::io::Result<bool> {
    text.clear();
    Ok(lines.read_until(b'\n', text)? > 0 && text.ends_with(b"\n"))
}

/// What a reader of rejects wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RejectForm {
    /// The file as it is.
    Lines,
    /// The rows alone, below the header of the upload; without those that were cut.
    Rows,
    /// As `Rows`, of an upload in MessagePack: one value behind the other.
    Values,
}

/// Reads a job's rejects, chunk by chunk.
#[derive(Debug)]
pub struct RejectReader {
    lines: BufReader<File>,
    form: RejectForm,
    header: Vec<u8>,
}

impl RejectReader {
    /// # Errors
    /// `rejects_not_found`, `storage_failed`.
    pub fn open(files: &JobFiles, id: &str, form: RejectForm) -> Result<Self> {
        thread_guard::may_wait("opens the rejects of an import");
        let absent = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
        let file = File::open(files.path(id, JobFiles::REJECTS)).map_err(|error| match absent(&error) {
            true => Error::said(ErrorCode::RejectsNotFound, sentence!("no rejected rows were kept for job {id}", id = id)),
            false => failed(&error),
        })?;
        let mut header = match fs::read(files.path(id, JobFiles::HEADER)) {
            Ok(header) if form == RejectForm::Rows => header,
            Err(error) if !absent(&error) => return Err(failed(&error)),
            _ => vec![],
        };
        if !header.is_empty() && !header.ends_with(b"\n") {
            header.push(b'\n');
        }
        Ok(Self { lines: BufReader::with_capacity(CHUNK, file), form, header })
    }

    /// About 256 KiB of whole lines; `None` at the end.
    ///
    /// # Errors
    /// `storage_failed`.
    pub fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        thread_guard::may_wait("reads the rejects of an import");
        let (mut chunk, mut text) = (std::mem::take(&mut self.header), vec![]);
        while chunk.len() < CHUNK && next_line(&mut self.lines, &mut text).map_err(|error| failed(&error))? {
            match self.form {
                RejectForm::Lines => chunk.extend_from_slice(&text),
                RejectForm::Rows => append_row(&text, b"\n", &mut chunk),
                RejectForm::Values => append_row(&text, b"", &mut chunk),
            }
        }
        Ok(Some(chunk).filter(|chunk| !chunk.is_empty()))
    }
}

fn append_row(text: &[u8], end: &[u8], out: &mut Vec<u8>) {
    let Ok(LineIn { row, cut: false, .. }) = serde_json::from_slice::<LineIn>(text) else { return };
    let start = out.len();
    match row {
        RawRow::Text(row) => out.extend_from_slice(row.as_bytes()),
        RawRow::Bytes { bytes } => match STANDARD.decode(bytes) {
            Ok(row) => out.extend_from_slice(&row),
            Err(_) => return,
        },
    }
    if out.len() > start {
        out.extend_from_slice(end);
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::io("read the rejected rows", error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const ID: &str = "0000000000001";

    fn files() -> (tempfile::TempDir, JobFiles) {
        let directory = tempfile::tempdir().unwrap();
        let jobs = crate::JobRegistry::open(Some(directory.path()), crate::JobLimits::default()).unwrap();
        let files = jobs.files().unwrap().clone();
        files.make_directory().unwrap();
        (directory, files)
    }

    fn rejected(line: u64, row: &[u8]) -> Rejected {
        Rejected::new(Reject::new(line, Error::new(ErrorCode::CsvInvalid, "bad").in_field("f")), row)
    }

    fn read(files: &JobFiles, form: RejectForm) -> Vec<u8> {
        let mut reader = RejectReader::open(files, ID, form).unwrap();
        std::iter::from_fn(|| reader.next_chunk().unwrap()).flatten().collect()
    }

    #[test]
    fn rows_come_back_as_they_were_sent() {
        let (_directory, files) = files();
        assert_eq!(RejectReader::open(&files, ID, RejectForm::Lines).unwrap_err().code, ErrorCode::RejectsNotFound);
        let mut file = RejectFile::new(files.clone(), ID);
        assert_eq!(file.info(), None);
        let long = "é".repeat(ROW_KEPT);
        file.add(&[rejected(2, b"1,\"a\nb\"\r\n"), rejected(4, b"\xff,2\n")], b"id,v");
        file.add(&[rejected(5, long.as_bytes()), rejected(6, b"last")], b"id,v");
        let lines = String::from_utf8(read(&files, RejectForm::Lines)).unwrap();
        assert_eq!(lines.lines().next(), Some(r#"{"line":2,"code":"csv_invalid","message":"bad","field":"f","row":"1,\"a\nb\""}"#));
        assert!(lines.lines().nth(1).is_some_and(|line| line.ends_with(r#""row":{"$bytes":"/ywy"}}"#)));
        assert!(lines.lines().nth(2).is_some_and(|line| line.ends_with(r#"é","cut":true}"#) && line.len() < ROW_KEPT + 200));
        assert_eq!(read(&files, RejectForm::Rows), b"id,v\n1,\"a\nb\"\n\xff,2\nlast\n");
        let info = file.info().unwrap();
        assert_eq!((info.rows, info.bytes, info.cut_short), (4, lines.len() as u64, false));
    }

    #[test]
    fn a_file_that_is_full_only_counts() {
        let (_directory, files) = files();
        let mut file = RejectFile::new(files.clone(), ID).of_at_most(250);
        let rows: Vec<Rejected> = (1..9).map(|line| rejected(line, b"0123456789")).collect();
        file.add(&rows, b"");
        file.add(&rows, b"");
        let info = file.info().unwrap();
        let text = read(&files, RejectForm::Lines);
        assert_eq!((info.cut_short, info.reason, info.bytes), (true, Some(CutShort::Size), text.len() as u64));
        assert_eq!(info.rows, text.iter().filter(|&&b| b == b'\n').count() as u64);
        assert!(info.rows > 0 && info.bytes <= 250);
    }

    #[test]
    fn a_full_disk_cuts_the_file_short_and_harms_nothing_else() {
        let (_directory, files) = files();
        symlink("/dev/full", files.path(ID, JobFiles::REJECTS)).unwrap();
        let mut file = RejectFile::new(files.clone(), ID);
        file.add(&[rejected(1, b"x")], b"");
        file.add(&[rejected(2, b"x")], b"");
        let info = RejectFileInfo { rows: 0, bytes: 0, cut_short: true, reason: Some(CutShort::Storage) };
        assert_eq!(file.info(), Some(info));
    }

    #[test]
    fn going_on_forgets_rejects_of_rows_that_come_again() {
        let (_directory, files) = files();
        let mut file = RejectFile::new(files.clone(), ID);
        file.add(&[rejected(2, b"b"), rejected(7, b"g"), rejected(1, b"a")], b"");
        let (mut file, told) = RejectFile::going_on(files.clone(), ID, &Interrupted::at_line(7, 2), 1);
        assert_eq!(told.iter().map(|reject| (reject.line, reject.code)).collect::<Vec<_>>(), [(2, "csv_invalid")]);
        file.add(&[rejected(7, b"G")], b"");
        assert_eq!(read(&files, RejectForm::Rows), b"b\na\nG\n");
        assert_eq!(file.info().map(|info| (info.rows, info.cut_short)), Some((3, false)));
    }

    #[test]
    fn going_on_says_that_rejects_were_lost() {
        let (_directory, files) = files();
        RejectFile::new(files.clone(), ID).add(&[rejected(2, b"b"), rejected(9, b"i")], b"");
        let (file, told) = RejectFile::going_on(files, ID, &Interrupted::at_line(7, 2), 10);
        assert_eq!((told.len(), file.cut_short()), (1, Some(CutShort::Storage)));
    }
}
