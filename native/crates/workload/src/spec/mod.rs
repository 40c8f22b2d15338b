//! What a run does: typed, with units, checked before anything starts. Its JSON is the one of the API.

mod keys;
mod mix;
mod object;

pub use keys::{KeyText, Keys};
pub use mix::Mix;
pub use object::{BinKind, Object, Values};

use crate::ycsb::{self, Distribution};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tessera_base::{Error, ErrorCode, Result, Sentence, limits, sentence};

/// A parser for the command line: its error is the sentence alone, without the code.
pub fn plain<T: 'static>(parse: fn(&str) -> Result<T>) -> impl Fn(&str) -> std::result::Result<T, String> + Clone + Send + Sync {
    move |text| parse(text).map_err(|error| error.message)
}

/// Most worker threads, and most clients of a gateway.
pub const THREADS: u32 = 1024;
/// Most characters of a name, as the gateway counts them too.
const NAME_CHARACTERS: usize = 200;
/// Most operations that a worker keeps in flight, and all workers of a run together where they keep several.
const WINDOW: u32 = 256;
const IN_FLIGHT: u32 = 8192;
/// Numbers that JSON readers keep exact.
const EXACT: u64 = 1 << 53;
/// Longest run, seconds.
pub const SECONDS: u32 = 3600;
/// Seconds of a run that says neither how long nor how many.
const SECONDS_DEFAULT: u32 = 10;
/// Most records of a scan.
const SCAN_LENGTH: u32 = 10_000;
/// Highest rate that can be asked for, operations a second.
const TPS: u64 = 100_000_000;

/// A run of the load generator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkloadSpec {
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub namespace: String,
    #[serde(default = "WorkloadSpec::default_set")]
    pub set: String,
    /// `I` inserts every key once; `RU,95` reads in 95% of the operations and writes in the others; `SIZE` asks how many records
    /// the namespace has, `ITERATE` copies all of them out (`ITERATE,4096,keys`: keys, in batches of so many); `YCSB,LOAD` and
    /// `YCSB,A` to `YCSB,F` are those of YCSB, `YCSB,read:90,rmw:10` one of one's own.
    #[serde(default)]
    pub workload: Mix,
    /// What is in the bins: `I`, `S:n`, `B:n`, or some of them with commas between.
    #[serde(default)]
    pub object: Object,
    /// Bins of a record; the objects take turns.
    #[serde(default = "WorkloadSpec::default_bins")]
    pub bins: u32,
    /// Keys that there are; YCSB's `recordcount`.
    #[serde(default = "WorkloadSpec::default_keys")]
    pub keys: u64,
    /// The lowest of them.
    #[serde(default)]
    pub first_key: u64,
    /// Digits of a key, filled up with zeros; YCSB's keys are as long as they are.
    #[serde(default = "WorkloadSpec::default_key_length")]
    pub key_length: u32,
    #[serde(default = "WorkloadSpec::default_threads")]
    pub threads: u32,
    /// Operations that each thread keeps in flight: reads of a device; writes it does one at a time.
    #[serde(default = "WorkloadSpec::default_window")]
    pub window: u32,
    /// Operations a second, each due at its own time (open loop); absent: as many as there can be (closed loop).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_tps: Option<u64>,
    /// Operations that take longer are counted as timeouts too; 0: none.
    #[serde(default)]
    pub timeout_ms: u32,
    /// Longest time of the run; absent: 10 for a mix without a number of operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<u32>,
    /// Operations after which a mix ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
    /// Which records a YCSB workload is of; absent: as the workload's own file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Distribution>,
    /// Most records of a scan of YCSB, 1 at least; absent: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_length: Option<u32>,
    /// Write every key once before the run, unmeasured.
    #[serde(default)]
    pub fill: bool,
    /// The same seed gives the same keys, mixes and values.
    #[serde(default = "WorkloadSpec::default_seed")]
    pub seed: u64,
}

impl WorkloadSpec {
    /// The defaults: 95% reads of 100,000 keys of one bin of 1,000 bytes, 16 threads, 10 seconds.
    pub fn new(namespace: impl Into<String>) -> Self {
        Self {
            name: None,
            namespace: namespace.into(),
            set: Self::default_set(),
            workload: Mix::default(),
            object: Object::default(),
            bins: Self::default_bins(),
            keys: Self::default_keys(),
            first_key: 0,
            key_length: Self::default_key_length(),
            threads: Self::default_threads(),
            window: Self::default_window(),
            target_tps: None,
            timeout_ms: 0,
            duration_seconds: None,
            operations: None,
            distribution: None,
            scan_length: None,
            fill: false,
            seed: Self::default_seed(),
        }
    }

