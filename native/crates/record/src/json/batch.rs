//! One line of a batch of writes: `{"key":..,"bins":{..},"ttlSeconds"?:..,"op"?:"put"|"delete"}`.

use super::Shape;
use super::parse::{Parser, Workspace, utf8};
use crate::body::RawBins;
use crate::{BinsBuilder, BodyBuilder, Encoder, Key, KeyLimit, Ttl, ValueRef};
use tessera_base::{Error, ErrorCode, Result, sentence};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BatchOp {
    #[default]
    Put,
    Delete,
}

/// What a line asks for, beside the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchLine {
    pub key: Key,
    pub op: BatchOp,
    pub ttl: Ttl,
}

/// Parses lines; its buffers are reused from line to line.
#[derive(Debug, Default)]
pub struct BatchParser {
    key_limit: KeyLimit,
    work: Workspace,
    bins: Vec<u8>,
    value: Vec<u8>,
}

#[derive(Default)]
struct Fields {
    key: Option<Key>,
    bins: Option<u16>,
    ttl: Option<Ttl>,
    op: Option<BatchOp>,
}

impl BatchParser {
    /// For lines whose keys are of a namespace with that limit.
    pub fn new(key_limit: KeyLimit) -> Self {
        Self { key_limit, ..Self::default() }
    }

    /// Parses one line and, for a put, appends the record's body to `out`; after an error `out` is as before.
    ///
    /// # Errors
    /// What `parse_bins` and `parse_key` refuse; `field_unknown`, `key_missing`, `ttl_invalid`.
    pub fn line(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<BatchLine> {
        self.bins.clear();
        let fields = self.fields(utf8(line)?)?;
        let key = fields.key.ok_or_else(|| Error::said(ErrorCode::KeyMissing, sentence!("a line needs a key")).in_field("key"))?;
        let line = BatchLine { key, op: fields.op.unwrap_or_default(), ttl: fields.ttl.unwrap_or_default() };
        match (line.op, fields.bins) {
            (BatchOp::Put, Some(count)) => {
                let mut body = BodyBuilder::new(out, line.key.as_ref());
                body.built_bins(&RawBins::new(count, &self.bins))?;
                body.finish();
            }
            (BatchOp::Put, None) => return Err(Error::said(ErrorCode::JsonInvalid, sentence!("a put needs bins")).in_field("bins")),
            (BatchOp::Delete, None) => {}
            (BatchOp::Delete, Some(_)) => {
                return Err(Error::said(ErrorCode::JsonInvalid, sentence!("a delete must not have bins")).in_field("bins"));
            }
        }
        Ok(line)
    }

    fn fields(&mut self, text: &str) -> Result<Fields> {
        let mut fields = Fields::default();
        let mut parser = Parser::<false>::new(text, Shape::Record, &mut self.work);
        parser.open_object().map_err(|fault| fault.error(parser.at))?;
        if parser.token().map_err(|fault| fault.error(parser.at))? == b'}' {
            return Ok(fields);
        }
        loop {
            let at = parser.at;
            let span = parser.name().map_err(|fault| fault.error(parser.at))?;
            let name = Field::of(span.of(parser.text, &parser.work.unescaped))?;
            parser.colon().map_err(|fault| fault.error(parser.at))?;
            let again = match name {
                Field::Key => fields.key.replace(parser.key(&mut self.value, self.key_limit)?).is_some(),
                Field::Bins => {
                    let mut bins = BinsBuilder::new(&mut self.bins);
                    parser.bins(&mut bins)?;
                    fields.bins.replace(bins.count()).is_some()
                }
                Field::TtlSeconds => fields.ttl.replace(ttl(scalar(&mut parser, &mut self.value, "ttlSeconds")?)?).is_some(),
                Field::Op => fields.op.replace(op(scalar(&mut parser, &mut self.value, "op")?)?).is_some(),
            };
            if again {
                return Err(super::Fault::Duplicate.error(at));
            }
            if parser.last_entry().map_err(|fault| fault.error(parser.at))? {
                break;
            }
        }
        parser.at += 1;
        parser.end().map_err(|fault| fault.error(parser.at))?;
        Ok(fields)
    }
}

#[derive(Clone, Copy)]
enum Field {
    Key,
    Bins,
    TtlSeconds,
    Op,
}

impl Field {
    fn of(name: &str) -> Result<Self> {
        match name {
            "key" => Ok(Field::Key),
            "bins" => Ok(Field::Bins),
            "ttlSeconds" => Ok(Field::TtlSeconds),
            "op" => Ok(Field::Op),
            _ => Err(Error::said(ErrorCode::FieldUnknown, sentence!("a line may only have the fields key, bins, ttlSeconds and op"))
                .in_field(name)),
        }
    }
}

fn scalar<'v>(parser: &mut Parser<'_, '_>, value: &'v mut Vec<u8>, field: &str) -> Result<ValueRef<'v>> {
    value.clear();
    parser.value(&mut Encoder::new(value)).map_err(|fault| fault.error(parser.at).in_field(field))?;
    Ok(ValueRef::of(value))
}

