//! Which bins a row's columns or fields become: renamed, left out, taken from a path, held to a type.

use super::cell::{self, Cell, ColumnType};
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};
use tessera_record::body::RawBins;
use tessera_record::json::{Shape, Workspace, write_value};
use tessera_record::{BinsBuilder, Encoder, ValueRef};

/// What a GitHub Archive event becomes: the columns of the published measurement.
pub const GITHUB_ARCHIVE: [&str; 9] = [
    "event_id:id",
    "event_type:type",
    "event_public:public",
    "repo_id:repo.id",
    "payload:payload",
    "repo:repo",
    "actor:actor",
    "org:org",
    "created_at:created_at",
];

/// A bin, and where its value is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    pub bin: String,
    /// A column or field, or a path into one with dots.
    pub source: String,
    pub kind: ColumnType,
    /// Whether the column is read as text because its bins differ in type, though this one has none.
    pub(in crate::load) untyped: bool,
}

impl Mapped {
    /// Reads `bin:source` or `bin:source:type`.
    ///
    /// # Errors
    /// `config_invalid`, `bin_name_invalid`.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid =
            || Error::said(ErrorCode::ConfigInvalid, sentence!("map must be a list of bin:source or bin:source:type")).in_field("map");
        let (bin, rest) = text.split_once(':').ok_or_else(invalid)?;
        let typed = rest.rsplit_once(':').and_then(|(source, kind)| Some((source, ColumnType::parse(kind).ok()?)));
        let (source, kind) = typed.unwrap_or((rest, ColumnType::Auto));
        limits::check_bin_name(bin)?;
        if source.is_empty() || source.len() > limits::KEY_BYTES {
            return Err(invalid());
        }
        Ok(Self { bin: bin.to_owned(), source: source.to_owned(), kind, untyped: false })
    }

    /// The column or field that the source begins with, if it is none itself.
    pub fn column(&self) -> &str {
        self.source.split_once('.').map_or(&self.source, |(first, _)| first)
    }
}

/// # Errors
/// `config_invalid` for no mapping or too many, and for two of one bin.
pub fn check(map: &[Mapped]) -> Result<()> {
    let invalid = |message: Sentence| Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("map"));
    if map.is_empty() || map.len() > limits::COLUMNS {
        return invalid(sentence!("map must have 1 to {most} bins", most = limits::COLUMNS));
    }
    let mut seen = std::collections::HashSet::new();
    match map.iter().find(|mapped| !seen.insert(&*mapped.bin)) {
        Some(mapped) => invalid(sentence!("the bin \"{bin}\" is mapped twice", bin = &mapped.bin)),
        None => Ok(()),
    }
}

/// As what the column `name` of CSV is read, so that each of its bins can have the type that it wants; `None` where it has no bin.
pub(in crate::load) fn column_kind(map: &mut [Mapped], name: &str) -> Option<ColumnType> {
    let mut kinds = map.iter().filter(|mapped| mapped.source == name).map(|mapped| mapped.kind);
    let first = kinds.next()?;
    if kinds.all(|kind| kind == first) {
        return Some(first);
    }
    // Only of the text can each type be had.
    map.iter_mut().filter(|mapped| mapped.source == name).for_each(|mapped| mapped.untyped = mapped.kind == ColumnType::Auto);
    Some(ColumnType::String)
}

/// The mapped bins, written into `buffer`. A source that a row lacks makes no bin.
///
/// # Errors
/// `csv_invalid`, `json_invalid`, `number_out_of_range` for a value that is not of its type, naming the bin.
pub fn apply<'b>(map: &[Mapped], bins: &RawBins<'_>, work: &mut Workspace, buffer: &'b mut Vec<u8>) -> Result<RawBins<'b>> {
    buffer.clear();
    let mut mapped = BinsBuilder::new(buffer);
    for Mapped { bin, source, kind, untyped } in map {
        let Some(value) = find(bins.clone(), source) else { continue };
        if *kind == ColumnType::Auto && !untyped {
            mapped.encoded(bin.as_bytes(), value)?;
            continue;
        }
        let open = mapped.open_checked(bin)?;
        held(ValueRef::of(value), *kind, !untyped, work, &mut mapped.encoder()).map_err(|error| error.in_field(bin.clone()))?;
        mapped.close(open);
    }
    let count = mapped.count();
    Ok(RawBins::new(count, buffer))
}

/// The encoded value of the bin of that name, or what the path's parts lead to.
fn find<'a>(mut bins: RawBins<'a>, source: &str) -> Option<&'a [u8]> {
    if let Some((_, value)) = bins.clone().find(|(name, _)| *name == source.as_bytes()) {
        return Some(value);
    }
    let (first, rest) = source.split_once('.')?;
    let (_, value) = bins.find(|(name, _)| *name == first.as_bytes())?;
    rest.split('.').try_fold(value, |value, part| match ValueRef::of(value) {
        ValueRef::Map(map) => map.raw_entries().find(|(name, _)| *name == part.as_bytes()).map(|(_, value)| value),
        _ => None,
    })
}

