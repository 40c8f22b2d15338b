//! What garbage collection adds to writes.

/// Bytes written to a device for each byte that is stored, when live records take `utilisation` (above 0, below 1) of it,
/// updates are uniformly random, and the block with the fewest live bytes is always the next to be rewritten (greedy).
///
/// With over-provisioning `a = 1 / utilisation`, a block is met again after the device was filled once, and the part `p` of
/// it that is still live then solves `p = exp(-a (1 - p))`; each block gives `1 - p` of itself to new data, so the answer is
/// `1 / (1 - p)`. This is `a / (a + W(-a e^-a))` of P. Desnoyers, "Analytic modeling of SSD write performance" (SYSTOR
/// 2012), and the limit of greedy collection for large blocks in W. Bux and I. Iliadis, "Performance of greedy garbage
/// collection in flash-based solid-state drives" (Performance Evaluation 67, 2010). Blocks of few records do a little
/// better, and so does traffic that prefers some records to others.
pub fn write_amplification(utilisation: f64) -> f64 {
    let a = 1.0 / utilisation.clamp(0.001, 0.999);
    // The difference is negative at 0 and changes its sign once below 1, where the other solution is.
    let difference = |p: f64| p - (-a * (1.0 - p)).exp();
    let (mut low, mut high) = (0.0, 1.0 - 1e-9);
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        if difference(middle) < 0.0 { low = middle } else { high = middle }
    }
    1.0 / (1.0 - low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use tessera_base::dice::Dice;

    #[test]
    fn the_published_values_come_out() {
        // 1 / (1 - p) with p from tables of the Lambert function.
        for (utilisation, wanted) in [(0.5, 1.255), (0.7, 1.884), (0.8, 2.691), (0.9, 5.178), (0.95, 10.17)] {
            let found = write_amplification(utilisation);
            assert!((found / wanted - 1.0).abs() < 0.01, "{utilisation}: {found}, not {wanted}");
        }
        assert!((write_amplification(0.0) - 1.0).abs() < 0.01);
    }

    /// A device of blocks, updated at random, cleaned greedily.
    fn simulated(blocks: usize, slots: usize, utilisation: f64) -> f64 {
        let records = (blocks as f64 * slots as f64 * utilisation) as usize;
        let (mut live, mut held) = (vec![0usize; blocks], vec![Vec::new(); blocks]);
        let mut place = vec![usize::MAX; records];
        let mut free: VecDeque<usize> = (1..blocks).collect();
        let (mut open, mut written, mut asked, mut dice) = (0usize, 0u64, 0u64, Dice(1));
        let mut todo: Vec<usize> = (0..records).rev().collect();
        while asked < 40 * records as u64 {
            let record = todo.pop().unwrap_or_else(|| {
                asked += 1;
                dice.roll(records as u64) as usize
            });
            if place[record] != usize::MAX {
                live[place[record]] -= 1;
            }
            place[record] = open;
            live[open] += 1;
            held[open].push(record);
            // The second half is steady.
            written += u64::from(asked > 20 * records as u64);
            if held[open].len() < slots {
                continue;
            }
            if free.is_empty() {
                let victim = (0..blocks).filter(|&block| block != open).min_by_key(|&block| live[block]).unwrap();
                let moved: Vec<usize> = std::mem::take(&mut held[victim]);
                todo.extend(moved.into_iter().filter(|&record| place[record] == victim));
                todo.dedup();
                todo.iter().for_each(|&record| place[record] = usize::MAX);
                live[victim] = 0;
                free.push_back(victim);
            }
            open = free.pop_front().unwrap();
        }
        written as f64 / (20 * records) as f64
    }

    #[test]
    fn a_simulated_device_agrees() {
        for utilisation in [0.6, 0.8] {
            let (found, wanted) = (simulated(200, 64, utilisation), write_amplification(utilisation));
            assert!((found / wanted - 1.0).abs() < 0.1, "{utilisation}: {found}, formula {wanted}");
        }
    }
}
