//! A data directory as a folder of compressed files.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

const LEVEL: i32 = 19;
const COMPRESSED: &str = ".zst";
/// Zeros that are left out when a file is written: its log is much longer than what is in it.
const HOLE: usize = 64 * 1024;

pub fn pack(directory: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let (from, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            pack(&from, &to.join(name));
        } else {
            let out = File::create_new(to.join(name + COMPRESSED)).unwrap();
            zstd::stream::copy_encode(File::open(from).unwrap(), out, LEVEL).unwrap();
        }
    }
}

pub fn unpack(from: &Path, directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            unpack(&entry.path(), &directory.join(name));
        } else {
            let bytes = zstd::stream::Decoder::new(File::open(entry.path()).unwrap()).unwrap();
            write_with_holes(bytes, &directory.join(name.strip_suffix(COMPRESSED).unwrap()));
        }
    }
}

fn write_with_holes(mut bytes: impl Read, to: &Path) {
    let mut file = File::create_new(to).unwrap();
    let mut piece = Vec::with_capacity(HOLE);
    let mut length = 0;
    while bytes.by_ref().take(HOLE as u64).read_to_end(&mut piece).unwrap() > 0 {
        if piece.iter().any(|byte| *byte != 0) {
            file.seek(SeekFrom::Start(length)).unwrap();
            file.write_all(&piece).unwrap();
        }
        length += piece.len() as u64;
        piece.clear();
    }
    file.set_len(length).unwrap();
}
