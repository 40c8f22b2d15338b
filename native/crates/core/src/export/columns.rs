//! Collects the bins that records have.

use std::collections::HashSet;
use tessera_record::BodyRef;

/// Names of bins in the order in which they were first met.
#[derive(Debug, Default)]
pub struct Columns {
    names: Vec<String>,
    known: HashSet<Vec<u8>>,
}

impl Columns {
    pub fn add(&mut self, body: BodyRef<'_>) {
        for (name, _) in body.raw_bins() {
            if !self.known.contains(name) {
                self.known.insert(name.to_vec());
                self.names.push(String::from_utf8_lossy(name).into_owned());
            }
        }
    }

    pub fn names(self) -> Vec<String> {
        self.names
    }
}
