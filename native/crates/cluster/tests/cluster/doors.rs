//! Who is let in, and over which connections: nodes that are none, which encrypt, ask and refuse.

use crate::rig::stand_in::{Answer, Authority, authenticate, deaf, error, file, node, supported};
use std::path::Path;
use tempfile::TempDir;
use tessera_base::{Error, ErrorCode};
use tessera_cluster::{Cluster, KnownCluster, Tls};
use tessera_core::config::CassandraConfig;

const UNAVAILABLE: ErrorCode = ErrorCode::ClusterUnavailable;
const HERE: &str = "127.0.0.1";

/// A node answers this to a client that got through to it.
fn reached() -> Vec<Answer> {
    vec![error(0x0100, "you got through")]
}

fn tls(ca: &Path) -> Tls {
    Tls { ca: ca.to_owned(), certificate: None, key: None, verify_hostname: true }
}

fn fails(known: &KnownCluster) -> Error {
    Cluster::connect(known, CassandraConfig { connect_timeout_ms: 5000, ..CassandraConfig::new("test") }).map(drop).unwrap_err()
}

fn answer(address: &str, tls: Option<Tls>) -> (ErrorCode, String) {
    let Error { code, message, .. } = fails(&KnownCluster { tls, ..KnownCluster::open_to_all([address]) });
    (code, message)
}

/// Authorities and their files.
struct Files {
    directory: TempDir,
    ours: Authority,
    others: Authority,
}

impl Files {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), ours: Authority::new(), others: Authority::new() }
    }

    fn trust(&self, authority: &Authority) -> Tls {
        tls(&file(self.directory.path(), "ca.pem", &authority.pem()))
    }

    fn mutual(&self, shown: &Authority) -> Tls {
        let (certificate, key) = shown.sign("tessera");
        let write = |name, text: &str| Some(file(self.directory.path(), name, text));
        Tls { certificate: write("mine.pem", &certificate), key: write("mine.key", &key), ..self.trust(&self.ours) }
    }
}

#[test]
fn a_node_is_trusted_if_an_authority_has_signed_for_its_address() {
    let files = Files::new();
    let here = node(Some(files.ours.server(HERE, false)), reached());
    let elsewhere = node(Some(files.ours.server("10.9.8.7", false)), reached());
    let (code, message) = answer(&here, Some(files.trust(&files.ours)));
    assert_eq!((code, message.contains("you got through")), (ErrorCode::ClusterRefused, true), "{message}");

    let (code, message) = answer(&here, Some(files.trust(&files.others)));
    assert_eq!((code, message.contains("no authority of tls.ca")), (UNAVAILABLE, true), "{message}");
    let (code, message) = answer(&elsewhere, Some(files.trust(&files.ours)));
    assert_eq!((code, message.contains("does not name its address")), (UNAVAILABLE, true), "{message}");

    // Without the name, the authority counts all the same.
    let lax = |authority| Some(Tls { verify_hostname: false, ..files.trust(authority) });
    assert_eq!(answer(&elsewhere, lax(&files.ours)).0, ErrorCode::ClusterRefused);
    let (code, message) = answer(&elsewhere, lax(&files.others));
    assert_eq!((code, message.contains("no authority of tls.ca")), (UNAVAILABLE, true), "{message}");
}

#[test]
fn a_node_that_asks_gets_the_certificate_of_this_server() {
    let files = Files::new();
    let here = node(Some(files.ours.server(HERE, true)), reached());
    assert_eq!(answer(&here, Some(files.mutual(&files.ours))).0, ErrorCode::ClusterRefused);

    let (code, message) = answer(&here, Some(files.trust(&files.ours)));
    assert_eq!((code, message.contains("wants a certificate of this server")), (UNAVAILABLE, true), "{message}");
    let (code, message) = answer(&here, Some(files.mutual(&files.others)));
    assert_eq!((code, message.contains("does not take tls.certificate")), (UNAVAILABLE, true), "{message}");
}

