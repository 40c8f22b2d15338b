//! JavaScript numbers checked before they become Rust integers: no wrapping, no rounding, no NaN.

use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// Largest integer that a double holds exactly, 2^53 - 1.
const SAFE: f64 = 9_007_199_254_740_991.0;

/// A whole number from 0 to 2^53 - 1.
///
/// # Errors
/// `code`, naming `field`.
pub fn whole(number: f64, field: &str, code: ErrorCode) -> Result<u64> {
    if (0.0..=SAFE).contains(&number) && number.fract() == 0.0 {
        Ok(number as u64)
    } else {
        Err(Error::said(code, sentence!("{field} must be a whole number, 0 or more, got {given}", field = field, given = number))
            .in_field(field))
    }
}

/// A whole number from 0 to 2^32 - 1.
///
/// # Errors
/// `code`, naming `field`.
pub fn whole_u32(number: f64, field: &str, code: ErrorCode) -> Result<u32> {
    let wide = whole(number, field, code)?;
    u32::try_from(wide).map_err(|_| {
        Error::said(code, sentence!("{field} must be at most {most}, got {given}", field = field, most = u32::MAX, given = wide))
            .in_field(field)
    })
}

/// The segments of a request; the core checks their range.
///
/// # Errors
/// `config_invalid`.
pub fn segments(wanted: Option<Vec<f64>>) -> Result<Option<Arc<[u16]>>> {
    let segment = |number: f64| {
        let segment = whole_u32(number, "segments", ErrorCode::ConfigInvalid)?;
        // None has so great a number.
        Ok(u16::try_from(segment).unwrap_or(u16::MAX))
    };
    wanted.map(|wanted| wanted.into_iter().map(segment).collect()).transpose()
}

/// A thread count; the core checks its range.
///
/// # Errors
/// `threads_invalid`.
pub fn threads(number: f64) -> Result<u32> {
    whole_u32(number, "threads", ErrorCode::ThreadsInvalid)
}

/// A rate in records a second; absent or 0 means none.
///
/// # Errors
/// `rate_invalid`.
pub fn rate(number: Option<f64>) -> Result<Option<u32>> {
    let rate = number.map(|n| whole_u32(n, "recordsPerSecond", ErrorCode::RateInvalid)).transpose()?;
    Ok(rate.filter(|&n| n > 0))
}
