//! What an import is asked to do.

use super::cell::ColumnType;
use super::map::{self, GITHUB_ARCHIVE, Mapped};
use crate::load::batch::LoadMode;
use std::collections::BTreeMap;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_record::Ttl;

/// How the stream is cut into rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// PostgreSQL's CSV dialect.
    Csv,
    /// One JSON object a line.
    Ndjson,
    /// One map behind the other.
    Msgpack,
}

impl Format {
    /// Whether the stream names the fields of each row, and not only once.
    pub const fn has_fields(self) -> bool {
        matches!(self, Self::Ndjson | Self::Msgpack)
    }
}

/// How the stream is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Identity,
    Gzip,
    Zstd,
}

/// What a key must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyType {
    /// As the value is: an integer or a string.
    #[default]
    Auto,
    String,
    Integer,
}

/// An import. `ImportSpec::new` has the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportSpec {
    /// Empty for no set.
    pub set: String,
    pub format: Format,
    /// `None`: told from the first bytes.
    pub encoding: Option<Encoding>,
    /// A column or field, or a path into one with dots. `None`: the field `key`, which then is no bin, else the row's
    /// number.
    pub key: Option<String>,
    pub key_type: KeyType,
    pub threads: u32,
    /// Names of CSV columns, in place of the header's.
    pub columns: Option<Vec<String>>,
    /// Whether a CSV stream begins with a row of names. `None`: it does unless `columns` are given.
    pub header: Option<bool>,
    /// Types of CSV columns; `Auto` for those not named.
    pub types: BTreeMap<String, ColumnType>,
    /// The bins of a record, instead of a bin for each column or field.
    pub map: Option<Vec<Mapped>>,
    pub distribution_bin: Option<String>,
    pub mode: LoadMode,
    /// Reads everything, stores nothing.
    pub dry_run: bool,
    pub ttl: Ttl,
    /// Whether record objects go to the sets that they name; those that name none go to `set`. `None`: if `set` is empty.
    pub keep_sets: Option<bool>,
    /// Whether record objects keep their time to live. `None`: they do, unless `ttl` says more.
    pub keep_expiry: Option<bool>,
    /// Whether record objects keep their generations. An import is a write: unless it is asked for, they begin anew, so that no client
    /// takes what was imported for the version that it has read.
    pub keep_generations: bool,
    /// Length of the stream as it arrives, if known: for progress.
    pub bytes_total: Option<u64>,
    /// By which whoever asks knows the job again: 1 to 64 characters of A-Z, a-z, 0-9, '_', '.', '-'.
    pub tag: Option<String>,
}

impl ImportSpec {
    /// An import into `set`, with the defaults.
    pub fn new(set: impl Into<String>, format: Format) -> Self {
        Self {
            set: set.into(),
            format,
            encoding: None,
            key: None,
            key_type: KeyType::Auto,
            threads: 1,
            columns: None,
            header: None,
            types: BTreeMap::new(),
            map: None,
            distribution_bin: None,
            mode: LoadMode::Upsert,
            dry_run: false,
            ttl: Ttl::Default,
            keep_sets: None,
            keep_expiry: None,
            keep_generations: false,
            bytes_total: None,
            tag: None,
        }
    }

    /// Of the GitHub Archive's hourly files: events as the published measurement has them, by their ids.
    ///
    /// # Errors
    /// None: its mapping is legal.
    pub fn github_archive(set: impl Into<String>) -> Result<Self> {
        let map = GITHUB_ARCHIVE.iter().map(|text| Mapped::parse(text)).collect::<Result<_>>()?;
        Ok(Self { key: Some("id".into()), map: Some(map), ..Self::new(set, Format::Ndjson) })
    }

    /// # Errors
    /// `name_invalid`, `threads_invalid`, `bin_name_invalid`, `too_many_bins`, `config_invalid`, `key_invalid`, naming the
    /// field.
    pub fn check(&self) -> Result<()> {
        if !self.set.is_empty() {
            limits::check_name(&self.set, "set")?;
        }
        limits::check_threads(self.threads)?;
        if let Some(tag) = &self.tag {
            check_tag(tag)?;
        }
        if self.key.as_deref() == Some("") {
            return Err(
                Error::said(ErrorCode::KeyInvalid, sentence!("key must be the name of a column, got an empty text")).in_field("key")
            );
        }
        if let Some(bin) = &self.distribution_bin {
            limits::check_bin_name(bin)?;
        }
        if let Some(map) = &self.map {
            map::check(map)?;
            let fault = |message, field| Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(field));
            if !self.types.is_empty() {
                return fault(sentence!("types cannot be used together with map; put the types into map"), "types");
            }
            if self.distribution_bin.as_ref().is_some_and(|bin| map.iter().all(|mapped| mapped.bin != *bin)) {
                return fault(sentence!("map must include the distribution bin"), "distributionBin");
            }
        }
        let fault = |message, field| Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(field));
        if self.key.is_some() || self.map.is_some() {
            let message = || sentence!("records keep what an export wrote only without key and map");
            if self.keep_sets == Some(true) {
                return fault(message(), "keepSets");
            }
            if self.keep_expiry == Some(true) {
                return fault(message(), "keepExpiry");
            }
            if self.keep_generations {
                return fault(message(), "keepGenerations");
            }
        }
        if self.keep_expiry == Some(true) && self.ttl != Ttl::Default {
            return fault(sentence!("keepExpiry cannot be used together with ttlSeconds"), "keepExpiry");
        }
        if self.format.has_fields() {
            return self.check_fields();
        }
        if let Some(columns) = &self.columns {
            check_columns(columns)?;
        } else if self.header == Some(false) {
            return Err(Error::said(ErrorCode::ConfigInvalid, sentence!("without a header line, columns is required")).in_field("columns"));
        }
        Ok(())
    }

    pub(in crate::load) fn has_header(&self) -> bool {
        self.header.unwrap_or(self.columns.is_none())
    }

    fn check_fields(&self) -> Result<()> {
        let only_csv = |field| {
            let message = sentence!("this is for CSV; NDJSON and MessagePack name and type their own fields");
            Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(field))
        };
        match self {
            _ if self.columns.is_some() => only_csv("columns"),
            _ if self.header.is_some() => only_csv("header"),
            _ if !self.types.is_empty() => only_csv("types"),
            _ => Ok(()),
        }
    }
}

