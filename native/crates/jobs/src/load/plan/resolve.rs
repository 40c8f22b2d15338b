//! An import's specification, resolved against the columns that the stream really has.

use super::cell::ColumnType;
use super::exported;
use super::map::{Mapped, column_kind};
use super::spec::{Format, ImportSpec, KeyType, check_columns};
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_record::{KeyLimit, Ttl};

/// How every row is read; shared by all threads.
#[derive(Clone, Debug)]
pub struct Plan {
    pub format: Format,
    pub set: String,
    /// Of CSV; the other formats have none.
    pub columns: Vec<Column>,
    pub key: KeySource,
    pub key_type: KeyType,
    /// The bins of a record, where they are not the columns or fields.
    pub map: Option<Vec<Mapped>>,
    /// The bin that decides a row's segment.
    pub route: Option<String>,
    /// The header of the stream as it was sent, where it has one.
    pub header: Vec<u8>,
    /// Line of the first row: rows without a key are numbered from here.
    pub first_line: u64,
    /// Longest row, bytes of text.
    pub row_bytes: usize,
    /// Largest body, bytes.
    pub record_bytes: usize,
    pub key_limit: KeyLimit,
    /// Whether records have one bin, `value`.
    pub single_bin: bool,
    pub ttl: Ttl,
    /// Whether a record object goes to the set that it names, and keeps its time to live and its generation.
    pub keep_sets: bool,
    pub keep_expiry: bool,
    pub keep_generations: bool,
    /// CSV that is an export with metadata: how many columns come before those of the bins.
    pub exported: Option<usize>,
    /// Unix seconds.
    pub now: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnType,
    /// Of an export with metadata: see `cell::encode_exported`.
    pub exported: bool,
}

/// Where a row's key comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// The field `key`, which then is no bin; without one, the row's number.
    Default,
    /// A bin of this name, or else a path into the bin that the first part names.
    Path(String),
}

impl Column {
    fn of_export(name: String) -> Self {
        let is_text = exported::is_text(&name);
        Self { name, kind: if is_text { ColumnType::String } else { ColumnType::Auto }, exported: !is_text }
    }
}

impl Plan {
    pub fn new(spec: &ImportSpec, route: Option<String>, record_bytes: usize, now: u32) -> Self {
        Self {
            format: spec.format,
            set: spec.set.clone(),
            columns: vec![],
            key: spec.key.clone().map_or(KeySource::Default, KeySource::Path),
            key_type: spec.key_type,
            map: spec.map.clone(),
            route,
            header: vec![],
            first_line: 1,
            row_bytes: limits::ROW_BYTES,
            record_bytes,
            key_limit: KeyLimit::default(),
            single_bin: false,
            ttl: spec.ttl,
            keep_sets: spec.keep_sets.unwrap_or(spec.set.is_empty()),
            keep_expiry: spec.keep_expiry.unwrap_or(true),
            keep_generations: spec.keep_generations,
            exported: None,
            now,
        }
    }

    /// Gives a CSV plan its columns.
    ///
    /// # Errors
    /// `csv_invalid`, `bin_name_invalid`, `too_many_bins` for the names; `column_unknown` when the key, a type or the
    /// distribution bin names a column that is not there.
    pub fn set_columns(&mut self, names: Vec<String>, spec: &ImportSpec) -> Result<()> {
        check_columns(&names)?;
        let plain = spec.key.is_none() && spec.map.is_none() && spec.types.is_empty();
        if let Some(leading) = exported::leading(&names).filter(|_| plain) {
            self.exported = Some(leading);
            self.columns = names.into_iter().map(Column::of_export).collect();
            return Ok(());
        }
        let known = |name: &str| names.iter().any(|column| column == name);
        let unknown = |name: &str, field| {
            let shown = names.join(", ").chars().take(200).collect::<String>();
            Err(Error::said(
                ErrorCode::ColumnUnknown,
                sentence!("there is no column \"{name}\"; the columns are {columns}", name = name, columns = shown),
            )
            .in_field(field))
        };
        if let KeySource::Path(path) = &self.key
            && !known(path)
            && !path.split_once('.').is_some_and(|(first, _)| known(first))
        {
            return unknown(path, "key");
        }
        if let Some(name) = spec.types.keys().find(|name| !known(name)) {
            return unknown(name, "types");
        }
        let map = spec.map.as_deref().unwrap_or_default();
        if let Some(mapped) = map.iter().find(|mapped| !known(&mapped.source) && !known(mapped.column())) {
            return unknown(&mapped.source, "map");
        }
        let bin_known = |name: &str| if spec.map.is_some() { map.iter().any(|mapped| mapped.bin == name) } else { known(name) };
        if let Some(name) = self.route.as_ref().filter(|name| !bin_known(name)) {
            return unknown(name, "distributionBin");
        }
        let mut map = self.map.as_deref_mut();
        let mut mapped = |name: &str| map.as_deref_mut().and_then(|map| column_kind(map, name));
        let mut kind = |name: &String| spec.types.get(name).copied().or_else(|| mapped(name)).unwrap_or_default();
        self.columns = names.into_iter().map(|name| Column { kind: kind(&name), name, exported: false }).collect();
        Ok(())
    }
}