#[test]
fn one_side_that_encrypts_is_not_enough() {
    let files = Files::new();
    let (code, message) = answer(&deaf(b"HTTP/1.1 400 Bad Request\r\n\r\n"), Some(files.trust(&files.ours)));
    assert_eq!((code, message.contains("does not speak TLS")), (UNAVAILABLE, true), "{message}");
    let (code, message) = answer(&node(Some(files.ours.server(HERE, false)), reached()), None);
    assert_eq!((code, message.contains("perhaps it wants TLS")), (UNAVAILABLE, true), "{message}");
}

#[test]
fn a_node_that_takes_a_connection_and_says_nothing_is_not_waited_for_for_ever() {
    let files = Files::new();
    let config = CassandraConfig { connect_timeout_ms: 100, ..CassandraConfig::new("test") };
    let known = KnownCluster { tls: Some(files.trust(&files.ours)), ..KnownCluster::open_to_all([deaf(b"")]) };
    let error = Cluster::connect(&known, config).map(drop).unwrap_err();
    assert_eq!((error.code, error.message.contains("did not answer")), (UNAVAILABLE, true), "{error}");
}

#[test]
fn a_file_that_is_no_pem_is_named_and_not_shown() {
    let files = Files::new();
    let of = |name: &str, text: &str| file(files.directory.path(), name, text);
    let (certificate, key) = files.ours.sign("tessera");
    let (_, another) = files.ours.sign("tessera");
    let (good, its) = (of("good.pem", &certificate), of("good.key", &key));
    let secret = "c2VjcmV0IG9mIHRoZSBrZXk";
    let garbled = of("garbled.pem", &format!("-----BEGIN CERTIFICATE-----\n{secret}!\n-----END CERTIFICATE-----\n"));
    let false_key = of("false.key", &format!("-----BEGIN PRIVATE KEY-----\n{secret}=\n-----END PRIVATE KEY-----\n"));
    let cut = of("cut.pem", &certificate[..certificate.len() / 2]);
    let (empty, text) = (of("empty.pem", ""), of("text.pem", secret));
    let (large, foreign) = (of("large.pem", &"x".repeat((1 << 20) + 1)), of("foreign.key", &another));
    let ours = files.trust(&files.ours);
    let authority = |path: &Path| (tls(path), path.to_owned());
    let shown = |certificate: &Path, key: &Path, named: &Path| {
        (Tls { certificate: Some(certificate.to_owned()), key: Some(key.to_owned()), ..ours.clone() }, named.to_owned())
    };
    for (tls, named) in [
        authority(Path::new("/nowhere/at-all.pem")),
        authority(files.directory.path()),
        authority(&garbled),
        authority(&cut),
        authority(&empty),
        authority(&text),
        authority(&large),
        authority(&its),
        shown(&garbled, &its, &garbled),
        shown(&empty, &its, &empty),
        shown(&good, &false_key, &false_key),
        shown(&good, &good, &good),
        shown(&good, &foreign, &foreign),
    ] {
        let error = fails(&KnownCluster { tls: Some(tls), ..KnownCluster::open_to_all(["127.0.0.1:1"]) });
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("cluster.name")), "{error}");
        assert!(error.message.contains(named.to_str().unwrap()), "{error}");
        assert!(!error.message.contains(secret), "{error}");
    }
}

#[test]
fn credentials_that_are_refused_or_missing_have_a_code_of_their_own() {
    let wrong = node(None, vec![supported(), authenticate(), error(0x0100, "Provided username u is incorrect")]);
    let known = KnownCluster { user: Some("u".into()), password: Some("hunter2".into()), ..KnownCluster::open_to_all([&wrong]) };
    let refused = fails(&known);
    assert_eq!((refused.code, refused.message.contains("is incorrect")), (ErrorCode::ClusterRefused, true), "{refused}");
    assert!(!refused.message.contains("hunter2"), "{refused}");
    assert!(!refused.retryable() && refused.code.is_of_storage());

    let (code, message) = answer(&node(None, vec![supported(), authenticate()]), None);
    assert_eq!((code, message.contains("TESSERA_CLUSTERS")), (ErrorCode::ClusterRefused, true), "{message}");
    let (code, message) = answer(&node(None, vec![supported(), error(0x1001, "busy")]), None);
    assert_eq!((code, message.contains("busy")), (UNAVAILABLE, true), "{message}");
    assert_eq!(answer("127.0.0.1:1", None).0, UNAVAILABLE);
}