    /// A YCSB workload with its own defaults: 10 fields of 100 bytes in `usertable`, 16 threads, 10 seconds.
    pub fn ycsb(namespace: impl Into<String>, workload: Mix) -> Self {
        let set = ycsb::TABLE.to_owned();
        Self { set, workload, object: Object::text(ycsb::FIELD_BYTES), bins: ycsb::FIELDS, ..Self::new(namespace) }
    }

    fn default_set() -> String {
        "bench".to_owned()
    }

    const fn default_bins() -> u32 {
        1
    }

    const fn default_keys() -> u64 {
        100_000
    }

    const fn default_key_length() -> u32 {
        10
    }

    const fn default_threads() -> u32 {
        16
    }

    const fn default_window() -> u32 {
        1
    }

    const fn default_seed() -> u64 {
        1
    }

    /// Reads the JSON of a specification and checks it.
    ///
    /// # Errors
    /// As `check`; `workload_invalid` for what is not of its shape.
    pub fn parse(json: &str) -> Result<Self> {
        let malformed = |error: serde_json::Error| Error::new(ErrorCode::WorkloadInvalid, error.to_string());
        let mut value: serde_json::Value = serde_json::from_str(json).map_err(malformed)?;
        // Read on their own first, so that a fault in them names its field.
        let text = |field: &str| value.get(field).and_then(serde_json::Value::as_str);
        let workload = text("workload").map(Mix::parse).transpose()?;
        text("object").map(Object::parse).transpose()?;
        text("distribution").map(Distribution::parse).transpose()?;
        if let (true, Some(given)) = (workload.is_some_and(|workload| workload.ycsb()), value.as_object_mut()) {
            for (field, default) in
                [("set", json!(ycsb::TABLE)), ("bins", json!(ycsb::FIELDS)), ("object", json!(Object::text(ycsb::FIELD_BYTES)))]
            {
                given.entry(field).or_insert(default);
            }
        }
        let spec: Self = serde_json::from_value(value).map_err(malformed)?;
        spec.check()?;
        Ok(spec)
    }

    /// # Errors
    /// `name_invalid`, `threads_invalid`, `rate_invalid`, `workload_invalid`, each naming the field.
    pub fn check(&self) -> Result<()> {
        let invalid = |field: &str, message: Sentence| Err(Error::said(ErrorCode::WorkloadInvalid, message).in_field(field));
        if self
            .name
            .as_ref()
            .is_some_and(|name| name.is_empty() || name.chars().count() > NAME_CHARACTERS || name.chars().any(char::is_control))
        {
            return invalid(
                "name",
                sentence!("name must be 1 to {most} characters, and none of them a control character", most = NAME_CHARACTERS),
            );
        }
        limits::check_name(&self.namespace, "namespace")?;
        if !self.set.is_empty() {
            limits::check_name(&self.set, "set")?;
        }
        if !(1..=limits::BINS as u32).contains(&self.bins) {
            return invalid("bins", sentence!("bins must be 1 to {most}, got {given}", most = limits::BINS, given = self.bins));
        }
        let bytes = self.object.record_bytes(self.bins);
        if bytes > limits::RECORD_BYTES_MAX as u64 {
            return invalid(
                "object",
                sentence!("a record must be at most {most} bytes, got {given}", most = limits::RECORD_BYTES_MAX, given = bytes),
            );
        }
        if !(1..=EXACT).contains(&self.keys) {
            return invalid("keys", sentence!("keys must be 1 to {most}, got {given}", most = EXACT, given = self.keys));
        }
        if self.first_key > EXACT - self.keys {
            return invalid("firstKey", sentence!("firstKey + keys must be at most {most}", most = EXACT));
        }
        if !(1..=limits::NAME_BYTES as u32).contains(&self.key_length) {
            return invalid(
                "keyLength",
                sentence!("keyLength must be 1 to {most}, got {given}", most = limits::NAME_BYTES, given = self.key_length),
            );
        }
        let highest = self.first_key + self.keys - 1;
        if !self.workload.ycsb() && highest.to_string().len() > self.key_length as usize {
            return invalid(
                "keyLength",
                sentence!(
                    "the highest key is {highest}, which has more than {most} digits; raise keyLength",
                    highest = highest,
                    most = self.key_length
                ),
            );
        }
        if !(1..=THREADS).contains(&self.threads) {
            let message = sentence!("threads must be 1 to {most}, got {given}", most = THREADS, given = self.threads);
            return Err(Error::said(ErrorCode::ThreadsInvalid, message).in_field("threads"));
        }
        if !(1..=WINDOW).contains(&self.window) {
            return invalid("window", sentence!("window must be 1 to {most}, got {given}", most = WINDOW, given = self.window));
        }
        if self.window > 1 && self.threads * self.window > IN_FLIGHT {
            return invalid(
                "window",
                sentence!(
                    "threads × window must be at most {most}, got {given} × {window}",
                    most = IN_FLIGHT,
                    given = self.threads,
                    window = self.window
                ),
            );
        }
        if let Some(tps) = self.target_tps.filter(|tps| !(1..=TPS).contains(tps)) {
            let message = sentence!("targetTps must be 1 to {most}, got {given}", most = TPS, given = tps);
            return Err(Error::said(ErrorCode::RateInvalid, message).in_field("targetTps"));
        }
        if let Some(seconds) = self.duration_seconds.filter(|seconds| !(1..=SECONDS).contains(seconds)) {
            return invalid(
                "durationSeconds",
                sentence!("durationSeconds must be 1 to {most}, got {given}", most = SECONDS, given = seconds),
            );
        }
        if let Some(operations) = self.operations.filter(|operations| !(1..=EXACT).contains(operations)) {
            return invalid("operations", sentence!("operations must be 1 to {most}, got {given}", most = EXACT, given = operations));
        }
        if !matches!(self.workload, Mix::Ycsb(_)) && self.distribution.is_some() {
            return invalid("distribution", sentence!("distribution is only for YCSB workloads other than the load; leave it out"));
        }
        if !matches!(self.workload, Mix::Ycsb(_)) && self.scan_length.is_some() {
            return invalid("scanLength", sentence!("scanLength is only for YCSB workloads other than the load; leave it out"));
        }
        if let Some(records) = self.scan_length.filter(|records| !(1..=SCAN_LENGTH).contains(records)) {
            return invalid("scanLength", sentence!("scanLength must be 1 to {most}, got {given}", most = SCAN_LENGTH, given = records));
        }
        if self.workload.inserts() && self.operations.is_some() {
            return invalid("operations", sentence!("an insert run writes every key once; leave operations out"));
        }
        if self.workload.inserts() && self.fill {
            return invalid("fill", sentence!("an insert run writes every key itself; leave fill out"));
        }
        if self.seed > EXACT {
            return invalid("seed", sentence!("seed must be at most {most}, got {given}", most = EXACT, given = self.seed));
        }
        Ok(())
    }

