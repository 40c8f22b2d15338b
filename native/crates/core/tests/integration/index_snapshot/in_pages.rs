//! Indexes of a paged namespace: after an orderly stop they come from the snapshot, and after anything else from the records.

use super::*;

fn open(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    open_or_make(directory, crate::pages::paged("n", 4096))
}

/// A namespace with indexes that was closed in order, and what is in it.
fn closed(seed: u64) -> (tempfile::TempDir, Model) {
    let directory = tempfile::tempdir().unwrap();
    let (engine, namespace) = open(directory.path());
    let (mut model, mut dice) = (Model::new(), Dice(seed));
    write(&namespace, &mut model, &mut dice, 600);
    build(&namespace);
    // Records that are gone leave free slots, and the pages keep those.
    write(&namespace, &mut model, &mut dice, 300);
    close((engine, namespace));
    (directory, model)
}

/// What a start or a stop changes, but for the snapshot; manifest and witness are two folders further up.
const PAGES: [&str; 6] = ["pages", "log", "ledger", "namespace", "../../manifest", WITNESS];
const WITNESS: &str = "../../witness";

fn file(directory: &Path, name: &str) -> PathBuf {
    directory.join("namespaces/1").join(name)
}

/// Files as they are, to be put back. An empty witness knows as little as one that is not there.
fn kept<const N: usize>(directory: &Path, names: [&str; N]) -> [(PathBuf, Vec<u8>); N] {
    names.map(|name| (file(directory, name), fs::read(file(directory, name)).unwrap_or_default()))
}

fn put_back(files: &[(PathBuf, Vec<u8>)]) {
    files.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
}

/// What a crash would leave of a namespace that is open, and that nobody writes to.
fn crashed(directory: &Path, namespace: &Namespace) -> tempfile::TempDir {
    namespace.sync().unwrap();
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir_all(copy.path().join("namespaces/1")).unwrap();
    fs::copy(directory.join("manifest"), copy.path().join("manifest")).unwrap();
    // The log last: it has all that any page has.
    for name in ["namespace", "ledger", "pages", "log"] {
        fs::copy(file(directory, name), file(copy.path(), name)).unwrap();
    }
    copy
}

/// The files are from before the snapshot, and the namespace does not open.
#[track_caller]
fn is_rolled_back(directory: &Path) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let error = engine.member("n").unwrap().state().1.unwrap();
    assert_eq!(error.code, ErrorCode::DataRolledBack, "{error}");
    assert!(error.message.contains("the index snapshot was written in run"), "{error}");
}

/// Whether every index came from the snapshot, or every one is built by a job. Answers are right in either case.
#[track_caller]
fn expect(namespace: &Arc<Namespace>, from_snapshot: bool, model: &Model) {
    assert_eq!(counts(namespace), if from_snapshot { (3, 0) } else { (0, 3) });
    assert_eq!(namespace.recovery().cold.is_none(), from_snapshot, "{:?}", namespace.recovery().cold);
    if from_snapshot {
        assert!(namespace.indexes().iter().all(|index| index.state == IndexState::Ready && index.job.is_none()));
    }
    built(namespace);
    let origin = if from_snapshot { IndexOrigin::Snapshot } else { IndexOrigin::Built };
    assert_eq!(origins(namespace), [(IndexState::Ready, origin); 3]);
    assert!(check(namespace, model) > 100);
}

#[test]
fn after_an_orderly_stop_nothing_is_built() {
    let (directory, mut model) = closed(21);
    let mut dice = Dice(22);
    for round in 0..4 {
        let (engine, namespace) = open(directory.path());
        expect(&namespace, true, &model);
        assert!(!snapshot(directory.path()).exists());
        if round != 1 {
            write(&namespace, &mut model, &mut dice, 200);
            check(&namespace, &model);
        }
        if round == 2 {
            namespace.drop_index("texts").unwrap();
            namespace.create_index(specs()[2].clone(), 1).unwrap().wait_blocking(LONG);
        }
        close((engine, namespace));
    }
}

#[test]
fn after_a_crash_no_snapshot_of_the_time_before_is_used() {
    let (directory, mut model) = closed(23);
    let of_before = fs::read(snapshot(directory.path())).unwrap();
    let (engine, namespace) = open(directory.path());
    let unchanged = (crashed(directory.path(), &namespace), model.clone());
    write(&namespace, &mut model, &mut Dice(24), 100);
    let written = (crashed(directory.path(), &namespace), model.clone());
    close((engine, namespace));
    let of_after = fs::read(snapshot(directory.path())).unwrap();
    for (copy, model) in [unchanged, written] {
        let pages = kept(copy.path(), PAGES);
        fs::write(snapshot(copy.path()), &of_after).unwrap();
        is_rolled_back(copy.path());
        fs::remove_file(snapshot(copy.path())).unwrap();
        for snapshot_of in [None, Some(&of_before)] {
            if let Some(bytes) = snapshot_of {
                fs::write(snapshot(copy.path()), bytes).unwrap();
            }
            let (engine, namespace) = open(copy.path());
            expect(&namespace, false, &model);
            assert!(!snapshot(copy.path()).exists());
            close((engine, namespace));
            put_back(&pages);
            fs::remove_file(snapshot(copy.path())).unwrap();
        }
    }
    // One that was used is used no second time, whether or not anything was written since.
    let (engine, namespace) = open(directory.path());
    expect(&namespace, true, &model);
    close((engine, namespace));
    fs::write(snapshot(directory.path()), of_after).unwrap();
    let (_engine, namespace) = open(directory.path());
    expect(&namespace, false, &model);
}

