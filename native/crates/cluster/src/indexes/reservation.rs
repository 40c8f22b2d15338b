//! Records that one server alone writes, as the list says: while it migrates them, and while they are a copy that it fills.

use super::{Held, Indexes, Known, Stored};
use crate::session::Cluster;
use tessera_base::{Error, ErrorCode, Result, sentence};
use uuid::Uuid;

/// Openings of a copy that may fill it. Each has its own stamps, all below those of compare-and-sets: see `records/fill.rs`.
const OPENINGS: u32 = 1023;

impl Indexes {
    /// The list that a copy begins with, so that no other server has ever written to it. `namespace`: the one that fills it.
    pub(crate) fn of_copy(namespace: Uuid) -> Result<String> {
        Stored { version: 1, only: Some(namespace.to_string()), filling: Some(0), ..Stored::default() }.text()
    }

    /// As `Remote::reserve`.
    ///
    /// # Errors
    /// `migration_active`, `cluster_unavailable`; those of `wait`.
    pub(crate) fn reserve(&self, cluster: &Cluster, wait: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let version = self.change(cluster, |stored| match &stored.only {
            None => Ok((Some(Stored { only: Some(self.namespace.clone()), ..stored.clone() }), stored.version + 1)),
            Some(_) => self.check_ours(&stored.only).map(|()| (None, stored.version)),
        })?;
        while !self.all_write(cluster, version)? {
            wait()?;
        }
        Ok(())
    }

    /// As `Remote::release`.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn release(&self, cluster: &Cluster) -> Result<()> {
        if !self.is_ours(&self.known.read().only) {
            return Ok(());
        }
        self.change(cluster, |stored| {
            let ours = self.is_ours(&stored.only);
            Ok((ours.then(|| Stored { only: None, filling: None, ..stored.clone() }), ()))
        })
    }

    /// Where the records are a copy that this server fills: takes a number that no opening had before.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(super) fn begin_filling(&self, cluster: &Cluster) -> Result<()> {
        let fills = {
            let known = self.known.read();
            self.is_ours(&known.only) && known.filling.is_some()
        };
        if !fills {
            return Ok(());
        }
        // If the answer is lost, a number is lost.
        let opening = self.change(cluster, |stored| {
            let next = stored.filling.filter(|_| self.is_ours(&stored.only)).map(|last| last + 1).filter(|&next| next <= OPENINGS);
            let changes = next != stored.filling;
            Ok((changes.then(|| Stored { filling: next, ..stored.clone() }), next))
        })?;
        self.known.write().opening = opening;
        Ok(())
    }

    /// Whether this opening fills a copy. Waits for nobody.
    pub(crate) fn fills(&self) -> bool {
        let Known { filling, opening, .. } = &*self.known.read();
        opening.is_some() && filling == opening
    }

    /// The number of this opening, which fills a copy, for a write that goes by this list.
    ///
    /// # Errors
    /// `cluster_unavailable` if it does not, or no more.
    pub(crate) fn opening(&self, held: &Held) -> Result<u32> {
        let opening = self.known.read().opening;
        opening.filter(|_| held.filling == opening).ok_or_else(not_filled_here)
    }

    /// The records are a copy no more.
    ///
    /// # Errors
    /// `cluster_unavailable`, also if a later opening fills them.
    pub(crate) fn end_filling(&self, cluster: &Cluster) -> Result<()> {
        let opening = self.known.read().opening;
        self.change(cluster, |stored| match stored.filling {
            None => Ok((None, ())),
            filling if filling == opening => Ok((Some(Stored { filling: None, ..stored.clone() }), ())),
            Some(_) => Err(not_filled_here()),
        })
    }

    /// # Errors
    /// `migration_active` if another server has reserved the records.
    pub(super) fn check_ours(&self, only: &Option<String>) -> Result<()> {
        if only.is_none() || self.is_ours(only) {
            return Ok(());
        }
        let message = sentence!("another server migrates these records, and no other writes them until that has ended");
        Err(Error::said(ErrorCode::MigrationActive, message))
    }

    fn is_ours(&self, only: &Option<String>) -> bool {
        only.as_ref() == Some(&self.namespace)
    }
}

fn not_filled_here() -> Error {
    Error::said(ErrorCode::ClusterUnavailable, sentence!("these records are not a copy that this server fills"))
}

impl Held {
    /// For a compare-and-set. One in a copy that is being filled would outlast what it is filled with.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn check_decides(&self) -> Result<()> {
        match self.filling {
            None => Ok(()),
            Some(_) => Err(Error::said(ErrorCode::ClusterUnavailable, sentence!("these records are a copy that is being filled"))),
        }
    }
}