    /// # Errors
    /// `single_bin` if records have one bin but the run needs more.
    pub fn check_bins(&self, single_bin: bool) -> Result<()> {
        if single_bin && self.bins > 1 { limits::check_single_bin("bin2", "bins") } else { Ok(()) }
    }

    /// Longest duration of the run, in seconds.
    pub fn seconds(&self) -> u32 {
        let unlimited = self.workload.inserts() || self.operations.is_some();
        self.duration_seconds.unwrap_or(if unlimited { SECONDS } else { SECONDS_DEFAULT })
    }

    /// Operations after which the run ends, where time does not end it before.
    pub fn operations(&self) -> Option<u64> {
        if self.workload.inserts() { Some(self.keys) } else { self.operations }
    }

    /// New records that a YCSB workload is expected to insert, as YCSB guesses them: twice its share of the operations. At most nine times
    /// the records there are, as YCSB draws again what is not there yet: ten times on average, in the beginning.
    pub(crate) fn expected_inserts(&self) -> u64 {
        let Mix::Ycsb(proportions) = self.workload else { return 0 };
        let operations = u128::from(self.operations.unwrap_or_default());
        let guessed = operations * u128::from(proportions.insert) * 2 / 100;
        guessed.min(u128::from(self.keys) * 9) as u64
    }

    /// The run that writes every key once, as fast as it can, before this one.
    pub fn filling(&self) -> Option<Self> {
        let insert = || Self {
            workload: if self.workload.ycsb() { Mix::YcsbLoad } else { Mix::Insert },
            distribution: None,
            scan_length: None,
            fill: false,
            target_tps: None,
            timeout_ms: 0,
            duration_seconds: None,
            operations: None,
            ..self.clone()
        };
        self.fill.then(insert)
    }

    /// One line for people.
    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("Workload {name}"),
            None => format!("Workload {} of {} on {}", self.workload, self.object, self.namespace),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(json: &str) -> (ErrorCode, String) {
        let error = WorkloadSpec::parse(json).unwrap_err();
        (error.code, error.field.unwrap_or_default())
    }

