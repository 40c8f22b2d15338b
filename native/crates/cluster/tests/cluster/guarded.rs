//! A real cluster that encrypts, asks for certificates, and lets in only whom it knows.

use crate::rig::stand_in::{Authority, file};
use crate::rig::{self, config, key, points};
use std::path::PathBuf;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_cluster::{Cluster, KnownCluster, Tls};
use tessera_core::store::WriteOptions;
use tessera_core::store::remote::Origin;

const FIRST: &str = "cassandra";

fn certificates() -> PathBuf {
    std::env::var("CLUSTER_CERTIFICATES").expect("CLUSTER_CERTIFICATES: npm run test:cluster sets it").into()
}

fn tls() -> Tls {
    let at = |name: &str| certificates().join(name);
    Tls { ca: at("ca.pem"), certificate: Some(at("client.pem")), key: Some(at("client.key")), verify_hostname: true }
}

fn known(user: &str, tls: Option<Tls>) -> KnownCluster {
    KnownCluster { user: Some(user.into()), password: Some(FIRST.into()), tls, ..KnownCluster::open_to_all(points()) }
}

fn connect(user: &str) -> Arc<Cluster> {
    Cluster::connect(&known(user, Some(tls())), config()).unwrap()
}

fn fails(known: &KnownCluster) -> (ErrorCode, String) {
    let error = Cluster::connect(known, config()).map(drop).unwrap_err();
    (error.code, error.message)
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_guarded_cluster_keeps_records_of_who_shows_a_certificate_and_a_password() {
    let records = rig::records_of(connect(FIRST), "guarded");
    records.put("s", key(1), &rig::n(1, 1), &WriteOptions::default()).unwrap();
    assert_eq!(rig::found(&records, 1), Some(rig::n(1, 1)));
    drop(records);
    assert_eq!(rig::found(&rig::Records::again(connect(FIRST), "guarded"), 1), Some(rig::n(1, 1)));
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_guarded_cluster_takes_no_connection_that_is_plain_or_shows_the_wrong_certificates() {
    let directory = tempfile::tempdir().unwrap();
    let others = Authority::new();
    let (certificate, its_key) = others.sign("tessera");
    let of = |name: &str, text: &str| file(directory.path(), name, text);
    assert_eq!(fails(&known(FIRST, None)).0, ErrorCode::ClusterUnavailable);
    let (code, message) = fails(&known(FIRST, Some(Tls { ca: of("ca.pem", &others.pem()), ..tls() })));
    assert_eq!((code, message.contains("no authority of tls.ca")), (ErrorCode::ClusterUnavailable, true), "{message}");
    let (code, message) = fails(&known(FIRST, Some(Tls { certificate: None, key: None, ..tls() })));
    assert_eq!((code, message.contains("certificate")), (ErrorCode::ClusterUnavailable, true), "{message}");
    let foreign = Tls { certificate: Some(of("its.pem", &certificate)), key: Some(of("its.key", &its_key)), ..tls() };
    let (code, message) = fails(&known(FIRST, Some(foreign)));
    assert_eq!((code, message.contains("certificate")), (ErrorCode::ClusterUnavailable, true), "{message}");
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_guarded_cluster_refuses_whom_it_does_not_know_and_what_they_may_not_do() {
    let (code, message) = fails(&known("nobody", Some(tls())));
    assert_eq!((code, message.contains("nobody")), (ErrorCode::ClusterRefused, true), "{message}");
    let nameless = KnownCluster { user: None, password: None, ..known(FIRST, Some(tls())) };
    assert_eq!(fails(&nameless).0, ErrorCode::ClusterRefused);
    let all = rig::Raw::connect_with(|builder| builder.user(FIRST, FIRST).tls_context(Some(tls().client().unwrap())));
    all.run("CREATE ROLE IF NOT EXISTS guest WITH PASSWORD = 'cassandra' AND LOGIN = true");
    let refused = rig::Records::open(connect("guest"), "forbidden", Origin::New).map(drop).unwrap_err();
    assert_eq!(refused.code, ErrorCode::ClusterRefused, "{refused}");
}
