//! An authority that stalls, breaks off, or issues what nobody can use: the last good certificate stays, nothing is wasted,
//! and it is asked again only after a wait.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ono_sendai::acme::{Outlook, Renewals, Settings, found};
use ono_sendai::clock::Clock;
use ono_sendai::fetch::{FetchSettings, Fetcher};
use ono_sendai::transport::{Shown, stand_in};
use time::OffsetDateTime;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use url::Url;

use super::NAME;
use super::lying::{Asked, Issues, Lies, Lying, Step};
use crate::harness::PATIENCE;

/// How long one answer may take here.
const ANSWER_TIME: Duration = Duration::from_millis(1_500);

/// An authority, and the data folder of a server.
struct Place {
    data: PathBuf,
    authority: Lying,
    clock: Clock,
}

/// A server's renewals while they run; they end as a killed program does when dropped.
struct Running {
    renewals: Arc<Renewals>,
    outlooks: UnboundedReceiver<Outlook>,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.data);
    }
}

impl Place {
    fn new(name: &str) -> Self {
        let data =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("unfit-{}-{name}", std::process::id()));
        let _earlier = std::fs::remove_dir_all(&data);
        let authority = Lying::start(&data.join("authority"));
        Self { data, authority, clock: Clock::wound_to(OffsetDateTime::now_utc()) }
    }

    fn directory(&self) -> Url {
        Url::parse(&self.authority.directory).expect("an address")
    }

    fn start(&self) -> Running {
        let settings = Settings {
            names: vec![NAME.to_owned()],
            contact: None,
            directory: self.directory(),
            external: None,
            fetcher: Fetcher::new(FetchSettings {
                extra_roots: std::fs::read(&self.authority.trusted).expect("a file"),
                time: ANSWER_TIME,
                limit_bytes: 100_000,
                pinned: None,
            })
            .expect("a client"),
        };
        let renewals = Arc::new(Renewals::new(settings, &self.data, self.clock.clone()));
        let shown = Shown::waiting(stand_in(self.clock.utc()).expect("a certificate"));
        let (tell, outlooks) = unbounded_channel();
        let running = Arc::clone(&renewals);
        let task = tokio::spawn(async move {
            running.run(&shown, |outlook| drop(tell.send(outlook.clone()))).await;
        });
        Running { renewals, outlooks, task }
    }

    /// The folder of what is kept.
    fn kept(&self) -> PathBuf {
        let folder = std::fs::read_dir(self.data.join("acme")).expect("a folder").next().expect("an entry");
        folder.expect("an entry").path()
    }

    fn pair(&self) -> Option<Vec<u8>> {
        std::fs::read(self.kept().join("pair.pem")).ok()
    }

    /// How long it is until the next try.
    fn wait(&self, outlook: &Outlook) -> time::Duration {
        outlook.next.expect("a moment") - self.clock.utc()
    }

    async fn is_asked(&self, what: &str, is_so: impl Fn(Asked) -> bool) {
        let waiting = async {
            while !is_so(self.authority.asked()) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("never {what}"));
    }
}

