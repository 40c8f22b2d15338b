//! Times around the first of January 2015.

use std::io::Write as _;

/// Events are spread over the day by this many ten-thousandths of a second; 219,000 of them fill it.
const STEP: u64 = 3945;

/// Second of the day of event `row`: ascending, and beginning again after each full day.
pub fn second_of(row: u64) -> i64 {
    ((row * STEP / 10_000) % 86_400) as i64
}

/// Appends the time `age` seconds before midnight at the start of the day (after it if negative), in quotes.
pub fn write(out: &mut Vec<u8>, age: i64) {
    // Days counted from 0000-03-01 (Howard Hinnant, "chrono-compatible low-level date algorithms").
    const MIDNIGHT: i64 = 1_420_070_400 + 719_468 * 86_400;
    let time = (MIDNIGHT - age).max(0) as u64;
    let (day, clock) = (time / 86_400, time % 86_400);
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let date = day - (153 * shifted + 2) / 5 + 1;
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    // Writing to a vector cannot fail.
    let _ = write!(out, "\"{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        for (age, expected) in [
            (0, "2015-01-01T00:00:00Z"),
            (-86_399, "2015-01-01T23:59:59Z"),
            (1, "2014-12-31T23:59:59Z"),
            (86_400 * 306, "2014-03-01T00:00:00Z"),
            (86_400 * 1037, "2012-02-29T00:00:00Z"),
        ] {
            let mut out = vec![];
            write(&mut out, age);
            assert_eq!(String::from_utf8(out).unwrap(), format!("\"{expected}\""));
        }
        assert_eq!(second_of(0), 0);
        assert!(second_of(218_999) < 86_400 && second_of(218_999) > 86_300);
    }
}
