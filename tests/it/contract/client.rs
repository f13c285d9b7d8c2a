//! Every request of the typed client, as it reaches the service.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ono_sendai::catalogue::Catalogue;
use ono_sendai::clock::Clock;
use ono_sendai::crate_client::cache::CacheLimits;
use ono_sendai::crate_client::transport::{CatalogueTransport, Request, Sending};
use ono_sendai::crate_client::{
    Ask, CallLedger, Caller, ClientSettings, CrateClient, Depth, Shelves, Transport,
};
use ono_sendai::identity::{Argument, ArtistKey, ArtistName, ClusterId, Isrc, Mbid, TrackTitle};
use serde_json::Value;

use super::contract;
use crate::harness::artists;

type Seen = (String, Vec<(String, String)>, u16, Value);

/// The demo catalogue, with everything kept that it was asked and answered.
#[derive(Debug)]
struct Recorder {
    inner: CatalogueTransport,
    seen: Mutex<Vec<Seen>>,
}

impl Transport for Recorder {
    fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
        Box::pin(async move {
            let answer = self.inner.send(request).await?;
            let query = request.query.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
            let body = serde_json::from_slice(&answer.body).expect("JSON");
            self.seen.lock().expect("a list").push((request.path.to_owned(), query, answer.status, body));
            Ok(answer)
        })
    }
}

#[tokio::test]
async fn every_request_of_the_client_and_its_answer_are_what_the_contract_describes() {
    let clock = Clock::system();
    let catalogue = Arc::new(Catalogue::embedded().expect("a catalogue"));
    let recorder = Arc::new(Recorder {
        inner: CatalogueTransport::new(catalogue, clock.clone()),
        seen: Mutex::default(),
    });
    let settings = ClientSettings {
        call_deadline: Duration::from_secs(8),
        plan: None,
        cache: CacheLimits::default(),
        extensions: Vec::new(),
    };
    let client = CrateClient::new(Arc::clone(&recorder) as _, settings, Shelves::default(), clock);
    let ledger = CallLedger::new(Caller::new(1));
    let mut asks = Vec::new();
    let mut keys = vec!["no-such-artist".to_owned()];
    for artist in artists() {
        asks.extend(ArtistName::parse(Argument::Artist, &artist.name).ok().map(Ask::Name));
        asks.extend(artist.cluster_id.as_deref().and_then(|id| ClusterId::parse(id).ok()).map(Ask::Cluster));
        asks.extend(artist.mbid.as_deref().and_then(|id| Mbid::parse(id).ok()).map(Ask::Mbid));
        keys.extend([artist.slug.clone()].into_iter().chain(artist.cluster_id.clone()));
    }
    asks.push(Ask::Url("https://fourtet.bandcamp.com/".to_owned()));
    asks.push(Ask::Isrc(Isrc::parse("GBBQY0300123").expect("a code")));
    asks.push(Ask::Recording {
        artist: ArtistName::parse(Argument::Artist, "Elvis Presley").expect("a name"),
        track: TrackTitle::parse(Argument::Track, "A Little Less Conversation").expect("a title"),
    });
    for ask in &asks {
        client.resolve(ask, &ledger).await.expect("an answer");
        if let Ask::Name(name) = ask {
            client.same_name_rows(name, &ledger).await.expect("an answer");
        }
    }
    for key in &keys {
        let key = ArtistKey::parse(key).expect("a key");
        for depth in [Depth::Card, Depth::Whole] {
            client.dossier(&key, depth, &ledger).await.expect("an answer");
        }
    }
    let seen = recorder.seen.lock().expect("a list");
    assert!(seen.len() > 300, "{}", seen.len());
    for (path, query, status, body) in seen.iter() {
        let mut problems = contract().request("get", path, query);
        problems.extend(contract().answer_with("get", path, query, *status, body));
        assert!(problems.is_empty(), "{path} {query:?}: {problems:?}");
    }
}
