//! A copy of another store's records, filled by plain writes on a real cluster.

use crate::rig::{self, Raw, connect, key, n, value, whose};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use tessera_base::{Error, ErrorCode, wait_until};
use tessera_cluster::Records;
use tessera_core::store::WriteOptions;
use tessera_core::store::remote::{Covers, MetSet, Origin, Remote};
use tessera_core::store::rules::{Change, Rules};
use tessera_record::{Digest, Meta};

const ME: u8 = 1;

fn opened(name: &str, server: u8, origin: Origin) -> Arc<Records> {
    Records::open(connect(), &whose(name, [server; 16]), origin).unwrap()
}

fn new(name: &str) -> Arc<Records> {
    Records::drop_namespace(&connect(), name).unwrap();
    opened(name, ME, Origin::Copy)
}

fn digest(number: i64) -> Digest {
    Digest::of("s", key(number))
}

fn fill(records: &Records, number: i64, value: Option<i64>) -> Result<(), Error> {
    let body = value.map(|value| n(number, value));
    let meta = Meta { generation: 3, expires_at: 0, updated_at: 1_700_000_000_000 };
    Remote::fill(records, "s", &digest(number), body.as_ref().map(|body| (meta, &body[..])))
}

fn found(records: &Records, number: i64) -> Option<i64> {
    records.read_in_turn(&digest(number)).unwrap().map(|(_, body)| value(&body))
}

/// What another write would do to a copy.
fn put(records: &Arc<Records>, number: i64, value: i64) -> Result<(), Error> {
    let (options, body) = (WriteOptions::default(), n(number, value));
    let rules = Rules { change: Change::Put(&body), options: &options, filter: None, single_bin: false };
    Remote::change(&**records, "s", &digest(number), &rules, rig::LIMITS).map(drop)
}

fn refused(outcome: Result<(), Error>) -> ErrorCode {
    outcome.unwrap_err().code
}

