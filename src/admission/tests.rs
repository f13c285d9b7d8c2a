//! The limits together, over a store that can be made to fail.

use std::net::Ipv4Addr;

use time::macros::datetime;

use super::replay::SameCall;
use super::*;
use crate::envelope::error::ErrorType;
use crate::store::{MemoryStore, Store};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

struct World {
    admission: Arc<Admission>,
    clock: Clock,
    store: Arc<MemoryStore>,
    limits: AdmissionLimits,
}

impl World {
    fn new(limits: AdmissionLimits) -> Self {
        Self::over(Arc::new(MemoryStore::new()), limits, Clock::wound_to(datetime!(2027-01-31 23:59:59 UTC)))
    }

    fn over(store: Arc<MemoryStore>, limits: AdmissionLimits, clock: Clock) -> Self {
        let state = State::load(Arc::clone(&store) as Arc<dyn Store>, &clock).unwrap();
        let admission = Arc::new(Admission::new(limits, Arc::new(state), clock.clone()));
        Self { admission, clock, store, limits }
    }

    /// The same store in a new program; the old one was killed.
    fn after_a_kill(&self) -> Self {
        Self::over(Arc::clone(&self.store), self.limits, self.clock.clone())
    }

    async fn run(&self, asker: Asker, most: u32) -> Result<Permit, ToolError> {
        match self.admission.admit(asker, most, None).await? {
            Admitted::Run(permit) => Ok(*permit),
            Admitted::Replay(_) => panic!("nothing is stored"),
        }
    }

    /// A call that spends what it may; the figure that its caller is shown.
    async fn spend(&self, asker: Asker, units: u32) -> Result<Option<u64>, ToolError> {
        let permit = self.run(asker, units).await?;
        charge(&permit, units);
        Ok(permit.settle(None).await?.quota.map(|quota| quota.used))
    }

    fn used(&self, asker: Asker) -> u64 {
        self.admission.quota(asker).unwrap().used
    }
}

fn charge(permit: &Permit, units: u32) {
    for _ in 0..units {
        let _spent = permit.ledger().charge();
    }
}

fn limits() -> AdmissionLimits {
    AdmissionLimits {
        anonymous_units_per_day: 10,
        anonymous_calls_per_minute: 1_000,
        chatgpt_calls_per_minute: 300,
        requests_per_second: 20,
        requests_burst: 200,
        calls_at_once: 100,
        account: AccountLimits { calls_per_minute: 60, calls_at_once: 4 },
    }
}

fn many_at_once() -> AdmissionLimits {
    AdmissionLimits { account: AccountLimits { calls_per_minute: 60, calls_at_once: 100 }, ..limits() }
}

fn account(name: &str, allowance: u64) -> Asker {
    Asker::Account { id: AccountId::of("https://issuer.example", name), allowance }
}

const ANYBODY: Asker = Asker::Anonymous(HERE);

fn kind(result: Result<impl Sized, ToolError>) -> Option<ErrorType> {
    result.err().map(|error| error.kind())
}

#[tokio::test]
async fn a_call_is_charged_what_it_spent_and_gets_the_rest_back() {
    let world = World::new(limits());
    let permit = world.run(ANYBODY, 10).await.unwrap();
    assert_eq!(kind(world.run(ANYBODY, 1).await), Some(ErrorType::AnonymousCapacityExhausted));
    charge(&permit, 1);
    drop(permit);
    assert!(world.run(ANYBODY, 9).await.is_ok());
    assert!(world.run(ANYBODY, 10).await.is_err());
}

#[tokio::test]
async fn ten_units_and_fifty_callers_at_once_are_ten_calls() {
    for asker in [account("a", 10), ANYBODY] {
        for _ in 0..50 {
            let world = Arc::new(World::new(many_at_once()));
            let calls: Vec<_> = (0..50)
                .map(|_| {
                    let world = Arc::clone(&world);
                    tokio::spawn(async move { world.spend(asker, 1).await.is_ok() })
                })
                .collect();
            let mut served = 0;
            for call in calls {
                served += u32::from(call.await.unwrap());
            }
            assert_eq!(served, 10);
        }
    }
}

