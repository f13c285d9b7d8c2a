//! Identical requests at the same time become one.
//!
//! Whoever asks first brings the request on its way, whoever asks meanwhile waits with it, and it goes on as
//! long as one of them waits: it belongs to none of them, so none can leave the others behind. Decides who
//! shares and who pays. It must never know what is asked or what an answer means.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::Shared;

use super::ledger::{Charge, Counts};
use crate::model::family::Family;

/// What makes two requests the same: family, path and query, whoever asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(Box<str>);

impl Key {
    pub(super) fn of(family: Family, path: &str, query: &[(&'static str, String)]) -> Self {
        let mut key = [family.as_str(), "\0", path].concat();
        for (name, value) in query {
            // Neither occurs in a name, and a length makes the rest unambiguous.
            key.extend(["\0", name, "=", &value.len().to_string(), ":", value]);
        }
        Self(key.into())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// What is being asked just now.
#[derive(Debug)]
pub(super) struct Flights<T: Clone> {
    flying: Mutex<HashMap<Key, Flight<T>>>,
    next: AtomicU64,
}

#[derive(Debug)]
struct Flight<T: Clone> {
    number: u64,
    arrival: Arrival<T>,
    boarding: Arc<Boarding>,
}

type Arrival<T> = Shared<Pin<Box<dyn Future<Output = T> + Send>>>;

/// Who waits for one request.
#[derive(Debug, Default)]
pub(super) struct Boarding {
    seats: Mutex<Vec<(u64, Arc<Counts>)>>,
    /// The seat that pays, plus one; 0 while nobody does.
    payer: AtomicU64,
    overdue: AtomicBool,
}

impl Boarding {
    /// Charges the request, which is about to start, to whoever has waited longest for it.
    pub(super) fn charge(&self) -> Option<Charge> {
        let seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let (seat, counts) = seats.first()?;
        self.payer.store(seat + 1, Ordering::Relaxed);
        Some(Charge::to(Arc::clone(counts)))
    }

    /// Whether somebody's whole time went by while waiting.
    pub(super) fn is_overdue(&self) -> bool {
        self.overdue.load(Ordering::Relaxed)
    }
}

/// One who waits. Dropping it leaves; the last to leave ends the request.
#[derive(Debug)]
pub(super) struct Seat<'a, T: Clone> {
    flights: &'a Flights<T>,
    key: &'a Key,
    flight: u64,
    seat: u64,
    boarding: Arc<Boarding>,
    /// What comes of the request.
    pub(super) arrival: Arrival<T>,
}

impl<T: Clone> Flights<T> {
    pub(super) fn new() -> Self {
        Self { flying: Mutex::default(), next: AtomicU64::new(0) }
    }

    /// Waits with the request of `key`, or makes it with `take_off`.
    pub(super) fn board<'a, F: Future<Output = T> + Send + 'static>(
        &'a self,
        key: &'a Key,
        counts: Arc<Counts>,
        take_off: impl FnOnce(Arc<Boarding>) -> F,
    ) -> Seat<'a, T> {
        let seat = self.next.fetch_add(1, Ordering::Relaxed);
        let mut flying = self.flying.lock().unwrap_or_else(PoisonError::into_inner);
        let flight = flying.entry(key.clone()).or_insert_with(|| {
            let boarding = Arc::new(Boarding::default());
            let arrival: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(take_off(Arc::clone(&boarding)));
            Flight { number: seat, arrival: arrival.shared(), boarding }
        });
        let boarding = Arc::clone(&flight.boarding);
        boarding.seats.lock().unwrap_or_else(PoisonError::into_inner).push((seat, counts));
        Seat { flights: self, key, flight: flight.number, seat, boarding, arrival: flight.arrival.clone() }
    }

    fn remove(&self, key: &Key, number: u64) {
        let mut flying = self.flying.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = match flying.get(key) {
            Some(flight) if flight.number == number => flying.remove(key),
            Some(_) | None => None,
        };
        // What a request leaves behind must not be dropped under the lock.
        drop(flying);
        drop(gone);
    }
}

impl<T: Clone> Seat<'_, T> {
    /// The request has ended: whoever asks from now on makes a new one.
    pub(super) fn landed(&self) {
        self.flights.remove(self.key, self.flight);
    }

    /// Whether the request is charged to this one.
    pub(super) fn pays(&self) -> bool {
        self.boarding.payer.load(Ordering::Relaxed) == self.seat + 1
    }

    /// This one leaves because its time is over.
    pub(super) fn overdue(&self) {
        self.boarding.overdue.store(true, Ordering::Relaxed);
    }
}

impl<T: Clone> Drop for Seat<'_, T> {
    fn drop(&mut self) {
        // The number of those who wait is changed under the lock under which others come.
        let mut flying = self.flights.flying.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seats = self.boarding.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.retain(|(seat, _)| *seat != self.seat);
        let is_last = seats.is_empty();
        drop(seats);
        let gone = match flying.get(self.key) {
            Some(flight) if is_last && flight.number == self.flight => flying.remove(self.key),
            Some(_) | None => None,
        };
        drop(flying);
        drop(gone);
    }
}

#[cfg(test)]
impl<T: Clone> Flights<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.flying.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Until so many wait in all.
    pub(super) async fn until_waiting(&self, wanted: usize) {
        loop {
            let waiting: usize = {
                let flying = self.flying.lock().unwrap_or_else(PoisonError::into_inner);
                let seats = |flight: &Flight<T>| {
                    flight.boarding.seats.lock().unwrap_or_else(PoisonError::into_inner).len()
                };
                flying.values().map(seats).sum()
            };
            if waiting >= wanted {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

#[cfg(test)]
mod tests;
