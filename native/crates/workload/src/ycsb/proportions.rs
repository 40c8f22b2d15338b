//! What a YCSB workload does, in percent.

use super::chooser::Distribution;
use crate::operation::Kind;
use crate::rng::Rng;
use std::fmt::{self, Write as _};
use tessera_base::{Error, ErrorCode, sentence};

/// Percent of the operations; together 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proportions {
    pub read: u32,
    pub update: u32,
    pub insert: u32,
    pub scan: u32,
    pub read_modify_write: u32,
}

/// The words of the parts, in the order in which YCSB adds them up.
const PARTS: [(&str, Kind); 5] =
    [("read", Kind::Read), ("update", Kind::Update), ("insert", Kind::Insert), ("scan", Kind::Scan), ("rmw", Kind::ReadModifyWrite)];

/// The workloads of the paper, as the files `workloada` to `workloadf` have them.
const LETTERS: [(char, Proportions); 6] = [
    // Update heavy.
    ('A', Proportions { read: 50, update: 50, ..Proportions::NONE }),
    // Read mostly.
    ('B', Proportions { read: 95, update: 5, ..Proportions::NONE }),
    // Read only.
    ('C', Proportions { read: 100, ..Proportions::NONE }),
    // Read latest.
    ('D', Proportions { read: 95, insert: 5, ..Proportions::NONE }),
    // Short ranges.
    ('E', Proportions { scan: 95, insert: 5, ..Proportions::NONE }),
    // Read, modify, write.
    ('F', Proportions { read: 50, read_modify_write: 50, ..Proportions::NONE }),
];

impl Proportions {
    const NONE: Self = Self { read: 0, update: 0, insert: 0, scan: 0, read_modify_write: 0 };

    /// Reads `A` to `F`, in either case, or parts such as `read:90,rmw:10`.
    ///
    /// # Errors
    /// `workload_invalid`: another letter or part, a part twice, or not 100 percent together.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if let Some((_, proportions)) = LETTERS.iter().find(|(letter, _)| text.eq_ignore_ascii_case(letter.encode_utf8(&mut [0; 4]))) {
            return Ok(*proportions);
        }
        let invalid = || {
            let message = sentence!(
                "a YCSB workload must be LOAD, A to F, or parts that add up to 100 percent: read:P, update:P, insert:P, scan:P, rmw:P"
            );
            Error::said(ErrorCode::WorkloadInvalid, message).in_field("workload")
        };
        let mut percents = [None; PARTS.len()];
        for part in text.split(',') {
            let (name, percent) = part.split_once(':').ok_or_else(invalid)?;
            let at = PARTS.iter().position(|(word, _)| *word == name).ok_or_else(invalid)?;
            let percent: u32 = percent.parse().ok().filter(|percent| (0..=100).contains(percent)).ok_or_else(invalid)?;
            if percents[at].replace(percent).is_some() {
                return Err(invalid());
            }
        }
        let [read, update, insert, scan, read_modify_write] = percents.map(Option::unwrap_or_default);
        let proportions = Self { read, update, insert, scan, read_modify_write };
        if proportions.percents().iter().sum::<u32>() == 100 { Ok(proportions) } else { Err(invalid()) }
    }

    /// In the order of `PARTS`.
    const fn percents(&self) -> [u32; PARTS.len()] {
        [self.read, self.update, self.insert, self.scan, self.read_modify_write]
    }

    /// The letter of a workload of the paper.
    pub fn letter(&self) -> Option<char> {
        LETTERS.iter().find(|(_, proportions)| proportions == self).map(|(letter, _)| *letter)
    }

    /// The distribution that the workload's own file asks for; that of most where there is no such file.
    pub fn distribution(&self) -> Distribution {
        if self.letter() == Some('D') { Distribution::Latest } else { Distribution::Zipfian }
    }

    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> Kind {
        let mut at = rng.below(100);
        for ((_, kind), percent) in PARTS.iter().zip(self.percents()) {
            if at < percent {
                return *kind;
            }
            at -= percent;
        }
        // Not reached: the percents are 100 together.
        Kind::Read
    }
}

impl fmt::Display for Proportions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(letter) = self.letter() {
            return f.write_char(letter);
        }
        let mut first = true;
        for ((word, _), percent) in PARTS.iter().zip(self.percents()).filter(|(_, percent)| *percent > 0) {
            write!(f, "{}{word}:{percent}", if first { "" } else { "," })?;
            first = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_parts_are_read_and_nothing_else() {
        for text in ["A", "B", "C", "D", "E", "F", "read:90,rmw:10", "update:100", "read:20,update:20,insert:20,scan:20,rmw:20"] {
            assert_eq!(Proportions::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Proportions::parse("f").unwrap(), Proportions::parse("rmw:50,read:50").unwrap());
        assert_eq!(Proportions::parse("read:50,update:50").unwrap().letter(), Some('A'));
        for text in
            ["", "G", "AA", "read", "read:", "read:99", "read:101", "read:-1,update:101", "read:50,read:50", "delete:100", "read:100,"]
        {
            assert_eq!(Proportions::parse(text).unwrap_err().field.as_deref(), Some("workload"), "{text}");
        }
        assert_eq!(Proportions::parse("D").unwrap().distribution(), Distribution::Latest);
        assert_eq!(Proportions::parse("E").unwrap().distribution(), Distribution::Zipfian);
    }

    #[test]
    fn operations_come_in_their_proportions() {
        let proportions = Proportions::parse("read:40,update:30,insert:15,scan:10,rmw:5").unwrap();
        let (mut rng, mut counts) = (Rng::new(3, 0, 0), [0u32; PARTS.len()]);
        for _ in 0..100_000 {
            let kind = proportions.draw(&mut rng);
            counts[PARTS.iter().position(|(_, of)| *of == kind).unwrap()] += 1;
        }
        for (count, percent) in counts.into_iter().zip(proportions.percents()) {
            let expected = f64::from(percent) * 1000.0;
            assert!((f64::from(count) - expected).abs() < 5.0 * expected.sqrt(), "{counts:?}");
        }
    }
}