#[tokio::test]
async fn a_kill_at_any_point_grants_nothing_again_and_burns_no_more_than_a_lease() {
    let world = World::new(many_at_once());
    let asker = account("a", 1_000);
    let (mut shown, mut world_now) = (0, world.after_a_kill());
    for round in 0..40 {
        let running = world_now.run(asker, 3).await.unwrap();
        for _ in 0..round % 5 {
            shown = shown.max(world_now.spend(asker, 2).await.unwrap().unwrap());
        }
        // The running call is lost with the program, whatever it had spent.
        let next = world_now.after_a_kill();
        std::mem::forget(running);
        let used = next.used(asker);
        assert!(used >= shown, "round {round}: {shown} was shown, and now it is {used}");
        assert!(used <= shown + 3 + 100, "round {round}: {used} after {shown}");
        shown = used;
        if shown > 850 {
            break;
        }
        world_now = next;
    }
    assert!(shown > 100, "{shown}");
}

#[tokio::test]
async fn a_clean_end_burns_nothing() {
    let world = World::new(limits());
    let asker = account("a", 1_000);
    assert_eq!(world.spend(asker, 3).await.unwrap(), Some(3));
    world.spend(ANYBODY, 4).await.unwrap();
    world.admission.close();
    let next = world.after_a_kill();
    assert_eq!(next.used(asker), 3);
    assert!(next.run(ANYBODY, 6).await.is_ok());
    assert!(next.run(ANYBODY, 7).await.is_err());
}

#[tokio::test]
async fn an_allowance_ends_with_its_figures_and_begins_anew_with_the_month() {
    let world = World::new(limits());
    let asker = account("a", 5);
    for (units, used, warning) in [(3, 3, false), (1, 4, true), (1, 5, true)] {
        assert_eq!(world.spend(asker, units).await.unwrap(), Some(used));
        assert_eq!(world.admission.quota(asker).unwrap().warning_80, warning);
    }
    let refused = world.run(asker, 1).await.err().unwrap();
    assert_eq!(refused.kind(), ErrorType::QuotaExceeded);
    for (key, value) in [
        ("used", serde_json::json!(5)),
        ("allowance", serde_json::json!(5)),
        ("reset_at", serde_json::json!("2027-02-01T00:00:00Z")),
    ] {
        assert_eq!(refused.datum(key), Some(&value));
    }
    assert!(world.run(asker, 0).await.is_ok(), "what costs nothing is served");
    assert!(world.run(account("b", 5), 5).await.is_ok(), "another account has its own");
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.admission.quota(asker).unwrap().reset_at, "2027-03-01T00:00:00Z");
    assert_eq!(world.spend(asker, 5).await.unwrap(), Some(5));
    assert!(world.run(asker, 1).await.is_err());
}

#[tokio::test]
async fn a_stepped_clock_grants_no_units_before_or_after_a_restart() {
    let world = World::new(limits());
    let asker = account("a", 2);
    world.spend(asker, 2).await.unwrap();
    world.spend(ANYBODY, 10).await.unwrap();
    for to in [
        datetime!(1970-01-01 00:00 UTC),
        datetime!(2027-01-30 23:59 UTC),
        datetime!(2027-01-31 22:59 UTC),
        datetime!(2027-02-01 00:59 UTC),
        datetime!(2027-02-01 23:59 UTC),
    ] {
        world.clock.step_utc(to);
        assert_eq!(kind(world.run(asker, 1).await), Some(ErrorType::QuotaExceeded), "{to}");
        assert_eq!(kind(world.run(ANYBODY, 1).await), Some(ErrorType::AnonymousCapacityExhausted), "{to}");
        if to < datetime!(2027-01-31 23:59:59 UTC) {
            let next = world.after_a_kill();
            assert!(next.run(asker, 1).await.is_err(), "{to} and a restart");
            assert!(next.run(ANYBODY, 1).await.is_err(), "{to} and a restart");
        }
    }
}

#[tokio::test]
async fn the_budget_starts_anew_at_utc_midnight_and_a_late_return_grants_nothing() {
    let world = World::new(limits());
    let late = world.run(ANYBODY, 10).await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    let all = world.run(ANYBODY, 10).await.unwrap();
    drop(late);
    assert!(world.run(ANYBODY, 1).await.is_err());
    drop(all);
}