    #[test]
    fn new_records_are_expected_as_ycsb_does_but_never_so_many_that_a_draw_does_not_end() {
        let expected = |keys: u64, operations: u64| {
            let json = format!(r#"{{"namespace":"a","workload":"YCSB,D","keys":{keys},"operations":{operations}}}"#);
            WorkloadSpec::parse(&json).unwrap().expected_inserts()
        };
        assert_eq!((expected(1000, 10_000), expected(1000, 1 << 53), expected(1, 1 << 53)), (1000, 9000, 9));
    }

    #[test]
    fn a_name_has_so_many_characters_whatever_their_bytes() {
        let named = |name: &str| format!(r#"{{"namespace":"a","name":"{name}"}}"#);
        for letter in ["a", "ü", "名", "🦀"] {
            assert!(WorkloadSpec::parse(&named(&letter.repeat(200))).is_ok(), "{letter}");
            assert_eq!(fault(&named(&letter.repeat(201))).1, "name", "{letter}");
        }
        assert_eq!([fault(&named("")).1, fault(&named("a\\u007fb")).1], ["name", "name"]);
    }

    #[test]
    fn defaults_are_filled_in_and_the_whole_comes_back() {
        let spec = WorkloadSpec::parse(r#"{"namespace":"a"}"#).unwrap();
        assert_eq!(spec, WorkloadSpec::new("a"));
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(WorkloadSpec::parse(&text).unwrap(), spec);
        assert_eq!((spec.seconds(), spec.operations()), (10, None));
        let ycsb =
            WorkloadSpec::parse(r#"{"namespace":"a","workload":"YCSB,e","keys":7,"scanLength":5,"distribution":"hotspot"}"#).unwrap();
        let made = WorkloadSpec {
            keys: 7,
            scan_length: Some(5),
            distribution: Some(Distribution::Hotspot),
            ..WorkloadSpec::ycsb("a", ycsb.workload)
        };
        assert_eq!((&ycsb, ycsb.set.as_str(), ycsb.bins, ycsb.workload.to_string()), (&made, "usertable", 10, "YCSB,E".to_owned()));
        assert_eq!(WorkloadSpec::parse(&serde_json::to_string(&ycsb).unwrap()).unwrap(), ycsb);
        let given = WorkloadSpec::parse(r#"{"namespace":"a","workload":"YCSB,A","set":"t","bins":2,"object":"B:7"}"#).unwrap();
        assert_eq!((given.set.as_str(), given.bins, given.object.to_string()), ("t", 2, "B:7".to_owned()));
        let insert = WorkloadSpec::parse(r#"{"namespace":"a","workload":"I","keys":7}"#).unwrap();
        assert_eq!((insert.seconds(), insert.operations()), (SECONDS, Some(7)));
    }

    #[test]
    fn what_is_out_of_bounds_is_named() {
        use ErrorCode::{NameInvalid, RateInvalid, ThreadsInvalid, WorkloadInvalid};
        for (fields, code, field) in [
            (r#""namespace":"..""#, NameInvalid, "namespace"),
            (r#""namespace":"a","set":"b c""#, NameInvalid, "set"),
            (r#""namespace":"a","name":"""#, WorkloadInvalid, "name"),
            (r#""namespace":"a","bins":0"#, WorkloadInvalid, "bins"),
            (r#""namespace":"a","object":"S:9000000""#, WorkloadInvalid, "object"),
            (r#""namespace":"a","keys":0"#, WorkloadInvalid, "keys"),
            (r#""namespace":"a","firstKey":9007199254740992"#, WorkloadInvalid, "firstKey"),
            (r#""namespace":"a","keyLength":4"#, WorkloadInvalid, "keyLength"),
            (r#""namespace":"a","threads":1025"#, ThreadsInvalid, "threads"),
            (r#""namespace":"a","window":0"#, WorkloadInvalid, "window"),
            (r#""namespace":"a","window":257"#, WorkloadInvalid, "window"),
            (r#""namespace":"a","window":16,"threads":1024"#, WorkloadInvalid, "window"),
            (r#""namespace":"a","targetTps":0"#, RateInvalid, "targetTps"),
            (r#""namespace":"a","durationSeconds":3601"#, WorkloadInvalid, "durationSeconds"),
            (r#""namespace":"a","operations":0"#, WorkloadInvalid, "operations"),
            (r#""namespace":"a","workload":"I","operations":5"#, WorkloadInvalid, "operations"),
            (r#""namespace":"a","workload":"I","fill":true"#, WorkloadInvalid, "fill"),
            (r#""namespace":"a","workload":"RU,101""#, WorkloadInvalid, "workload"),
            (r#""namespace":"a","colour":1"#, WorkloadInvalid, ""),
        ] {
            assert_eq!(fault(&format!("{{{fields}}}")), (code, field.to_owned()), "{fields}");
        }
    }
}
