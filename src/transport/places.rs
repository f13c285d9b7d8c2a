//! The places of connections: how many may be open at once, who holds one, and who gives way for a further one.
//!
//! Decides by addresses and by who stands still: of the address with the most connections, the one that has stood still the
//! longest goes, and nobody for whom something is worked out. So an address that takes every place loses them to the
//! others, one by one, and an ordinary client finds one however many are held. Knows nothing of what is said on them.

use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::activity::{Activity, Need};
use super::client_address::ClientAddress;
use super::traffic::{self, Traffic};
use crate::telemetry::LineLimit;

/// Looking at every connection takes a while, so that so many that may go are found at once.
const FOUND_AT_ONCE: usize = 256;
/// For so long they are believed.
const FOUND_FOR: Duration = Duration::from_secs(1);
/// When nobody gives way: how long until everybody is looked at again.
const LOOKS_AGAIN: Duration = Duration::from_millis(100);
/// How often it is told that connections give way.
const LINES: Duration = Duration::from_secs(10);

/// All places of one listening socket.
#[derive(Debug)]
pub(super) struct Places {
    most: usize,
    traffic: Arc<Traffic>,
    held: Mutex<Held>,
    freed: Notify,
    lines: LineLimit,
}

#[derive(Debug, Default)]
struct Held {
    numbers: u64,
    by_number: HashMap<u64, Holder>,
    by_address: HashMap<IpAddr, usize>,
    /// Who may go, the first one first, and since when it stood still.
    found: VecDeque<(u64, Instant)>,
    looked: Option<Instant>,
}

#[derive(Clone, Debug)]
struct Holder {
    address: IpAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    since: Instant,
    activity: OnceLock<Activity>,
    leave: Notify,
}

impl Shared {
    /// As of the connection; during its handshake everybody waits for the peer, who has asked nothing.
    fn stands_still(&self) -> Option<(Need, Instant)> {
        match self.activity.get() {
            Some(activity) => activity.stands_still(),
            None => Some((Need::Nothing, self.since)),
        }
    }
}

/// The place of one connection, until it is dropped or has to be given away.
#[derive(Debug)]
pub(super) struct Place {
    number: u64,
    places: Arc<Places>,
    shared: Arc<Shared>,
}

impl Place {
    /// What goes on on its connection, from now on.
    pub(super) fn show(&self, activity: &Activity) {
        // It is shown once.
        let _first = self.shared.activity.set(activity.clone());
    }

    /// Ends when the place is somebody else's.
    pub(super) async fn is_given_away(&self) {
        self.shared.leave.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.places.held().remove(self.number).is_some() {
            self.places.freed.notify_one();
        }
    }
}

impl Places {
    /// So many, all free.
    pub(super) fn new(most: usize, traffic: Arc<Traffic>) -> Arc<Self> {
        let (held, freed) = (Mutex::default(), Notify::new());
        Arc::new(Self { most, traffic, held, freed, lines: LineLimit::new(1, LINES) })
    }

    /// A place for a connection from this address, once there is one.
    pub(super) async fn take(self: &Arc<Self>, peer: IpAddr) -> Place {
        let address = ClientAddress::new(peer).group().first();
        if let Some(place) = self.find(address) {
            return place;
        }
        self.traffic.held.one(traffic::Held::Full);
        loop {
            // One that is freed in between is remembered; who begins to stand still is not told of.
            let _freed_or_time = tokio::time::timeout(LOOKS_AGAIN, self.freed.notified()).await;
            if let Some(place) = self.find(address) {
                return place;
            }
        }
    }

    /// Has somebody give up a place for nobody, because the system is short of what connections need. Whether anybody
    /// did.
    pub(super) fn give_one_up(&self) -> bool {
        let gone = self.held().next_to_go(0);
        gone.inspect(|gone| self.send_away(gone)).is_some()
    }

    fn find(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let mut held = self.held();
        if held.by_number.len() >= self.most {
            let own = held.by_address.get(&address).copied().unwrap_or_default();
            let gone = held.next_to_go(own)?;
            self.send_away(&gone);
        }
        let shared =
            Arc::new(Shared { since: Instant::now(), activity: OnceLock::new(), leave: Notify::new() });
        let number = held.add(Holder { address, shared: Arc::clone(&shared) });
        drop(held);
        Some(Place { number, places: Arc::clone(self), shared })
    }

