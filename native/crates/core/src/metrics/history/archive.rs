//! The files of the history: segments of each tier, within the bound of the tier.

use super::block::{self, Head};
use super::segment::{self, Append, Found, HEADER_BYTES, Segment, Written};
use super::tiers::{TIERS, Tier};
use crate::metrics::frame::Frame;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Files of a tier. In order it has eighteen at most: more are torn ones, or such that cannot be read.
const SEGMENTS: usize = 24;

pub(super) struct Archive {
    pub(super) directory: PathBuf,
    tiers: [Vec<Segment>; TIERS.len()],
    append: Append,
    /// The directory has names that a power loss could take.
    renamed: bool,
}

/// What a start finds.
#[derive(Default)]
pub(super) struct Past {
    /// Of each tier, in ascending order.
    pub(super) points: [Vec<Written>; TIERS.len()],
    /// Above all numbers that a file or a point has.
    pub(super) last: u64,
    pub(super) damaged: u64,
    /// Why files are not read.
    pub(super) unreadable: Vec<String>,
}

impl Archive {
    /// Reads what there is. Nothing in it can fail, because nothing in it is anybody's data.
    pub(super) fn open(directory: PathBuf, append: Append) -> (Self, Past) {
        let mut past = Past::default();
        let tiers = TIERS.map(|_| Vec::new());
        let mut archive = Self { directory, tiers, append, renamed: false };
        let listed = fs::read_dir(&archive.directory);
        if let Some(error) = listed.as_ref().err().filter(|error| error.kind() != io::ErrorKind::NotFound) {
            past.unreadable.push(format!("{}: it cannot be read: {error}", archive.directory.display()));
        }
        let names = listed.into_iter().flatten().flatten();
        let mut named: Vec<(usize, u64, bool)> = Vec::new();
        for entry in names {
            let parsed = entry.file_name().to_str().and_then(Segment::parse);
            let of_tier = |(seconds, number)| Some((TIERS.iter().position(|tier| tier.seconds == seconds)?, number));
            match parsed.and_then(of_tier) {
                Some((tier, number)) => named.push((tier, number, entry.file_type().is_ok_and(|kind| kind.is_file()))),
                None => past.unreadable.extend(segment::misnamed(&entry.path())),
            }
        }
        past.unreadable.sort_unstable();
        named.sort_unstable();
        let newest = |tier| named.iter().rfind(|(of, _, is_file)| *of == tier && *is_file).map(|(_, number, _)| *number);
        let newest: Vec<_> = (0..TIERS.len()).map(newest).collect();
        for (tier, number, is_file) in named {
            let seconds = TIERS[tier].seconds;
            let path = Segment::path_of(&archive.directory, seconds, number);
            // It takes no place of the tier, because nobody may remove it. Its number is not used again.
            if !is_file {
                past.unreadable.push(format!("{}: it is no regular file", path.display()));
                past.last = past.last.max(number);
                continue;
            }
            let Found { mut segment, mut points, damaged, unreadable } =
                Segment::open(path, number, &TIERS[tier], newest[tier] == Some(number));
            // A copy of a file under another name.
            let known = past.points[tier].last().map_or(0, |last: &Written| last.head.seq);
            let before = points.len();
            points.retain(|point| point.head.seq > known);
            past.damaged += damaged + (before - points.len()) as u64;
            past.unreadable.extend(unreadable);
            past.last = past.last.max(number).max(points.last().map_or(0, |last| last.head.seq));
            segment.points = points.len();
            archive.tiers[tier].push(segment);
            past.points[tier].append(&mut points);
        }
        (archive, past)
    }

    /// Appends a point to its tier. `None`: it is larger than any may be.
    pub(super) fn write(&mut self, tier: usize, frame: &Frame) -> io::Result<Option<Written>> {
        let Tier { seconds, .. } = TIERS[tier];
        let block = block::encode(seconds, frame);
        let bytes = (HEADER_BYTES + block.len()) as u64;
        if bytes > TIERS[tier].segment_bytes() {
            return Ok(None);
        }
        self.make_room(tier, bytes)?;
        let full =
            |segment: &Segment| segment.points >= TIERS[tier].segment_points() || segment.bytes + bytes > TIERS[tier].segment_bytes();
        if self.tiers[tier].last().is_none_or(|segment| !segment.takes_appends() || full(segment)) {
            // Syncs come later for all but what nobody will look at again.
            self.tiers[tier].last_mut().map_or(Ok(()), Segment::sync)?;
            let segment = Segment::create(&self.directory, seconds, frame.first, self.append)?;
            // One that could not be read may have had the name.
            self.tiers[tier].retain(|other| other.path != segment.path);
            self.tiers[tier].push(segment);
            self.renamed = true;
        }
        let last = self.tiers[tier].last_mut().ok_or_else(|| io::Error::other("no segment"))?;
        last.append(seconds, Head::of(frame), &block, self.append).map(Some)
    }

