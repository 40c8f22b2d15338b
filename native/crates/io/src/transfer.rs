//! What a read or write does after each answer of the operating system: short counts go on, interruptions try again.

use std::io::{Error, ErrorKind, Result};
use std::time::Duration;

/// Attempts in a row that may bring nothing: about a second of them with the pauses between.
const TRIES: u32 = 32;
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Read,
    Write,
}

/// One transfer under way. All bytes.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    direction: Direction,
    offset: u64,
    length: usize,
    alignment: usize,
    done: usize,
    tries: u32,
}

/// What to do next. Beyond the multiple that a transfer goes on from, bytes may be transferred twice.
#[derive(Debug)]
pub enum TransferStep {
    Done,
    /// Transfer the rest, after a pause if one is named.
    Again(Option<Duration>),
    Failed(Error),
}

impl Transfer {
    /// # Errors
    /// `InvalidInput` where offset, length or address is no multiple of `alignment`, or the end is past any file.
    pub fn new(direction: Direction, offset: u64, bytes: &[u8], alignment: usize) -> Result<Self> {
        let transfer = Self::of(direction, offset, bytes.len(), alignment)?;
        let address = bytes.as_ptr() as usize;
        if !address.is_multiple_of(transfer.alignment) {
            return Err(invalid(format!("direct I/O needs memory at a multiple of {alignment} bytes, got {address:#x}")));
        }
        Ok(transfer)
    }

    /// The same of bytes that are not in one place.
    ///
    /// # Errors
    /// `InvalidInput` where offset or length is no multiple of `alignment`, or the end is past any file.
    pub fn of(direction: Direction, offset: u64, length: usize, alignment: usize) -> Result<Self> {
        let alignment = alignment.max(1);
        check_alignment(offset, length, alignment)?;
        Ok(Self { direction, offset, length, alignment, done: 0, tries: 0 })
    }

    /// Where the rest begins on the disk.
    pub fn position(&self) -> u64 {
        self.offset + self.done as u64
    }

    /// Where the rest begins, counted from the transfer's own beginning.
    pub fn done(&self) -> usize {
        self.done
    }

    pub fn left(&self) -> usize {
        self.length - self.done
    }

