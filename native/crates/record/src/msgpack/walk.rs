//! Steps over MessagePack values without reading them: where each ends, in memory that does not grow with them.

/// Where a walk through one value is. It goes on when more bytes are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Values that are still to come, with the one that is being stepped over.
    values: u64,
    /// Bytes of content that are still to come.
    content: u64,
}

/// How far a walk came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked {
    /// The value ends before this byte.
    Whole(usize),
    /// The bytes before this one are stepped over, and the value goes on. At most 5 bytes are left.
    Part(usize),
    /// This byte begins no value, so nobody can tell where the next one begins.
    Lost(usize),
}

impl Default for Walk {
    /// Before a value.
    fn default() -> Self {
        Self { values: 1, content: 0 }
    }
}

impl Walk {
    /// Steps over `bytes`, which begin where the last step ended, until the value does.
    pub fn step(&mut self, bytes: &[u8]) -> Walked {
        let mut at = 0;
        loop {
            let left = (bytes.len() - at) as u64;
            if self.content > left {
                self.content -= left;
                return Walked::Part(bytes.len());
            }
            at += self.content as usize;
            self.content = 0;
            if self.values == 0 {
                *self = Self::default();
                return Walked::Whole(at);
            }
            match Head::of(&bytes[at..]) {
                Some(Head { bytes: head, content, values }) => {
                    at += head;
                    self.content = content;
                    self.values = (self.values - 1).saturating_add(values);
                }
                None if bytes.get(at) == Some(&RESERVED) => return Walked::Lost(at),
                None => return Walked::Part(at),
            }
        }
    }
}

/// The one marker that begins nothing.
const RESERVED: u8 = 0xc1;

/// What a value begins with.
struct Head {
    bytes: usize,
    /// Bytes that follow it.
    content: u64,
    /// Values that follow it.
    values: u64,
}

