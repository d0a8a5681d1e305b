//! Work arrays of groups.

use std::any::Any;

/// Work arrays of one group, of a type of its own; made when they are first wanted.
#[derive(Debug, Default)]
pub struct GroupScratch {
    own: Option<Box<dyn Any + Send + Sync>>,
}

impl Clone for GroupScratch {
    /// Work arrays hold nothing from one use to the next.
    fn clone(&self) -> Self {
        GroupScratch::default()
    }
}

impl GroupScratch {
    /// The work arrays.
    pub fn get<T: Any + Default + Send + Sync>(&mut self) -> &mut T {
        if !self.own.as_ref().is_some_and(|own| own.is::<T>()) {
            self.own = Some(Box::new(T::default()));
        }
        self.own.as_mut().and_then(|own| own.downcast_mut()).expect("they are of this type")
    }
}
