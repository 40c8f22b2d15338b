//! What the child does and what the records hold: both processes work it out from the round's seed.

use tessera_base::dice::Dice;
use tessera_core::Namespace;
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::load::{LoadMode, Row, RowBatch, RowSink};
use tessera_record::{Digest, KeyRef, Ttl, Value};

pub const SET: &str = "s";
/// Keys there are, 0 on.
pub const KEYS: u64 = 3000;
/// Names that documents tell, so that each is in many.
const NAMES: u64 = 60;

/// What is under way when the child is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Build,
    Load,
    /// The same few records again and again, so that what is stale piles up and is merged away.
    Rewrite,
    /// Orderly closes, with the index saved, and the starts after them.
    Close,
}

impl Work {
    pub fn of(seed: u64) -> Self {
        [Self::Build, Self::Load, Self::Rewrite, Self::Close][(seed % 4) as usize]
    }
}

/// The indexes that the child makes.
pub fn specs() -> [IndexSpec; 3] {
    let spec = |name: &str, bin: &str, kind, path: Option<&str>| IndexSpec {
        name: name.into(),
        set: Some(SET.into()),
        bin: Some(bin.into()),
        kind,
        path: path.map(Into::into),
        created_at_ms: 0,
    };
    [
        spec("documents", "doc", IndexKind::Document, None),
        spec("numbers", "doc", IndexKind::Range, Some("size")),
        spec("texts", "text", IndexKind::Range, None),
    ]
}

/// Writes `keys` with contents that `dice` decides, in one batch.
pub fn load(namespace: &Namespace, dice: &mut Dice, keys: impl Iterator<Item = i64>) {
    let mut batch = RowBatch::default();
    for (line, key) in (0..).zip(keys) {
        let start = batch.bytes.len() as u32;
        batch.bytes.extend(body(dice, key));
        let (digest, end) = (Digest::of(SET, KeyRef::Integer(key)), batch.bytes.len() as u32);
        batch.rows.push(Row { line, start, end, digest, ttl: Ttl::Default, generation: None, set: None });
    }
    namespace.load_rows(SET, &batch, LoadMode::Upsert).unwrap();
}

pub fn body(dice: &mut Dice, key: i64) -> Vec<u8> {
    let mut name = || Value::String(format!("u{}", dice.roll(NAMES)));
    let author =
        |name: Value, n: i64| Value::Map(vec![("author".into(), Value::Map(vec![("name".into(), name)])), ("n".into(), Value::Int(n))]);
    let commits = vec![author(name(), key % 7), author(name(), key % 11), name()];
    let words = (0..20).map(|_| Value::Int((dice.roll(400) + 1000) as i64)).collect();
    let document = Value::Map(vec![
        ("commits".into(), Value::List(commits)),
        ("words".into(), Value::List(words)),
        ("size".into(), if dice.roll(9) == 0 { Value::Null } else { Value::Double(dice.roll(500) as f64 / 2.0) }),
    ]);
    let text = Value::String(format!("{} {:>30}", dice.roll(90), dice.roll(90)));
    let bins = [("doc", document), ("text", text)];
    // Some records lack the bin that an index is over.
    crate::bodies::body(KeyRef::Integer(key), &bins[usize::from(dice.roll(20) == 0)..])
}

/// A filter that one of the indexes can answer.
pub fn filter(dice: &mut Dice) -> String {
    let (name, word, size, text) = (dice.roll(NAMES + 2), dice.roll(410) + 1000, dice.roll(510), dice.roll(92));
    match dice.roll(6) {
        0 => format!(r#"{{"bin":"doc","op":"contains","value":{{"commits":[{{"author":{{"name":"u{name}"}}}}]}}}}"#),
        1 => format!(r#"{{"bin":"doc","op":"contains","value":{{"commits":["u{name}"],"words":[{word}]}}}}"#),
        2 => format!(r#"{{"bin":"doc","path":"words","op":"contains","value":[{word}]}}"#),
        3 => format!(r#"{{"bin":"doc","path":"size","op":"eq","value":{}.5}}"#, size / 2),
        4 => format!(r#"{{"bin":"doc","path":"size","op":"lt","value":{}}}"#, size / 20),
        _ => format!(r#"{{"and":[{{"bin":"text","op":"ge","value":"{text}"}},{{"bin":"text","op":"lt","value":"{text} z"}}]}}"#),
    }
}
