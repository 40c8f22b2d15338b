//! What an index covers, as it was asked for.

use serde::{Deserialize, Serialize};
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_record::Path;

/// Definition of a document or range index; kept in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexSpec {
    /// Unique in its namespace.
    pub name: String,
    /// Only records of this set; `None` means every record of the namespace.
    pub set: Option<String>,
    /// `None` means the whole record, as a map of its bins; of document indexes only.
    #[serde(default)]
    pub bin: Option<String>,
    pub kind: IndexKind,
    /// Dotted path inside the bin, for range indexes over a map.
    pub path: Option<String>,
    /// Unix milliseconds; stamped when the index is created.
    #[serde(default)]
    pub created_at_ms: u64,
}

/// What an index can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexKind {
    /// Containment over the JSON in the bin, or in all bins.
    Document,
    /// Ordered numbers or strings: equality and range.
    Range,
}

impl IndexSpec {
    /// Refuses what no index can be.
    ///
    /// # Errors
    /// `name_invalid`, `bin_name_invalid`, `config_invalid`.
    pub fn check(&self) -> Result<()> {
        limits::check_name(&self.name, "name")?;
        if let Some(set) = &self.set {
            limits::check_name(set, "set")?;
        }
        match (&self.bin, self.kind) {
            (Some(bin), _) => limits::check_bin_name(bin)?,
            (None, IndexKind::Document) => {}
            (None, IndexKind::Range) => {
                return Err(Error::said(ErrorCode::ConfigInvalid, sentence!("a range index needs a bin")).in_field("bin"));
            }
        }
        match (&self.path, self.kind) {
            (None, _) => Ok(()),
            (Some(path), IndexKind::Range) => Path::parse(path).map(drop),
            (Some(_), IndexKind::Document) => {
                Err(Error::said(ErrorCode::ConfigInvalid, sentence!("a document index covers the whole bin; leave path out"))
                    .in_field("path"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_index_can_be_is_refused() {
        let text = |text: &str| Some(text.to_owned());
        let spec = |kind, bin, path| IndexSpec { name: "n".to_owned(), set: None, bin, kind, path, created_at_ms: 0 };
        let (document, range) = (IndexKind::Document, IndexKind::Range);
        for spec in [
            spec(document, None, None),
            spec(document, text("b"), None),
            spec(range, text("b"), None),
            IndexSpec { set: text("s"), ..spec(range, text("b"), text("a[0]")) },
        ] {
            assert_eq!(spec.check(), Ok(()));
        }
        for (spec, field) in [
            (IndexSpec { name: String::new(), ..spec(document, None, None) }, "name"),
            (IndexSpec { set: text(""), ..spec(document, None, None) }, "set"),
            (spec(range, None, None), "bin"),
            (spec(range, text("b"), text("a[")), "path"),
            (spec(range, text("b"), text("a[*]")), "path"),
            (spec(document, text("b"), text("a")), "path"),
        ] {
            assert_eq!(spec.check().unwrap_err().field.as_deref(), Some(field));
        }
        assert_eq!(spec(document, text(""), None).check().unwrap_err().code, ErrorCode::BinNameInvalid);
    }
}