impl Head {
    /// `None` if bytes of it are missing, or it is none.
    #[inline]
    fn of(bytes: &[u8]) -> Option<Self> {
        let &marker = bytes.first()?;
        let plain = |content| Some(Self { bytes: 1, content, values: 0 });
        let length = |width: usize| {
            let digits = bytes.get(1..=width)?;
            Some((1 + width, digits.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))))
        };
        let sized = |width, more| length(width).map(|(bytes, content)| Self { bytes, content: content + more, values: 0 });
        let counted = |width, each| length(width).map(|(bytes, count)| Self { bytes, content: 0, values: count * each });
        match marker {
            0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => plain(0),
            0x80..=0x8f => Some(Self { bytes: 1, content: 0, values: 2 * u64::from(marker & 0x0f) }),
            0x90..=0x9f => Some(Self { bytes: 1, content: 0, values: u64::from(marker & 0x0f) }),
            0xa0..=0xbf => plain(u64::from(marker & 0x1f)),
            RESERVED => None,
            0xc4..=0xc6 => sized(1 << (marker - 0xc4), 0),
            // An extension has a byte for its type.
            0xc7..=0xc9 => sized(1 << (marker - 0xc7), 1),
            0xca => plain(4),
            0xcb => plain(8),
            0xcc..=0xcf => plain(1 << (marker - 0xcc)),
            0xd0..=0xd3 => plain(1 << (marker - 0xd0)),
            0xd4..=0xd8 => plain(1 + (1 << (marker - 0xd4))),
            0xd9..=0xdb => sized(1 << (marker - 0xd9), 0),
            0xdc | 0xdd => counted(2 << (marker - 0xdc), 1),
            0xde | 0xdf => counted(2 << (marker - 0xde), 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msgpack::{pack_value, unpack_value};
    use crate::{Encoder, Value, ValueRef};

    fn packed(value: &Value) -> Vec<u8> {
        let (mut encoded, mut out) = (vec![], vec![]);
        Encoder::new(&mut encoded).value(value);
        pack_value(&mut out, ValueRef::of(&encoded));
        out
    }

    /// Each marker but the reserved one, with as little behind it as it needs.
    fn shortest() -> impl Iterator<Item = Vec<u8>> {
        (0..=0xff_u8).filter(|&marker| marker != RESERVED).map(|marker| {
            let zeros = match marker {
                0x80..=0x8f => 2 * usize::from(marker & 0x0f),
                0x90..=0x9f => usize::from(marker & 0x0f),
                0xa0..=0xbf => usize::from(marker & 0x1f),
                0xc4 | 0xcc | 0xd0 | 0xd9 => 1,
                0xc5 | 0xcd | 0xd1 | 0xda | 0xdc | 0xde | 0xd4 | 0xc7 => 2,
                0xc8 | 0xd5 => 3,
                0xc6 | 0xca | 0xce | 0xd2 | 0xdb | 0xdd | 0xdf => 4,
                0xc9 | 0xd6 => 5,
                0xcb | 0xcf | 0xd3 => 8,
                0xd7 => 9,
                0xd8 => 17,
                _ => 0,
            };
            [vec![marker], vec![0; zeros]].concat()
        })
    }

    #[test]
    fn each_marker_ends_where_its_value_does() {
        for bytes in shortest() {
            let longer = [&bytes[..], &[0xff; 3]].concat();
            assert_eq!(Walk::default().step(&longer), Walked::Whole(bytes.len()), "{:x}", bytes[0]);
            for length in 0..bytes.len() {
                assert!(matches!(Walk::default().step(&bytes[..length]), Walked::Part(to) if to <= length && length - to <= 5));
            }
        }
        assert_eq!(Walk::default().step(&[RESERVED]), Walked::Lost(0));
        assert_eq!(Walk::default().step(&[0x92, 1, RESERVED]), Walked::Lost(2));
    }

    #[test]
    fn a_walk_goes_on_wherever_it_was_cut() {
        let list = |length: usize| Value::List((0..length).map(|n| Value::Int(n as i64 * 1000)).collect());
        let value = Value::Map(vec![
            ("text".into(), Value::String("x".repeat(70_000))),
            ("list".into(), Value::List(vec![list(3), list(20), list(300), Value::Bytes(vec![7; 300])])),
        ]);
        let bytes = packed(&value);
        for each in [1, 2, 3, 7, 1000, 69_999] {
            let (mut walk, mut from, mut to, mut ended) = (Walk::default(), 0, 0, None);
            while ended.is_none() && to < bytes.len() {
                to = bytes.len().min(to + each);
                match walk.step(&bytes[from..to]) {
                    Walked::Whole(end) => ended = Some(from + end),
                    Walked::Part(end) => from += end,
                    Walked::Lost(at) => panic!("lost at {}", from + at),
                }
            }
            assert_eq!(ended, Some(bytes.len()), "{each}");
        }
    }

    #[test]
    fn a_length_that_lies_takes_no_memory() {
        for head in [[0xdb, 0xff, 0xff, 0xff, 0xff], [0xdd, 0xff, 0xff, 0xff, 0xff], [0xdf, 0xff, 0xff, 0xff, 0xff]] {
            let mut walk = Walk::default();
            for _ in 0..1000 {
                assert_eq!(walk.step(&head), Walked::Part(5));
            }
        }
        let mut walk = Walk { values: u64::MAX, content: 0 };
        assert_eq!(walk.step(&[0xdf, 0xff, 0xff, 0xff, 0xff]), Walked::Part(5));
    }

    #[test]
    fn what_is_read_ends_where_the_walk_does() {
        for bytes in shortest() {
            let read = unpack_value(&bytes, &mut vec![]);
            let whole =
                read.as_ref().err().is_none_or(|error| !error.message.contains("ends inside") && !error.message.contains("unexpected"));
            assert!(whole, "{:x} {read:?}", bytes[0]);
        }
    }
}
