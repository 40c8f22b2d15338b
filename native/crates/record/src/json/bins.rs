//! An object of bins, as writes and rows bring it.

use super::fault::Fault;
use super::keys::Entries;
use super::parse::{Parser, Workspace, utf8};
use super::{Shape, bytes};
use crate::{BinsBuilder, ValueRef};
use tessera_base::{Error, ErrorCode, Result, sentence};

/// Longest bin name on the compatible API, bytes.
const V1_NAME_BYTES: usize = 15;

/// Parses a whole text as an object of bins. After an error `into` holds a part of them.
///
/// # Errors
/// As `parse_value`, naming the bin; `bin_name_invalid`, `too_many_bins`; `unsupported` for GeoJSON on `Shape::V1`.
pub fn parse_bins(json: &[u8], shape: Shape, into: &mut BinsBuilder<'_>) -> Result<()> {
    let mut work = Workspace::default();
    let mut parser = Parser::<false>::new(utf8(json)?, shape, &mut work);
    parser.bins(into)?;
    parser.end().map_err(|fault| fault.error(parser.position()))
}

impl<const CSV: bool> Parser<'_, '_, CSV> {
    /// Reads an object whose entries are bins.
    ///
    /// # Errors
    /// As `parse_bins`.
    pub fn bins(&mut self, into: &mut BinsBuilder<'_>) -> Result<()> {
        self.open_object().map_err(|fault| fault.error(self.at))?;
        let mut names = self.work.keys.open();
        if self.token().map_err(|fault| fault.error(self.at))? != b'}' {
            loop {
                let span = self.name().map_err(|fault| fault.error(self.at))?;
                let name = span.of(self.text, &self.work.unescaped);
                if !self.work.keys.add(&mut names, name.as_bytes(), into) {
                    return Err(Fault::Duplicate.error(self.at).in_field(name));
                }
                check_v1_name(name, self.shape)?;
                let open = into.open(name)?;
                let start = into.encoder().position();
                let read = self.colon().and_then(|()| self.value(&mut into.encoder()));
                read.map_err(|fault| fault.error(self.at).in_field(into.open_name(&open)))?;
                if self.shape == Shape::V1 {
                    replace_typed(into, start).map_err(|error| error.in_field(into.open_name(&open)))?;
                }
                into.close(open);
                if self.last_entry().map_err(|fault| fault.error(self.at))? {
                    break;
                }
            }
        }
        self.at += 1;
        self.work.keys.close(&names);
        Ok(())
    }

    pub(super) fn open_object(&mut self) -> super::parse::Parsed {
        if self.token()? != b'{' {
            return Err(Fault::Object);
        }
        self.at += 1;
        Ok(())
    }
}

/// # Errors
/// `bin_name_invalid` for a name that is too long on the compatible API.
pub fn check_v1_name(name: &str, shape: Shape) -> Result<()> {
    if shape != Shape::Record && name.len() > V1_NAME_BYTES {
        return Err(Error::said(
            ErrorCode::BinNameInvalid,
            sentence!("a bin name must be at most {most} bytes on /v1", most = V1_NAME_BYTES),
        )
        .in_field(name));
    }
    Ok(())
}

/// Turns the value that begins at `start` into bytes if that is what it stands for.
pub fn replace_typed(into: &mut BinsBuilder<'_>, start: usize) -> Result<()> {
    let mut out = into.encoder();
    let ValueRef::Map(map) = ValueRef::of(out.since(start)) else { return Ok(()) };
    if let Some(content) = bytes::typed(map)? {
        out.truncate(start);
        out.bytes(&content);
    }
    Ok(())
}

impl Entries for BinsBuilder<'_> {
    fn holds(&self, name: &[u8]) -> bool {
        self.written().any(|(earlier, _)| earlier == name)
    }

    fn each(&self, visit: &mut dyn FnMut(&[u8])) {
        self.written().for_each(|(name, _)| visit(name));
    }
}