    /// Removes segments, the oldest first, until `bytes` more fit, and as long as the others have all the points that are kept.
    fn make_room(&mut self, tier: usize, bytes: u64) -> io::Result<()> {
        loop {
            let segments = &mut self.tiers[tier];
            let total: u64 = segments.iter().map(|segment| segment.bytes).sum();
            let points: usize = segments.iter().map(|segment| segment.points).sum();
            let Some(oldest) = segments.first() else { return Ok(()) };
            let spare = points - oldest.points >= TIERS[tier].points;
            if total + bytes <= TIERS[tier].bytes && segments.len() < SEGMENTS && !spare {
                return Ok(());
            }
            match fs::remove_file(&oldest.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => drop(segments.remove(0)),
            }
        }
    }

    /// Points of a tier with lower numbers have gone.
    pub(super) fn oldest(&self, tier: usize) -> u64 {
        self.tiers[tier].first().map_or(u64::MAX, |segment| segment.number)
    }

    /// Brings everything to stable storage.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.tiers.iter_mut().flatten().try_for_each(Segment::sync)?;
        if self.renamed {
            sync_directory(&self.directory)?;
            self.renamed = false;
        }
        Ok(())
    }

    /// Of all files.
    pub(super) fn bytes(&self) -> u64 {
        self.tiers.iter().flatten().map(|segment| segment.bytes).sum()
    }
}

/// Makes the folder if it is not there.
pub(in crate::metrics) fn make_folder(directory: &Path) -> io::Result<()> {
    match fs::create_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync_directory(directory.parent().unwrap_or(directory)),
    }
}

pub(in crate::metrics) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use std::os::unix::fs::FileExt;
    use tessera_jobs::Mark;

    fn archive(directory: &Path) -> (Archive, Past) {
        Archive::open(directory.to_owned(), |file, bytes, at| file.write_all_at(bytes, at))
    }

    fn bytes_of(directory: &Path) -> u64 {
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
    }

    #[test]
    fn the_files_stay_within_their_share() {
        let directory = tempfile::tempdir().unwrap();
        let tier = 1;
        let most = TIERS[tier].bytes;
        let mut seq = 0;
        for text in [700_000, 1_900_000, 90_000, 1_200_000] {
            // What the last one left is counted.
            let (mut archive, _) = archive(directory.path());
            let (mut written, mut highest) = (0, 0);
            while written < most + most / 2 {
                seq += 1;
                let mark = Mark { time_ms: 0, kind: String::new(), text: "x".repeat(text), job: None, namespace: None };
                let frame = Frame { first: seq, seq, marks: vec![mark], ..Frame::default() };
                assert!(archive.write(tier, &frame).unwrap().is_some());
                written += text as u64;
                let bytes = bytes_of(directory.path());
                assert!(bytes <= most && bytes == archive.bytes(), "{bytes} of {most}");
                highest = highest.max(bytes);
            }
            assert!(highest > most / 4 * 3, "{highest} of {most}: the share is used");
        }
        let (mut archive, past) = archive(directory.path());
        assert_eq!(past.points[tier].last().unwrap().head.seq, seq);
        // One that is larger than any may be.
        let mark =
            Mark { time_ms: 0, kind: String::new(), text: "x".repeat(TIERS[tier].segment_bytes() as usize), job: None, namespace: None };
        assert!(archive.write(tier, &Frame { marks: vec![mark], ..Frame::default() }).unwrap().is_none());
    }

    #[test]
    fn as_many_points_stay_as_are_promised_and_few_more() {
        let directory = tempfile::tempdir().unwrap();
        let (mut one, _) = archive(directory.path());
        let tier = 1;
        let most = TIERS[tier].points as u64;
        for seq in 1..=most * 2 {
            one.write(tier, &samples::frame(seq, seq)).unwrap();
        }
        let (_, past) = archive(directory.path());
        let kept = past.points[tier].len() as u64;
        assert!((most..=most + most / 4).contains(&kept), "{kept} points");
        assert_eq!((past.points[tier][0].head.first, one.oldest(tier)), (most * 2 - kept + 1, most * 2 - kept + 1));
    }

    #[test]
    fn a_name_that_no_second_can_have_does_not_end_the_numbers() {
        let directory = tempfile::tempdir().unwrap();
        let (mut one, _) = archive(directory.path());
        one.write(0, &samples::frame(7, 7)).unwrap();
        fs::write(Segment::path_of(directory.path(), 1, u64::MAX), "").unwrap();
        let (_, past) = archive(directory.path());
        assert_eq!((past.last, past.points[0].len(), past.unreadable.len()), (7, 1, 0));
    }

    #[test]
    fn files_that_cannot_be_read_are_bounded_too() {
        let directory = tempfile::tempdir().unwrap();
        for number in 0..100 {
            fs::write(Segment::path_of(directory.path(), 1, number), "torn").unwrap();
        }
        let (mut archive, past) = archive(directory.path());
        assert_eq!(past.unreadable.len(), 100);
        archive.write(0, &samples::frame(200, 200)).unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), SEGMENTS);
    }
}
