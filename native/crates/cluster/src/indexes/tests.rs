//! Room for indexes, and the list as text.

use super::*;

fn index(id: u32, covers: Covers, state: RemoteIndexState, column: Option<u8>) -> RemoteIndex {
    RemoteIndex { id, covers, state, since: id, column, builder: String::new(), records: 0 }
}

fn values(name: &str, kind: &str) -> Covers {
    let text = format!(r#"{{"values":{{"name":"{name}","set":null,"bin":"b","kind":"{kind}","path":null}}}}"#);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn there_is_room_for_so_many_indexes_and_each_name_once() {
    let set = |name: &str| Covers::Set(name.to_owned());
    let ready = RemoteIndexState::Ready;
    let indexes = vec![index(1, set("s"), ready, None), index(2, values("n", "range"), ready, Some(0))];
    let mut stored = Stored { version: 2, indexes, ..Stored::default() };
    assert_eq!(stored.room_for(&values("d", "document")), Ok(None));
    assert_eq!(stored.room_for(&values("m", "range")), Ok(Some(1)));
    let code = |stored: &Stored, covers: &Covers| stored.room_for(covers).unwrap_err().code;
    assert_eq!((code(&stored, &set("s")), code(&stored, &values("n", "document"))), (ErrorCode::IndexExists, ErrorCode::IndexExists));
    // A name is free once its index is dropped, a column once no walk asks it any more.
    stored.indexes[1].state = RemoteIndexState::Dropped;
    assert_eq!(stored.room_for(&values("n", "range")), Ok(Some(1)));
    stored.indexes.extend((1..COLUMNS as u8).map(|n| index(10 + u32::from(n), values(&format!("r{n}"), "range"), ready, Some(n))));
    assert_eq!(code(&stored, &values("n", "range")), ErrorCode::IndexLimit);
    stored.indexes.extend((0..255).map(|n| index(100 + n, set(&format!("s{n}")), ready, None)));
    assert_eq!(code(&stored, &set("t")), ErrorCode::IndexLimit);
}

#[test]
fn a_list_is_kept_as_text_and_read_back() {
    let indexes = vec![
        index(1, Covers::Set("s".into()), RemoteIndexState::Ready, None),
        index(3, values("n", "range"), RemoteIndexState::Building, Some(2)),
    ];
    let stored = Stored { version: 3, indexes, ..Stored::default() };
    let text = serde_json::to_string(&stored).unwrap();
    assert_eq!(serde_json::from_str::<Stored>(&text).unwrap(), stored);
    let reserved = Stored { only: Some("me".to_owned()), filling: Some(7), ..stored };
    assert_eq!(serde_json::from_str::<Stored>(&serde_json::to_string(&reserved).unwrap()).unwrap(), reserved);
    assert!(serde_json::from_str::<Stored>(&text.replace("version", "other")).is_err());
}
