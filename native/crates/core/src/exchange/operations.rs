//! Operations as the compatible API names them.

use super::wire;
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};
use tessera_record::json::Shape;
use tessera_record::{Encoder, MapRef, Operation, ValueRef, json};

/// How an operation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `{"operation":"ADD","opValues":{"bin":"n","incr":2}}`, of `/v1/operate`.
    Named,
    /// `{"type":"ADD","binName":"n","incr":2}`, of `/v2/operate` and of batches.
    Typed,
}

/// Operations of the other server that are not here, by family; one that its two APIs name differently has both names.
const ABSENT: [(&str, &str); 4] = [
    ("BIT_", "ADD AND COUNT GET GET_INT INSERT LSCAN LSHIFT NOT OR REMOVE RESIZE RSCAN RSHIFT SET SET_INT SUBTRACT XOR"),
    ("HLL_", "ADD COUNT DESCRIBE FOLD INIT INTERSECT_COUNT SET_COUNT SET_UNION SIMILARITY UNION UNION_COUNT"),
    (
        "LIST_",
        "APPEND APPEND_ITEMS CLEAR CREATE GET GET_BY_INDEX GET_BY_INDEX_RANGE GET_BY_RANK GET_BY_RANK_RANGE GET_BY_VALUE \
         GET_BY_VALUE_LIST GET_BY_VALUE_RANGE GET_BY_VALUE_RELATIVE_RANK_RANGE GET_BY_VALUE_REL_RANK_RANGE GET_RANGE INCREMENT \
         INSERT INSERT_ITEMS POP POP_RANGE REMOVE REMOVE_BY_INDEX REMOVE_BY_INDEX_RANGE REMOVE_BY_RANK REMOVE_BY_RANK_RANGE \
         REMOVE_BY_VALUE REMOVE_BY_VALUE_LIST REMOVE_BY_VALUE_RANGE REMOVE_BY_VALUE_RELATIVE_RANK_RANGE \
         REMOVE_BY_VALUE_REL_RANK_RANGE REMOVE_RANGE SET SET_ORDER SIZE SORT TRIM",
    ),
    (
        "MAP_",
        "CLEAR CREATE DECREMENT GET_BY_INDEX GET_BY_INDEX_RANGE GET_BY_KEY GET_BY_KEY_LIST GET_BY_KEY_RANGE \
         GET_BY_KEY_RELATIVE_INDEX_RANGE GET_BY_KEY_REL_INDEX_RANGE GET_BY_RANK GET_BY_RANK_RANGE GET_BY_VALUE GET_BY_VALUE_LIST \
         GET_BY_VALUE_RANGE GET_BY_VALUE_RELATIVE_RANK_RANGE GET_BY_VALUE_REL_RANK_RANGE INCREMENT PUT PUT_ITEMS REMOVE_BY_INDEX \
         REMOVE_BY_INDEX_RANGE REMOVE_BY_KEY REMOVE_BY_KEY_RANGE REMOVE_BY_KEY_RELATIVE_INDEX_RANGE REMOVE_BY_KEY_REL_INDEX_RANGE \
         REMOVE_BY_RANK REMOVE_BY_RANK_RANGE REMOVE_BY_VALUE REMOVE_BY_VALUE_LIST REMOVE_BY_VALUE_RANGE \
         REMOVE_BY_VALUE_RELATIVE_RANK_RANGE REMOVE_BY_VALUE_REL_RANK_RANGE SET_MAP_POLICY SET_POLICY SIZE",
    ),
];

/// Reads a list of operations.
///
/// # Errors
/// `operation_invalid`, `bin_name_invalid`, `unsupported` for operations of the other server that are not here, and what the
/// text itself is refused for.
pub fn parse_operations(text: &[u8], dialect: Dialect, shape: Shape) -> Result<Vec<Operation>> {
    let mut encoded = Vec::new();
    wire::parse_value(text, shape, &mut encoded)?;
    let ValueRef::List(items) = ValueRef::of(&encoded) else { return Err(invalid(sentence!("the operations must be a list"))) };
    let mut operations = Vec::new();
    for item in items.iter() {
        if operations.len() == limits::OPERATIONS {
            return Err(invalid(sentence!("a request must have at most {most} operations per record", most = limits::OPERATIONS)));
        }
        let ValueRef::Map(fields) = item else { return Err(invalid(sentence!("an operation must be an object"))) };
        operations.push(operation(fields, dialect, shape)?);
    }
    Ok(operations)
}

