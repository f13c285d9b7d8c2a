//! The automatic certificate: what lies in the data folder, what became of the last try, whether the authority answers.

use std::path::Path;

use serde_json::Value;
use time::OffsetDateTime;

use super::{Fault, Findings, way_there};
use crate::acme::{self, Outlook, Unusable};
use crate::app::automatic::{external, fetcher};
use crate::app::certificate::{Worry, worries};
use crate::clock::Clock;
use crate::config::{Acme, Config};
use crate::fetch::{Fetched, shown};
use crate::transport::Identity;

const PART: &str = "certificate";
const AUTHORITY: &str = "authority";

/// What lies there; nobody is asked.
pub(super) fn examine(config: &Config, acme: &Acme, clock: &Clock, found: &mut Findings) {
    let now = clock.utc();
    let kept = acme::found(&config.server.data_dir, &acme.directory, &acme.names, now);
    let host = config.server.public_base.authority().host();
    let again = failed(&kept.outlook, now);
    let identity = match (kept.identity, again) {
        (Ok(Some(identity)), again) => {
            if let Some(again) = again {
                found.warn(PART, again);
            }
            identity
        }
        (Ok(None), Some(again)) => return found.fail(PART, Fault::Remote, format!("none yet; {again}")),
        (Ok(None), None) => {
            let text = format!("none yet; a server that runs gets one from {}", shown(&acme.directory));
            return found.good(PART, text);
        }
        (Err(Unusable::Unread(reason)), again) => {
            let text = format!(
                "{reason}; let the server's user read and replace it: until then it asks for no other"
            );
            found.fail(PART, Fault::Here, text);
            return again.into_iter().for_each(|again| found.fail(PART, Fault::Remote, again));
        }
        (Err(Unusable::Broken(reason)), None) => {
            return found.warn(PART, format!("{reason}; a server that runs gets another from the authority"));
        }
        (Err(Unusable::Broken(reason)), Some(again)) => {
            found.fail(PART, Fault::Remote, format!("{reason}; there is no other yet"));
            return found.fail(PART, Fault::Remote, again);
        }
    };
    let before = found.of.len();
    if let Some(name) = acme.names.iter().find(|name| !identity.names(name)) {
        found.warn(
            PART,
            format!("it is not one of {name}; a server that runs gets another from the authority"),
        );
    }
    let at_fault = if kept.outlook.failure.is_some() { Fault::Remote } else { Fault::Here };
    judge(&identity, host, (&way_on(&kept.outlook, &kept.file, now), at_fault), now, found);
    if found.of.len() == before {
        let (until, days) = (identity.not_after().date(), (identity.not_after() - now).whole_days());
        let renewed = when(kept.outlook.next, now);
        found.good(PART, format!("for {host}, until {until} ({days} days), renewed {renewed}"));
    }
}

/// What is wrong with one that an authority issued. No file of it is anybody's to mend: `way_on` is how another comes, and
/// with it whose fault it is that none did.
fn judge(
    identity: &Identity,
    host: &str,
    (way_on, at_fault): (&str, Fault),
    now: OffsetDateTime,
    found: &mut Findings,
) {
    let (from, until) = (identity.not_before(), identity.not_after());
    if let Err(why) = identity.chain().is_linked(host, now) {
        let what = if why.contains("CaUsedAsEndEntity") {
            "the authority issued that of an issuer (CA:TRUE), which clients refuse for a server".to_owned()
        } else {
            format!("what the authority issued does not lead from one certificate to the next ({why})")
        };
        found.fail(PART, Fault::Remote, format!("{what}; {way_on}"));
    }
    for worry in worries(from, until, identity.missing_issuer(), now) {
        match worry {
            Worry::Expired(_) => found.fail(PART, at_fault, format!("{worry}; {way_on}")),
            Worry::NotYetValid(_) => {
                found.fail(PART, Fault::Here, format!("{worry}; is the clock of this machine right?"));
            }
            // However long it is valid, a tenth of that is left only where it should have been renewed long ago.
            Worry::EndsSoon(date) if (until - now) * 10 < until - from => {
                found.warn(PART, format!("it expires on {date}; {way_on}"));
            }
            Worry::EndsSoon(_) => {}
            Worry::LeafOnly(issuer) => found.warn(
                PART,
                format!(
                    "the authority left out the certificate of its issuer ({issuer}); some clients will not accept the \
                     chain; {way_on}"
                ),
            ),
        }
    }
}

