//! As much of HTTP/1.1 as the answers of a gateway need.

use std::io::{ErrorKind, Result};

/// Bytes of the whole answer once its head is complete. Answers without a length are refused: the routes of a run have one.
///
/// # Errors
/// `InvalidData` for a head that is none, or has no length.
pub fn length(answer: &[u8]) -> Result<Option<usize>> {
    let head = head_bytes(answer);
    if head == 0 {
        return Ok(None);
    }
    if status(answer)? == 204 {
        return Ok(Some(head));
    }
    let text = std::str::from_utf8(&answer[..head]).map_err(|_| ErrorKind::InvalidData)?;
    let length = text
        .split("\r\n")
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse::<usize>().ok())
        .ok_or(ErrorKind::InvalidData)?;
    Ok(Some(head.saturating_add(length)))
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
        assert!(length(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").is_err());
        assert!(length(b"SSH-2.0\r\n\r\n").is_err());
    }
}
