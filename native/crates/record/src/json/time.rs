//! Times as RFC 3339 in UTC.

/// Appends `"YYYY-MM-DDTHH:MM:SSZ"`, quotes included, for Unix seconds.
pub fn write_seconds(out: &mut Vec<u8>, seconds: u64) {
    out.push(b'"');
    write_date_time(out, seconds);
    out.extend_from_slice(b"Z\"");
}

/// Appends `"YYYY-MM-DDTHH:MM:SS.mmmZ"`, quotes included, for Unix milliseconds.
pub fn write_millis(out: &mut Vec<u8>, millis: u64) {
    out.push(b'"');
    write_date_time(out, millis / 1000);
    let rest = millis % 1000;
    out.push(b'.');
    out.push(b'0' + (rest / 100) as u8);
    pair(out, rest % 100);
    out.extend_from_slice(b"Z\"");
}

/// Unix seconds of a time as `write_seconds` writes it, without quotes.
pub fn parse_seconds(text: &str) -> Option<u64> {
    let number = |from: usize, length: usize| -> Option<u64> {
        let digits = text.get(from..from + length)?;
        if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
    };
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'Z')];
    if text.len() != 20 || marks.iter().any(|&(at, mark)| text.as_bytes()[at] != mark) {
        return None;
    }
    let (year, month, date) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    if year < 1970 || !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let day = day(year, month, date);
    (civil(day) == (year, month, date)).then_some(day * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Unix milliseconds of a time by RFC 3339, as the gateway reads those of parameters (`docs/query.md`, Times); what is finer is left
/// out.
pub fn parse_time(text: &str) -> Option<i64> {
    /// The years 1 to 9999.
    const YEARS_MS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;
    /// Five times 400 years have the same calendar, and days are counted from 1970 on.
    const SHIFT: (u64, i64) = (2000, 5 * 146_097);
    let (moment, rest) = text.split_at_checked(19)?;
    let number = |part: &str| if part.bytes().all(|b| b.is_ascii_digit()) { part.parse::<u64>().ok() } else { None };
    let marks: [(usize, &[u8]); 5] = [(4, b"-"), (7, b"-"), (10, b"Tt "), (13, b":"), (16, b":")];
    if marks.iter().any(|(at, allowed)| !allowed.contains(&moment.as_bytes()[*at])) {
        return None;
    }
    let at = |from: usize| number(moment.get(from..from + 2)?);
    let (year, month, date) = (number(moment.get(..4)?)? + SHIFT.0, at(5)?, at(8)?);
    let (hour, minute, second) = (at(11)?, at(14)?, at(17)?);
    if !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let day = day(year, month, date);
    if civil(day) != (year, month, date) {
        return None;
    }
    let (fraction, offset) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
    };
    if rest.starts_with('.') && fraction.is_empty() {
        return None;
    }
    let millis: i64 = fraction.chars().chain("000".chars()).take(3).collect::<String>().parse().ok()?;
    let seconds = (day as i64 - SHIFT.1) * 86_400 + (hour * 3600 + minute * 60 + second) as i64 - offset_seconds(offset)?;
    Some(seconds * 1000 + millis).filter(|ms| YEARS_MS.contains(ms))
}

/// Of `Z`, or `+01:00`: how far ahead of UTC.
fn offset_seconds(text: &str) -> Option<i64> {
    let [sign, h1, h2, b':', m1, m2] = *text.as_bytes() else {
        return matches!(text, "Z" | "z").then_some(0);
    };
    let two =
        |tens: u8, ones: u8| (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'));
    let (hours, minutes) = (two(h1, h2).filter(|hours| *hours < 24)?, two(m1, m2).filter(|minutes| *minutes < 60)?);
    let ahead = hours * 3600 + minutes * 60;
    match sign {
        b'+' => Some(ahead),
        b'-' => Some(-ahead),
        _ => None,
    }
}

fn write_date_time(out: &mut Vec<u8>, seconds: u64) {
    let (year, month, day) = civil(seconds / 86_400);
    let clock = seconds % 86_400;
    // RFC 3339 has four-digit years; 48 bits of milliseconds reach the year 10889.
    if year > 9999 {
        out.extend_from_slice(b"9999-12-31T23:59:59");
        return;
    }
    pair(out, year / 100);
    pair(out, year % 100);
    for (mark, number) in [(b'-', month), (b'-', day), (b'T', clock / 3600), (b':', clock / 60 % 60), (b':', clock % 60)] {
        out.push(mark);
        pair(out, number);
    }
}

fn pair(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&[b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]);
}

/// Year, month and day of a day counted from 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms").
const fn civil(day: u64) -> (u64, u64, u64) {
    let day = day + 719_468;
    let era = day / 146_097;
    let day_of_era = day % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

/// The inverse of `civil`.
const fn day(year: u64, month: u64, date: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let year_of_era = year % 400;
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + (153 * shifted + 2) / 5 + date;
    (year / 400 * 146_097 + day_of_era).saturating_sub(719_469)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(time: u64) -> String {
        let mut out = vec![];
        write_seconds(&mut out, time);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn known_times() {
        assert_eq!(seconds(0), "\"1970-01-01T00:00:00Z\"");
        assert_eq!(seconds(1_420_070_400), "\"2015-01-01T00:00:00Z\"");
        assert_eq!(seconds(951_782_400 + 86_399), "\"2000-02-29T23:59:59Z\"");
        assert_eq!(seconds(4_107_542_399), "\"2100-02-28T23:59:59Z\"");
        assert_eq!(seconds(u64::MAX / 2000), "\"9999-12-31T23:59:59Z\"");
        let mut out = vec![];
        write_millis(&mut out, 1_420_070_400_007);
        assert_eq!(out, b"\"2015-01-01T00:00:00.007Z\"");
    }

    #[test]
    fn what_is_written_can_be_read() {
        for time in [0, 1_420_070_400, 951_782_400 + 86_399, 4_294_967_295] {
            assert_eq!(parse_seconds(seconds(time).trim_matches('"')), Some(time));
        }
        for text in [
            "",
            "2015-02-29T00:00:00Z",
            "2015-01-01T24:00:00Z",
            "2015-01-01 00:00:00Z",
            "2015-13-01T00:00:00Z",
            "2015-01-00T00:00:00Z",
            "+015-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
        ] {
            assert_eq!(parse_seconds(text), None, "{text}");
        }
    }

    /// The gateway is tested with the same: `server/test/moment.test.ts`.
    #[test]
    fn times_are_read_by_rfc_3339_and_nothing_else_is() {
        let cases = include_str!("times.txt");
        let mut seen = 0;
        for line in cases.lines().filter(|line| !line.starts_with('#')) {
            let (text, expected) = line.split_once('|').unwrap();
            let expected = (expected != "none").then(|| expected.parse::<i64>().unwrap());
            assert_eq!(parse_time(text), expected, "{text}");
            seen += 1;
        }
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn days_follow_each_other() {
        let days_in = |year: u64, month: u64| match month {
            2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let mut expected = (1970, 1, 1);
        for day in 0..1_000_000 {
            assert_eq!(civil(day), expected);
            let (year, month, date) = expected;
            assert_eq!(super::day(year, month, date), day);
            expected = match (date == days_in(year, month), month == 12) {
                (false, _) => (year, month, date + 1),
                (true, false) => (year, month + 1, 1),
                (true, true) => (year + 1, 1, 1),
            };
        }
    }
}
