use super::super::faulty::{Event, Fault, FaultyDisk};
use super::super::{Access, Disk, FileDisk, Meter, Piece, WriteWindow};
use super::{aligned, backends, file_of, on, pattern};
use proptest::prelude::*;
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn writes_are_those_of_the_pieces(
        depth in 1_usize..20,
        lengths in prop::collection::vec(0_usize..5, 0..40),
        seed in 0_u64..1000,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let total = lengths.iter().sum::<usize>() * 4096;
        let source = aligned(&pattern(total, seed));
        let mut from = 0;
        let mut pieces: Vec<(u64, &[u8])> = vec![];
        for pages in &lengths {
            pieces.push((from as u64, &source[from..from + pages * 4096]));
            from += pages * 4096;
        }
        pieces.reverse();
        for backend in backends() {
            let mut window = WriteWindow::open(backend, depth).unwrap();
            prop_assert_eq!(window.backend(), backend);
            for access in [Access::Direct, Access::Cached] {
                let path = dir.path().join(format!("{backend:?} {access:?}"));
                let disk = FileDisk::open(&path, true, access).unwrap();
                window.write(&on(&disk, &pieces)).unwrap();
                prop_assert!(std::fs::read(&path).unwrap() == source[..]);
            }
            let memory = FaultyDisk::default();
            window.write(&on(&memory, &pieces)).unwrap();
            prop_assert!(memory.image() == source[..]);
        }
    }
}

#[test]
fn a_piece_that_breaks_the_alignment_keeps_all_from_being_written() {
    let dir = tempfile::tempdir().unwrap();
    let image = pattern(8192, 1);
    let file = file_of(&dir, "f", &image, Access::Direct);
    if file.alignment() == 1 {
        return;
    }
    for backend in backends() {
        let bytes = aligned(&[1; 8192]);
        let mut window = WriteWindow::open(backend, 4).unwrap();
        let error = window.write(&on(&*file, &[(0, &bytes), (8192, &bytes[1..])])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        let mut out = aligned(&[0; 8192]);
        file.read_at(&mut out, 0).unwrap();
        assert!(out[..] == image[..], "the first piece was written");
        for depth in [0, 4097] {
            assert_eq!(WriteWindow::open(backend, depth).err().unwrap().kind(), ErrorKind::InvalidInput);
        }
    }
}

#[test]
fn pieces_of_several_disks_go_to_each_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = |number: u64| dir.path().join(number.to_string());
    for backend in backends() {
        let files: Vec<FileDisk> = (0..3).map(|number| FileDisk::open(&path(number), true, Access::Direct).unwrap()).collect();
        let memory = FaultyDisk::default();
        let bytes = aligned(&pattern(12 * 4096, 3));
        let disks = files.iter().map(|file| file as &dyn Disk).chain([&memory as &dyn Disk]);
        let pages = |disk: usize| bytes.chunks(4096).skip(disk).step_by(4).zip(0..);
        let pieces =
            disks.enumerate().flat_map(|(number, disk)| pages(number).map(move |(bytes, page)| Piece { disk, offset: page * 4096, bytes }));
        WriteWindow::open(backend, 3).unwrap().write(&pieces.collect::<Vec<_>>()).unwrap();
        for number in 0..4 {
            let found = if number == 3 { memory.image() } else { std::fs::read(path(number)).unwrap() };
            assert!(found == pages(number as usize).map(|(bytes, _)| bytes).collect::<Vec<_>>().concat(), "disk {number}");
        }
    }
}

#[test]
fn room_made_ahead_reads_as_zeros() {
    let dir = tempfile::tempdir().unwrap();
    let file = file_of(&dir, "f", &pattern(8192, 1), Access::Direct);
    file.reserve(0..4 << 20).unwrap();
    file.reserve(0..4096).unwrap();
    let found = std::fs::read(dir.path().join("f")).unwrap();
    assert!(found[..8192] == pattern(8192, 1) && found[8192..].iter().all(|byte| *byte == 0));
}

#[test]
fn write_errors_come_back_and_nothing_stays_in_flight() {
    for backend in backends() {
        let disk = FaultyDisk::default();
        let bytes = aligned(&pattern(4096, 1));
        let pieces: Vec<(u64, &[u8])> = (0..20).map(|page| (page * 4096, &bytes[..])).collect();
        let mut window = WriteWindow::open(backend, 4).unwrap();
        for (fault, code) in [(Fault::Write(libc::ENOSPC), Some(libc::ENOSPC)), (Fault::ShortWrite(100), None)] {
            disk.set_fault(Some(fault));
            let error = window.write(&on(&disk, &pieces)).unwrap_err();
            assert_eq!((error.kind(), error.raw_os_error()), (ErrorKind::StorageFull, code));
        }
        assert!(disk.log().iter().filter(|(_, event)| matches!(event, Event::Write { .. })).count() < 20, "went on after an error");
        disk.set_fault(None);
        window.write(&on(&disk, &pieces)).unwrap();
        assert_eq!(disk.image(), pattern(4096, 1).repeat(20));
    }
}

/// A disk that the kernel says is full, with a descriptor to hear it by.
struct Full(File, Meter);

impl Disk for Full {
    fn read_at(&self, out: &mut [u8], offset: u64) -> std::io::Result<()> {
        self.0.read_exact_at(out, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn sync(&self) -> std::io::Result<()> {
        Ok(())
    }

    fn meter(&self) -> &Meter {
        &self.1
    }

    fn length(&self) -> std::io::Result<u64> {
        Ok(0)
    }

    fn set_len(&self, _: u64) -> std::io::Result<()> {
        Ok(())
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.0.as_fd())
    }
}

#[test]
fn a_kernel_that_refuses_a_write_is_heard() {
    let disk = Full(File::options().read(true).write(true).open("/dev/full").unwrap(), Meter::default());
    let bytes = aligned(&[1; 4096]);
    let pieces: Vec<(u64, &[u8])> = (0..20).map(|page| (page * 4096, &bytes[..])).collect();
    for backend in backends() {
        let mut window = WriteWindow::open(backend, 4).unwrap();
        for _ in 0..2 {
            assert_eq!(window.write(&on(&disk, &pieces)).unwrap_err().raw_os_error(), Some(libc::ENOSPC));
        }
    }
}