fn range_index() -> Covers {
    serde_json::from_str(r#"{"values":{"name":"n","set":"s","bin":"n","kind":"range","path":null}}"#).unwrap()
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn what_a_copy_is_filled_with_last_counts_however_late_earlier_writes_come() {
    let (raw, first) = (Raw::connect(), new("copied"));
    assert!(first.fills());
    for (number, filled) in [(1, Some(1)), (1, None), (1, Some(2)), (2, Some(1)), (2, None), (3, None)] {
        fill(&first, number, filled).unwrap();
        assert_eq!(found(&first, number), filled);
    }
    // Nobody decides a write there: neither this server nor another one.
    let other = opened("copied", 2, Origin::There);
    assert!(!other.fills());
    assert_eq!((refused(put(&first, 1, 9)), refused(put(&other, 1, 9))), (ErrorCode::ClusterUnavailable, ErrorCode::MigrationActive));
    assert_eq!(refused(fill(&other, 1, Some(9))), ErrorCode::MigrationActive);
    assert_eq!(refused(Remote::list_index(&*other, &range_index()).map(drop)), ErrorCode::MigrationActive);
    assert_eq!((found(&first, 1), first.held()), (Some(2), (0, 0)));

    // What an earlier opening, or a write whose answer was lost, brings late is nothing any more.
    let second = opened("copied", ME, Origin::There);
    fill(&second, 1, Some(3)).unwrap();
    fill(&second, 2, None).unwrap();
    let late = |number: i64, stamp: i64| {
        let (digest, body) = (digest(number).to_string(), n(number, 9).iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        let columns = "set_name = 's', generation = 1, updated_at = 1, expires_at = 0, listed = 1, write_id = uuid()";
        raw.run(&format!("UPDATE ts_copied.records USING TIMESTAMP {stamp} SET body = 0x{body}, {columns} WHERE digest = 0x{digest}"));
    };
    let last_of_first = (2_i64 << 40) - 2;
    late(1, last_of_first);
    late(2, last_of_first);
    // The earlier one may not have heard of the later one yet.
    let _ = fill(&first, 1, Some(9));
    assert_eq!((found(&second, 1), found(&second, 2)), (Some(3), None));
    wait_until(|| !first.fills());
    assert_eq!(
        (refused(fill(&first, 1, Some(9))), refused(put(&first, 1, 9))),
        (ErrorCode::ClusterUnavailable, ErrorCode::ClusterUnavailable)
    );

    // From here on it decides.
    second.lead(&[MetSet { name: "s".into(), records: 1, bytes: Some(100) }]).unwrap();
    assert_eq!((second.fills(), second.held(), refused(fill(&second, 1, Some(9)))), (false, (1, 100), ErrorCode::ClusterUnavailable));
    put(&second, 1, 4).unwrap();
    put(&second, 2, 4).unwrap();
    late(1, (1 << 50) - 1);
    late(2, (1 << 50) - 1);
    assert_eq!((found(&second, 1), found(&second, 2), second.held().0), (Some(4), Some(4), 2));
    Remote::release(&*second).unwrap();
    wait_until(|| put(&other, 1, 5).is_ok());
    let third = opened("copied", ME, Origin::There);
    assert_eq!((third.fills(), found(&third, 1)), (false, Some(5)));
    [first, second, other, third].iter().for_each(|records| records.close());
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_copy_that_has_used_up_its_openings_is_written_by_compare_and_set() {
    let (raw, first) = (Raw::connect(), new("opened"));
    fill(&first, 1, Some(1)).unwrap();
    first.close();
    let list = raw.run("SELECT value FROM ts_opened.about WHERE what = 'indexes'").into_rows_result().unwrap();
    let (text,) = list.first_row::<(String,)>().unwrap();
    let last = text.replace("\"filling\":1", "\"filling\":1023");
    assert!(last != text);
    raw.run(&format!("UPDATE ts_opened.about SET value = '{last}' WHERE what = 'indexes' IF value = '{text}'"));
    let second = opened("opened", ME, Origin::There);
    assert_eq!((second.fills(), refused(fill(&second, 1, Some(2)))), (false, ErrorCode::ClusterUnavailable));
    put(&second, 1, 3).unwrap();
    assert_eq!(found(&second, 1), Some(3));
    // Nobody else may write for all that.
    let other = opened("opened", 2, Origin::There);
    assert_eq!(refused(put(&other, 1, 9)), ErrorCode::MigrationActive);
    [second, other].iter().for_each(|records| records.close());
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn an_index_that_is_built_while_a_copy_is_filled_has_every_record_as_it_was_filled_last() {
    const KEYS: i64 = 400;
    let (raw, records, over) = (Raw::connect(), new("indexedcopy"), AtomicBool::new(false));
    (0..KEYS).for_each(|number| fill(&records, number, Some(number)).unwrap());
    let index = thread::scope(|scope| {
        for writer in 0..4 {
            let (records, over) = (&records, &over);
            scope.spawn(move || {
                // Every other record stays as it was before the build.
                for (turn, number) in (0..KEYS).cycle().filter(|number| number % 8 == writer * 2).enumerate() {
                    if over.load(Ordering::SeqCst) {
                        return;
                    }
                    let turn = turn as i64;
                    fill(records, number, (turn % 5 > 0).then_some(number * 1000 + turn)).unwrap();
                }
            });
        }
        let index = Remote::list_index(&*records, &range_index()).unwrap();
        Remote::await_writers(&*records, index.id, &mut || Ok(())).unwrap();
        (0..records.ranges()).for_each(|range| Remote::build_index(&*records, index.id, range, &mut |_, _| Ok(())).unwrap());
        over.store(true, Ordering::SeqCst);
        index
    });
    Remote::note_built(&*records, index.id, KEYS as u64).unwrap();
    // Again over all: a build that goes on after a restart finds nothing to change.
    (0..records.ranges()).for_each(|range| Remote::build_index(&*records, index.id, range, &mut |_, _| Ok(())).unwrap());
    let check = || {
        let (list, mut there) = (Remote::indexes(&*records), 0);
        let rows = raw.run("SELECT body, range_0 FROM ts_indexedcopy.records").into_rows_result().unwrap();
        for row in rows.rows::<(Option<&[u8]>, Option<i64>)>().unwrap() {
            let (Some(body), number) = row.unwrap() else { continue };
            assert_eq!(number, list.entries("s", body).values[0].flatten(), "{}", value(body));
            there += 1;
        }
        there
    };
    assert!(check() > KEYS / 2);
    // A version that is decided here has its own number, and not that of the one before.
    records.lead(&[]).unwrap();
    put(&records, 1, 77).unwrap();
    assert!(check() > KEYS / 2);
    records.close();
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn who_had_a_keyspace_that_was_made_again_writes_nothing_into_it() {
    let before = new("remade");
    let other = opened("remade", 2, Origin::There);
    assert_eq!(refused(put(&other, 1, 1)), ErrorCode::MigrationActive);
    // Its list is ahead of the one that comes next.
    for _ in 0..3 {
        let index = before.list_index(&range_index()).unwrap();
        assert!(before.drop_index(index.id).unwrap());
    }
    before.release().unwrap();
    wait_until(|| put(&other, 1, 1).is_ok());
    drop(before);
    let filled = new("remade");
    fill(&filled, 1, Some(7)).unwrap();
    for outcome in [put(&other, 1, 2), put(&other, 2, 2), Remote::delete(&*other, "s", &digest(1), &|_| Ok(())).map(drop)] {
        let error = outcome.unwrap_err();
        assert!(error.code == ErrorCode::ClusterUnavailable && error.message.contains("are gone"), "{error:?}");
    }
    let _ = other.list_index(&range_index());
    assert_eq!(Remote::indexes(&*filled).listed().count(), 0);
    assert_eq!((found(&filled, 1), found(&filled, 2)), (Some(7), None));
    // Nobody waits for it.
    filled.reserve(&mut || panic!("all others are gone")).unwrap();
    Remote::lead(&*filled, &[MetSet { name: "s".into(), records: 1, bytes: Some(100) }]).unwrap();
    filled.release().unwrap();
    // Opened again, it has what is there.
    let other = opened("remade", 2, Origin::There);
    put(&other, 1, 8).unwrap();
    assert_eq!(found(&filled, 1), Some(8));
    Records::drop_namespace(filled.cluster(), "remade").unwrap();
}
