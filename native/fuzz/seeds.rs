//! Writes the inputs that real encoders make into the folders of a corpus: `cargo run --bin seeds -- corpus`.

use std::fs;
use std::path::Path;
use tessera_core::fuzz::{DECODERS, PARSERS};

fn main() -> std::io::Result<()> {
    let corpus = std::env::args().nth(1).unwrap_or_else(|| "corpus".to_owned());
    for target in DECODERS.iter().chain(&PARSERS) {
        let folder = Path::new(&corpus).join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:02}")), seed)?;
        }
    }
    Ok(())
}