fn operation(fields: MapRef<'_>, dialect: Dialect, shape: Shape) -> Result<Operation> {
    let (kind, bin) = match dialect {
        Dialect::Named => ("operation", "bin"),
        Dialect::Typed => ("type", "binName"),
    };
    let name = text(fields.get(kind.as_bytes()), kind)?;
    let values = match (dialect, fields.get(b"opValues")) {
        (Dialect::Typed, _) => fields,
        (Dialect::Named, Some(ValueRef::Map(values))) => {
            only(fields, &[kind, "opValues"])?;
            values
        }
        (Dialect::Named, _) => return Err(invalid(sentence!("an operation needs the object \"opValues\"")).in_field("opValues")),
    };
    let values = Values { fields: values, kind: (dialect == Dialect::Typed).then_some(kind), bin, shape };
    Ok(match name {
        "GET" => values.of_record(Operation::ReadAll)?,
        "GET_HEADER" => values.of_record(Operation::ReadHeader)?,
        "TOUCH" => values.of_record(Operation::Touch)?,
        "DELETE" => values.of_record(Operation::Delete)?,
        "READ" => Operation::Read(values.of_bin(None)?.0),
        "PUT" => values.of_value("value", Operation::Put)?,
        "ADD" => values.of_value("incr", Operation::Add)?,
        "APPEND" => values.of_value("value", Operation::Append)?,
        "PREPEND" => values.of_value("value", Operation::Prepend)?,
        other if absent(other) => {
            return Err(
                Error::said(ErrorCode::Unsupported, sentence!("the operation {other} is not supported", other = other)).in_field(kind)
            );
        }
        other => return Err(invalid(sentence!("Invalid operation: {other}", other = limits::shown(other))).in_field(kind)),
    })
}

fn absent(name: &str) -> bool {
    ABSENT.iter().any(|(family, verbs)| name.strip_prefix(family).is_some_and(|verb| verbs.split_whitespace().any(|known| known == verb)))
}

/// What an operation says beside its name.
struct Values<'a> {
    fields: MapRef<'a>,
    /// The field of the name, where it is among the others.
    kind: Option<&'static str>,
    bin: &'static str,
    shape: Shape,
}

impl<'a> Values<'a> {
    fn of_record(&self, operation: Operation) -> Result<Operation> {
        self.only(&[]).map(|()| operation)
    }

    fn of_value(&self, name: &str, make: impl FnOnce(Box<str>, Box<[u8]>) -> Operation) -> Result<Operation> {
        let (bin, value) = self.of_bin(Some(name))?;
        let value = value.ok_or_else(|| invalid(sentence!("the operation needs \"{name}\"", name = name)).in_field(name))?;
        let number = matches!(value, ValueRef::Int(_) | ValueRef::Double(_));
        if name == "incr" && !number {
            return Err(invalid(sentence!("\"incr\" must be a number")).in_field(name));
        }
        Ok(make(bin, encode(value)?))
    }

    fn of_bin(&self, value: Option<&str>) -> Result<(Box<str>, Option<ValueRef<'a>>)> {
        self.only(&[Some(self.bin), value])?;
        let bin = text(self.fields.get(self.bin.as_bytes()), self.bin)?;
        limits::check_bin_name(bin)?;
        json::check_v1_name(bin, self.shape)?;
        Ok((bin.into(), value.and_then(|name| self.fields.get(name.as_bytes()))))
    }

    fn only(&self, names: &[Option<&str>]) -> Result<()> {
        let known: Vec<&str> = names.iter().copied().chain([self.kind]).flatten().collect();
        only(self.fields, &known)
    }
}

fn only(fields: MapRef<'_>, known: &[&str]) -> Result<()> {
    match fields.iter().find(|(name, _)| !known.iter().any(|known| known.as_bytes() == *name)) {
        None => Ok(()),
        Some((name, _)) => {
            let name = String::from_utf8_lossy(name).chars().take(64).collect::<String>();
            Err(invalid(sentence!("\"{name}\" is not a field of the operation", name = &name)).in_field(name))
        }
    }
}

fn text<'a>(value: Option<ValueRef<'a>>, name: &str) -> Result<&'a str> {
    match value {
        Some(ValueRef::String(text)) => std::str::from_utf8(text).map_err(|_| invalid(sentence!("a name must be UTF-8"))),
        _ => Err(invalid(sentence!("the operation needs \"{name}\", a string", name = name)).in_field(name)),
    }
}

