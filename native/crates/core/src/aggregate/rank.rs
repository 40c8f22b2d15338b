//! The order of figures: by number, without rounding an integer.

use super::{Cell, Figure, Kind, Number, Part};
use std::cmp::Ordering;

/// 2^127, the first double past every 128-bit integer.
const PAST_INTEGERS: f64 = (1_u128 << 127) as f64;

/// A figure as its group is ordered by it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rank {
    Int(i128),
    /// Perhaps infinite, never NaN.
    Double(f64),
}

impl Rank {
    /// `None` where there is no such figure.
    pub(super) fn of(cell: &Cell, part: &Part) -> Option<Self> {
        match &cell.figure {
            Figure::Count => Some(Self::Int(cell.taken.into())),
            Figure::Sum(_) if matches!(part.kind, Kind::Average) && cell.taken == 0 => None,
            Figure::Sum(sum) if matches!(part.kind, Kind::Average) => Self::double(sum.double() / cell.taken as f64),
            Figure::Sum(sum) => sum.integer().map_or_else(|| Self::double(sum.double()), |exact| Some(Self::Int(exact))),
            Figure::Extreme(_, number) => match (*number)? {
                Number::Int(n) => Some(Self::Int(n.into())),
                Number::Double(d) => Self::double(d),
            },
            Figure::Distinct(_) | Figure::Histogram(_) => None,
        }
    }

    fn double(double: f64) -> Option<Self> {
        (!double.is_nan()).then_some(Self::Double(double))
    }

    pub(super) fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(&b),
            (Self::Int(a), Self::Double(b)) => integer_with_double(a, b),
            (Self::Double(a), Self::Int(b)) => integer_with_double(b, a).reverse(),
            // Adding zero makes -0.0 zero.
            (Self::Double(a), Self::Double(b)) => (a + 0.0).total_cmp(&(b + 0.0)),
        }
    }
}

/// As `tessera_record::compare` has it for 64 bits.
fn integer_with_double(integer: i128, double: f64) -> Ordering {
    if double >= PAST_INTEGERS {
        return Ordering::Less;
    }
    if double < -PAST_INTEGERS {
        return Ordering::Greater;
    }
    let whole = double.trunc();
    integer.cmp(&(whole as i128)).then_with(|| 0.0_f64.total_cmp(&(double - whole + 0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_doubles_order_exactly() {
        let edge = 1_i128 << 60;
        let rising = [
            Rank::Double(f64::NEG_INFINITY),
            Rank::Int(i128::MIN),
            Rank::Int(-2),
            Rank::Double(-1.5),
            Rank::Int(-1),
            Rank::Double(-0.5),
            Rank::Int(0),
            Rank::Double(0.5),
            Rank::Int(edge - 1),
            Rank::Double(edge as f64),
            Rank::Int(edge + 1),
            Rank::Int(edge + 2),
            Rank::Int(i128::MAX),
            Rank::Double(PAST_INTEGERS),
            Rank::Double(f64::INFINITY),
        ];
        for (i, a) in rising.iter().enumerate() {
            for (j, b) in rising.iter().enumerate() {
                assert_eq!(a.order(*b), i.cmp(&j), "{a:?} {b:?}");
            }
        }
        for zero in [Rank::Int(0), Rank::Double(0.0), Rank::Double(-0.0)] {
            assert_eq!((zero.order(Rank::Double(-0.0)), zero.order(Rank::Int(0))), (Ordering::Equal, Ordering::Equal));
        }
    }
}