#[tokio::test]
async fn nothing_metered_is_served_while_the_store_fails_and_all_is_when_it_works_again() {
    let world = World::new(limits());
    let asker = account("a", 100);
    let running = world.run(asker, 2).await.unwrap();
    charge(&running, 2);
    world.store.fail(true);
    assert_eq!(kind(running.settle(None).await), Some(ErrorType::MeteringUnavailable));
    for asker in [asker, ANYBODY] {
        let refused = world.run(asker, 1).await.err().unwrap();
        assert_eq!(refused.kind(), ErrorType::MeteringUnavailable);
        assert!(refused.datum("retry_after_ms").is_some());
    }
    let free = world.run(asker, 0).await.unwrap();
    assert_eq!(free.settle(None).await.unwrap().quota.map(|quota| quota.used), Some(0));
    world.store.fail(false);
    assert_eq!(world.spend(asker, 1).await.unwrap(), Some(1), "what was not served was not charged");
}

#[tokio::test]
async fn places_are_limited_together_and_for_each_account() {
    let world = World::new(AdmissionLimits { calls_at_once: 3, ..limits() });
    let asker = account("a", 100);
    let first = world.run(ANYBODY, 1).await.unwrap();
    let _second = world.run(asker, 1).await.unwrap();
    let _third = world.run(asker, 1).await.unwrap();
    let refused = world.run(account("b", 100), 1).await.err().unwrap();
    assert_eq!(refused.kind(), ErrorType::RateLimited);
    assert_eq!(refused.datum("reason"), Some(&serde_json::json!("concurrency")));
    drop(first);
    assert!(world.run(account("b", 100), 1).await.is_ok());

    let world = World::new(limits());
    let mut running = Vec::new();
    for _ in 0..4 {
        running.push(world.run(asker, 1).await.unwrap());
    }
    assert_eq!(kind(world.run(asker, 0).await), Some(ErrorType::RateLimited));
    assert!(world.run(account("b", 100), 1).await.is_ok());
    running.pop();
    assert!(world.run(asker, 1).await.is_ok());
}

#[tokio::test]
async fn a_caller_is_one_address_and_keeps_its_key_from_call_to_call() {
    let world = World::new(limits());
    let there = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    let mut callers = Vec::new();
    for address in [HERE, HERE, there] {
        callers.push(world.run(Asker::Anonymous(address), 1).await.unwrap().ledger().caller());
    }
    assert_eq!(callers[0], callers[1]);
    assert_ne!(callers[0], callers[2]);
}

#[test]
fn one_address_is_paced_without_holding_up_another() {
    let world = World::new(AdmissionLimits { anonymous_calls_per_minute: 2, ..limits() });
    for _ in 0..2 {
        assert!(world.admission.pace(ANYBODY).is_ok());
    }
    let refused = world.admission.pace(ANYBODY).unwrap_err();
    assert_eq!(refused.datum("retry_after_ms"), Some(&serde_json::json!(30_000)));
    assert!(world.admission.pace(Asker::Anonymous(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)))).is_ok());
    assert!(world.admission.pace(account("a", 1)).is_ok(), "an account is not limited by its address");
    world.clock.advance(Duration::from_secs(30));
    assert!(world.admission.pace(ANYBODY).is_ok());
}

#[test]
fn callers_from_the_addresses_of_chatgpt_have_one_pace_together_and_hold_up_nobody_else() {
    let world = World::new(AdmissionLimits {
        anonymous_calls_per_minute: 2,
        chatgpt_calls_per_minute: 30,
        ..limits()
    });
    let from = |last: u8| Asker::Chatgpt(IpAddr::V4(Ipv4Addr::new(203, 0, 113, last)));
    // One address may use all of it, since many people stand behind each.
    assert!((0..20).all(|_| world.admission.pace(from(1)).is_ok()));
    assert!((0..10).all(|n| world.admission.pace(from(n)).is_ok()));
    let refused = world.admission.pace(from(9)).unwrap_err();
    assert_eq!(refused.datum("reason"), Some(&serde_json::json!("chatgpt_pace")));
    assert_eq!(refused.datum("retry_after_ms"), Some(&serde_json::json!(2_000)));
    assert!(world.admission.pace(ANYBODY).is_ok() && world.admission.pace(account("a", 1)).is_ok());
}

