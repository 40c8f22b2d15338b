use super::super::codec::samples;
use super::*;
use tessera_base::{Error, ErrorCode};

fn append(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

fn full(_: &File, _: &[u8], _: u64) -> io::Result<()> {
    Err(io::Error::from(ErrorKind::StorageFull))
}

fn noted() -> Vec<Noted> {
    samples().into_iter().map(|(entry, slow)| (Arc::new(entry), slow)).collect()
}

fn allowed() -> Check {
    Box::new(|| Ok(()))
}

fn replaced() -> Check {
    Box::new(|| Err(Error::new(ErrorCode::DataDirectoryUnavailable, "replaced")))
}

fn open(directory: &Path) -> (SlowFile, Past) {
    SlowFile::open(directory.to_owned(), append, &allowed())
}

/// The bytes of a file with all samples, and where each frame ends.
fn sample_file() -> (Vec<u8>, Vec<usize>) {
    let frames: Vec<_> = noted().chunks(1).map(frames_of).collect();
    let ends = frames.iter().scan(0, |end, frame| Some(*end + frame.len()).inspect(|next| *end = *next)).collect();
    (frames.concat(), ends)
}

#[test]
fn what_is_written_comes_back_and_is_appended_to() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("history");
    let (mut file, past) = open(&directory);
    assert!(past.operations.is_empty() && past.unreadable.is_none());
    assert!(!file.append(&noted()[..1]).unwrap(), "there is no file yet");
    file.write_anew(&noted()[..1], &allowed()).unwrap();
    assert!(file.append(&noted()[1..]).unwrap());
    assert_eq!(file.bytes, fs::metadata(directory.join(FILE)).unwrap().len());
    let (file, past) = open(&directory);
    assert_eq!((past.operations, past.damaged, file.last, file.stale), (noted(), 0, 12, false));
}

#[test]
fn a_damaged_byte_costs_its_operation_alone_and_is_told() {
    let (bytes, ends) = sample_file();
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let mut expected = noted();
            expected.remove(ends.iter().position(|&end| at < end).unwrap());
            let (past, end) = replay(&damaged);
            assert_eq!((past.operations, past.damaged, end), (expected, 1, bytes.len()), "byte {at}");
        }
    }
}

#[test]
fn a_cut_at_any_length_leaves_the_operations_before_it_and_is_no_damage() {
    let (bytes, ends) = sample_file();
    for cut in 0..bytes.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        let (past, end) = replay(&bytes[..cut]);
        assert_eq!((&past.operations[..], past.damaged), (&noted()[..whole], 0), "cut at {cut}");
        assert_eq!(end, ends[..whole].last().copied().unwrap_or(0));
    }
}

#[test]
fn what_is_torn_or_damaged_goes_with_the_next_write() {
    let (bytes, _) = sample_file();
    let mut damaged = bytes.clone();
    damaged[20] ^= 1;
    for found in [&bytes[..bytes.len() - 1], &damaged, b"nothing of ours", &[0; 4096]] {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(FILE), found).unwrap();
        let (mut file, past) = open(directory.path());
        assert!(file.stale && file.may_have_keys());
        assert!(!file.append(&[]).unwrap());
        file.write_anew(&past.operations, &allowed()).unwrap();
        let (file, again) = open(directory.path());
        assert_eq!((again.operations, again.damaged, file.stale), (past.operations, 0, false));
    }
}

#[test]
fn an_operation_that_is_there_twice_counts_once_and_is_told() {
    let bytes = frames_of(&[&noted()[..2], &noted()[1..]].concat());
    let (past, _) = replay(&bytes);
    assert_eq!((past.operations, past.damaged), (noted(), 1));
}

#[test]
fn a_file_never_takes_more_than_it_may() {
    let directory = tempfile::tempdir().unwrap();
    let (mut file, _) = open(directory.path());
    file.write_anew(&[], &allowed()).unwrap();
    let (entry, _) = samples().remove(0);
    let many: Vec<Noted> =
        (0..2000).map(|id| (Arc::new(SlowOperation { id, filter: Some("x".repeat(512).into()), ..entry.clone() }), true)).collect();
    while file.append(&many).unwrap() {}
    let length = fs::metadata(directory.path().join(FILE)).unwrap().len();
    assert!(length <= FILE_BYTES && length > FILE_BYTES / 2, "{length}");
    fs::write(directory.path().join(FILE), vec![0; FILE_BYTES as usize + 1]).unwrap();
    assert!(open(directory.path()).1.unreadable.is_some_and(|why| why.contains("more than the 4194304")));
}

#[test]
fn what_is_no_file_stays_and_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let (path, target) = (directory.path().join(FILE), directory.path().join("target"));
    fs::create_dir(&path).unwrap();
    let refused = || {
        let (mut file, past) = open(directory.path());
        assert!(past.unreadable.is_some_and(|why| why.contains("is no regular file")));
        assert!(file.write_anew(&noted(), &allowed()).unwrap_err().to_string().contains("move it away"));
    };
    refused();
    fs::remove_dir(&path).unwrap();
    fs::write(&target, "mine").unwrap();
    std::os::unix::fs::symlink(&target, &path).unwrap();
    refused();
    assert_eq!(fs::read(&target).unwrap(), b"mine");
}

#[test]
fn nothing_is_left_of_a_file_that_a_kill_cut_short() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(NEW), "secret").unwrap();
    open(directory.path());
    assert!(!directory.path().join(NEW).exists());
}

#[test]
fn a_file_that_a_kill_cut_short_stays_where_nothing_may_be_written_and_goes_with_the_next_write() {
    let directory = tempfile::tempdir().unwrap();
    let new = directory.path().join(NEW);
    open(directory.path()).0.write_anew(&noted(), &allowed()).unwrap();
    fs::write(&new, "secret").unwrap();
    let (mut file, past) = SlowFile::open(directory.path().to_owned(), append, &replaced());
    assert_eq!((past.operations, fs::read(&new).unwrap()), (noted(), b"secret".to_vec()));
    assert!(file.may_have_keys() && !file.append(&noted()).unwrap());
    file.write_anew(&noted(), &allowed()).unwrap();
    assert!(!new.exists() && !file.stale);
}

#[test]
fn a_file_is_not_replaced_once_another_directory_has_the_place() {
    let directory = tempfile::tempdir().unwrap();
    let (mut file, _) = open(directory.path());
    file.write_anew(&noted()[..1], &allowed()).unwrap();
    assert!(file.write_anew(&noted(), &replaced()).is_err(), "it was replaced while the file was written");
    assert_eq!(fs::read(directory.path().join(FILE)).unwrap(), frames_of(&noted()[..1]));
    assert!(!directory.path().join(NEW).exists());
}

#[test]
fn a_full_disk_keeps_no_key() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(FILE);
    open(directory.path()).0.write_anew(&noted(), &allowed()).unwrap();
    let (mut file, _) = SlowFile::open(directory.path().to_owned(), full, &allowed());
    assert!(file.append(&noted()).is_err(), "the disk is full");
    assert_eq!(fs::read(&path).unwrap(), frames_of(&noted()), "what a failed write left is gone");
    file.stale = true;
    file.erase(&noted(), &allowed()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
    assert!(file.stale && !directory.path().join(NEW).exists());
}
