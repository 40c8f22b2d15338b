//! The beginning of a text that is too long.

/// As much of `text` as `most` bytes hold, in whole characters.
pub fn prefix(text: &str, most: usize) -> &str {
    let end = text.char_indices().map(|(start, char)| start + char.len_utf8()).take_while(|&end| end <= most).last();
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::prefix;

    #[test]
    fn no_character_is_cut() {
        assert_eq!([0, 1, 2, 3, 4, 9].map(|most| prefix("aé…b", most)), ["", "a", "a", "aé", "aé", "aé…b"]);
    }
}