/// A value as a bin holds it: typed bytes become bytes.
fn encode(value: ValueRef<'_>) -> Result<Box<[u8]>> {
    let mut encoded = Vec::new();
    let mut out = Encoder::new(&mut encoded);
    let bytes = match value {
        ValueRef::Map(map) => json::typed(map)?,
        _ => None,
    };
    match bytes {
        Some(bytes) => out.bytes(&bytes),
        None => out.value(&value.to_value()),
    }
    Ok(encoded.into())
}

fn invalid(message: Sentence) -> Error {
    Error::said(ErrorCode::OperationInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Result<Vec<Operation>> {
        parse_operations(text.as_bytes(), Dialect::Named, Shape::V1)
    }

    fn typed(text: &str) -> Result<Vec<Operation>> {
        parse_operations(text.as_bytes(), Dialect::Typed, Shape::V1)
    }

    #[test]
    fn both_dialects_say_the_same() {
        let ours = named(
            r#"[{"operation":"READ","opValues":{"bin":"a"}},{"operation":"ADD","opValues":{"bin":"n","incr":9007199254740993}},
                {"operation":"PUT","opValues":{"bin":"b","value":{"type":"BYTE_ARRAY","value":"AP8="}}},{"operation":"GET","opValues":{}}]"#,
        )
        .unwrap();
        let theirs = typed(
            r#"[{"type":"READ","binName":"a"},{"type":"ADD","binName":"n","incr":9007199254740993},
                {"type":"PUT","binName":"b","value":{"type":"BYTE_ARRAY","value":"AP8="}},{"type":"GET"}]"#,
        )
        .unwrap();
        assert_eq!(ours, theirs);
        let mut sum = vec![];
        Encoder::new(&mut sum).int(9_007_199_254_740_993);
        assert_eq!(ours[1], Operation::Add("n".into(), sum.into()));
        assert_eq!(ours[2], Operation::Put("b".into(), [9, 2, 0, 0, 0, 0, 255].into()));
    }

    #[test]
    fn every_fault_has_its_code() {
        for (text, code) in [
            ("{}", ErrorCode::OperationInvalid),
            ("[1]", ErrorCode::OperationInvalid),
            ("[{}]", ErrorCode::OperationInvalid),
            (r#"[{"type":"JUMP"}]"#, ErrorCode::OperationInvalid),
            (r#"[{"type":"LIST_JUMP"}]"#, ErrorCode::OperationInvalid),
            (r#"[{"type":"LIST_APPEND","binName":"a","value":1}]"#, ErrorCode::Unsupported),
            (r#"[{"type":"HLL_INIT"}]"#, ErrorCode::Unsupported),
            (r#"[{"type":"GET","binName":"a"}]"#, ErrorCode::OperationInvalid),
            (r#"[{"type":"READ"}]"#, ErrorCode::OperationInvalid),
            (r#"[{"type":"READ","binName":7}]"#, ErrorCode::OperationInvalid),
            (r#"[{"type":"PUT","binName":"a"}]"#, ErrorCode::OperationInvalid),
            (r#"[{"type":"ADD","binName":"a","incr":"1"}]"#, ErrorCode::OperationInvalid),
            (r#"[{"type":"ADD","binName":"a","incr":9223372036854775808}]"#, ErrorCode::NumberOutOfRange),
            (r#"[{"type":"READ","binName":"sixteen-bytes-it"}]"#, ErrorCode::BinNameInvalid),
            (r#"[{"type":"READ","binName":""}]"#, ErrorCode::BinNameInvalid),
            (r#"[{"type":"PUT","binName":"a","value":{"type":"GEO_JSON","value":""}}]"#, ErrorCode::Unsupported),
        ] {
            assert_eq!(typed(text).unwrap_err().code, code, "{text}");
        }
        assert_eq!(named(r#"[{"operation":"GET"}]"#).unwrap_err().code, ErrorCode::OperationInvalid);
        assert_eq!(named(r#"[{"operation":"GET","opValues":{},"x":1}]"#).unwrap_err().code, ErrorCode::OperationInvalid);
        let many = format!("[{}]", vec![r#"{"type":"GET"}"#; limits::OPERATIONS + 1].join(","));
        assert_eq!(typed(&many).unwrap_err().code, ErrorCode::OperationInvalid);
    }
}
