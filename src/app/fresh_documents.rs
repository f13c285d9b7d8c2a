//! The data service's two documents about its data: the copies that come with the program, and the service's own once
//! they have been fetched.
//!
//! Decides when the service is asked for them. Nobody who reads one waits for that, and what cannot be had leaves
//! what is there.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::start::StartError;
use crate::catalogue::{Catalogue, CatalogueRequest};
use crate::clock::Clock;
use crate::crate_client::{AboutData, CrateClient};
use crate::pipeline::Parts;
use crate::resources::{DocumentSource, Resources, ServiceDocument, ServiceDocuments};

/// How often the service is asked.
const ONCE_IN: Duration = Duration::from_secs(3_600);
/// The day of the contract that the copies for a real service were written after.
const CONTRACT_DAY: &str = "2026-08-04";
/// What such a copy says of itself.
const SHIPPED_NOTE: &str = "A copy that comes with ono-sendai, in its own words, after version 2.47.0 of the data \
    service's contract. It is served until the service's own document has been fetched.";

/// The copies that come with the program.
///
/// # Errors
/// A catalogue without them.
pub(super) fn shipped(
    catalogue: &Catalogue,
    clock: &Clock,
    is_demo: bool,
) -> Result<ServiceDocuments, StartError> {
    let today = clock.utc().date();
    let read = |document: AboutData| {
        let path = document.path();
        let answer = catalogue.answer(&CatalogueRequest { path, query: &[], today });
        let document = serde_json::from_slice::<Value>(&answer.body).ok().filter(|_| answer.status == 200);
        document.ok_or_else(|| StartError::Catalogue { reason: format!("holds no document at {path}") })
    };
    let day = if is_demo { catalogue.manifest().data_date.clone() } else { CONTRACT_DAY.to_owned() };
    let copy = |document| {
        let text = if is_demo { document } else { without_the_demo(document) }.to_string();
        ServiceDocument { text, source: DocumentSource::Shipped, as_of: day.clone() }
    };
    Ok(ServiceDocuments {
        manifest: copy(read(AboutData::Manifest)?),
        dictionary: copy(read(AboutData::Dictionary)?),
    })
}

/// The same document without what it says of the demo catalogue: of a real service that is not so.
fn without_the_demo(mut document: Value) -> Value {
    if let Some(document) = document.as_object_mut() {
        for of_the_demo in ["unavailable_grains", "generated_at", "generator"] {
            document.remove(of_the_demo);
        }
        document.insert("note".to_owned(), json!(SHIPPED_NOTE));
    }
    let grains = document.get_mut("grains").and_then(Value::as_array_mut).into_iter().flatten();
    let fields = grains.filter_map(|grain| grain.get_mut("fields")?.as_array_mut()).flatten();
    for field in fields.filter_map(Value::as_object_mut) {
        field.remove("in_demo");
    }
    let entries = document.get_mut("entries").and_then(Value::as_object_mut).into_iter().flatten();
    let caveats = entries.filter_map(|(_, entry)| entry.get_mut("caveats")?.as_array_mut());
    for caveats in caveats {
        caveats.retain(|caveat| caveat.as_str().is_some_and(|words| !words.contains("demo")));
    }
    document
}

/// Keeps the resources at what a real service says. Never ends, and never keeps anything from starting.
pub(super) async fn keep_fresh(is_demo: bool, parts: Arc<Parts>) {
    if is_demo {
        return std::future::pending().await;
    }
    renew(&parts.client, &parts.resources, &parts.clock).await;
}

