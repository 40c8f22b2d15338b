//! Accepting a loss, on a namespace that is said to have failed with one.

use super::*;
use crate::{DeviceConfig, Engine, EngineOptions, NamespaceConfig};
use std::fs;
use std::path::Path;
use tessera_storage::device::DATA_FILE;

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(directory, EngineOptions::default()).unwrap()
}

/// Lets the namespace, which is not open, have failed with `code`.
fn fail(engine: &Engine, code: ErrorCode) {
    let Member::Unopened(unopened) = engine.member("n").unwrap() else { panic!("it is open") };
    let failed = unopened.failed(Error::new(code, "3 changes are missing"));
    engine.members.replace(&unopened, Member::Unopened(Arc::new(failed)));
}

fn listed(engine: &Engine) -> Vec<(String, String)> {
    let record = engine.host.manifest.read().namespaces.remove(0);
    record.losses.into_iter().map(|loss| (loss.code, loss.message)).collect()
}

#[test]
fn a_loss_is_written_down_before_the_files_are_touched() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let config = NamespaceConfig { segments: 4, ..NamespaceConfig::device("n", DeviceConfig::default()) };
    engine.create_namespace(config).unwrap();
    let refused = engine.reopen_namespace("n", true).err().unwrap();
    assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::NoLoss, Some("acceptLoss")));
    assert!(engine.reopen_namespace("n", false).is_ok());
    engine.close().unwrap();

    let file = directory.path().join("namespaces/1").join(DATA_FILE);
    let kept = file.with_extension("kept");
    fs::rename(&file, &kept).unwrap();
    let engine = open(directory.path());
    // It failed, and not with a loss.
    assert_eq!(engine.reopen_namespace("n", true).err().unwrap().code, ErrorCode::NoLoss);
    assert_eq!(engine.member("n").unwrap().state().1.unwrap().code, ErrorCode::DataFileMissing);
    assert_eq!(listed(&engine), []);

    // Of an opening that fails the acceptance stays: it may have changed the files.
    fail(&engine, ErrorCode::LogDamaged);
    assert_eq!(engine.reopen_namespace("n", true).err().unwrap().code, ErrorCode::DataFileMissing);
    let accepted = [("log_damaged".to_owned(), "3 changes are missing".to_owned())];
    assert_eq!(listed(&engine), accepted);
    engine.close().unwrap();

    let engine = open(directory.path());
    assert_eq!(engine.member("n").unwrap().losses().len(), 1);
    fail(&engine, ErrorCode::DataRolledBack);
    fs::rename(&kept, &file).unwrap();
    // The files are whole again: nothing is lost by this opening.
    let namespace = engine.reopen_namespace("n", true).unwrap();
    assert_eq!((namespace.losses().len(), listed(&engine)), (1, accepted.to_vec()));
    engine.close().unwrap();
}
