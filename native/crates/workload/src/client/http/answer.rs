//! As much of HTTP/1.1 as the answers of a gateway need.

use std::io::{ErrorKind, Result};

/// Longest line with the length of a chunk.
const CHUNK_LINE: usize = 32;

/// Bytes of the whole answer: once its head is complete where that tells its length, else once its last chunk is there.
///
/// # Errors
/// `InvalidData` for a head that is none, has no length and no chunks, or a chunk without a length.
pub fn length(answer: &[u8]) -> Result<Option<usize>> {
    let head = head_bytes(answer);
    if head == 0 {
        return Ok(None);
    }
    if status(answer)? == 204 {
        return Ok(Some(head));
    }
    let text = std::str::from_utf8(&answer[..head]).map_err(|_| ErrorKind::InvalidData)?;
    let header = |wanted: &str| {
        let mut headers = text.split("\r\n").filter_map(|line| line.split_once(':'));
        headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
    };
    if header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        return chunks(answer, head);
    }
    let length = header("content-length").and_then(|value| value.parse::<usize>().ok()).ok_or(ErrorKind::InvalidData)?;
    Ok(Some(head.saturating_add(length)))
}

/// Where the chunks that begin at `from` end, once the last is there. A gateway sends no trailers (RFC 9112, 7.1).
fn chunks(answer: &[u8], mut from: usize) -> Result<Option<usize>> {
    loop {
        let rest = answer.get(from..).unwrap_or_default();
        let Some(line) = rest.windows(2).take(CHUNK_LINE).position(|window| window == b"\r\n") else {
            return if rest.len() > CHUNK_LINE { Err(ErrorKind::InvalidData.into()) } else { Ok(None) };
        };
        let digits = std::str::from_utf8(&rest[..line]).map_err(|_| ErrorKind::InvalidData)?;
        let bytes = usize::from_str_radix(digits, 16).map_err(|_| ErrorKind::InvalidData)?;
        from = from.saturating_add(line + 2).saturating_add(bytes).saturating_add(2);
        if bytes == 0 {
            return Ok((answer.len() >= from).then_some(from));
        }
    }
}

/// Bytes of the head with its empty line; 0 while it is not complete.
pub fn head_bytes(answer: &[u8]) -> usize {
    answer.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |head| head + 4)
}

/// Whether the gateway closes the connection behind it; its head is complete.
pub fn closes(answer: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&answer[..head_bytes(answer)]);
    let mut headers = head.split("\r\n").filter_map(|line| line.split_once(':'));
    headers.any(|(name, value)| name.eq_ignore_ascii_case("connection") && value.trim().eq_ignore_ascii_case("close"))
}

/// # Errors
/// `InvalidData` when there is none.
pub fn status(answer: &[u8]) -> Result<u16> {
    let digits = answer.strip_prefix(b"HTTP/1.1 ").and_then(|rest| rest.get(..3));
    let status = digits.and_then(|digits| std::str::from_utf8(digits).ok()).and_then(|digits| digits.parse().ok());
    status.ok_or_else(|| ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_measured_by_its_head() {
        assert_eq!(length(b"HTTP/1.1 200 OK\r\nContent-Le").unwrap(), None);
        let whole = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
        assert_eq!((length(whole).unwrap(), head_bytes(whole), status(whole).unwrap()), (Some(whole.len()), whole.len() - 5, 200));
        assert!(closes(b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"));
        assert!(!closes(whole) && !closes(b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nconnection: close\r\n"));
        let empty = b"HTTP/1.1 204 No Content\r\n\r\n";
        assert_eq!(length(empty).unwrap(), Some(empty.len()));
        assert!(length(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n").is_err());
        assert!(length(b"SSH-2.0\r\n\r\n").is_err());
    }

    #[test]
    fn chunks_end_with_the_last() {
        let whole = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n24\r\n0\r\n\r\n a chunk within its own data...\r\n0\r\n\r\n";
        for end in 0..whole.len() {
            assert_eq!(length(&whole[..end]).unwrap(), None, "{end}");
        }
        assert_eq!(length(whole).unwrap(), Some(whole.len()));
        for bad in ["x\r\n", "-1\r\n", "\r\n", "00000000000000000000000000000000000000"] {
            let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{bad}");
            assert!(length(answer.as_bytes()).is_err(), "{bad}");
        }
    }
}