fn failed(outlook: &Outlook, now: OffsetDateTime) -> Option<String> {
    let failure = outlook.failure.as_ref()?;
    Some(format!(
        "the last try to get one failed: {failure}; the next is {}; once that is mended, `systemctl reload ono-sendai` \
         asks at once, unless the authority said how long it wants to be left alone",
        when(outlook.next, now)
    ))
}

/// How another takes the place of the one that lies there.
fn way_on(outlook: &Outlook, file: &Path, now: OffsetDateTime) -> String {
    if outlook.failure.is_some() {
        "the next try that succeeds replaces it".to_owned()
    } else if outlook.next.is_some_and(|next| next > now) {
        let renewed = when(outlook.next, now);
        format!(
            "it is renewed {renewed}; to get another at once, move {} away and `systemctl restart ono-sendai`",
            file.display()
        )
    } else {
        "a server that runs asks for another at once; where one runs, its log says what becomes of that"
            .to_owned()
    }
}

fn when(next: Option<OffsetDateTime>, now: OffsetDateTime) -> String {
    match next.filter(|next| *next > now).and_then(|next| next.replace_nanosecond(0).ok()) {
        Some(next) => format!("at {} {:02}:{:02} UTC", next.date(), next.hour(), next.minute()),
        None => "as soon as the server runs".to_owned(),
    }
}

/// Whether the authority answers.
pub(super) async fn ask(config: &Config, clock: &Clock, found: &mut Findings) {
    let Some(acme) = &config.acme else { return };
    let checked = acme.external.as_ref().map(external).transpose();
    let fetcher = match checked.and_then(|_| fetcher(acme)) {
        Ok(fetcher) => fetcher,
        Err(wrong) => return found.fail(AUTHORITY, Fault::Here, wrong.to_string()),
    };
    let address = shown(&acme.directory);
    match fetcher.get(&acme.directory).await {
        Err(reason) => {
            let advice = way_there(&reason, "[acme] directory", "acme");
            found.fail(AUTHORITY, Fault::Unreachable, format!("{address}: {reason}; {advice}"));
        }
        Ok(answer) => {
            found.time(AUTHORITY, answer.date, clock);
            if is_directory(&answer) {
                found.good(AUTHORITY, format!("{address} answers"));
            } else {
                let text = format!(
                    "{address} answered HTTP {} and no directory of an ACME authority; correct [acme] directory",
                    answer.status
                );
                found.fail(AUTHORITY, Fault::Remote, text);
            }
        }
    }
}