fn ttl(value: ValueRef<'_>) -> Result<Ttl> {
    match value {
        ValueRef::Int(seconds) => Ttl::from_seconds(seconds),
        _ => Err(Error::said(ErrorCode::TtlInvalid, sentence!("ttlSeconds must be a whole number of seconds")).in_field("ttlSeconds")),
    }
}

fn op(value: ValueRef<'_>) -> Result<BatchOp> {
    match value {
        ValueRef::String(b"put") => Ok(BatchOp::Put),
        ValueRef::String(b"delete") => Ok(BatchOp::Delete),
        _ => Err(Error::said(ErrorCode::JsonInvalid, sentence!("op must be \"put\" or \"delete\"")).in_field("op")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyRef, Value};

    fn parse(line: &str) -> (Result<BatchLine>, Vec<u8>) {
        let mut out = vec![];
        (BatchParser::default().line(line.as_bytes(), &mut out), out)
    }

    #[test]
    fn a_put_carries_a_body() {
        let (line, body) = parse(r#" {"bins":{"a":1,"b":[true]},"key":"k","ttlSeconds":60} "#);
        let line = line.unwrap();
        assert_eq!(line, BatchLine { key: Key::String("k".into()), op: BatchOp::Put, ttl: Ttl::Seconds(60) });
        BodyRef::validate(&body).unwrap();
        assert_eq!(BodyRef::new(&body).key(), line.key.as_ref());
        assert_eq!(BodyRef::new(&body).bin("b").unwrap().to_value(), Value::List(vec![Value::Bool(true)]));
    }

    #[test]
    fn a_delete_carries_none() {
        let (line, body) = parse(r#"{"key":42,"op":"delete"}"#);
        assert_eq!(line.unwrap(), BatchLine { key: Key::Integer(42), op: BatchOp::Delete, ttl: Ttl::Default });
        assert!(body.is_empty());
    }

    #[test]
    fn every_fault_has_its_code() {
        for (line, code) in [
            ("", ErrorCode::JsonInvalid),
            ("[]", ErrorCode::JsonInvalid),
            ("{}", ErrorCode::KeyMissing),
            (r#"{"bins":{}}"#, ErrorCode::KeyMissing),
            (r#"{"key":"k"}"#, ErrorCode::JsonInvalid),
            (r#"{"key":"k","bins":{},"op":"delete"}"#, ErrorCode::JsonInvalid),
            (r#"{"key":"k","bins":{},"op":"upsert"}"#, ErrorCode::JsonInvalid),
            (r#"{"key":"k","bins":{},"colour":1}"#, ErrorCode::FieldUnknown),
            (r#"{"key":"k","key":"k","bins":{}}"#, ErrorCode::JsonDuplicateKey),
            (r#"{"key":"k","bins":{"a":1,"a":2}}"#, ErrorCode::JsonDuplicateKey),
            (r#"{"key":1.5,"bins":{}}"#, ErrorCode::KeyInvalid),
            (r#"{"key":"","bins":{}}"#, ErrorCode::KeyInvalid),
            (r#"{"key":{"bytes":"?"},"bins":{}}"#, ErrorCode::EncodingInvalid),
            (r#"{"key":"k","bins":{},"ttlSeconds":-9}"#, ErrorCode::TtlInvalid),
            (r#"{"key":"k","bins":{},"ttlSeconds":"1"}"#, ErrorCode::TtlInvalid),
            (r#"{"key":"k","bins":{"":1}}"#, ErrorCode::BinNameInvalid),
            (r#"{"key":"k","bins":{}} x"#, ErrorCode::JsonInvalid),
            (r#"{"key":"k","bins":{"n":9223372036854775808}}"#, ErrorCode::NumberOutOfRange),
        ] {
            let (read, body) = parse(line);
            assert_eq!(read.unwrap_err().code, code, "{line}");
            assert!(body.is_empty());
        }
    }
}