    fn send_away(&self, gone: &Holder) {
        gone.shared.leave.notify_one();
        self.traffic.gave_way.one();
        if let Some(left_out) = self.lines.note(Instant::now().into_std()) {
            tracing::warn!(left_out, "as many connections are open as can be: one that stood still gave way");
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn add(&mut self, holder: Holder) -> u64 {
        self.numbers += 1;
        *self.by_address.entry(holder.address).or_default() += 1;
        self.by_number.insert(self.numbers, holder);
        self.numbers
    }

    fn remove(&mut self, number: u64) -> Option<Holder> {
        let holder = self.by_number.remove(&number)?;
        if let Some(count) = self.by_address.get_mut(&holder.address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&holder.address);
            }
        }
        Some(holder)
    }

    /// Takes the place of who has to go, of an address that has at least so many.
    fn next_to_go(&mut self, at_least: usize) -> Option<Holder> {
        let now = Instant::now();
        if self.looked.is_none_or(|looked| now.saturating_duration_since(looked) >= FOUND_FOR) {
            self.found.clear();
        }
        let mut has_looked = false;
        loop {
            let Some((number, since)) = self.found.pop_front() else {
                if has_looked {
                    return None;
                }
                self.found = self.who_may_go();
                self.looked = Some(now);
                has_looked = true;
                continue;
            };
            let Some(holder) = self.by_number.get(&number) else { continue };
            // Whoever has moved meanwhile is not the one that stands still the longest, even if it stands still again.
            if holder.shared.stands_still().is_none_or(|(_, still_since)| still_since != since) {
                continue;
            }
            if self.by_address.get(&holder.address).is_none_or(|count| *count < at_least) {
                self.found.push_front((number, since));
                return None;
            }
            return self.remove(number);
        }
    }

