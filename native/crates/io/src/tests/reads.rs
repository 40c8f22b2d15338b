use super::super::faulty::{Fault, FaultyDisk};
use super::super::{Access, Backend, Disk, Meter, ReadWindow};
use super::{backends, disks, file_of, pattern};
use parking_lot::Mutex;
use proptest::prelude::*;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use tessera_base::wait_until;

/// Reads all of `wanted` (disk, offset, length) keeping the window as full as it gets, and checks every byte.
fn read_all(window: &mut ReadWindow, images: &[Vec<u8>], wanted: &[(usize, u64, usize)]) {
    let (mut begun, mut seen) = (0, HashMap::new());
    loop {
        while let Some(&(disk, offset, length)) = wanted.get(begun).filter(|_| window.in_flight() < window.depth()) {
            window.start(begun as u64, disk, offset, length).unwrap();
            begun += 1;
        }
        let Some(read) = window.next() else { break };
        let (disk, offset, length) = wanted[read.tag as usize];
        assert_eq!(read.result.unwrap(), &images[disk][offset as usize..][..length]);
        *seen.entry(read.tag).or_insert(0) += 1;
    }
    assert_eq!((begun, seen.len()), (wanted.len(), wanted.len()));
    assert!(seen.values().all(|&times| times == 1));
    assert_eq!(window.in_flight(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn reads_are_those_of_the_file(
        depth in 1_usize..40,
        reads in prop::collection::vec((0_usize..3, 0_u64..32, 0_usize..6), 1..200),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let images: Vec<Vec<u8>> = (0..3).map(|seed| pattern(37 * 4096, seed)).collect();
        let wanted: Vec<_> = reads.into_iter().map(|(disk, page, pages)| (disk, page * 4096, pages * 4096)).collect();
        for backend in backends() {
            let disks = disks([
                file_of(&dir, "direct", &images[0], Access::Direct),
                file_of(&dir, "cached", &images[1], Access::Cached),
                Arc::new(FaultyDisk::with(images[2].clone())),
            ]);
            let mut window = ReadWindow::open(backend, disks, depth).unwrap();
            prop_assert_eq!(window.backend(), backend);
            read_all(&mut window, &images, &wanted);
            // The same again, with used buffers.
            read_all(&mut window, &images, &wanted);
        }
    }
}

#[test]
fn a_window_says_when_it_is_full_and_when_it_is_empty() {
    for backend in backends() {
        let mut window = ReadWindow::open(backend, disks([Arc::new(FaultyDisk::with(pattern(8192, 1)))]), 2).unwrap();
        assert!(window.next().is_none());
        window.start(1, 0, 0, 4096).unwrap();
        window.start(2, 0, 4096, 4096).unwrap();
        let full = window.start(3, 0, 0, 4096).unwrap_err();
        assert!(full.kind() == ErrorKind::InvalidInput && full.to_string().contains("full"), "{full}");
        assert!(window.next().is_some());
        window.start(4, 0, 0, 0).unwrap();
        let mut last: Vec<_> = std::iter::from_fn(|| window.next().map(|read| read.result.unwrap().len())).collect();
        last.sort_unstable();
        assert_eq!(last, [0, 4096]);
    }
}

#[test]
fn what_no_window_is_for_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for backend in backends() {
        let files = disks([file_of(&dir, "f", &pattern(8192, 1), Access::Direct)]);
        for depth in [0, 4097, usize::MAX] {
            assert_eq!(ReadWindow::open(backend, files.clone(), depth).err().unwrap().kind(), ErrorKind::InvalidInput);
        }
        let step = files[0].alignment();
        let mut window = ReadWindow::open(backend, files.clone(), 4).unwrap();
        let mut refused = vec![(1, 0, 4096), (0, u64::MAX - 4095, 4096), (0, 0, isize::MAX as usize & !4095)];
        if step > 1 {
            refused.extend([(0, 1, 4096), (0, 0, step + 1), (0, step as u64 / 2, step / 2)]);
        }
        for (disk, offset, length) in refused {
            let kind = window.start(0, disk, offset, length).unwrap_err().kind();
            assert!(matches!(kind, ErrorKind::InvalidInput | ErrorKind::OutOfMemory), "{disk} {offset} {length}: {kind}");
        }
        assert_eq!(window.in_flight(), 0);
    }
}

#[test]
fn a_failed_read_is_its_own_only() {
    let dir = tempfile::tempdir().unwrap();
    for backend in backends() {
        let image = pattern(16 * 4096, 5);
        let faulty = FaultyDisk::with(image.clone());
        faulty.set_fault(Some(Fault::Read { from: 8192, to: 8193, code: libc::EIO }));
        let files = disks([Arc::new(faulty), file_of(&dir, "f", &image, Access::Direct), file_of(&dir, "g", &image, Access::Cached)]);
        let mut window = ReadWindow::open(backend, files, 64).unwrap();
        let (mut tag, mut bad) = (0, vec![]);
        for disk in 0..3 {
            // The last one ends past the end.
            for page in 0..16 {
                window.start(tag, disk, page * 4096, 8192).unwrap();
                tag += 1;
            }
        }
        while let Some(read) = window.next() {
            match read.result {
                Ok(bytes) => assert_eq!(bytes, &image[(read.tag as usize % 16) * 4096..][..8192]),
                Err(error) => bad.push((read.tag, error.raw_os_error(), error.kind())),
            }
        }
        bad.sort_by_key(|(tag, ..)| *tag);
        let eio = std::io::Error::from_raw_os_error(libc::EIO).kind();
        let eof = ErrorKind::UnexpectedEof;
        let some = Some(libc::EIO);
        assert_eq!(bad, [(1, some, eio), (2, some, eio), (15, None, eof), (31, None, eof), (47, None, eof)]);
    }
}

/// A disk that counts the reads at work on it, and that may panic.
struct Counted {
    at_work: AtomicUsize,
    meter: Meter,
    gate: Mutex<()>,
    panics: bool,
}

impl Disk for Counted {
    fn read_at(&self, out: &mut [u8], _: u64) -> std::io::Result<()> {
        assert!(!self.panics, "as it was told");
        self.at_work.fetch_add(1, SeqCst);
        drop(self.gate.lock());
        out.fill(1);
        self.at_work.fetch_sub(1, SeqCst);
        Ok(())
    }

    fn write_at(&self, _: &[u8], _: u64) -> std::io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    fn sync(&self) -> std::io::Result<()> {
        Ok(())
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }

    fn length(&self) -> std::io::Result<u64> {
        Ok(u64::MAX)
    }

    fn set_len(&self, _: u64) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_window_that_goes_waits_for_its_reads() {
    let disk = Arc::new(Counted { at_work: AtomicUsize::new(0), meter: Meter::default(), gate: Mutex::new(()), panics: false });
    let mut window = ReadWindow::open(Backend::Threads, disks([disk.clone()]), 8).unwrap();
    let gate = disk.gate.lock();
    for tag in 0..8 {
        window.start(tag, 0, 0, 4096).unwrap();
    }
    wait_until(|| disk.at_work.load(SeqCst) > 0);
    drop(gate);
    drop(window);
    assert_eq!((disk.at_work.load(SeqCst), Arc::strong_count(&disk)), (0, 1));

    let dir = tempfile::tempdir().unwrap();
    let file = file_of(&dir, "f", &pattern(1 << 20, 1), Access::Direct);
    for backend in backends() {
        for _ in 0..50 {
            let mut window = ReadWindow::open(backend, disks([file.clone()]), 32).unwrap();
            for tag in 0..32 {
                window.start(tag, 0, tag * 32768, 32768).unwrap();
            }
            // Begun for certain: one is back.
            assert!(window.next().unwrap().result.is_ok());
        }
    }
    assert_eq!(Arc::strong_count(&file), 1);
}

#[test]
fn a_read_that_panics_on_a_thread_is_an_error() {
    let disk = Arc::new(Counted { at_work: AtomicUsize::new(0), meter: Meter::default(), gate: Mutex::new(()), panics: true });
    let mut window = ReadWindow::open(Backend::Threads, disks([disk]), 2).unwrap();
    window.start(7, 0, 0, 4096).unwrap();
    let read = window.next().unwrap();
    assert_eq!((read.tag, read.result.unwrap_err().to_string()), (7, "the reader panicked".to_owned()));
    assert!(window.next().is_none());
}

#[test]
fn a_window_may_go_to_another_thread_and_outlive_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let image = pattern(1 << 20, 3);
    let file = file_of(&dir, "f", &image, Access::Direct);
    for backend in backends() {
        let mut window = ReadWindow::open(backend, disks([file.clone()]), 32).unwrap();
        let begin = move || {
            for tag in 0..32 {
                window.start(tag, 0, tag * 32768, 32768).unwrap();
            }
            assert!(window.next().unwrap().result.is_ok());
            window
        };
        let mut window = std::thread::spawn(begin).join().unwrap();
        let mut left = 31;
        while let Some(read) = window.next() {
            assert_eq!(read.result.unwrap(), &image[read.tag as usize * 32768..][..32768]);
            left -= 1;
        }
        assert_eq!(left, 0);
    }
}

#[test]
fn a_wait_with_an_end_gives_what_there_is_by_then() {
    let far = || Instant::now() + Duration::from_secs(3600);
    let dir = tempfile::tempdir().unwrap();
    let image = pattern(1 << 20, 4);
    let file = file_of(&dir, "f", &image, Access::Direct);
    for backend in backends() {
        let mut window = ReadWindow::open(backend, disks([file.clone()]), 32).unwrap();
        assert!(!window.wait_until(far()), "nothing is in flight");
        for tag in 0..32 {
            window.start(tag, 0, tag * 32768, 32768).unwrap();
        }
        let mut left = 32;
        while left > 0 {
            // A moment that has passed starts the reads, and waits for none.
            let until = if left % 2 == 0 { Instant::now() } else { far() };
            if window.wait_until(until) {
                let read = window.next().unwrap();
                assert_eq!(read.result.unwrap(), &image[read.tag as usize * 32768..][..32768]);
                left -= 1;
            }
        }
        assert!(!window.wait_until(far()) && window.next().is_none());
    }

    let disk = Arc::new(Counted { at_work: AtomicUsize::new(0), meter: Meter::default(), gate: Mutex::new(()), panics: false });
    let gate = disk.gate.lock();
    let mut window = ReadWindow::open(Backend::Threads, disks([disk.clone()]), 2).unwrap();
    window.start(1, 0, 0, 4096).unwrap();
    assert!(!window.wait_until(Instant::now() + Duration::from_millis(1)), "it cannot have ended");
    drop(gate);
    assert!(window.wait_until(far()) && window.next().is_some());
}
