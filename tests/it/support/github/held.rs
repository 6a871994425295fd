//! Holding the world: a test that would wait for itself is told so.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard};
use std::thread::ThreadId;

use super::world::World;

/// Which thread of the test holds the world.
#[derive(Default)]
pub(super) struct Holder(Mutex<Option<ThreadId>>);

/// The world, while it is held. Give it back before the next request: the servers need it.
pub(crate) struct Held<'a> {
    world: MutexGuard<'a, World>,
    holder: &'a Holder,
}

impl Holder {
    pub(super) fn hold<'a>(&'a self, world: &'a Mutex<World>) -> Held<'a> {
        let me = std::thread::current().id();
        let holder = *self.0.lock().unwrap();
        assert_ne!(holder, Some(me), "this test holds the world already: bind what you need to a name");
        let world = world.lock().unwrap();
        *self.0.lock().unwrap() = Some(me);
        Held { world, holder: self }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *self.holder.0.lock().unwrap() = None;
    }
}

impl Deref for Held<'_> {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.world
    }
}
