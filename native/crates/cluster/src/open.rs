//! What the core asks of a cluster.

use crate::asks::AskedPages;
use crate::known::{self, Described};
use crate::ranges::{Pages, RANGES};
use crate::reads::Reads;
use crate::records::{Records, size_of_row};
use crate::schema::{self, Whose};
use crate::session::Cluster;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::store::Written;
use tessera_core::store::remote::{
    Ask, Asked, Asks, ClusterView, Covers, Estimates, FoundRecord, Health, Limits, Marks, MetSet, NodeHealth, Origin, Outcomes, Part,
    Remote, RemoteIndex, RemoteIndexes, RemotePages, RemoteReads, RemoteRecord, RemoteSet, RemoteWrite, Remotes,
};
use tessera_core::store::rules::Rules;
use tessera_record::{Digest, Meta};

/// The clusters that this process may use.
#[derive(Debug, Default)]
pub struct Clusters {
    /// Where they are described; `None`: there are none.
    pub file: Option<PathBuf>,
}

impl Clusters {
    /// All that are described. Connects to none.
    ///
    /// # Errors
    /// `config_invalid` if the file cannot be read.
    pub fn list(&self) -> Result<Vec<Described>> {
        known::list(self.file.as_ref())
    }
}

impl Remotes for Clusters {
    fn open(&self, asked: &Asked<'_>) -> Result<Arc<dyn Remote>> {
        let known = known::find(self.file.as_ref(), &asked.cassandra.cluster)?;
        let cluster = Cluster::connect(&known, asked.cassandra.clone())?;
        let origin = if asked.cassandra.attach { Origin::There } else { asked.origin };
        let whose = Whose { namespace: asked.namespace, id: asked.id, single_bin: asked.single_bin };
        Ok(Records::open(cluster, &whose, origin)?)
    }
}

/// Pages that cannot be asked for.
struct Unasked(Error);

impl RemotePages for Unasked {
    fn next(&mut self, _: usize, _: &mut dyn FnMut(&RemoteRecord<'_>) -> Result<ControlFlow<()>>) -> Result<bool> {
        Err(self.0.clone())
    }
}

impl Remote for Records {
    fn reads(&self) -> Box<dyn RemoteReads + '_> {
        Box::new(Reads::new(self))
    }

    fn change(&self, set: &str, digest: &Digest, rules: &Rules<'_>, limits: Limits) -> Result<Written> {
        self.cluster().wait(Self::change(self, set, digest, rules, limits))
    }

    fn delete(&self, set: &str, digest: &Digest, allow: &dyn Fn(&Meta) -> Result<()>) -> Result<bool> {
        self.cluster().wait(Self::delete(self, set, digest, allow))
    }

    fn write_many(&self, set: &str, writes: &[RemoteWrite<'_>], limits: Limits, each: &mut Outcomes<'_>) -> Result<()> {
        Self::write_many(self, set, writes, limits, each)
    }

    fn read_in_turn(&self, digest: &Digest) -> Result<FoundRecord> {
        Self::read_in_turn(self, digest)
    }

    fn reserve(&self, wait: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        Self::indexes(self).reserve(self.cluster(), wait)
    }

    fn release(&self) -> Result<()> {
        Self::indexes(self).release(self.cluster())
    }

    fn fills(&self) -> bool {
        Self::indexes(self).fills()
    }

    fn fill(&self, set: &str, digest: &Digest, record: Option<(Meta, &[u8])>) -> Result<()> {
        self.cluster().wait(Self::fill(self, set, digest, record))
    }

    fn lead(&self, held: &[MetSet]) -> Result<()> {
        Self::lead(self, held)
    }

    fn ranges(&self) -> usize {
        RANGES
    }

    fn begin_walk(&self) -> Result<()> {
        for bodies in [true, false] {
            self.asking(bodies).begin();
            self.asking_for_all(bodies).begin();
        }
        self.truncations().read(self.cluster()).map(drop)
    }

    fn pages(&self, part: Part, bodies: bool, asks: Option<Arc<Asks>>) -> Box<dyn RemotePages + '_> {
        match asks.map(|asks| AskedPages::of(self, part, bodies, asks)) {
            None => Box::new(Pages::of(self, part, bodies)),
            Some(Ok(pages)) => Box::new(pages),
            Some(Err(error)) => Box::new(Unasked(error)),
        }
    }

