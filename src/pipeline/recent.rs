//! Answers to callers without an account that were made of kept answers of the data service alone, to be given again while
//! these are kept.
//!
//! Decides whether an answer is given again: never to an account, never when anything that it rests on has changed, and
//! not for long. What it costs and who may ask is decided before, as for every call.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

use crate::crate_client::{Basis, CallLedger, CrateClient};

/// How many are kept.
const KEPT: NonZeroUsize = NonZeroUsize::new(512).expect("not zero");
/// The largest, in bytes.
const LARGEST_BYTES: usize = 16 * 1024;
/// How long one is given again: what the data service's client forgets by the clock alone is forgotten here so much
/// later.
const GIVEN_FOR: Duration = Duration::from_secs(60);

/// The answers, the longest unused forgotten first.
pub struct RecentAnswers(Mutex<LruCache<Box<str>, Recent>>);

struct Recent {
    answer: Arc<str>,
    basis: Basis,
    made: Instant,
}

impl std::fmt::Debug for RecentAnswers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RecentAnswers")
    }
}

impl Default for RecentAnswers {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(KEPT)))
    }
}

impl RecentAnswers {
    fn lock(&self) -> MutexGuard<'_, LruCache<Box<str>, Recent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to the same question, if it would be the same now. Then `ledger` notes what it would have cost.
    pub(super) fn find(
        &self,
        question: &str,
        client: &CrateClient,
        ledger: &CallLedger,
        now: Instant,
    ) -> Option<Arc<str>> {
        let mut kept = self.lock();
        let recent = kept.get(question)?;
        let is_good = now.saturating_duration_since(recent.made) < GIVEN_FOR;
        if is_good && client.still_holds(&recent.basis, ledger) {
            return Some(Arc::clone(&recent.answer));
        }
        kept.pop(question);
        None
    }

    /// Keeps an answer.
    pub(super) fn keep(&self, question: Box<str>, answer: Arc<str>, basis: Basis, made: Instant) {
        if answer.len() <= LARGEST_BYTES {
            self.lock().put(question, Recent { answer, basis, made });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::json;
    use time::macros::datetime;

    use super::*;
    use crate::clock::Clock;
    use crate::crate_client::cache::CacheLimits;
    use crate::crate_client::faulty::{Behaviour, Faulty, call_of, client_of, settings};
    use crate::crate_client::{ClientSettings, Shelves, read_dossier};
    use crate::cursors::{MemoryCursors, Walks};
    use crate::envelope::attribution::Origin;
    use crate::model::family::Family;
    use crate::tools::Call;
    use crate::tools::registry::ToolName;

    const LIFETIME: Duration = Duration::from_secs(3_600);
    const QUESTION: &str = "get_artist x";
    const CARD: &str = r#"{"slug":"x","identity":{"name":"X","resolvedVia":"discogs"}}"#;

    struct Asked {
        client: Arc<CrateClient>,
        clock: Clock,
        recent: RecentAnswers,
    }

    impl Asked {
        fn at(utc: time::OffsetDateTime) -> Self {
            let clock = Clock::wound_to(utc);
            let service = Arc::new(Faulty::default());
            service.set(Family::Artist, Behaviour::Says(200, CARD));
            let lifetimes = HashMap::from([(Family::Artist, LIFETIME)]);
            let settings =
                ClientSettings { cache: CacheLimits { max_bytes: 1 << 20, lifetimes }, ..settings() };
            let client = client_of(service, settings, Shelves::default(), &clock);
            Self { client, clock, recent: RecentAnswers::default() }
        }

        /// Works a call out, and keeps what it rests on.
        async fn works_out(&self, tool: ToolName, arguments: serde_json::Value) -> bool {
            let ledger = call_of(1);
            let moment = self.client.moment();
            let cursors = MemoryCursors::new(self.clock.clone());
            let walks = Walks { cursors: &cursors, owner: None };
            let call = Call::parse(tool, &arguments).unwrap();
            call.run(&self.client, &ledger, Origin::Service, None, walks).await.unwrap();
            let basis = self.client.basis(moment, &ledger);
            let is_kept = basis.is_some();
            if let Some(basis) = basis {
                self.recent.keep(QUESTION.into(), "answer".into(), basis, self.clock.monotonic());
            }
            is_kept
        }

        async fn card(&self) -> bool {
            self.works_out(ToolName::GetArtist, json!({"key": "x"})).await
        }

        fn finds(&self) -> bool {
            let ledger = call_of(2);
            let found = self.recent.find(QUESTION, &self.client, &ledger, self.clock.monotonic()).is_some();
            assert_eq!((ledger.cache_hit(), ledger.units()), (found, 0));
            found
        }
    }

    #[tokio::test]
    async fn an_answer_is_given_again_once_it_was_made_of_kept_answers_alone() {
        let asked = Asked::at(datetime!(2027-01-31 12:00 UTC));
        assert!(!asked.card().await && !asked.finds(), "the first one asks the service");
        assert!(asked.card().await && asked.finds() && asked.finds());
        asked.clock.advance(GIVEN_FOR - Duration::from_secs(1));
        assert!(asked.finds());
        asked.clock.advance(Duration::from_secs(1));
        assert!(!asked.finds(), "not for long");
        assert!(asked.card().await && asked.finds(), "what it rests on is kept longer");
    }

    #[tokio::test]
    async fn an_answer_for_which_the_service_was_asked_is_not_given_again() {
        let asked = Asked::at(datetime!(2027-01-31 12:00 UTC));
        for _ in 0..3 {
            let is_kept = asked.works_out(ToolName::ResolveArtist, json!({"q": "X"})).await;
            assert!(!is_kept && !asked.finds(), "answers of that kind are not kept here");
        }
    }

    #[tokio::test]
    async fn an_answer_is_not_given_again_once_anything_that_it_rests_on_is_another() {
        // What it was made of is over, or takes the place of what was.
        let asked = Asked::at(datetime!(2027-01-31 12:00 UTC));
        asked.card().await;
        asked.clock.advance(LIFETIME - Duration::from_secs(1));
        assert!(asked.card().await && asked.finds());
        asked.clock.advance(Duration::from_secs(1));
        assert!(!asked.finds());
        // The day is another: what lies ahead of one lies behind the next.
        let asked = Asked::at(datetime!(2027-01-31 23:59:50 UTC));
        asked.card().await;
        assert!(asked.card().await && asked.finds());
        asked.clock.advance(Duration::from_secs(10));
        assert!(!asked.finds());
        // What is known of identities is more.
        let asked = Asked::at(datetime!(2027-01-31 12:00 UTC));
        asked.card().await;
        assert!(asked.card().await && asked.finds());
        let body = CARD.replace("}}", &format!(",\"clusterId\":\"{}\"}}}}", "a".repeat(64)));
        let dossier = read_dossier(body.as_bytes(), asked.client.today()).unwrap().unwrap();
        asked.client.mark_shared(&dossier.identity.cluster_id.unwrap());
        assert!(!asked.finds());
    }
}
