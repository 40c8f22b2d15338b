//! The figures for people: a line for each kind of operation of each phase.

use crate::phases::Row;

pub fn of(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<15} {:<7} {:<10} {:>10} {:>8}  {:<7} {:>9} {:>8} {:>9} {:>9}\n",
        "store", "access", "phase", "op/s", "CPU us", "kind", "avg us", "min us", "p95 us", "p99 us"
    );
    for row in rows {
        for (position, kind) in row.kinds.iter().enumerate() {
            let (rate, cpu) = match position {
                0 => (format!("{:.0}", row.operations_per_second), format!("{:.1}", row.cpu_micros_per_operation)),
                _ => Default::default(),
            };
            let (engine, access, phase, name) = (row.engine, row.access, row.phase, kind.kind.as_str());
            let (average, least, p95, p99) = (kind.avg_us, kind.min_us, kind.p95_us, kind.p99_us);
            text += &format!(
                "{engine:<15} {access:<7} {phase:<10} {rate:>10} {cpu:>8}  {name:<7} {average:>9.1} {least:>8.1} {p95:>9.1} {p99:>9.1}\n"
            );
        }
    }
    text
}
