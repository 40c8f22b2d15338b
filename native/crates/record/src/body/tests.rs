//! Bodies are read as they were built.

use super::*;
use crate::Value;

#[test]
fn a_body_holds_key_and_bins() {
    let mut bytes = vec![];
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::String("k"));
    body.bin("a", |e| {
        e.int(1);
        Ok(())
    })
    .unwrap();
    body.encoded_bin("b", &[2]).unwrap();
    let mut apart = vec![];
    let mut bins = BinsBuilder::new(&mut apart);
    let open = bins.open("d").unwrap();
    bins.encoder().null();
    bins.close(open);
    assert_eq!(bins.written().count(), 1);
    body.built_bins(&RawBins::new(1, &apart)).unwrap();
    body.finish();
    BodyRef::validate(&bytes).unwrap();
    let body = BodyRef::new(&bytes);
    assert_eq!(body.key(), KeyRef::String("k"));
    assert_eq!(body.bin("a").unwrap().to_value(), Value::Int(1));
    assert_eq!(body.bin("b").unwrap().to_value(), Value::Bool(true));
    assert_eq!(body.bin("d").unwrap().to_value(), Value::Null);
    assert!(body.bin("c").is_none());
    for length in 0..bytes.len() {
        assert!(BodyRef::validate(&bytes[..length]).is_err());
    }
}

#[test]
fn a_bin_that_is_being_written_can_be_begun_anew() {
    let mut out = vec![9; 3];
    let mut bins = BinsBuilder::new(&mut out);
    for name in ["first", "b"] {
        let open = bins.open(name).unwrap();
        bins.encoder().string("in vain");
        assert_eq!(bins.open_name(&open), name);
        bins.reset(&open);
        bins.encoder().null();
        bins.close(open);
    }
    assert_eq!((bins.count(), bins.bytes()), (2, 2 * (1 + 4 + 1) + 6));
    let written: Vec<_> = bins.written().collect();
    assert_eq!(written, [(&b"first"[..], &[0][..]), (b"b", &[0])]);
}

#[test]
fn a_record_has_at_most_so_many_bins() {
    let (mut bytes, mut apart) = (vec![], vec![]);
    let mut bins = BinsBuilder::new(&mut apart);
    (0..limits::BINS).for_each(|_| bins.encoded(b"b", &[0]).unwrap());
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(1));
    body.built_bins(&bins.written()).unwrap();
    let refused = [body.encoded_bin("c", &[0]), body.built_bins(&RawBins::new(1, b"\x01c\x01\0\0\0\0")), body.bin("c", |_| Ok(()))];
    for error in refused {
        assert_eq!(error.unwrap_err().code, ErrorCode::TooManyBins);
    }
    assert_eq!(BodyBuilder::new(&mut vec![], KeyRef::Integer(1)).encoded_bin("", &[0]).unwrap_err().code, ErrorCode::BinNameInvalid);
}

#[test]
fn the_only_bin_is_stored_without_its_name() {
    let body_of = |names: &[&str]| {
        let mut bytes = vec![];
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::Bytes(b"k"));
        names.iter().for_each(|name| body.encoded_bin(name, &[2]).unwrap());
        body.finish();
        bytes
    };
    let named = body_of(&["value"]);
    let unnamed = BodyRef::new(&named).unnamed().unwrap();
    let body = BodyRef::new(&unnamed);
    assert_eq!((body.key(), body.as_bytes().len()), (KeyRef::Bytes(b"k"), named.len() - 5));
    assert_eq!((body.only_bin().unwrap(), body.bin("value").unwrap().to_value()), (&[2][..], Value::Bool(true)));
    for names in [&[][..], &["a"], &["value", "a"]] {
        let bytes = body_of(names);
        assert_eq!(BodyRef::new(&bytes).unnamed().unwrap_err().code, ErrorCode::SingleBin, "{names:?}");
    }
}

#[test]
fn what_nests_deeper_than_clients_may_write_is_told() {
    let nests = |depth: usize| {
        let mut bytes = vec![];
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(-7));
        body.bin("a", |out| {
            let value = (0..depth).fold(Value::Null, |inner, _| Value::List(vec![inner]));
            out.value(&value);
            Ok(())
        })
        .unwrap();
        body.finish();
        assert_eq!(BodyRef::new(&bytes).key(), KeyRef::Integer(-7));
        BodyRef::new(&bytes).nests_as_allowed()
    };
    assert_eq!([1, limits::NESTING, limits::NESTING + 1].map(nests), [true, true, false]);
}

#[test]
fn a_key_of_no_type_is_damage() {
    let mut bytes = vec![];
    BodyBuilder::new(&mut bytes, KeyRef::Integer(1)).finish();
    BodyRef::validate(&bytes).unwrap();
    bytes[0] = 2;
    assert_eq!(BodyRef::validate(&bytes).unwrap_err().code, ErrorCode::RecordDamaged);
}