#[tokio::test]
async fn callers_from_the_addresses_of_chatgpt_spend_of_the_same_budget() {
    let world = World::new(limits());
    let chatgpt = Asker::Chatgpt(HERE);
    world.spend(chatgpt, 6).await.unwrap();
    world.spend(ANYBODY, 4).await.unwrap();
    assert_eq!(kind(world.run(chatgpt, 1).await), Some(ErrorType::AnonymousCapacityExhausted));
    let plain = Kind { tool: "get_artist", is_discovery: false };
    world.admission.ladder().set(|stored| stored.anonymous_paused = true).await.unwrap();
    assert_eq!(kind(world.admission.is_open(chatgpt, plain)), Some(ErrorType::AnonymousCapacityExhausted));
}

fn same(name: &str) -> Option<ReplayKey> {
    Some(ReplayKey::of(&SameCall { account: &[1; 16], tool: name, arguments: "", view: "", contract: "1" }))
}

#[tokio::test]
async fn an_identical_call_is_answered_with_the_stored_answer_also_after_a_restart() {
    let world = World::new(limits());
    let asker = account("a", 100);
    let Admitted::Run(permit) = world.admission.admit(asker, 1, same("t")).await.unwrap() else { panic!() };
    charge(&permit, 1);
    assert!(!permit.settle(Some("the answer".into())).await.unwrap().replay_failed);
    for world in [&world, &world.after_a_kill()] {
        let admitted = world.admission.admit(asker, 1, same("t")).await.unwrap();
        assert!(matches!(admitted, Admitted::Replay(answer) if &*answer == "the answer"));
        assert!(matches!(world.admission.admit(asker, 1, same("u")).await.unwrap(), Admitted::Run(_)));
        let anonymous = world.admission.admit(ANYBODY, 1, same("t")).await.unwrap();
        assert!(matches!(anonymous, Admitted::Run(_)), "callers without an account have no replays");
    }
    world.clock.advance(Duration::from_secs(600));
    assert!(matches!(world.admission.admit(asker, 1, same("t")).await.unwrap(), Admitted::Run(_)));
}

#[tokio::test]
async fn an_answer_that_was_not_kept_lets_the_next_call_run() {
    let world = World::new(limits());
    let asker = account("a", 100);
    for _ in 0..3 {
        let Admitted::Run(permit) = world.admission.admit(asker, 1, same("t")).await.unwrap() else {
            panic!()
        };
        charge(&permit, 1);
        permit.settle(None).await.unwrap();
    }
    assert_eq!(world.used(asker), 3);
}

#[tokio::test]
async fn the_ladder_gives_up_discovery_then_anonymous_use_then_half_the_pace() {
    let world = World::new(limits());
    let asker = account("a", 100);
    let discovery = Kind { tool: "list_breakouts", is_discovery: true };
    let plain = Kind { tool: "get_artist", is_discovery: false };
    for (percent, discovery_open, anonymous_open, calls) in
        [(0, true, true, 60), (80, false, true, 60), (90, false, false, 60), (95, false, false, 30)]
    {
        world.admission.ladder().consumed(percent);
        assert_eq!(world.admission.is_open(asker, discovery).is_ok(), discovery_open, "{percent}");
        assert!(world.admission.is_open(asker, plain).is_ok());
        assert_eq!(world.admission.is_open(ANYBODY, plain).is_ok(), anonymous_open, "{percent}");
        assert_eq!(world.admission.has_degraded_limits(), percent > 0);
        world.clock.advance(Duration::from_secs(60));
        let paced = (0..100).filter(|_| world.admission.pace(asker).is_ok()).count();
        assert_eq!(paced, calls, "{percent}");
    }
    let refused = world.admission.is_open(asker, discovery).unwrap_err();
    assert_eq!(refused.kind(), ErrorType::ToolDisabled);
    assert_eq!(refused.datum("reason"), Some(&serde_json::json!("ladder_L1")));
}