#[test]
fn a_snapshot_of_another_copy_of_the_pages_is_not_used() {
    let (directory, _) = closed(33);
    let before = (kept(directory.path(), PAGES), kept(directory.path(), ["index.tss"]));
    // Two histories that differ in one value, and in nothing that is counted.
    let run = |size: i64| {
        let (engine, namespace) = open(directory.path());
        let document = Value::Map(vec![("size".into(), Value::Int(size))]);
        let body = body(KeyRef::Integer(7), &[("doc", document)]);
        namespace.put("one", KeyRef::Integer(7), &body, &WriteOptions::default()).unwrap();
        close((engine, namespace));
    };
    run(3);
    let of_one = fs::read(snapshot(directory.path())).unwrap();
    put_back(&before.0);
    put_back(&before.1);
    run(4);
    fs::write(snapshot(directory.path()), of_one).unwrap();
    is_rolled_back(directory.path());
}

/// Every section in turn, by a byte in each of many stretches of the file.
#[test]
fn a_damaged_snapshot_is_not_used() {
    let (directory, model) = closed(25);
    let [(path, sound)] = kept(directory.path(), ["index.tss"]);
    let pages = kept(directory.path(), PAGES);
    let mut dice = Dice(26);
    let stretches = tessera_base::cases(30) as usize;
    let stretch = sound.len() / stretches;
    for number in 0..=stretches {
        let at = (number * stretch + dice.roll(stretch as u64) as usize).min(sound.len() - 1);
        let mut damaged = sound.clone();
        damaged[at] ^= 1 + dice.roll(255) as u8;
        let cut = sound[..at].to_vec();
        for bytes in if number % 4 == 0 { vec![damaged, cut] } else { vec![damaged] } {
            fs::write(&path, bytes).unwrap();
            let (engine, namespace) = open(directory.path());
            assert_eq!(counts(&namespace), (0, 3), "byte {at}");
            if number % 10 == 0 {
                expect(&namespace, false, &model);
            }
            close((engine, namespace));
            put_back(&pages);
        }
    }
    fs::write(&path, &sound).unwrap();
    let (_engine, namespace) = open(directory.path());
    expect(&namespace, true, &model);
}

#[test]
fn a_disk_that_is_full_costs_the_snapshot_and_nothing_else() {
    let (directory, mut model) = closed(27);
    let (engine, namespace) = open(directory.path());
    write(&namespace, &mut model, &mut Dice(28), 100);
    std::os::unix::fs::symlink("/dev/full", file(directory.path(), "index.tss.new")).unwrap();
    close((engine, namespace));
    for name in ["index.tss", "index.tss.new"] {
        assert!(fs::symlink_metadata(file(directory.path(), name)).is_err(), "{name} is left");
    }
    let (engine, namespace) = open(directory.path());
    expect(&namespace, false, &model);
    close((engine, namespace));
    let (_engine, namespace) = open(directory.path());
    expect(&namespace, true, &model);
}

/// Changes what the manifest says of the namespace.
fn edit_manifest(directory: &Path, field: &str, value: serde_json::Value) {
    const HEADER: usize = 20;
    let path = directory.join("manifest");
    let mut bytes = fs::read(&path).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_slice(&bytes[HEADER..]).unwrap();
    manifest["namespaces"][0][field] = value;
    let json = serde_json::to_vec(&manifest).unwrap();
    bytes.truncate(12);
    [json.len() as u32, crc32c::crc32c(&json)].iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes.extend_from_slice(&json);
    fs::write(path, bytes).unwrap();
}

/// The manifest as it is when a stop came before a truncation's job had removed a single record.
fn note_truncation(directory: &Path, set: &str) {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
    edit_manifest(directory, "truncations", serde_json::json!([{ "set": set, "until_ms": now }]));
}

#[test]
fn what_a_truncation_had_left_at_the_stop_leaves_the_indexes_too() {
    let (directory, mut model) = closed(29);
    note_truncation(directory.path(), "one");
    model.retain(|(set, _), _| *set != "one");
    for _ in 0..2 {
        let (engine, namespace) = open(directory.path());
        expect(&namespace, true, &model);
        close((engine, namespace));
    }
}

#[test]
fn an_index_that_the_snapshot_does_not_have_is_built() {
    let (directory, model) = closed(31);
    let kept = kept(directory.path(), ["pages", "log", "index.tss", WITNESS]);
    let (engine, namespace) = open(directory.path());
    namespace.drop_index("numbers").unwrap();
    let other = IndexSpec { set: None, ..specs()[1].clone() };
    namespace.create_index(other, 1).unwrap().wait_blocking(LONG);
    close((engine, namespace));
    // Of the time before: its index of that name is another.
    put_back(&kept);
    edit_manifest(directory.path(), "stamp", 0.into());
    let (engine, namespace) = open(directory.path());
    assert_eq!(counts(&namespace), (2, 1));
    built(&namespace);
    assert_eq!(namespace.index("numbers").unwrap().origin, IndexOrigin::Built);
    check(&namespace, &model);
    close((engine, namespace));
    let (_engine, namespace) = open(directory.path());
    expect(&namespace, true, &model);
}