/// Appends a value as one of `kind`. Text is read as a cell is, `quoted` or not; null stays null.
fn held(value: ValueRef<'_>, kind: ColumnType, quoted: bool, work: &mut Workspace, out: &mut Encoder<'_>) -> Result<()> {
    match (value, kind) {
        (ValueRef::Null, _) => out.null(),
        (ValueRef::String(text), _) => {
            let text = std::str::from_utf8(text).map_err(|_| Error::said(ErrorCode::Utf8Invalid, sentence!("the text is not UTF-8")))?;
            return cell::encode(&Cell { text, quoted: quoted || text.is_empty() }, kind, work, out);
        }
        (ValueRef::Int(number), ColumnType::Double) => out.double(number as f64),
        (ValueRef::Int(_), ColumnType::Integer)
        | (ValueRef::Double(_), ColumnType::Double)
        | (ValueRef::Bool(_), ColumnType::Boolean)
        | (_, ColumnType::Json | ColumnType::Auto) => out.value(&value.to_value()),
        (ValueRef::Int(_) | ValueRef::Double(_) | ValueRef::Bool(_), ColumnType::String) => {
            let mut text = Vec::new();
            write_value(&mut text, value, Shape::Record);
            out.string(&String::from_utf8_lossy(&text));
        }
        _ => return Err(Error::said(ErrorCode::CsvInvalid, sentence!("the value must have the type {kind}", kind = kind.as_str()))),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_record::Value;
    use tessera_record::json::parse_bins;

    fn map(row: &str, map: &[&str]) -> Result<Vec<(String, Value)>> {
        let map: Vec<Mapped> = map.iter().map(|text| Mapped::parse(text)).collect::<Result<_>>()?;
        check(&map)?;
        let (mut bytes, mut buffer) = (vec![], vec![]);
        parse_bins(row.as_bytes(), Shape::Record, &mut BinsBuilder::new(&mut bytes))?;
        let count = parse_count(row)?;
        let bins = apply(&map, &RawBins::new(count, &bytes), &mut Workspace::default(), &mut buffer)?;
        Ok(bins.map(|(name, value)| (String::from_utf8_lossy(name).into(), ValueRef::of(value).to_value())).collect())
    }

    fn parse_count(row: &str) -> Result<u16> {
        let mut bytes = vec![];
        let mut bins = BinsBuilder::new(&mut bytes);
        parse_bins(row.as_bytes(), Shape::Record, &mut bins)?;
        Ok(bins.count())
    }

    #[test]
    fn bins_are_renamed_left_out_and_taken_from_paths() {
        let row = r#"{"id":"7","type":"PushEvent","repo":{"id":5,"owner":{"login":"a"}},"a.b":1,"a":{"b":2}}"#;
        let found =
            map(row, &["kind:type", "repo_id:repo.id", "who:repo.owner.login", "id:id:integer", "x:a.b", "none:repo.name", "no:id.x"]);
        let text = |text: &str| Value::String(text.into());
        let expected =
            [("kind", text("PushEvent")), ("repo_id", Value::Int(5)), ("who", text("a")), ("id", Value::Int(7)), ("x", Value::Int(1))];
        assert_eq!(found.unwrap(), expected.map(|(bin, value)| (bin.to_owned(), value)));
    }

    #[test]
    fn values_are_held_to_their_types() {
        let one = |value: &str, kind: &str| map(&format!("{{\"v\":{value}}}"), &[&format!("v:v:{kind}")]).map(|mut bins| bins.remove(0).1);
        assert_eq!(one("7", "string"), Ok(Value::String("7".into())));
        assert_eq!(one("7", "double"), Ok(Value::Double(7.0)));
        assert_eq!(one("\"t\"", "boolean"), Ok(Value::Bool(true)));
        assert_eq!(one("\"[1]\"", "json"), Ok(Value::List(vec![Value::Int(1)])));
        assert_eq!(one("null", "integer"), Ok(Value::Null));
        for (value, kind, code) in [
            ("1.5", "integer", ErrorCode::CsvInvalid),
            ("[1]", "string", ErrorCode::CsvInvalid),
            ("true", "double", ErrorCode::CsvInvalid),
            ("\"x\"", "integer", ErrorCode::CsvInvalid),
            ("\"{\"", "json", ErrorCode::JsonInvalid),
        ] {
            let error = one(value, kind).unwrap_err();
            assert_eq!((error.code, error.field.as_deref()), (code, Some("v")), "{value} {kind}");
        }
    }

    #[test]
    fn what_is_no_mapping_is_refused() {
        for text in ["", "a", "a:", "a::integer"] {
            assert_eq!(Mapped::parse(text).unwrap_err().code, ErrorCode::ConfigInvalid, "{text}");
        }
        assert_eq!(Mapped::parse(":a").unwrap_err().code, ErrorCode::BinNameInvalid);
        assert_eq!(Mapped::parse("a:b:c").unwrap().source, "b:c");
        assert_eq!(map("{}", &["a:b", "a:c"]).unwrap_err().code, ErrorCode::ConfigInvalid);
        assert_eq!(check(&[]).unwrap_err().code, ErrorCode::ConfigInvalid);
    }
}