impl Running {
    /// The first outlook from here on that is so.
    async fn until(&mut self, what: &str, is_so: impl Fn(&Outlook) -> bool) -> Outlook {
        let waiting = async {
            loop {
                let outlook = self.outlooks.recv().await.expect("it goes on");
                if is_so(&outlook) {
                    return outlook;
                }
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("never {what}"))
    }

    async fn fails(&mut self) -> (String, Outlook) {
        let outlook = self.until("a failure", |outlook| outlook.failure.is_some()).await;
        (outlook.failure.clone().expect("a reason"), outlook)
    }

    /// The first failure that has this in its words.
    async fn until_told(&mut self, part: &str) -> (String, Outlook) {
        let is_told = |outlook: &Outlook| outlook.failure.as_deref().is_some_and(|why| why.contains(part));
        let outlook = self.until(part, is_told).await;
        (outlook.failure.clone().expect("a reason"), outlook)
    }

    async fn issues(&mut self) -> Outlook {
        self.until("a certificate", |outlook| outlook.failure.is_none() && outlook.until.is_some()).await
    }
}

fn minutes(minutes: i64) -> time::Duration {
    time::Duration::minutes(minutes)
}

#[tokio::test]
async fn what_clients_would_not_accept_never_takes_the_place_of_the_last_good_certificate() {
    for (issues, wanted) in [
        (Issues::NotYetValid, "is not valid before"),
        (Issues::Unlinked, "a chain that no client accepts"),
        (Issues::Authority, "issues others (CA:TRUE or keyCertSign)"),
        (Issues::Signing, "issues others (CA:TRUE or keyCertSign)"),
        (Issues::Nonsense, "pair.pem.new"),
    ] {
        let place = Place::new(&format!("{issues:?}"));
        place.authority.lies(Lies { issues: Issues::Old, ..Lies::default() });
        let mut server = place.start();
        server.issues().await;
        let (good, until) = (place.pair(), server.renewals.outlook().until);
        assert!(good.is_some() && until.is_some());
        drop(server);
        place.authority.lies(Lies { issues, ..Lies::default() });
        let mut server = place.start();
        let (why, outlook) = server.fails().await;
        assert!(why.contains(wanted), "{issues:?}: {why}");
        assert_eq!((place.pair(), outlook.until), (good, until), "{issues:?}");
        assert!(!place.kept().join("pair.pem.new").exists(), "{issues:?}");
        // It cost one, and the next has to wait.
        assert!(place.wait(&outlook) >= minutes(15), "{issues:?}");
        assert_eq!((outlook.failures, place.authority.asked().finalized), (1, 2));
        // A good one is taken.
        place.authority.lies(Lies::default());
        server.renewals.ask();
        assert!(server.issues().await.until > until);
    }
}

#[tokio::test]
async fn a_certificate_that_is_signed_in_a_way_that_cannot_be_checked_here_is_taken() {
    let place = Place::new("uncheckable");
    place.authority.lies(Lies { issues: Issues::Uncheckable, ..Lies::default() });
    let mut server = place.start();
    let outlook =
        server.until("an end", |outlook| outlook.failure.is_some() || outlook.until.is_some()).await;
    assert_eq!(outlook.failure, None);
}

#[tokio::test]
async fn an_authority_that_stalls_or_breaks_off_is_waited_for_in_vain_once_and_later_the_longer_the_more_it_may_have_cost()
 {
    let every = Step::ALL.into_iter().flat_map(|step| [(step, true), (step, false)]);
    let tried = every.map(|(step, stalls)| async move {
        let place = Place::new(&format!("{step:?}-{stalls}"));
        let (stalls_at, breaks_at) = (Some(step).filter(|_| stalls), Some(step).filter(|_| !stalls));
        place.authority.lies(Lies { stalls_at, breaks_at, ..Lies::default() });
        let mut server = place.start();
        let (why, outlook) = server.fails().await;
        assert!(why.starts_with("localhost cannot be asked: "), "{step:?}: {why}");
        // Polling comes before and after what costs something; here it is the first that fails.
        let is_costly = [Step::Finalize, Step::Certificate].contains(&step);
        let wait = place.wait(&outlook);
        assert!(
            if is_costly { wait >= minutes(15) } else { wait <= time::Duration::seconds(6) },
            "{step:?}: {wait}"
        );
        // Once it does what it should, there is a certificate.
        place.authority.lies(Lies::default());
        server.renewals.ask();
        server.issues().await;
        assert_eq!(server.renewals.outlook().failures, 0);
    });
    futures_util::future::join_all(tried).await;
}

#[tokio::test]
async fn an_authority_that_fails_after_it_may_have_issued_is_not_asked_again_until_the_wait_is_over() {
    let place = Place::new("costly");
    place.authority.lies(Lies { breaks_at: Some(Step::Certificate), ..Lies::default() });
    let mut server = place.start();
    let (_, outlook) = server.fails().await;
    let wait = place.wait(&outlook);
    // Whoever starts it anew waits too, and when the time has come it is asked once more, and no oftener.
    drop(server);
    let mut server = place.start();
    let first = server.until("an outlook", |_| true).await;
    assert!(place.wait(&first) > minutes(4) && place.wait(&first) <= minutes(5), "{first:?} {wait}");
    assert_eq!(place.authority.asked().finalized, 1);
    place.clock.advance(Duration::from_secs(301));
    server.renewals.ask();
    let outlook = server.until("the second failure", |outlook| outlook.failures == 2).await;
    assert!(place.wait(&outlook) >= minutes(30), "{outlook:?}");
    assert_eq!(place.authority.asked().finalized, 2);
}

#[tokio::test]
async fn a_program_that_is_killed_in_the_middle_of_an_order_does_not_begin_again_at_once() {
    let place = Place::new("killed");
    place.authority.lies(Lies { stalls_at: Some(Step::Certificate), ..Lies::default() });
    let mut orders = 0;
    for (wait_min, wait_max) in
        [(minutes(4), minutes(5)), (minutes(29), minutes(37)), (minutes(59), minutes(73))]
    {
        let server = place.start();
        server.renewals.ask();
        orders += 1;
        place.is_asked("in the middle", |asked| asked.stalled == orders).await;
        drop(server);
        // Each further one begins with what the one before left.
        let next = found(&place.data, &place.directory(), &[NAME.to_owned()], place.clock.utc()).outlook;
        assert_eq!(next.failure.as_deref(), Some("it was begun, and nothing tells how it ended"));
        let mut server = place.start();
        let first = server.until("an outlook", |_| true).await;
        let wait = place.wait(&first);
        assert!(wait > wait_min && wait <= wait_max, "{wait}");
        assert_eq!(place.authority.asked().orders, orders);
    }
    let begun = std::fs::read(place.kept().join("tries.json")).expect("a file");
    place.authority.lies(Lies::default());
    let mut server = place.start();
    server.renewals.ask();
    server.issues().await;
    let after =
        |place: &Place| found(&place.data, &place.directory(), &[NAME.to_owned()], place.clock.utc()).outlook;
    assert_eq!((after(&place).failure, after(&place).failures), (None, 0));
    // Killed after the certificate was kept, and before that was noted: it is not asked for again.
    drop(server);
    std::fs::write(place.kept().join("tries.json"), begun).expect("a file");
    assert!(place.wait(&after(&place)) > time::Duration::days(50));
    let mut server = place.start();
    let first = server.until("an outlook", |_| true).await;
    assert!(place.wait(&first) > time::Duration::days(50), "{first:?}");
}

#[tokio::test]
async fn a_clock_that_was_ahead_once_keeps_nobody_from_a_certificate_and_is_not_told_as_the_time_of_the_next_try()
 {
    let place = Place::new("ahead");
    let now = place.clock.utc();
    place.clock.step_utc(now + time::Duration::days(25_000));
    place.authority.lies(Lies { refuses: Some("not now"), ..Lies::default() });
    let mut server = place.start();
    server.fails().await;
    place.clock.step_utc(now);
    let told = found(&place.data, &place.directory(), &[NAME.to_owned()], now).outlook;
    assert!(told.next.expect("a moment") - now < time::Duration::hours(1), "{told:?}");
    // The one that runs notices at its next look, and one that starts at once.
    drop(server);
    place.authority.lies(Lies::default());
    let mut server = place.start();
    let first = server.until("an outlook", |_| true).await;
    assert!(place.wait(&first) <= minutes(5), "{first:?}");
    place.clock.advance(Duration::from_secs(301));
    server.renewals.ask();
    server.issues().await;
}

#[tokio::test]
async fn no_certificate_is_asked_for_that_could_not_be_kept() {
    for name in ["pair.pem", "pair.pem.new", "tries.json", "account.json"] {
        let place = Place::new(&format!("kept-{name}"));
        place.authority.lies(Lies { refuses: Some("not now"), ..Lies::default() });
        let mut server = place.start();
        server.fails().await;
        drop(server);
        place.authority.lies(Lies::default());
        let orders = place.authority.asked().orders;
        let path = place.kept().join(name);
        let _there = std::fs::remove_file(&path);
        std::fs::create_dir(&path).expect("a folder");
        let mut server = place.start();
        server.renewals.ask();
        let (why, _) = server.until_told(name).await;
        assert!(why.contains(name), "{why}");
        assert_eq!(place.authority.asked().orders, orders, "{name}");
        std::fs::remove_dir(&path).expect("a folder");
        server.renewals.ask();
        server.issues().await;
    }
}

#[tokio::test]
async fn an_account_whose_key_is_bad_is_put_aside_and_another_is_made() {
    let place = Place::new("account");
    place.authority.lies(Lies { issues: Issues::Old, ..Lies::default() });
    let mut server = place.start();
    server.issues().await;
    drop(server);
    let path = place.kept().join("account.json");
    let text = std::fs::read_to_string(&path).expect("a file");
    let mut account: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    account["credentials"]["key_pkcs8"] = "AAAA".into();
    std::fs::write(&path, account.to_string()).expect("a file");
    place.authority.lies(Lies::default());
    let mut server = place.start();
    server
        .until("another certificate", |outlook| {
            outlook.until.is_some_and(|until| until - place.clock.utc() > time::Duration::days(80))
        })
        .await;
    assert_eq!(place.authority.asked().accounts, 2);
    let aside = place.kept().join("account.json.unusable-1");
    assert_eq!(std::fs::read_to_string(aside).expect("a file"), account.to_string());
    assert!(std::fs::read_to_string(&path).expect("a file").contains("key_pkcs8"));
}

#[tokio::test]
async fn no_name_is_proved_that_is_not_one_of_the_settings() {
    let place = Place::new("foreign-name");
    place.authority.lies(Lies { wants: "bank.example", ..Lies::default() });
    let mut server = place.start();
    let (why, _) = server.fails().await;
    assert_eq!(why, "the authority wants a proof for bank.example, which was not asked for");
    assert_eq!(place.authority.asked().finalized, 0);
    // However it is spelled, its own is proved.
    place.authority.lies(Lies { wants: "MCP.example.test", ..Lies::default() });
    server.renewals.ask();
    server.issues().await;
}

#[tokio::test]
async fn what_an_authority_says_is_one_line_without_anything_that_a_terminal_obeys() {
    let place = Place::new("words");
    let said = "\u{1b}[2J\u{1b}]0;owned\u{7}go\r\nerror forged line\u{9b}31m\u{202e}\u{200b}\u{85}end";
    place.authority.lies(Lies { refuses: Some(said), ..Lies::default() });
    let mut server = place.start();
    let (why, _) = server.fails().await;
    assert!(why.starts_with("the authority says malformed: ") && why.ends_with("end"), "{why:?}");
    assert!(why.chars().all(|c| !c.is_control() && !['\u{202e}', '\u{200b}'].contains(&c)), "{why:?}");
    drop(server);
    place.authority.lies(Lies { wants: "a\u{1b}[31m.example", ..Lies::default() });
    let mut server = place.start();
    server.renewals.ask();
    let (why, _) = server.until_told("asked for").await;
    assert!(why.chars().all(|c| !c.is_control()), "{why:?}");
}

#[tokio::test]
async fn an_answer_that_makes_code_of_others_fail_is_a_failed_try_like_another() {
    let place = Place::new("panic");
    place.authority.lies(Lies { nonces: Some("no address at all \u{0}"), ..Lies::default() });
    let mut server = place.start();
    let (why, outlook) = server.fails().await;
    assert_eq!(why, "what the authority answered cannot be dealt with");
    assert!(place.wait(&outlook) >= minutes(15));
    // A wait beyond all time is one that is believed.
    place.authority.lies(Lies { retry_after: Some("18446744073709551615"), ..Lies::default() });
    server.renewals.ask();
    server.issues().await;
}
