use super::super::{Access, AlignedBuffer, Disk, FileDisk, FileKind};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use tessera_base::wait_until;

fn filled(byte: u8, length: usize) -> AlignedBuffer {
    let mut buffer = AlignedBuffer::new(length).unwrap();
    buffer.set_len(length).unwrap();
    buffer.fill(byte);
    buffer
}

#[test]
fn reads_back_what_was_written_and_names_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let disk = FileDisk::open(&dir.path().join("f"), true, Access::Cached).unwrap();
    assert_eq!((disk.access(), disk.kind(), disk.alignment()), (Access::Cached, FileKind::File, 1));
    disk.write_at(b"abc", 10).unwrap();
    disk.sync().unwrap();
    assert_eq!(disk.length().unwrap(), 13);
    let mut out = [0; 3];
    disk.read_at(&mut out, 10).unwrap();
    assert_eq!(&out, b"abc");
    assert_eq!(disk.read_at(&mut out, 11).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    assert_eq!(&out[..2], b"bc");
    disk.set_len(11).unwrap();
    assert_eq!(disk.read_at(&mut out, 10).unwrap_err().kind(), ErrorKind::UnexpectedEof);
}

/// A disk past the page cache in `dir`; every directory that the tests run in offers it, but for the odd overlay.
fn direct(dir: &Path) -> Option<FileDisk> {
    let disk = FileDisk::open(&dir.join("direct"), true, Access::Direct).unwrap();
    assert_eq!(disk.access() == Access::Direct, disk.alignment() > 1);
    (disk.access() == Access::Direct).then_some(disk)
}

#[test]
fn direct_access_reads_and_writes_at_multiples_and_refuses_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = direct(dir.path()) else { return };
    let step = disk.alignment();
    disk.write_at(&filled(1, 8192), 0).unwrap();
    disk.write_at(&filled(2, 4096), 8192).unwrap();
    disk.sync().unwrap();
    let mut out = filled(0, 8192);
    disk.read_at(&mut out, 4096).unwrap();
    assert_eq!((&out[..4096], &out[4096..]), (&filled(1, 4096)[..], &filled(2, 4096)[..]));
    for (from, length, offset) in [(0, step, 1), (0, step + 1, 0), (8, step, 0)] {
        assert_eq!(disk.read_at(&mut out[from..from + length], offset).unwrap_err().kind(), ErrorKind::InvalidInput);
        assert_eq!(disk.write_at(&out[from..from + length], offset).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    assert_eq!(disk.length().unwrap(), 12288);
}

#[test]
fn a_direct_read_over_an_odd_end_gives_what_there_is() {
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = direct(dir.path()) else { return };
    disk.write_at(&filled(7, 8192), 0).unwrap();
    disk.set_len(5000).unwrap();
    let mut out = filled(0, 8192);
    let error = disk.read_at(&mut out, 0).unwrap_err();
    assert_eq!((error.kind(), &out[..5000]), (ErrorKind::UnexpectedEof, &filled(7, 5000)[..]));
    disk.read_at(&mut out[..4096], 0).unwrap();
    assert_eq!(disk.read_at(&mut out, 8192).unwrap_err().kind(), ErrorKind::UnexpectedEof);
}

#[test]
fn what_is_neither_a_file_nor_a_block_device_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let socket = dir.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for (path, words) in [
        (dir.path(), "a directory"),
        (Path::new("/dev/null"), "a character device"),
        (pipe.as_path(), "a pipe"),
        (socket.as_path(), "a socket"),
    ] {
        for create in [false, true] {
            let error = FileDisk::open(path, create, Access::Direct).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidInput && error.to_string().contains(words), "{error}");
        }
    }
}

#[test]
fn nothing_is_made_where_it_must_not_be() {
    let dir = tempfile::tempdir().unwrap();
    let absent = dir.path().join("absent");
    assert_eq!(FileDisk::open(&absent, false, Access::Direct).unwrap_err().kind(), ErrorKind::NotFound);
    assert!(!absent.exists());
    let device = Path::new("/dev/tessera-no-such-device");
    assert_eq!(FileDisk::open(device, true, Access::Direct).unwrap_err().kind(), ErrorKind::NotFound);
    assert!(!device.exists());
}

#[test]
fn one_opening_at_a_time_has_a_claim() {
    let dir = tempfile::tempdir().unwrap();
    let first = FileDisk::open(&dir.path().join("f"), true, Access::Direct).unwrap();
    let second = FileDisk::open(&dir.path().join("f"), false, Access::Direct).unwrap();
    first.claim().unwrap();
    first.claim().unwrap();
    assert_eq!(second.claim().unwrap_err().kind(), ErrorKind::ResourceBusy);
    drop(first);
    // A program that another test starts has all that is open, until it is loaded.
    wait_until(|| second.claim().is_ok());
}

/// A loop device over a file of 1 MiB, gone with the guard; `None` where the system gives none (it takes root).
struct Loop(PathBuf);

impl Loop {
    fn over(file: &Path) -> Option<Self> {
        std::fs::write(file, vec![0; 1 << 20]).unwrap();
        let made = Command::new("losetup").args(["--find", "--show"]).arg(file).output().ok().filter(|made| made.status.success())?;
        Some(Self(PathBuf::from(String::from_utf8(made.stdout).unwrap().trim())))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

#[test]
fn a_block_device_has_its_own_length_and_one_owner() {
    let dir = tempfile::tempdir().unwrap();
    let Some(device) = Loop::over(&dir.path().join("image")) else { return };
    for access in [Access::Direct, Access::Cached] {
        let disk = FileDisk::open(&device.0, true, access).unwrap();
        assert_eq!((disk.kind(), disk.access(), disk.length().unwrap()), (FileKind::Device, access, 1 << 20));
        disk.write_at(&filled(3, 4096), (1 << 20) - 4096).unwrap();
        disk.sync().unwrap();
        let mut out = filled(0, 4096);
        disk.read_at(&mut out, (1 << 20) - 4096).unwrap();
        assert_eq!(&out[..], &filled(3, 4096)[..]);
        assert_eq!(disk.read_at(&mut out, 1 << 20).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert_eq!(disk.set_len(4096).unwrap_err().kind(), ErrorKind::Unsupported);
        assert_eq!(FileDisk::open(&device.0, false, access).unwrap_err().kind(), ErrorKind::ResourceBusy);
        let past = disk.write_at(&filled(3, 4096), 1 << 20).unwrap_err();
        assert_eq!(past.raw_os_error(), Some(libc::ENOSPC));
    }
}