fn is_directory(answer: &Fetched) -> bool {
    let document: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    answer.status == 200 && document.get("newOrder").is_some_and(Value::is_string)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;
    use crate::app::doctor::Mark;

    const NOW: i64 = 1_800_000_000;
    const DAY: i64 = 86_400;

    /// A data folder, and what is said of it.
    struct Place {
        data: PathBuf,
        config: Config,
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.data);
        }
    }

    impl Place {
        fn new(name: &str) -> Self {
            let data =
                std::env::temp_dir().join(format!("ono-sendai-doctor-acme-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&data);
            let text = format!(
                "[server]\npublic_base = \"https://mcp.example.org\"\ndata_dir = {data:?}\nfixture_mode = false\n\
                 [crate]\nkey = \"ck_test_0123456789\"\n\
                 [acme]\nnames = [\"mcp.example.org\"]\nagree_to_terms = true\n"
            );
            let place = Self { config: Config::parse("c.toml", &text).unwrap(), data };
            std::fs::create_dir_all(place.file().parent().unwrap()).unwrap();
            place
        }

        fn file(&self) -> PathBuf {
            let acme = self.config.acme.as_ref().unwrap();
            acme::found(&self.data, &acme.directory, &acme.names, at(0)).file
        }

        /// Keeps one that is valid between these moments.
        fn keep(&self, from: i64, until: i64, is_issuer: bool) {
            let key = rcgen::KeyPair::generate().unwrap();
            let mut params = rcgen::CertificateParams::new(vec!["mcp.example.org".to_owned()]).unwrap();
            (params.not_before, params.not_after) = (at(from), at(until));
            if is_issuer {
                params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
            }
            let pem = params.self_signed(&key).unwrap().pem();
            std::fs::write(self.file(), key.serialize_pem() + &pem).unwrap();
        }

        fn refused(&self) {
            let tries = json!({
                "failures": 3, "reason": "the authority refuses", "failed_at": NOW, "next": NOW + 3_600,
                "limited": false, "unended": 0,
            });
            std::fs::write(self.file().with_file_name("tries.json"), tries.to_string()).unwrap();
        }

        fn said(&self) -> Vec<(Mark, String)> {
            let mut found = Findings::default();
            let clock = Clock::wound_to(at(0));
            examine(&self.config, self.config.acme.as_ref().unwrap(), &clock, &mut found);
            found.of.into_iter().map(|finding| (finding.mark, finding.text)).collect()
        }
    }

    fn at(seconds: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(NOW + seconds).unwrap()
    }

    fn tells(said: &[(Mark, String)], mark: Mark, wanted: &str) {
        assert!(said.iter().any(|(is, text)| *is == mark && text.contains(wanted)), "{wanted}: {said:?}");
        for foreign in ["renew it", "CA:FALSE", "docs/config.md", "append it", "its file do not"] {
            assert!(said.iter().all(|(_, text)| !text.contains(foreign)), "{foreign}: {said:?}");
        }
    }

    #[test]
    fn a_kept_certificate_that_is_broken_hides_no_try_that_failed() {
        let place = Place::new("broken");
        std::fs::write(place.file(), "half a file").unwrap();
        tells(&place.said(), Mark::Warn, "a server that runs gets another from the authority");
        place.refused();
        let said = place.said();
        tells(&said, Mark::Fail(Fault::Remote), "pair.pem");
        tells(
            &said,
            Mark::Fail(Fault::Remote),
            "failed: the authority refuses; the next is at 2027-01-15 09:00 UTC",
        );
        assert!(said.len() == 2 && said.iter().all(|(_, text)| !text.contains("gets another")), "{said:?}");
        // One that cannot be read is not one that is replaced.
        std::fs::remove_file(place.file()).unwrap();
        std::fs::create_dir(place.file()).unwrap();
        let said = place.said();
        tells(&said, Mark::Fail(Fault::Here), "pair.pem");
        tells(&said, Mark::Fail(Fault::Remote), "the authority refuses");
    }

    #[test]
    fn an_automatic_certificate_is_judged_by_its_own_life_and_the_advice_is_no_one_elses() {
        let place = Place::new("judged");
        // Six days of life are no reason to worry, and neither are two of them that are left.
        for (from, until) in [(-DAY, 5 * DAY), (-4 * DAY, 2 * DAY), (-80 * DAY, 10 * DAY)] {
            place.keep(from, until, false);
            tells(&place.said(), Mark::Good, "for mcp.example.org, until ");
        }
        place.keep(-82 * DAY, 8 * DAY, false);
        tells(&place.said(), Mark::Warn, "a server that runs asks for another at once");
        place.keep(-90 * DAY, -DAY, false);
        let expired = "no client accepts it; a server that runs asks for another at once";
        tells(&place.said(), Mark::Fail(Fault::Here), expired);
        place.refused();
        let said = place.said();
        tells(
            &said,
            Mark::Fail(Fault::Remote),
            "no client accepts it; the next try that succeeds replaces it",
        );
        tells(&said, Mark::Warn, "failed: the authority refuses; the next is at 2027-01-15 09:00 UTC");
        tells(&said, Mark::Warn, "`systemctl reload ono-sendai` asks at once");
        std::fs::remove_file(place.file().with_file_name("tries.json")).unwrap();
        place.keep(-DAY, 90 * DAY, true);
        let said = place.said();
        tells(&said, Mark::Fail(Fault::Remote), "issued that of an issuer (CA:TRUE)");
        tells(&said, Mark::Fail(Fault::Remote), &format!("move {} away", place.file().display()));
    }
}