    /// Takes the answer to an attempt at the rest: how many bytes went over.
    pub fn step(&mut self, outcome: Result<usize>) -> TransferStep {
        match outcome {
            Ok(count) if count >= self.left() => {
                self.done = self.length;
                TransferStep::Done
            }
            Ok(count) => {
                // Direct I/O goes on at a multiple only; what is beyond it is transferred twice.
                let whole = count - count % self.alignment;
                if whole > 0 {
                    self.done += whole;
                    self.tries = 0;
                    return TransferStep::Again(None);
                }
                match self.direction {
                    Direction::Read => {
                        let end = self.position() + count as u64;
                        TransferStep::Failed(Error::new(ErrorKind::UnexpectedEof, format!("the file ends at byte {end}")))
                    }
                    Direction::Write => self.later(|at| Error::new(ErrorKind::WriteZero, format!("nothing could be written at byte {at}"))),
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => TransferStep::Again(None),
            // Cancelled: the thread that began it has ended, which is no reason not to do it.
            Err(error) if error.kind() == ErrorKind::WouldBlock || error.raw_os_error() == Some(libc::ECANCELED) => self.later(|_| error),
            Err(error) => TransferStep::Failed(error),
        }
    }

    fn later(&mut self, give_up: impl FnOnce(u64) -> Error) -> TransferStep {
        self.tries += 1;
        if self.tries >= TRIES {
            return TransferStep::Failed(give_up(self.position()));
        }
        TransferStep::Again(Some(FIRST_PAUSE.saturating_mul(1 << self.tries.min(16)).min(LONGEST_PAUSE)))
    }

    /// Attempts the rest until all of it is transferred. `attempt` gets the position on the disk and in the bytes.
    ///
    /// # Errors
    /// `UnexpectedEof`, `WriteZero`, and what `attempt` fails with for good.
    pub fn run(mut self, mut attempt: impl FnMut(u64, usize) -> Result<usize>) -> Result<()> {
        while self.left() > 0 {
            match self.step(attempt(self.position(), self.done)) {
                TransferStep::Done => break,
                TransferStep::Again(pause) => pause.into_iter().for_each(std::thread::sleep),
                TransferStep::Failed(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// # Errors
/// `InvalidInput` where offset or length is no multiple of `alignment`, or the end is past any file.
pub fn check_alignment(offset: u64, length: usize, alignment: usize) -> Result<()> {
    if !offset.is_multiple_of(alignment as u64) || !length.is_multiple_of(alignment) {
        return Err(invalid(format!("direct I/O needs multiples of {alignment} bytes, got {length} bytes at byte {offset}")));
    }
    if offset.checked_add(length as u64).is_none_or(|end| end > i64::MAX as u64) {
        return Err(invalid(format!("{length} bytes at byte {offset} are beyond the largest file")));
    }
    Ok(())
}

pub fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::super::AlignedBuffer;
    use super::*;

    /// Feeds answers until the transfer ends; gives the positions it asked for, and how it ended.
    fn play(direction: Direction, alignment: usize, length: usize, answers: &[std::result::Result<usize, i32>]) -> (Vec<u64>, Result<()>) {
        let mut buffer = AlignedBuffer::new(length).unwrap();
        buffer.resize_zeroed(length).unwrap();
        let (mut asked, mut answers) = (vec![], answers.iter());
        let mut transfer = Transfer::new(direction, 8192, &buffer, alignment).unwrap();
        let ended = loop {
            asked.push(transfer.position());
            match transfer.step(answers.next().expect("an attempt too many").map_err(Error::from_raw_os_error)) {
                TransferStep::Done => break Ok(()),
                TransferStep::Again(pause) => assert!(pause.unwrap_or_default() <= LONGEST_PAUSE),
                TransferStep::Failed(error) => break Err(error),
            }
        };
        assert_eq!(answers.len(), 0, "ended early");
        (asked, ended)
    }

    #[test]
    fn goes_on_after_short_counts_and_interruptions() {
        for direction in [Direction::Read, Direction::Write] {
            let answers = [Ok(100), Err(libc::EINTR), Err(libc::EAGAIN), Err(libc::ECANCELED), Ok(899), Ok(1)];
            let (asked, ended) = play(direction, 1, 1000, &answers);
            ended.unwrap();
            assert_eq!(asked, [8192, 8292, 8292, 8292, 8292, 9191]);
            // Direct: from the last multiple on.
            let (asked, ended) = play(direction, 512, 4096, &[Ok(1500), Ok(3072)]);
            ended.unwrap();
            assert_eq!(asked, [8192, 9216]);
        }
    }

    #[test]
    fn a_read_that_brings_nothing_has_met_the_end() {
        for (alignment, answers, end) in [(1, &[Ok(10), Ok(0)][..], 8202), (512, &[Ok(1000), Ok(488)], 9192), (512, &[Ok(0)], 8192)] {
            let error = play(Direction::Read, alignment, 4096, answers).1.unwrap_err();
            assert_eq!((error.kind(), error.to_string()), (ErrorKind::UnexpectedEof, format!("the file ends at byte {end}")));
        }
    }

    #[test]
    fn gives_up_after_many_attempts_that_bring_nothing() {
        let tries = TRIES as usize;
        let again = play(Direction::Read, 1, 10, &vec![Err(libc::EAGAIN); tries]).1.unwrap_err();
        assert_eq!(again.raw_os_error(), Some(libc::EAGAIN));
        let zero = play(Direction::Write, 1, 10, &vec![Ok(0); tries]).1.unwrap_err();
        assert_eq!(zero.kind(), ErrorKind::WriteZero);
        // Progress starts the count anew.
        let mut slow = vec![Err(libc::EAGAIN); tries - 1];
        slow.push(Ok(1));
        let slow = [slow.clone(), slow].concat();
        play(Direction::Read, 1, 2, &slow).1.unwrap();
    }

    #[test]
    fn other_errors_end_it() {
        for code in [libc::EIO, libc::ENOSPC, libc::ENODEV] {
            assert_eq!(play(Direction::Write, 1, 10, &[Ok(3), Err(code)]).1.unwrap_err().raw_os_error(), Some(code));
        }
    }

    #[test]
    fn breaches_of_the_alignment_are_named() {
        let mut buffer = AlignedBuffer::new(8192).unwrap();
        buffer.resize_zeroed(8192).unwrap();
        for (offset, bytes, words) in [
            (0, &buffer[..511], "got 511 bytes at byte 0"),
            (100, &buffer[..512], "got 512 bytes at byte 100"),
            (0, &buffer[8..520], "memory at a multiple of 512"),
            (u64::MAX - 511, &buffer[..512], "beyond the largest file"),
            (i64::MAX as u64 - 511, &buffer[..512], "beyond the largest file"),
        ] {
            let error = Transfer::new(Direction::Read, offset, bytes, 512).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.to_string().contains(words), "{error}");
        }
        Transfer::new(Direction::Read, 512, &buffer[512..1536], 512).unwrap();
    }
}
