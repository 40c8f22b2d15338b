//! Inputs near those of a corpus, in a sequence that is always the same.

/// Longest input.
const MOST: usize = 4096;
/// Lengths, counts and bytes that decoders trip over.
const WORDS: [u32; 12] = [0, 1, 7, 16, 63, 64, 255, 256, 0x4000, 0xffff, 0x7fff_ffff, u32::MAX];

pub struct Mutator<'a> {
    inputs: &'a [Vec<u8>],
    state: u64,
}

impl<'a> Mutator<'a> {
    pub fn new(name: &str, inputs: &'a [Vec<u8>]) -> Self {
        Self {
            inputs,
            state: name.bytes().fold(0x9e37_79b9_7f4a_7c15, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        }
    }

    pub fn next(&mut self) -> Vec<u8> {
        let mut bytes = self.any_input().to_vec();
        for _ in 0..=self.below(6) {
            self.change(&mut bytes);
        }
        bytes.truncate(MOST);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let (at, to) = self.range(bytes.len());
        match self.below(8) {
            0 => bytes.drain(at..to).for_each(drop),
            1 => bytes.splice(at..at, bytes[at..to].to_vec()).for_each(drop),
            2 => {
                let other = self.any_input();
                let (from, end) = self.range(other.len());
                bytes.splice(at..to, other[from..end].iter().copied()).for_each(drop);
            }
            3 => {
                let byte = self.below(256) as u8;
                bytes.insert(at, byte);
            }
            4 => {
                let word = WORDS[self.below(WORDS.len())].to_le_bytes();
                let length = [1, 2, 4][self.below(3)];
                bytes.iter_mut().skip(at).zip(&word[..length]).for_each(|(byte, new)| *byte = *new);
            }
            5 => {
                let step = self.below(9) as u8;
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = byte.wrapping_add(step).wrapping_sub(4));
            }
            6 => {
                let bit = 1 << self.below(8);
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bit);
            }
            _ => {
                let byte = self.below(256) as u8;
                bytes.iter_mut().skip(at).take(1).for_each(|old| *old = byte);
            }
        }
    }

    fn any_input(&mut self) -> &'a [u8] {
        let at = self.below(self.inputs.len());
        &self.inputs[at]
    }

    /// A range within `length` bytes, rather a short one.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let at = self.below(length + 1);
        let most = if self.below(4) == 0 { length } else { 16 };
        (at, (at + self.below(most + 1)).min(length))
    }

    /// xorshift64*, below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}
