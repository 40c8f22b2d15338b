//! What an expression is made of.

use crate::Path;
use crate::filter::Filter;
use crate::filter::field::Field;
use crate::filter::operand::Operand;

#[derive(Clone, Debug)]
pub(in crate::filter) enum Term {
    Bin {
        bin: Box<str>,
        path: Path,
    },
    Meta(Field),
    Value(Operand),
    One(One, Box<Term>),
    Two(Two, Box<[Term; 2]>),
    Many(Many, Box<[Term]>),
    /// Of a string, the characters from a place on, perhaps so many only.
    Substring(Box<[Term; 2]>, Option<Box<Term>>),
    /// The first where the filter holds, else the second.
    If(Box<Filter>, Box<[Term; 2]>),
    /// Whether the filter holds.
    Is(Box<Filter>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::filter) enum One {
    Negative,
    Absolute,
    Floor,
    Ceiling,
    Round,
    Length,
    Lower,
    Upper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::filter) enum Two {
    Subtract,
    Divide,
    Modulo,
}

/// Of one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::filter) enum Many {
    Add,
    Multiply,
    Least,
    Greatest,
    Concatenate,
    /// The first that is there, and is not null.
    Coalesce,
}

impl One {
    pub(super) const ALL: [Self; 8] =
        [Self::Negative, Self::Absolute, Self::Floor, Self::Ceiling, Self::Round, Self::Length, Self::Lower, Self::Upper];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Negative => "neg",
            Self::Absolute => "abs",
            Self::Floor => "floor",
            Self::Ceiling => "ceil",
            Self::Round => "round",
            Self::Length => "length",
            Self::Lower => "lower",
            Self::Upper => "upper",
        }
    }
}

impl Two {
    pub(super) const ALL: [Self; 3] = [Self::Subtract, Self::Divide, Self::Modulo];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Subtract => "sub",
            Self::Divide => "div",
            Self::Modulo => "mod",
        }
    }
}

impl Many {
    pub(super) const ALL: [Self; 6] = [Self::Add, Self::Multiply, Self::Least, Self::Greatest, Self::Concatenate, Self::Coalesce];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Multiply => "mul",
            Self::Least => "min",
            Self::Greatest => "max",
            Self::Concatenate => "concat",
            Self::Coalesce => "coalesce",
        }
    }
}

impl Term {
    /// Whether `wanted` is so of any part.
    pub(super) fn any(&self, wanted: &dyn Fn(&Self) -> bool) -> bool {
        wanted(self) || self.parts().any(|part| part.any(wanted))
    }

    /// What asking costs, roughly, in steps of a comparison.
    pub(super) fn cost(&self) -> u32 {
        let own = match self {
            Self::Bin { path, .. } if !path.is_empty() => 2,
            Self::Meta(field) => u32::from(field.reads_body()),
            Self::Value(_) => 0,
            Self::One(One::Length | One::Lower | One::Upper, _) | Self::Many(Many::Concatenate, _) | Self::Substring(..) => 10,
            Self::If(filter, _) | Self::Is(filter) => filter.cost(),
            Self::Bin { .. } | Self::One(..) | Self::Two(..) | Self::Many(..) => 1,
        };
        self.parts().map(Self::cost).fold(own, u32::saturating_add)
    }

    /// Whether it is itself, not a part of it, that takes the body.
    pub(super) fn reads_body(&self) -> bool {
        match self {
            Self::Bin { .. } => true,
            Self::Meta(field) => field.reads_body(),
            Self::If(filter, _) | Self::Is(filter) => filter.reads_body(),
            _ => false,
        }
    }

    pub(super) fn reads_size(&self) -> bool {
        match self {
            Self::Meta(field) => *field == Field::Size,
            Self::If(filter, _) | Self::Is(filter) => filter.reads_size(),
            _ => false,
        }
    }

    pub(super) fn reads_bin(&self, name: &str) -> bool {
        match self {
            Self::Bin { bin, .. } => **bin == *name,
            Self::If(filter, _) | Self::Is(filter) => filter.reads_bin(name),
            _ => false,
        }
    }

    /// What it is called in a request; a bin, a field or a value stands for itself.
    pub(in crate::filter) const fn name(&self) -> &'static str {
        match self {
            Self::Bin { .. } | Self::Meta(_) | Self::Value(_) => "",
            Self::One(one, _) => one.name(),
            Self::Two(two, _) => two.name(),
            Self::Many(many, _) => many.name(),
            Self::Substring(..) => "substring",
            Self::If(..) => "if",
            Self::Is(_) => "is",
        }
    }

    /// The terms right below.
    pub(in crate::filter) fn parts(&self) -> impl Iterator<Item = &Self> {
        let (parts, last): (&[Self], Option<&Self>) = match self {
            Self::Bin { .. } | Self::Meta(_) | Self::Value(_) | Self::Is(_) => (&[], None),
            Self::One(_, part) => (&[], Some(part)),
            Self::Two(_, parts) | Self::If(_, parts) => (&parts[..], None),
            Self::Many(_, parts) => (parts, None),
            Self::Substring(parts, count) => (&parts[..], count.as_deref()),
        };
        parts.iter().chain(last)
    }
}
