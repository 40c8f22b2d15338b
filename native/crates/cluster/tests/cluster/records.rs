//! Single records on a real cluster.

use crate::rig::{
    self, LIMITS, Raw, Records, body, config, connect, connect_with, count, exists, found, integer, key, n, records, records_of, value,
    whose,
};
use scylla::value::Row;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use tessera_base::{ErrorCode, wait_until};
use tessera_cluster::Whose;
use tessera_core::CassandraConfig;
use tessera_core::store::remote::{Origin, Remote, RemoteWrite, WriteOf};
use tessera_core::store::rules::{Change, Rules};
use tessera_core::store::{Exists, Operate, WriteOptions};
use tessera_record::filter::Filter;
use tessera_record::{Digest, KeyRef, Operation, Ttl, Value};
use uuid::Uuid;

fn code<T: std::fmt::Debug>(result: tessera_base::Result<T>) -> ErrorCode {
    result.unwrap_err().code
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_write_does_what_its_exists_says() {
    let records = records("rules");
    let put = |number, value, how| records.put("s", key(number), &n(number, value), &exists(how));
    assert_eq!(code(put(1, 1, Exists::ReplaceOnly)), ErrorCode::RecordNotFound);
    assert_eq!(code(put(1, 1, Exists::UpdateOnly)), ErrorCode::RecordNotFound);
    assert_eq!(found(&records, 1), None);
    let created = put(1, 1, Exists::CreateOnly).unwrap();
    assert!(created.created && created.meta.generation == 1);
    assert_eq!(code(put(1, 2, Exists::CreateOnly)), ErrorCode::RecordExists);
    let replaced = put(1, 3, Exists::Upsert).unwrap();
    assert!(!replaced.created && replaced.meta.generation == 2 && replaced.meta.updated_at >= created.meta.updated_at);
    let merged = body(1, &[("m", Value::Int(4)), ("n", Value::Null)]);
    records.put("s", key(1), &merged, &exists(Exists::UpdateOnly)).unwrap();
    assert_eq!(found(&records, 1), Some(body(1, &[("m", Value::Int(4))])));
    put(1, 5, Exists::ReplaceOnly).unwrap();
    assert_eq!(found(&records, 1), Some(n(1, 5)));
    assert!(put(2, 6, Exists::Merge).unwrap().created);
    put(2, 7, Exists::Merge).unwrap();
    assert_eq!(found(&records, 2), Some(n(2, 7)));
    let mut out = vec![];
    let meta = records.get("s", Digest::of("s", key(2)), &mut out).unwrap().unwrap();
    assert_eq!((meta.generation, out), (2, n(2, 7)));
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn batches_of_writes_to_the_same_records_go_side_by_side_and_each_keeps_its_order() {
    // Fewer requests at once than a batch has records.
    let records = records_of(connect_with(CassandraConfig { in_flight: 3, ..config() }), "batches");
    let keep = WriteOptions::default();
    let of = |who: i64| move |at: i64| (at % 30, n(at % 30, who * 1000 + at));
    thread::scope(|scope| {
        for who in 1..4 {
            let (records, keep) = (&records, &keep);
            scope.spawn(move || {
                let bodies: Vec<_> = (0..150).map(of(who)).collect();
                let writes: Vec<_> = bodies.iter().map(|(number, body)| put_of(*number, body, keep)).collect();
                let mut told = vec![0; writes.len()];
                let outcome = records.write_many("s", &writes, LIMITS, &mut |at, written| {
                    told[at] += 1;
                    written.map(drop)
                });
                assert_eq!((outcome, told), (Ok(()), vec![1; 150]));
            });
        }
    });
    for number in 0..30 {
        let last = value(&found(&records, number).unwrap());
        assert_eq!((last % 1000, last / 1000 > 0), (number + 120, true), "the last line of a batch for the record {number}");
        assert_eq!(records.get("s", key(number), &mut vec![]).unwrap().unwrap().generation, 15);
    }
    // After an error that counts for all no further record begins, and what has begun is told.
    let bodies: Vec<_> = (100..1100).map(|number| n(number, 1)).collect();
    let writes: Vec<_> = (100..).zip(&bodies).map(|(number, body)| put_of(number, body, &keep)).collect();
    let mut told = 0;
    let stopped = records.write_many("s", &writes, LIMITS, &mut |_, written| {
        told += 1;
        written?;
        Err(tessera_base::Error::new(ErrorCode::Aborted, "enough"))
    });
    assert_eq!(stopped.unwrap_err().code, ErrorCode::Aborted);
    assert_eq!((told, count(&records)), (told, 30 + told));
    assert!((1..=6).contains(&told), "{told}");
    let mut removed = vec![];
    let deletes = [2, 2, 999].map(|number| RemoteWrite { digest: Digest::of("s", key(number)), what: WriteOf::Delete(&keep) });
    let outcome = records.write_many("s", &deletes, LIMITS, &mut |at, written| {
        removed.push((at, written?.removed));
        Ok(())
    });
    removed.sort_unstable();
    assert_eq!((outcome, removed), (Ok(()), vec![(0, true), (1, false), (2, false)]));
}

fn put_of<'a>(number: i64, body: &'a [u8], options: &'a WriteOptions) -> RemoteWrite<'a> {
    let rules = Rules { change: Change::Put(body), options, filter: None, single_bin: false };
    RemoteWrite { digest: Digest::of("s", key(number)), what: WriteOf::Change(rules) }
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_generation_has_to_be_equal_or_greater() {
    let records = records("generations");
    let put = |expected, greater, value| {
        let options = WriteOptions { expected_generation: Some(expected), generation_greater: greater, ..WriteOptions::default() };
        records.put("s", key(1), &n(1, value), &options)
    };
    assert_eq!(code(put(1, false, 1)), ErrorCode::GenerationMismatch);
    assert_eq!(put(0, false, 1).unwrap().meta.generation, 1);
    assert_eq!(code(put(0, false, 2)), ErrorCode::GenerationMismatch);
    assert_eq!(put(1, false, 2).unwrap().meta.generation, 2);
    assert_eq!(code(put(2, true, 3)), ErrorCode::GenerationMismatch);
    assert_eq!(put(9, true, 3).unwrap().meta.generation, 3);
    let delete = |expected| {
        let options = WriteOptions { expected_generation: Some(expected), ..WriteOptions::default() };
        records.delete("s", key(1), &options)
    };
    assert_eq!(code(delete(2)), ErrorCode::GenerationMismatch);
    assert!(delete(3).unwrap() && !delete(3).unwrap());
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn an_older_version_of_the_same_generation_is_not_matched() {
    let records = records("wrapped");
    let raw = Raw::connect();
    let digest = Digest::of("s", key(1));
    let id = || {
        let rows = raw.run(&format!("SELECT write_id FROM ts_wrapped.records WHERE digest = 0x{digest}")).into_rows_result().unwrap();
        rows.single_row::<(Uuid,)>().unwrap().0
    };
    records.put("s", key(1), &n(1, 1), &WriteOptions::default()).unwrap();
    let first = id();
    let answer = raw.run(&format!("UPDATE ts_wrapped.records SET generation = 65535 WHERE digest = 0x{digest} IF write_id = {first}"));
    assert!(applied(answer));
    let wrapped = records.put("s", key(1), &n(1, 2), &WriteOptions::default()).unwrap();
    assert_eq!(wrapped.meta.generation, 1, "as the first version");
    assert_ne!(id(), first);
    let late = format!("UPDATE ts_wrapped.records SET generation = 2 WHERE digest = 0x{digest} IF write_id = {first}");
    assert!(!applied(raw.run(&late)), "who has seen the first version must lose");
}

fn applied(answer: scylla::response::query_result::QueryResult) -> bool {
    let row = answer.into_rows_result().unwrap().first_row::<Row>().unwrap();
    row.columns[0].as_ref().unwrap().as_boolean().unwrap()
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn records_expire_by_their_own_time_and_cassandra_removes_them_later() {
    let records = records("expiry");
    let with = |ttl| WriteOptions { ttl, ..WriteOptions::default() };
    let raw = Raw::connect();
    let ttl = |number| {
        let text = format!("SELECT TTL(body), TTL(write_id) FROM ts_expiry.records WHERE digest = 0x{}", Digest::of("s", key(number)));
        raw.run(&text).into_rows_result().unwrap().single_row::<(Option<i32>, Option<i32>)>().unwrap()
    };
    for number in 1..=4 {
        records.put("s", key(number), &n(number, 1), &with(Ttl::Seconds(2))).unwrap();
    }
    assert!(matches!(ttl(1), (Some(body), Some(id)) if (3500..=3602).contains(&body) && (3500..=3602).contains(&id)));
    // An update gives all columns a new time, so none outlives the others.
    records.put("s", key(2), &n(2, 2), &with(Ttl::Never)).unwrap();
    assert_eq!(ttl(2), (None, None));
    let kept = records.put("s", key(3), &n(3, 2), &with(Ttl::Keep)).unwrap();
    assert_ne!(kept.meta.expires_at, 0);
    records.put("s", key(4), &n(4, 2), &with(Ttl::Seconds(1000))).unwrap();
    wait_until(|| found(&records, 1).is_none() && found(&records, 3).is_none());
    assert_eq!((found(&records, 2), found(&records, 4)), (Some(n(2, 2)), Some(n(4, 2))));
    assert_eq!(count(&records), 2);
    let again = records.put("s", key(1), &n(1, 3), &exists(Exists::CreateOnly)).unwrap();
    assert!(again.created && again.meta.generation == 1 && again.meta.expires_at == 0);
}

/// With an INSERT, a row whose columns have expired would still be there, and a record could not be created again.
#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_record_that_cassandra_has_removed_can_be_created() {
    let records = records("removed");
    let raw = Raw::connect();
    records.put("s", key(1), &n(1, 1), &WriteOptions { ttl: Ttl::Seconds(1), ..WriteOptions::default() }).unwrap();
    let digest = Digest::of("s", key(1));
    let row = format!("FROM ts_removed.records WHERE digest = 0x{digest}");
    let id = raw.run(&format!("SELECT write_id {row}")).into_rows_result().unwrap().single_row::<(Uuid,)>().unwrap().0;
    // The end of the hour that Cassandra keeps it for.
    assert!(applied(raw.run(&format!(
        "UPDATE ts_removed.records USING TTL 1 SET set_name = 's', body = 0x00, generation = 1, updated_at = 1, expires_at = 1, \
         write_id = {id}, previous = {id}, listed = 0 WHERE digest = 0x{digest} IF write_id = {id}"
    ))));
    wait_until(|| raw.run(&format!("SELECT digest {row}")).into_rows_result().unwrap().rows_num() == 0);
    assert!(records.put("s", key(1), &n(1, 2), &exists(Exists::CreateOnly)).unwrap().created);
    assert_eq!(found(&records, 1), Some(n(1, 2)));
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn filters_and_operations_see_the_record_that_is_there() {
    let records = records("operate");
    let filter = Filter::compile(br#"{"bin":"n","op":"eq","value":1}"#).unwrap();
    let put = |value| records.put_if("s", key(1), &n(1, value), &WriteOptions::default(), Some(&filter));
    put(1).unwrap();
    put(2).unwrap();
    assert_eq!(code(put(3)), ErrorCode::FilteredOut);
    let operate = |operations: &[Operation], filter| {
        let options = exists(Exists::Merge);
        records.operate("s", key(1), &Operate { operations, options, filter, respond_all: false })
    };
    let add = [Operation::Add("n".into(), integer(40))];
    assert_eq!(code(operate(&add, Some(&filter))), ErrorCode::FilteredOut);
    assert_eq!(operate(&add, None).unwrap().meta.generation, 3);
    assert_eq!(found(&records, 1).map(|body| value(&body)), Some(42));
    assert!(operate(&[Operation::Delete], None).unwrap().removed);
    assert_eq!(found(&records, 1), None);
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn of_writers_who_race_each_counts_once() {
    let (threads, each) = (8, 25);
    let one = records("races");
    // Another process would be as far away: no lock is shared.
    let other = Records::again(connect(), "races");
    let add = [Operation::Add("n".into(), integer(1))];
    let open = AtomicI64::new(0);
    thread::scope(|scope| {
        for at in 0..threads {
            let (records, add, open) = (if at % 2 == 0 { &one } else { &other }, &add, &open);
            scope.spawn(move || {
                let mut sure = 0;
                while sure < each {
                    let asked = Operate { operations: add, options: exists(Exists::Merge), filter: None, respond_all: false };
                    match records.operate("s", key(1), &asked) {
                        Ok(_) => sure += 1,
                        // Many nodes under contention: an answer was lost, and others wrote before it was settled.
                        Err(error) if error.code == ErrorCode::WriteUncertain => {
                            open.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => assert_eq!(error.code, ErrorCode::ClusterUnavailable, "{error}"),
                    }
                }
            });
        }
    });
    let mut out = vec![];
    let meta = one.get("s", key(1), &mut out).unwrap().unwrap();
    let counted = value(&out);
    assert_eq!(counted, i64::from(meta.generation));
    assert!((threads * each..=threads * each + open.into_inner()).contains(&counted), "{counted}");
    let deleted: usize = thread::scope(|scope| {
        let delete = |records| move || usize::from(Records::delete(records, "s", key(1), &WriteOptions::default()).unwrap());
        let workers: Vec<_> = (0..8).map(|at| scope.spawn(delete(if at % 2 == 0 { &one } else { &other }))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert_eq!(deleted, 1);
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_deleted_record_is_gone_and_can_be_written_again() {
    let records = records("deleted");
    let delete = || records.delete("s", key(1), &WriteOptions::default()).unwrap();
    assert!(!delete());
    for round in 1..=3 {
        let written = records.put("s", key(1), &n(1, round), &exists(Exists::CreateOnly)).unwrap();
        assert_eq!((written.created, written.meta.generation, found(&records, 1)), (true, 1, Some(n(1, round))));
        assert!(delete() && !delete());
        assert_eq!((found(&records, 1), count(&records)), (None, 0));
    }
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn names_of_namespaces_do_not_meet_in_one_keyspace() {
    let cluster = connect();
    let long = "Long.Name-".repeat(6);
    let names = ["odd", "Odd", "o.dd", "o-dd", "o_dd", "-", "SELECT", &long];
    let all: Vec<Records> = names.iter().map(|name| records_of(cluster.clone(), name)).collect();
    for (at, records) in all.iter().enumerate() {
        records.put("s", KeyRef::String("k"), &n(1, at as i64), &WriteOptions::default()).unwrap();
    }
    for (at, name) in names.iter().enumerate() {
        let mut out = vec![];
        let again = Records::again(cluster.clone(), name);
        again.get("s", KeyRef::String("k"), &mut out).unwrap().unwrap();
        assert_eq!(value(&out), at as i64, "{name}");
        tessera_cluster::Records::drop_namespace(&cluster, name).unwrap();
    }
    assert_eq!(code(Records::open(cluster, "a/b", Origin::New).map(|_| ())), ErrorCode::NameInvalid);
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn the_cluster_tells_its_nodes_and_one_that_does_not_answer_is_unavailable() {
    let health = Remote::health(&*records("health"));
    assert_eq!((health.nodes.len(), health.keyspace.as_str()), (rig::points().len(), "ts_health"));
    assert!(health.nodes.iter().any(|node| node.connected));
    let nobody = tessera_cluster::KnownCluster::open_to_all(["127.0.0.1:1"]);
    assert_eq!(code(tessera_cluster::Cluster::connect(&nobody, rig::config()).map(|_| ())), ErrorCode::ClusterUnavailable);
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_data_centre_that_no_node_is_in_is_told_with_those_that_there_are() {
    let elsewhere = CassandraConfig { data_centre: Some("atlantis".into()), ..config() };
    let refused =
        tessera_cluster::Cluster::connect(&tessera_cluster::KnownCluster::open_to_all(rig::points()), elsewhere).map(drop).unwrap_err();
    assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::ConfigInvalid, Some("cluster.dataCentre")));
    assert!(refused.message.contains("\"atlantis\"") && refused.message.contains("datacenter1"), "{}", refused.message);
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_keyspace_has_the_records_of_one_namespace_and_none_is_taken_for_new() {
    let cluster = connect();
    let open = |how| Records::open(cluster.clone(), "claimed", how).map(|_| ());
    tessera_cluster::Records::drop_namespace(&cluster, "claimed").unwrap();
    assert_eq!(code(open(Origin::There)), ErrorCode::DataFileMissing);
    let first = Records::open(cluster.clone(), "claimed", Origin::New).unwrap();
    first.put("s", key(1), &n(1, 1), &WriteOptions::default()).unwrap();
    let refused = open(Origin::New).unwrap_err();
    assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::NamespaceExists, Some("cluster.attach")));
    open(Origin::There).unwrap();
    let refused = tessera_cluster::Records::open(cluster.clone(), &Whose { single_bin: true, ..whose("claimed", [1; 16]) }, Origin::There);
    let refused = refused.map(drop).unwrap_err();
    assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::ConfigInvalid, Some("singleBin")));
    // What was made is taken back, and what was there before is not.
    Remote::take_back(&*Records::again(cluster.clone(), "claimed"));
    assert_eq!(found(&first, 1), Some(n(1, 1)));
    Remote::take_back(&*first);
    assert_eq!(code(open(Origin::There)), ErrorCode::DataFileMissing);
    open(Origin::New).unwrap();
    let raw = Raw::connect();
    raw.run("UPDATE ts_claimed.about SET value = 'other' WHERE what = 'namespace' IF value = 'claimed'");
    assert_eq!(code(open(Origin::There)), ErrorCode::NamespaceExists);
    // What is not ours is neither used nor removed.
    tessera_cluster::Records::drop_namespace(&cluster, "foreign").unwrap();
    raw.run("CREATE KEYSPACE ts_foreign WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    raw.run("CREATE TABLE ts_foreign.records (k int PRIMARY KEY)");
    for how in [Origin::New, Origin::There] {
        assert_eq!(code(Records::open(cluster.clone(), "foreign", how).map(|_| ())), ErrorCode::NamespaceExists);
    }
    raw.run("SELECT k FROM ts_foreign.records");
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn many_reads_are_under_way_at_once_and_each_answer_has_its_tag() {
    let records = records("several");
    for number in 0..40 {
        records.put("s", key(number), &n(number, number), &WriteOptions::default()).unwrap();
    }
    let mut reads = records.reads();
    assert!(!reads.wait_until(std::time::Instant::now()) && reads.next().is_none());
    for number in 0..50 {
        reads.start(Digest::of("s", key(number)), number as u64);
    }
    assert_eq!(reads.in_flight(), 50);
    wait_until(|| reads.wait_until(std::time::Instant::now()));
    let mut met = vec![];
    while let Some((tag, found)) = reads.next() {
        assert_eq!(found.unwrap().map(|(_, body)| value(&body)), (tag < 40).then_some(tag as i64));
        met.push(tag);
    }
    met.sort_unstable();
    assert_eq!((met, reads.in_flight()), ((0..50).collect(), 0));
}