/// Longest tag, characters.
const TAG_BYTES: usize = 64;

fn check_tag(tag: &str) -> Result<()> {
    let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    if tag.is_empty() || tag.len() > TAG_BYTES || !tag.bytes().all(legal) {
        let message = sentence!("tag must be 1 to {most} characters of A-Z, a-z, 0-9, '_', '.', '-'", most = TAG_BYTES);
        return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("tag"));
    }
    Ok(())
}

/// Names of columns, given or read from a header.
pub(in crate::load) fn check_columns(columns: &[String]) -> Result<()> {
    if columns.is_empty() || columns.len() > limits::BINS {
        return Err(
            Error::said(ErrorCode::TooManyBins, sentence!("a row must have 1 to {most} columns", most = limits::BINS)).in_field("columns")
        );
    }
    let mut seen = std::collections::HashSet::new();
    for name in columns {
        limits::check_bin_name(name)?;
        if !seen.insert(name) {
            return Err(Error::said(ErrorCode::CsvInvalid, sentence!("two columns have the same name")).in_field(name));
        }
    }
    Ok(())
}

macro_rules! named {
    ($type:ident, $code:ident, $field:literal, $($variant:ident = $text:literal),+) => {
        impl $type {
            /// The name that callers read.
            pub const fn as_str(self) -> &'static str {
                match self { $($type::$variant => $text,)+ }
            }

            /// From the name callers use.
            ///
            /// # Errors
            #[doc = concat!("The field `", $field, "` is at fault.")]
            pub fn parse(text: &str) -> Result<Self> {
                match text {
                    $($text => Ok($type::$variant),)+
                    _ => Err(Error::said(ErrorCode::$code, sentence!("{field} must be one of {names}, got \"{given}\"", field = $field, names = [$($text),+].join(", "), given = limits::shown(text))).in_field($field)),
                }
            }
        }
    };
}

named!(Format, ConfigInvalid, "format", Csv = "csv", Ndjson = "ndjson", Msgpack = "msgpack");
named!(Encoding, EncodingInvalid, "encoding", Identity = "identity", Gzip = "gzip", Zstd = "zstd");
named!(
    ColumnType,
    ConfigInvalid,
    "types",
    Auto = "auto",
    String = "string",
    Integer = "integer",
    Double = "double",
    Boolean = "boolean",
    Json = "json"
);
named!(KeyType, ConfigInvalid, "keyType", Auto = "auto", String = "string", Integer = "integer");
named!(LoadMode, ConfigInvalid, "mode", Upsert = "upsert", Insert = "insert");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_names_its_field() {
        let csv = || ImportSpec::new("events", Format::Csv);
        let ndjson = || ImportSpec::new("events", Format::Ndjson);
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(csv().check(), Ok(()));
        assert_eq!(ImportSpec { tag: Some("a_B.9-".repeat(10)), ..csv() }.check(), Ok(()));
        assert_eq!(ImportSpec { columns: names(&["a", "b"]), header: Some(false), ..csv() }.check(), Ok(()));
        for (spec, code, field) in [
            (ImportSpec { set: "a/b".into(), ..csv() }, ErrorCode::NameInvalid, "set"),
            (ImportSpec { threads: 0, ..csv() }, ErrorCode::ThreadsInvalid, "threads"),
            (ImportSpec { key: Some(String::new()), ..csv() }, ErrorCode::KeyInvalid, "key"),
            (ImportSpec { header: Some(false), ..csv() }, ErrorCode::ConfigInvalid, "columns"),
            (ImportSpec { columns: names(&[]), ..csv() }, ErrorCode::TooManyBins, "columns"),
            (ImportSpec { columns: names(&["a", "a"]), ..csv() }, ErrorCode::CsvInvalid, "a"),
            (ImportSpec { columns: names(&[""]), ..csv() }, ErrorCode::BinNameInvalid, ""),
            (ImportSpec { tag: Some(String::new()), ..csv() }, ErrorCode::ConfigInvalid, "tag"),
            (ImportSpec { tag: Some("a b".into()), ..csv() }, ErrorCode::ConfigInvalid, "tag"),
            (ImportSpec { tag: Some("x".repeat(65)), ..csv() }, ErrorCode::ConfigInvalid, "tag"),
            (ImportSpec { distribution_bin: Some("\0".into()), ..csv() }, ErrorCode::BinNameInvalid, "\0"),
            (ImportSpec { columns: names(&["a"]), ..ndjson() }, ErrorCode::ConfigInvalid, "columns"),
            (ImportSpec { header: Some(true), ..ndjson() }, ErrorCode::ConfigInvalid, "header"),
        ] {
            let error = spec.check().unwrap_err();
            assert_eq!((error.code, error.field.as_deref()), (code, Some(field)));
        }
        assert_eq!(Encoding::parse("brotli").unwrap_err().code, ErrorCode::EncodingInvalid);
        assert_eq!(Encoding::parse("zstd"), Ok(Encoding::Zstd));
    }
}
