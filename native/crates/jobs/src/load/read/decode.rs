//! Unpacks the stream as it is read: only what is asked for, so that a bomb costs time, not memory.

use crate::load::plan::spec::Encoding;
use std::io::{self, BufRead, Cursor, Read};
use tessera_base::{Error, ErrorCode, Result, sentence};

/// Largest zstd window accepted, as a power of two of bytes: 8 MiB, what the format recommends every decoder to support.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A stream of plain bytes.
pub struct Decoder {
    reader: Box<dyn Read + Send>,
    encoding: Encoding,
    /// Plain bytes so far.
    bytes: u64,
}

impl Decoder {
    /// `None` for `encoding` tells it from the first bytes: neither gzip's nor zstd's are the start of any text.
    ///
    /// # Errors
    /// As `fill`.
    pub fn new(source: impl BufRead + Send + 'static, encoding: Option<Encoding>) -> Result<Self> {
        let mut source = source;
        let mut first = vec![];
        if encoding.is_none() {
            source.by_ref().take(4).read_to_end(&mut first).map_err(|error| failure(&error, Encoding::Identity, 0))?;
        }
        let encoding = encoding.unwrap_or(match first[..] {
            [0x1f, 0x8b, ..] => Encoding::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd] => Encoding::Zstd,
            _ => Encoding::Identity,
        });
        let source = Cursor::new(first).chain(source);
        let reader: Box<dyn Read + Send> = match encoding {
            Encoding::Identity => Box::new(source),
            Encoding::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(source)),
            Encoding::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(source).map_err(|error| failure(&error, encoding, 0))?;
                decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(|error| failure(&error, encoding, 0))?;
                Box::new(decoder)
            }
        };
        Ok(Self { reader, encoding, bytes: 0 })
    }

    /// Appends plain bytes until `into` holds `target` of them; fewer only at the end of the stream.
    ///
    /// # Errors
    /// `encoding_invalid` when the stream is damaged or cut off; why the import was stopped.
    pub fn fill(&mut self, into: &mut Vec<u8>, target: usize) -> Result<()> {
        let wanted = target.saturating_sub(into.len()) as u64;
        into.reserve(wanted as usize);
        let read = (&mut self.reader).take(wanted).read_to_end(into);
        self.bytes += read.map_err(|error| failure(&error, self.encoding, self.bytes))? as u64;
        Ok(())
    }
}

/// The error that stopped the import, if it was stopped; otherwise the decoder's complaint.
fn failure(error: &io::Error, encoding: Encoding, bytes: u64) -> Error {
    let stopped = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    stopped.cloned().unwrap_or_else(|| {
        let name = encoding.as_str();
        Error::said(
            ErrorCode::EncodingInvalid,
            sentence!("the {name} stream is damaged or cut off after {bytes} plain bytes: {why}", name = name, bytes = bytes, why = error),
        )
        .in_field("encoding")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    const TEXT: &[u8] = b"id,name\n1,one\n2,two\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decode(bytes: Vec<u8>, encoding: Option<Encoding>) -> Result<Vec<u8>> {
        let mut out = vec![];
        Decoder::new(Cursor::new(bytes), encoding)?.fill(&mut out, 1 << 20)?;
        Ok(out)
    }

    #[test]
    fn packed_streams_are_recognised() {
        let zstd = zstd::encode_all(TEXT, 3).unwrap();
        let two_members = [gzip(&TEXT[..9]), gzip(&TEXT[9..])].concat();
        for (bytes, encoding) in
            [(TEXT.to_vec(), Encoding::Identity), (gzip(TEXT), Encoding::Gzip), (two_members, Encoding::Gzip), (zstd, Encoding::Zstd)]
        {
            assert_eq!(decode(bytes.clone(), None).unwrap(), TEXT);
            assert_eq!(decode(bytes, Some(encoding)).unwrap(), TEXT);
        }
        assert_eq!(decode(vec![], None).unwrap(), b"");
        assert_eq!(decode(b"1".to_vec(), None).unwrap(), b"1");
    }

    #[test]
    fn damage_and_every_truncation_are_noticed() {
        let mut damaged = gzip(TEXT);
        let last = damaged.len() - 5;
        damaged[last] ^= 1;
        assert_eq!(decode(damaged, None).unwrap_err().code, ErrorCode::EncodingInvalid);
        assert_eq!(decode(TEXT.to_vec(), Some(Encoding::Gzip)).unwrap_err().code, ErrorCode::EncodingInvalid);
        assert_eq!(decode(TEXT.to_vec(), Some(Encoding::Zstd)).unwrap_err().code, ErrorCode::EncodingInvalid);
        for packed in [gzip(TEXT), zstd::encode_all(TEXT, 3).unwrap()] {
            for length in 4..packed.len() {
                assert_eq!(decode(packed[..length].to_vec(), None).unwrap_err().code, ErrorCode::EncodingInvalid, "{length}");
            }
        }
    }

    #[test]
    fn a_bomb_is_unpacked_only_as_far_as_it_is_read() {
        let bomb = gzip(&vec![b'x'; 64 << 20]);
        let mut decoder = Decoder::new(Cursor::new(bomb), None).unwrap();
        let mut out = vec![];
        decoder.fill(&mut out, 1000).unwrap();
        assert!(out.len() == 1000 && out.capacity() < 1 << 20);
    }
}
