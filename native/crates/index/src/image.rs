//! A segment's part of an index as it is saved at an orderly close and comes back at the next start. See
//! `docs/on-disk-format.md`.

use crate::document::image as document;
use crate::{IndexKind, IndexSpec, Renumbering, SegmentIndex, range_image as range};
use serde::{Deserialize, Serialize};

/// Which terms and values an image is of, and how they lie in it. To be raised with every change of either: an image of
/// another form is made anew from the records.
pub(crate) const FORM: u32 = 3;

/// What a snapshot tells of an index, as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexNote {
    form: u32,
    spec: IndexSpec,
}

impl IndexNote {
    /// The note of an index of `spec`, as images are made now.
    pub fn of(spec: &IndexSpec) -> Self {
        Self { form: FORM, spec: spec.clone() }
    }

    /// The bytes that `decode` takes.
    pub fn encode(&self) -> Vec<u8> {
        // A note has nothing that JSON cannot tell.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// `None` where it is none.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Whether images under this note are parts of an index of `spec`, as they would be made now.
    pub fn fits(&self, spec: &IndexSpec) -> bool {
        self.form == FORM && self.spec == *spec
    }
}

/// Whether `write` makes an image of the part.
pub fn writable(part: &SegmentIndex) -> bool {
    match part {
        SegmentIndex::Document(part) => part.compact().is_some_and(|compact| compact.complete()),
        SegmentIndex::Range(part) => part.sorted().is_some(),
    }
}

/// Appends the image of a merged part to `out`; `None` where there is none of it.
pub fn write(part: &SegmentIndex, slots: &Renumbering, out: &mut Vec<u8>) -> Option<()> {
    match part {
        SegmentIndex::Document(part) => document::write(part, slots, out),
        SegmentIndex::Range(part) => range::write(part, slots, out),
    }
}

/// The part of an image that may be damaged; `None` unless it is one that `write` makes. Memory in proportion to the image, and a
/// bit for each slot.
pub fn read(kind: IndexKind, image: &[u8], slots: &Renumbering) -> Option<SegmentIndex> {
    match kind {
        IndexKind::Document => document::read(image, slots).map(SegmentIndex::Document),
        IndexKind::Range => range::read(image, slots).map(SegmentIndex::Range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Indexed;
    use proptest::prelude::*;
    use tessera_record::sample::encoded;
    use tessera_record::{Value, ValueRef};

    const KINDS: [IndexKind; 2] = [IndexKind::Document, IndexKind::Range];

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            (0..40_i64).prop_map(Value::Int),
            (0..9_u8).prop_map(|n| Value::Double(f64::from(n) / 4.0)),
            "[ab]{0,40}".prop_map(Value::String),
            prop::collection::vec((0..9_i64).prop_map(Value::Int), 0..6).prop_map(Value::List),
        ]
    }

    fn image(part: &SegmentIndex, slots: &Renumbering) -> Vec<u8> {
        let mut image = vec![];
        write(part, slots, &mut image).unwrap();
        image
    }

    /// A merged part of values by slot.
    fn part_of<'a>(kind: IndexKind, values: impl Iterator<Item = (u32, &'a Value)>) -> SegmentIndex {
        let mut part = SegmentIndex::new(kind);
        values.for_each(|(slot, value)| part.insert(slot, Some(Indexed::Value(ValueRef::of(&encoded(value))))));
        part.merge_now();
        part
    }

    proptest! {
        /// Saved with free slots between them, loaded without some of them: as if only those had been written, in a row.
        #[test]
        fn a_part_survives_with_its_slots_renumbered(values in prop::collection::vec((value(), 0..4_u8), 1..120)) {
            let saved = |fate: u8| fate > 0;
            let loaded = |fate: u8| fate > 1;
            for kind in KINDS {
                let before = part_of(kind, (0..).zip(&values).filter(|(_, (_, fate))| saved(*fate)).map(|(slot, (value, _))| (slot, value)));
                let ranks = Renumbering::of(values.iter().map(|(_, fate)| saved(*fate)));
                let image = image(&before, &ranks);
                let back = Renumbering::of(values.iter().filter(|(_, fate)| saved(*fate)).map(|(_, fate)| loaded(*fate)));
                let after = read(kind, &image, &back).unwrap();
                let expected = part_of(kind, (0..).zip(values.iter().filter(|(_, fate)| loaded(*fate)).map(|(value, _)| value)));
                let same = Renumbering::of(values.iter().filter(|(_, fate)| loaded(*fate)).map(|_| true));
                prop_assert_eq!(super::tests::image(&after, &same), super::tests::image(&expected, &same));
                prop_assert_eq!(after.stats().entries, expected.stats().entries);
            }
        }

        /// Most changes are seen; what is not is another sound image, of the same slots.
        #[test]
        fn an_image_with_other_bytes_is_refused_or_sound(
            values in prop::collection::vec(value(), 1..40),
            at: prop::sample::Index,
            flip in 1..=255_u8,
            cut: prop::sample::Index,
        ) {
            for kind in KINDS {
                let part = part_of(kind, (0..).zip(&values));
                let same = Renumbering::of(values.iter().map(|_| true));
                let mut bytes = image(&part, &same);
                prop_assert!(read(kind, &bytes[..cut.index(bytes.len())], &same).is_none());
                prop_assert!(read(kind, &[&bytes[..], &[0]].concat(), &same).is_none());
                let fewer = Renumbering::of(values.iter().skip(1).map(|_| true));
                let last = part_of(kind, (0..).zip(&values).skip(values.len() - 1));
                prop_assert!(last.stats().entries == 0 || read(kind, &bytes, &fewer).is_none());
                let at = at.index(bytes.len());
                bytes[at] ^= flip;
                if let Some(part) = read(kind, &bytes, &same) {
                    prop_assert_eq!(image(&part, &same), bytes);
                }
            }
        }
    }

    #[test]
    fn an_index_fits_only_its_own_definition() {
        let spec = IndexSpec { name: "n".into(), set: None, bin: Some("b".into()), kind: IndexKind::Range, path: None, created_at_ms: 1 };
        let note = IndexNote::decode(&IndexNote::of(&spec).encode()).unwrap();
        assert!(note.fits(&spec));
        assert!(!note.fits(&IndexSpec { created_at_ms: 2, ..spec.clone() }));
        assert!(!note.fits(&IndexSpec { path: Some("p".into()), ..spec.clone() }));
        assert!(!IndexNote { form: FORM + 1, ..note }.fits(&spec));
        assert!(IndexNote::decode(b"{}").is_none());
    }
}