    fn walk(&self, range: usize, bodies: bool) -> Box<dyn RemotePages + '_> {
        Box::new(Pages::to_meet_writes(self, range, bodies))
    }

    fn probe(&self, asks: &[Ask]) -> Result<Vec<u64>> {
        self.probe_all(asks)
    }

    fn indexes(&self) -> Arc<RemoteIndexes> {
        Self::indexes(self).list()
    }

    fn list_index(&self, covers: &Covers) -> Result<RemoteIndex> {
        Self::indexes(self).add(self.cluster(), covers)
    }

    fn take_over_build(&self) -> Result<Option<RemoteIndex>> {
        Self::indexes(self).take_over(self.cluster())
    }

    fn await_writers(&self, id: u32, wait: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        Self::await_writers(self, id, wait)
    }

    fn build_index(&self, id: u32, range: usize, met: &mut dyn FnMut(&RemoteRecord<'_>, bool) -> Result<()>) -> Result<()> {
        self.build_range(id, range, RANGES, met)
    }

    fn note_built(&self, id: u32, records: u64) -> Result<()> {
        Self::note_built(self, id, records)
    }

    fn drop_index(&self, id: u32) -> Result<bool> {
        Self::indexes(self).drop(self.cluster(), id)
    }

    fn size_of(&self, set: &str, body: usize) -> u64 {
        size_of_row(set, body)
    }

    fn sets(&self) -> Vec<RemoteSet> {
        Self::sets(self).all()
    }

    fn set(&self, name: &str) -> Option<RemoteSet> {
        Self::sets(self).find(name)
    }

    fn held(&self) -> (u64, u64) {
        Self::sets(self).held()
    }

    fn create_set(&self, name: &str) -> Result<()> {
        self.cluster().wait(async {
            // While a server has reserved the records, no other makes sets.
            let _held = Self::indexes(self).for_write(self.cluster()).await?;
            Self::sets(self).create(self.cluster(), name).await
        })
    }

    fn estimates(&self) -> Estimates {
        Self::sets(self).estimates()
    }

    fn correct(&self, before: &Estimates, met: &[MetSet]) -> Result<()> {
        Self::correct(self, before, met)
    }

    fn truncate(&self, set: Option<&str>, before: Option<u64>) -> Result<u64> {
        Self::truncate(self, set, before)
    }

    fn has_to_sweep(&self) -> bool {
        !self.fills() && self.truncations().any_unswept()
    }

    fn unswept(&self) -> Marks {
        self.truncations().unswept()
    }

    fn sweep(&self, range: usize, removed: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.sweep_range(range, removed)
    }

    fn note_swept(&self, marks: &Marks) -> Result<()> {
        self.truncations().note_swept(self.cluster(), marks)
    }

    fn close(&self) {
        // Without it, the counters lack a second's changes.
        let _ = Self::sets(self).send(self.cluster());
        Self::indexes(self).leave(self.cluster());
    }

    fn health(&self) -> Health {
        Health { name: self.cluster().name(), keyspace: self.tables.keyspace().to_owned(), nodes: self.cluster().nodes() }
    }

    fn view(&self) -> ClusterView {
        self.cluster().view(&self.tables)
    }

    fn trouble(&self) -> Option<Error> {
        let nodes = self.cluster().nodes();
        let away: Vec<&NodeHealth> = nodes.iter().filter(|node| !node.connected).collect();
        let addresses: Vec<&str> = away.iter().map(|node| node.address.as_str()).collect();
        let message = sentence!(
            "{away} of {nodes} nodes of the cluster are not connected: {addresses}",
            away = away.len(),
            nodes = nodes.len(),
            addresses = addresses.join(", ")
        );
        (!away.is_empty()).then(|| Error::said(ErrorCode::ClusterUnavailable, message))
    }

    fn take_back(&self) {
        if self.made() {
            // If it cannot be removed now, a next creation is told of it.
            let _ = schema::remove(self.cluster(), self.tables.keyspace());
        }
    }

    fn remove(&self) -> Result<()> {
        schema::remove(self.cluster(), self.tables.keyspace())
    }
}
