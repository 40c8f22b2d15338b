use super::*;
use proptest::prelude::*;

pub(in crate::metrics::slow) fn samples() -> Vec<(SlowOperation, bool)> {
    let split = |nanos: [u64; Split::PARTS]| {
        let mut split = Split::default();
        PARTS.into_iter().zip(nanos).for_each(|(part, nanos)| split.add(part, nanos));
        split
    };
    let text = |text: &str| Some(Box::from(text));
    let query = SlowOperation {
        id: 7,
        operation: Operation::Query,
        namespace: Arc::from("shop"),
        namespace_id: Some(NamespaceId([7; 16])),
        set: text("users"),
        key: None,
        key_type: None,
        filter: text("city = \"Rome\""),
        filter_shape: text("city = ?"),
        records: Some(184_201),
        ended_at_ms: 1_795_000_000_000,
        took: Duration::from_nanos(212_400_000),
        engine: Duration::from_nanos(198_000_001),
        split: split([1, 212_399_990, 2, 3, 4]),
        threads: 2,
        plan: text("set-column"),
        job: text("001m872xz2100"),
        failure: Some(ErrorCode::Aborted),
    };
    let get = SlowOperation {
        id: 9,
        operation: Operation::Get,
        set: text(""),
        key: text("Grüße"),
        key_type: Some("string"),
        filter: None,
        filter_shape: None,
        records: None,
        took: Duration::from_millis(1),
        engine: Duration::from_millis(1),
        split: split([0, 1_000_000, 0, 0, 0]),
        threads: 1,
        plan: None,
        job: None,
        failure: None,
        ..query.clone()
    };
    let scan = SlowOperation { id: 12, operation: Operation::Scan, set: None, key: None, key_type: None, ..get.clone() };
    vec![(query, true), (get, false), (scan, true)]
}

#[test]
fn an_operation_comes_back_and_no_part_of_one_does() {
    for (entry, slow) in samples() {
        let mut bytes = Vec::new();
        encode(&entry, slow, &mut bytes);
        assert_eq!(decode(&bytes), Some((entry.clone(), slow)));
        // Without its id it is one of before there were ids.
        let mut older = Vec::new();
        let of_before = SlowOperation { namespace_id: None, ..entry.clone() };
        encode(&of_before, slow, &mut older);
        assert_eq!(decode(&older), Some((of_before, slow)));
        for length in (0..bytes.len()).filter(|length| *length != older.len()) {
            assert_eq!(decode(&bytes[..length]), None, "{length} bytes");
        }
        bytes.push(0);
        assert_eq!(decode(&bytes), None, "a byte too many");
    }
}

#[test]
fn what_no_operation_can_be_is_refused() {
    let (entry, _) = samples().remove(1);
    let change: [fn(&mut SlowOperation); 3] =
        [|entry| entry.id = ID_MOST + 1, |entry| entry.ended_at_ms = TIME_MOST_MS + 1, |entry| entry.took += Duration::from_nanos(1)];
    for change in change {
        let mut other = entry.clone();
        change(&mut other);
        let mut bytes = Vec::new();
        encode(&other, true, &mut bytes);
        assert_eq!(decode(&bytes), None, "{other:?}");
    }
}

proptest! {
    #[test]
    fn whatever_the_bytes_are_what_is_read_is_written_as_it_was(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Some((entry, slow)) = decode(&bytes) {
            let mut again = Vec::new();
            encode(&entry, slow, &mut again);
            prop_assert_eq!(decode(&again), Some((entry, slow)));
        }
    }
}
