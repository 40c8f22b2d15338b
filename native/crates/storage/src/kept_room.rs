//! Room that is kept for who is going to make several writes.

/// Given back when it is dropped.
#[derive(Default)]
#[must_use = "the room is given back at once"]
pub struct KeptRoom(Option<Box<dyn FnOnce() + Send>>);

impl KeptRoom {
    pub fn new(give_back: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(give_back)))
    }
}

impl Drop for KeptRoom {
    fn drop(&mut self) {
        if let Some(give_back) = self.0.take() {
            give_back();
        }
    }
}
