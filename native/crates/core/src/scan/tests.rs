//! What walks do when the records change under them.

use super::visit::{Scratch, Walk};
use crate::filter::Filter;
use crate::index::{IndexKind, IndexSpec};
use crate::query::QuerySpec;
use crate::record::{BodyBuilder, KeyRef};
use crate::{Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use std::ops::ControlFlow;
use std::sync::Arc;

const RECORDS: i64 = 40;

fn put(namespace: &Namespace, set: &str, key: i64) {
    let mut body = Vec::new();
    let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
    builder
        .bin("n", |out| {
            out.int(key);
            Ok(())
        })
        .unwrap();
    builder.finish();
    namespace.put(set, KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
}

fn open(config: NamespaceConfig) -> (tempfile::TempDir, Arc<Engine>, Arc<Namespace>) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..config }).unwrap();
    (directory, engine, namespace)
}

#[test]
fn what_an_index_proposed_before_a_truncation_is_not_there_after_it() {
    let spec = IndexSpec { name: "n".into(), set: None, bin: "n".into(), kind: IndexKind::Range, path: None, created_at_ms: 0 };
    let (_directory, _engine, namespace) = open(NamespaceConfig { indexes: vec![spec], ..NamespaceConfig::memory("a") });
    (0..RECORDS).for_each(|key| put(&namespace, "s", key));
    let filter = Filter::compile(br#"{"bin":"n","op":"ge","value":0}"#).unwrap();
    let (plan, selection) = namespace.plan_query(&QuerySpec { filter: Some(Arc::new(filter)), ..QuerySpec::default() }).unwrap();
    assert_eq!((plan.method, plan.estimated_candidates), ("range-index", RECORDS as u64));
    namespace.truncate(None).unwrap();
    let walk = Walk { namespace: &namespace, selection: &selection, bodies: true, follower: None };
    assert_eq!(walk.everything(&mut |_| ControlFlow::Continue(())), (0, ControlFlow::Continue(())));
    for segment in 0..4 {
        let step = walk.step(segment, 0, 1, &mut Scratch::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((step.met, step.next), (0, None));
    }
}