async fn renew(client: &CrateClient, resources: &Resources, clock: &Clock) {
    loop {
        for document in AboutData::ALL {
            match client.about_data(document).await {
                Ok(Some(text)) => {
                    let as_of = clock.utc().replace_nanosecond(0).unwrap_or(clock.utc());
                    let as_of = as_of.format(&Rfc3339).unwrap_or_default();
                    let fetched = ServiceDocument { text, source: DocumentSource::Service, as_of };
                    match document {
                        AboutData::Manifest => resources.renew_manifest(fetched),
                        AboutData::Dictionary => resources.renew_dictionary(fetched),
                    }
                }
                Ok(None) => {
                    tracing::info!(path = document.path(), "the data service has no such document");
                }
                Err(fault) => {
                    tracing::info!(path = document.path(), %fault, "the last copy of a document stays in use");
                }
            }
        }
        tokio::time::sleep(ONCE_IN).await;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use time::macros::datetime;

    use super::*;
    use crate::crate_client::transport::{Answer, Request, Sending, Transport};
    use crate::crate_client::{ClientSettings, Shelves, UpstreamFault};

    /// Says this of the manifest, hour by hour, and fails at everything else.
    #[derive(Debug)]
    struct Hours {
        left: Mutex<VecDeque<Option<&'static str>>>,
        asked: Mutex<Vec<String>>,
    }

    impl Transport for Hours {
        fn send<'a>(&'a self, request: Request<'a>) -> Sending<'a> {
            self.asked.lock().unwrap().push(request.path.to_owned());
            let said = match request.path == AboutData::Manifest.path() {
                true => self.left.lock().unwrap().pop_front().flatten(),
                false => None,
            };
            let answer = said.map(|said| Answer::new(200, bytes::Bytes::from_static(said.as_bytes())));
            Box::pin(async move { answer.ok_or(UpstreamFault::Status { status: 500, retry_after: None }) })
        }
    }

    fn read(resources: &Resources, uri: &str) -> (Value, Value) {
        let read = resources.read(uri).unwrap();
        let contents = &read["contents"][0];
        let text = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
        (text, contents["_meta"].clone())
    }

    fn meta(source: &str, as_of: &str) -> Value {
        json!({"ono-sendai/source": source, "ono-sendai/as_of": as_of})
    }

    #[test]
    fn a_copy_for_a_real_service_says_nothing_of_the_demo() {
        let (catalogue, clock) =
            (Catalogue::embedded().unwrap(), Clock::wound_to(datetime!(2027-01-31 12:00 UTC)));
        let real = shipped(&catalogue, &clock, false).unwrap();
        let fields = |document: &ServiceDocument| {
            let document: Value = serde_json::from_str(&document.text).unwrap();
            document["grains"][0]["fields"].as_array().map(Vec::len)
        };
        for copy in [&real.manifest, &real.dictionary] {
            assert_eq!((copy.source, &*copy.as_of), (DocumentSource::Shipped, CONTRACT_DAY));
            assert!(!copy.text.contains("demo") && copy.text.contains("own words"), "{}", copy.text);
        }
        let demo = shipped(&catalogue, &clock, true).unwrap();
        assert!(demo.manifest.text.contains("in_demo") && demo.dictionary.text.contains("invented"));
        assert_eq!(fields(&real.manifest), fields(&demo.manifest));
    }

    #[tokio::test(start_paused = true)]
    async fn the_service_is_asked_once_an_hour_and_what_it_cannot_say_leaves_what_is_there() {
        const FIRST: &str = r#"{"grains":[{"grain":"artist"}],"n":1}"#;
        const THIRD: &str = r#"{"grains":[{"grain":"artist"}],"n":3}"#;
        let clock = Clock::wound_to(datetime!(2027-01-31 12:00 UTC));
        // The last hour's answer has no form that the contract knows.
        let left = Mutex::new([None, Some(FIRST), None, Some(THIRD), Some("{}")].into());
        let hours = Arc::new(Hours { left, asked: Mutex::default() });
        let mut settings = ClientSettings::plain(Duration::from_secs(8));
        // However long answers are kept, a document is fetched anew.
        settings.cache.max_bytes = 1 << 20;
        settings.cache.lifetimes.insert(crate::model::family::Family::Lists, ONCE_IN * 24);
        let client = CrateClient::new(Arc::clone(&hours) as _, settings, Shelves::default(), clock.clone());
        let shipped = shipped(&Catalogue::embedded().unwrap(), &clock, false).unwrap();
        let resources = Resources::new(&json!({}), shipped);
        let uri = "hosaka://dossier-manifest";
        let asked = || hours.asked.lock().unwrap().len();
        let mut keeping = std::pin::pin!(renew(&client, &resources, &clock));
        let mut told = Vec::new();
        for hour in 1..=5 {
            // Half an hour into each hour: what was asked for is in, and nothing was asked since.
            let half = tokio::time::sleep(ONCE_IN / 2);
            tokio::select! {
                () = &mut keeping => unreachable!("it never ends"),
                () = half => {}
            }
            for _ in 0..3 {
                read(&resources, uri);
            }
            assert_eq!(asked(), 2 * hour, "both documents once an hour, and none for a reader");
            told.push(read(&resources, uri).1);
            clock.advance(ONCE_IN);
            let half = tokio::time::sleep(ONCE_IN / 2);
            tokio::select! {
                () = &mut keeping => unreachable!("it never ends"),
                () = half => {}
            }
        }
        let second = meta("service", "2027-01-31T13:00:00Z");
        let fourth = meta("service", "2027-01-31T15:00:00Z");
        let shipped = meta("shipped", CONTRACT_DAY);
        assert_eq!(told, [shipped.clone(), second.clone(), second, fourth.clone(), fourth]);
        assert_eq!(read(&resources, uri).0["n"], 3);
        assert_eq!(read(&resources, "hosaka://semantics-dictionary").1, shipped);
    }
}