    /// Again and again the one that stands still the longest of the address that has the most, as if those before it had
    /// gone.
    fn who_may_go(&self) -> VecDeque<(u64, Instant)> {
        let mut still: HashMap<IpAddr, Vec<(Need, Instant, u64)>> = HashMap::new();
        for (number, holder) in &self.by_number {
            if let Some((need, since)) = holder.shared.stands_still() {
                still.entry(holder.address).or_default().push((need, since, *number));
            }
        }
        let mut addresses = BinaryHeap::new();
        for (address, of) in &mut still {
            // The last one goes first.
            of.sort_unstable_by(|one, other| other.cmp(one));
            let count = self.by_address.get(address).copied().unwrap_or_default();
            if let Some(first) = of.last() {
                addresses.push((count, std::cmp::Reverse(*first), *address));
            }
        }
        let mut found = VecDeque::new();
        while found.len() < FOUND_AT_ONCE
            && let Some((count, _, address)) = addresses.pop()
        {
            let Some(of) = still.get_mut(&address) else { continue };
            let Some((_, since, number)) = of.pop() else { continue };
            found.push_back((number, since));
            if let Some(first) = of.last() {
                addresses.push((count.saturating_sub(1), std::cmp::Reverse(*first), address));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::activity::{Exchange, Protocol};
    use std::net::Ipv4Addr;
    use tokio::time::{advance, timeout};

    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, last).into()
    }

    fn places(most: usize) -> Arc<Places> {
        Places::new(most, Arc::default())
    }

    /// A place whose connection has ended its handshake.
    async fn taken(places: &Arc<Places>, address: IpAddr, protocol: Protocol) -> (Place, Activity) {
        let (place, activity) = (places.take(address).await, Activity::new(protocol));
        place.show(&activity);
        (place, activity)
    }

    async fn leaves(place: &Place) -> bool {
        timeout(Duration::ZERO, place.is_given_away()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn the_address_with_the_most_connections_gives_way_with_the_one_that_stood_still_longest() {
        let places = places(4);
        let other = places.take(address(2)).await;
        let mut many = Vec::new();
        for _ in 0..3 {
            advance(Duration::from_secs(1)).await;
            many.push(places.take(address(1)).await);
        }
        let newcomer = places.take(address(3)).await;
        let mut left = Vec::new();
        for place in many.iter().chain([&other, &newcomer]) {
            left.push(leaves(place).await);
        }
        assert_eq!(left, [true, false, false, false, false]);
        assert_eq!((places.traffic.gave_way.get(), places.held().by_number.len()), (1, 4));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_takes_every_place_loses_them_to_itself_and_others_keep_theirs() {
        let places = places(10);
        let other = places.take(address(2)).await;
        let mut many = Vec::new();
        for _ in 0..100 {
            advance(Duration::from_millis(10)).await;
            many.push(places.take(address(1)).await);
        }
        assert!(!leaves(&other).await);
        assert_eq!(places.held().by_address[&address(1)], 9);
        // The places of those that were sent away are not freed twice.
        drop(many);
        assert_eq!(places.held().by_number.len(), 1);
        drop(other);
        assert!(places.held().by_address.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_gives_way_whom_something_is_worked_out_for() {
        let places = places(1);
        let (place, activity) = taken(&places, address(1), Protocol::Http2).await;
        let exchange = Exchange::begin(&activity);
        let waiting = places.take(address(2));
        let mut waiting = std::pin::pin!(waiting);
        assert!(timeout(Duration::from_secs(5), waiting.as_mut()).await.is_err());
        let held: Vec<_> = places.traffic.held.read().collect();
        assert_eq!(held, [("full", 1), ("shortage", 0)]);
        drop(exchange);
        assert!(timeout(Duration::from_secs(1), waiting).await.is_ok());
        assert!(leaves(&place).await);
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_begun_a_request_goes_after_who_has_asked_nothing() {
        let places = places(2);
        let (begun, activity) = taken(&places, address(1), Protocol::Http1).await;
        let _exchange = Exchange::begin(&activity);
        let _receiving = crate::transport::activity::Receiving::begin(&activity);
        advance(Duration::from_secs(1)).await;
        let silent = places.take(address(1)).await;
        let _newcomer = places.take(address(2)).await;
        assert_eq!((leaves(&begun).await, leaves(&silent).await), (false, true));
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_asked_since_the_last_look_goes_after_whoever_stood_still_all_the_while() {
        let places = places(3);
        let (asks, activity) = taken(&places, address(1), Protocol::Http2).await;
        let mut silent = Vec::new();
        for _ in 0..2 {
            advance(Duration::from_millis(10)).await;
            silent.push(places.take(address(1)).await);
        }
        // Between two of its requests the one that asks stands still as well, and so is among those who are found first.
        for _ in 0..10 {
            drop(Exchange::begin(&activity));
            advance(Duration::from_millis(10)).await;
            silent.push(places.take(address(1)).await);
        }
        assert!(!leaves(&asks).await);
        let mut left = 0;
        for place in &silent {
            left += usize::from(leaves(place).await);
        }
        assert_eq!((silent.len(), left), (12, 10));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_takes_no_place_from_one_that_has_fewer() {
        let places = places(3);
        let activity = Activity::new(Protocol::Http1);
        let _exchange = Exchange::begin(&activity);
        let mut busy = Vec::new();
        for _ in 0..2 {
            let place = places.take(address(1)).await;
            place.show(&activity);
            busy.push(place);
        }
        let idle = places.take(address(2)).await;
        assert!(timeout(Duration::from_secs(5), places.take(address(1))).await.is_err());
        assert!(!leaves(&idle).await);
        let again = timeout(Duration::from_secs(1), places.take(address(2))).await;
        assert!(again.is_ok() && leaves(&idle).await);
        drop(busy.pop());
        assert!(timeout(Duration::from_secs(1), places.take(address(1))).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_that_is_freed_is_taken_at_once() {
        let places = places(1);
        let (place, activity) = taken(&places, address(1), Protocol::Http1).await;
        let _exchange = Exchange::begin(&activity);
        let waiting = places.take(address(2));
        let mut waiting = std::pin::pin!(waiting);
        assert!(timeout(Duration::from_millis(10), waiting.as_mut()).await.is_err());
        drop(place);
        assert!(timeout(Duration::from_millis(1), waiting).await.is_ok());
    }
}
