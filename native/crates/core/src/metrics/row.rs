//! Rows of numbers and texts, as the files of the metrics have them: whole numbers as LEB128, texts and lists behind their length.

use tessera_base::varint;

pub(super) fn text(out: &mut Vec<u8>, text: &str) {
    varint::push(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

pub(super) fn list<T>(out: &mut Vec<u8>, items: &[T], mut each: impl FnMut(&mut Vec<u8>, &T)) {
    varint::push(out, items.len() as u64);
    items.iter().for_each(|item| each(out, item));
}

/// Takes from the front what was written. `None`: the bytes are something else.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn numbers<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = varint::take(&mut self.0)?;
        }
        Some(numbers)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let [length] = self.numbers()?;
        let (text, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    pub(super) fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let [length] = self.numbers()?;
        // A list that is longer than the rest ends early, so nothing is reserved for what it says.
        let mut items = Vec::new();
        for _ in 0..length {
            items.push(each(self)?);
        }
        Some(items)
    }

    /// A list of none or one.
    pub(super) fn choice<T>(&mut self, each: impl FnMut(&mut Self) -> Option<T>) -> Option<Option<T>> {
        let mut items = self.list(each)?;
        let item = items.pop();
        items.is_empty().then_some(item)
    }
}
