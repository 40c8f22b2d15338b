//! One frame a second, and whoever wants to hear of the newest.

use super::devices::DeviceWatch;
use super::frame::Frame;
use super::gauges::Gauges;
use super::history::History;
use super::process::ProcessSampler;
use super::recorder::LatencyRecorder;
use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tessera_base::clock::unix_millis;
use tessera_base::latency::Clock;
use tessera_base::{Error, ErrorCode, Result};

type Source = Box<dyn Fn() -> Option<Gauges> + Send>;
type Subscriber = Arc<dyn Fn(&Arc<Frame>) + Send + Sync>;

pub struct MetricsRing {
    recorders: Mutex<Vec<Weak<LatencyRecorder>>>,
    history: Arc<History>,
    latest: Mutex<Option<Arc<Frame>>>,
    subscribers: Mutex<Subscribers>,
    stop: Mutex<bool>,
    stopping: Condvar,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Subscribers {
    all: Vec<(u64, Subscriber)>,
    /// How many there have been.
    numbered: u64,
}

/// What the ticker remembers between two frames.
struct Ticker {
    source: Source,
    process: ProcessSampler,
    devices: DeviceWatch,
    at: Instant,
}

/// Ends when dropped: the callback is not called after that, but may be in a call.
pub struct Subscription {
    ring: Weak<MetricsRing>,
    id: u64,
}

impl MetricsRing {
    /// Starts the ticker. `source` is asked once a second; when it answers `None` the ticker ends. `history` keeps the frames.
    ///
    /// # Errors
    /// `internal` when the system refuses a thread.
    pub fn start(history: Arc<History>, source: impl Fn() -> Option<Gauges> + Send + 'static) -> Result<Arc<Self>> {
        Clock::warm_up();
        let ring = Arc::new(Self::idle(history));
        let mut ticker = Ticker::new(Box::new(source));
        let mine = Arc::downgrade(&ring);
        let run = move || {
            while let Some(ring) = mine.upgrade() {
                if ring.sleep_until_next_second() {
                    break;
                }
                // A second whose gauges panic has no frame; the next is tried.
                let ticked = catch_unwind(AssertUnwindSafe(|| ring.tick(&mut ticker, unix_millis(), Instant::now())));
                if !ticked.unwrap_or(true) {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("tessera-metrics".to_owned())
            .spawn(run)
            .map_err(|e| Error::new(ErrorCode::Internal, format!("start the metrics thread: {e}")))?;
        *ring.thread.lock() = Some(thread);
        Ok(ring)
    }

    fn idle(history: Arc<History>) -> Self {
        Self {
            recorders: Mutex::new(Vec::new()),
            history,
            latest: Mutex::default(),
            subscribers: Mutex::default(),
            stop: Mutex::new(false),
            stopping: Condvar::new(),
            thread: Mutex::new(None),
        }
    }

    /// Makes the recorder's series part of every frame, until the recorder is dropped.
    pub fn register(&self, recorder: &Arc<LatencyRecorder>) {
        let mut known = self.recorders.lock();
        if !known.iter().any(|known| known.as_ptr() == Arc::as_ptr(recorder)) {
            known.push(Arc::downgrade(recorder));
        }
    }

    /// Takes the recorder's series out of the frames again.
    pub fn unregister(&self, recorder: &Arc<LatencyRecorder>) {
        self.recorders.lock().retain(|known| known.as_ptr() != Arc::as_ptr(recorder));
    }

    /// Calls `callback` on the ticker's thread with every new frame. It must be short.
    pub fn subscribe(self: &Arc<Self>, callback: impl Fn(&Arc<Frame>) + Send + Sync + 'static) -> Subscription {
        let mut subscribers = self.subscribers.lock();
        subscribers.numbered += 1;
        let id = subscribers.numbered;
        subscribers.all.push((id, Arc::new(callback)));
        Subscription { ring: Arc::downgrade(self), id }
    }

    pub fn latest(&self) -> Option<Arc<Frame>> {
        self.latest.lock().clone()
    }

    pub fn history(&self) -> &Arc<History> {
        &self.history
    }

    /// Ends the ticker, waits for it, and has its frames written. Idempotent.
    pub fn close(&self) {
        *self.stop.lock() = true;
        self.stopping.notify_all();
        let thread = self.thread.lock().take();
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            // Callbacks are caught, so the thread ends normally.
            let _ = thread.join();
        }
        self.history.close();
    }

    /// Sleeps to the next whole second of the wall clock; true when it is time to end.
    fn sleep_until_next_second(&self) -> bool {
        let left = 1000 - unix_millis() % 1000;
        // Woken a moment early, the next second is meant.
        let deadline = Instant::now() + Duration::from_millis(if left < 100 { left + 1000 } else { left });
        let mut stop = self.stop.lock();
        while !*stop && !self.stopping.wait_until(&mut stop, deadline).timed_out() {}
        *stop
    }

    /// Makes one frame; false when the source has ended.
    fn tick(&self, ticker: &mut Ticker, time_ms: u64, at: Instant) -> bool {
        let Some(gauges) = (ticker.source)() else { return false };
        let recorders: Vec<Arc<LatencyRecorder>> = {
            let mut known = self.recorders.lock();
            known.retain(|recorder| recorder.strong_count() > 0);
            known.iter().filter_map(Weak::upgrade).collect()
        };
        let duration = at.saturating_duration_since(ticker.at);
        let frame = self.history.record(Frame {
            time_ms,
            duration_nanos: u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX),
            latency: recorders.iter().flat_map(|recorder| recorder.take()).collect(),
            process: ticker.process.sample(),
            memory: gauges.memory,
            devices: ticker.devices.next(gauges.devices),
            sizes: gauges.sizes,
            marks: gauges.marks,
            ..Frame::default()
        });
        ticker.at = at;
        *self.latest.lock() = Some(Arc::clone(&frame));
        let subscribers: Vec<Subscriber> = self.subscribers.lock().all.iter().map(|(_, subscriber)| Arc::clone(subscriber)).collect();
        for subscriber in subscribers {
            // One bad callback must not end the metrics.
            let _ = catch_unwind(AssertUnwindSafe(|| subscriber(&frame)));
        }
        true
    }
}

impl Ticker {
    fn new(source: Source) -> Self {
        Self { source, process: ProcessSampler::new(), devices: DeviceWatch::default(), at: Instant::now() }
    }
}

impl Drop for MetricsRing {
    fn drop(&mut self) {
        self.close();
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(ring) = self.ring.upgrade() {
            ring.subscribers.lock().all.retain(|(id, _)| *id != self.id);
        }
    }
}

#[cfg(test)]
mod tests;
