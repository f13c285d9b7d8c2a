//! Keeps the books of all clients: what each was told to have spent, and what it had asked.
//!
//! An answer has to have the published form, to be about what was asked, and to carry the units of the account that
//! asked; one that was given before was given to the same account. What accounts were told to have spent is never more
//! than the server knows of.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::Member;
use super::clients::{Answered, ask};
use crate::harness::{Demo, Envelope, artists};

/// What one account was told.
#[derive(Debug, Default)]
struct Books {
    allowance: u64,
    /// Units since `known`.
    told: u64,
    /// What the server knew at the last audit.
    known: u64,
    /// The most that an answer said was used.
    shown: u64,
    asked: HashSet<String>,
}

/// How clients were answered, in all.
#[derive(Debug, Default)]
pub struct Tally {
    /// By error, or `ok`, or the status of what is no answer of a tool.
    pub outcomes: BTreeMap<String, u64>,
    /// How long each took.
    pub took: Vec<Duration>,
    /// Answers that were given before.
    pub replays: u64,
    /// Answers that were wrong, in words.
    pub violations: Vec<String>,
}

pub struct Auditor {
    schema: Validator,
    books: Mutex<BTreeMap<String, Books>>,
    tally: Mutex<Tally>,
}

impl Auditor {
    pub fn new(server: &Demo) -> Self {
        let schema = server.resource("hosaka://envelope-schema");
        Self {
            schema: jsonschema::draft202012::new(&schema).expect("a schema"),
            books: Mutex::default(),
            tally: Mutex::default(),
        }
    }

    /// Opens the books of an account that has spent nothing.
    pub fn open(&self, member: &Member) {
        let books = Books { allowance: member.allowance, ..Books::default() };
        self.books.lock().unwrap().insert(member.name.clone(), books);
    }

    /// Asks for an account, or without one; `None` from a server that is gone. What comes is entered.
    pub fn ask(
        &self,
        server: &Demo,
        member: Option<&Member>,
        tool: &str,
        arguments: &Value,
    ) -> Option<Answered> {
        if let Some(member) = member {
            // Whoever is cut off has asked all the same, and may be given the answer later.
            self.books_of(member, |books| books.asked.insert(question(tool, arguments)));
        }
        let answered = ask(server, member, tool, arguments)?;
        self.heard(member, tool, arguments, &answered);
        Some(answered)
    }

    fn books_of<T>(&self, member: &Member, what: impl FnOnce(&mut Books) -> T) -> T {
        what(self.books.lock().unwrap().get_mut(&member.name).expect("open books"))
    }

    /// One answer to a client of this account, or to one without.
    fn heard(&self, member: Option<&Member>, tool: &str, arguments: &Value, answered: &Answered) {
        let outcome = answered.outcome();
        let mut wrong = Vec::new();
        let mut is_replay = false;
        if let Some(envelope) = &answered.envelope {
            is_replay = envelope.json["meta"]["replay"] == true;
            wrong.extend(self.schema.iter_errors(&envelope.json).map(|error| error.to_string()));
            wrong.extend(about(tool, arguments, envelope));
            wrong.extend(self.entered(member, tool, arguments, envelope));
        }
        let mut tally = self.tally.lock().unwrap();
        *tally.outcomes.entry(outcome).or_default() += 1;
        tally.took.push(answered.took);
        tally.replays += u64::from(is_replay);
        for wrong in wrong {
            let who = member.map_or("nobody", |member| &member.name);
            let whole = answered.envelope.as_ref().map(|envelope| &envelope.raw);
            tally.violations.push(format!("{who} {tool} {arguments}: {wrong}: {whole:?}"));
        }
    }

    fn entered(
        &self,
        member: Option<&Member>,
        tool: &str,
        arguments: &Value,
        envelope: &Envelope,
    ) -> Vec<String> {
        let meta = &envelope.json["meta"];
        let units = meta["units"].as_u64().unwrap_or_default();
        let Some(member) = member else {
            let is_anonymous =
                meta["quota"].is_null() && meta["replay"] == false && meta["anonymous"] == true;
            return if is_anonymous { Vec::new() } else { vec!["somebody's answer for nobody".to_owned()] };
        };
        let quota = &meta["quota"];
        self.books_of(member, |books| {
            let mut wrong = Vec::new();
            // Without the store nobody knows what was used.
            if quota["allowance"] != books.allowance && !quota.is_null() {
                wrong.push("the quota of another account".to_owned());
            }
            if quota["used"].as_u64() > Some(books.allowance) {
                wrong.push("more was used than is allowed".to_owned());
            }
            let was_asked = books.asked.contains(&question(tool, arguments));
            if meta["replay"] == true && (units != 0 || !was_asked) {
                wrong.push("given again to who never asked".to_owned());
            }
            books.told += units;
            books.shown = books.shown.max(quota["used"].as_u64().unwrap_or_default());
            wrong
        })
    }

    /// Units that a program of somebody else was told for this account.
    pub fn told_elsewhere(&self, member: &Member, units: u64) {
        self.books_of(member, |books| books.told += units);
    }

    /// Holds the books of an account against what a server knows now; `burned` is what may be used without that anybody
    /// was told, for calls that were cut off and for leases. How much that was.
    pub fn audit(&self, server: &Demo, member: &Member, burned: u64) -> u64 {
        let usage = server.call_as(&member.token, "get_usage", json!({}));
        let used = usage.data()["used"].as_u64().unwrap();
        self.balanced(member, used, burned).unwrap_or_else(|wrong| panic!("{}: {wrong}", member.name))
    }

    fn balanced(&self, member: &Member, used: u64, burned: u64) -> Result<u64, String> {
        self.books_of(member, |books| {
            let least = books.shown.max(books.known + books.told);
            if used < least {
                return Err(format!("clients were told of {least} units, the server knows of {used}"));
            }
            if used > books.allowance {
                return Err(format!("{used} of {} units were used", books.allowance));
            }
            let more = used - books.known - books.told;
            if more > burned {
                return Err(format!(
                    "{more} units were used that nobody was told of, at most {burned} may be"
                ));
            }
            (books.known, books.told) = (used, 0);
            Ok(more)
        })
    }

    /// How clients were answered so far; nothing was wrong.
    pub fn tally(&self) -> Tally {
        let tally = std::mem::take(&mut *self.tally.lock().unwrap());
        assert!(tally.violations.is_empty(), "{} are wrong: {:#?}", tally.violations.len(), tally.violations);
        tally
    }
}

/// What makes two calls of an account the same.
fn question(tool: &str, arguments: &Value) -> String {
    format!("{tool} {arguments}")
}

/// Why an answer is about something else than what was asked.
fn about(tool: &str, arguments: &Value, envelope: &Envelope) -> Option<String> {
    let json = &envelope.json;
    if envelope.is_error || json["present"] != true {
        return None;
    }
    let data = &json["data"];
    let differs = match tool {
        "get_artist" => !is_of(data, &arguments["key"]),
        "resolve_artist" if arguments["q"].is_string() => data["name"] != arguments["q"],
        // Nobody has the ids that are made up here.
        "resolve_artist" => arguments["cluster_id"].is_string(),
        _ => false,
    };
    differs.then(|| "about something else".to_owned())
}

/// Whether a card is that of the demo's artist with this slug, which one that is only observed does not tell.
fn is_of(data: &Value, slug: &Value) -> bool {
    let Some(artist) = artists().iter().find(|artist| *slug == artist.slug) else { return false };
    // One without a cluster is told by its slug alone.
    let is_named = data["slug"] == *slug || data["slug"].is_null() && artist.cluster_id.is_some();
    is_named && data["cluster_id"].as_str() == artist.cluster_id.as_deref()
}

impl Tally {
    /// The time within which so many of a hundred were answered.
    pub fn within(&mut self, percent: usize) -> Duration {
        self.took.sort();
        let at = self.took.len() * percent / 100;
        self.took.get(at.min(self.took.len().saturating_sub(1))).copied().unwrap_or_default()
    }

    /// How many were answered so.
    pub fn of(&self, outcome: &str) -> u64 {
        self.outcomes.get(outcome).copied().unwrap_or_default()
    }

    /// Nobody was answered otherwise than so.
    pub fn only(&self, outcomes: &[&str]) {
        let others: Vec<_> =
            self.outcomes.iter().filter(|(name, _)| !outcomes.contains(&name.as_str())).collect();
        assert!(others.is_empty(), "answered otherwise: {others:?} of {:?}", self.outcomes);
    }
}

#[test]
fn answers_to_the_wrong_account_twice_granted_units_and_false_forms_are_noticed() {
    let server = Demo::shared();
    let auditor = Auditor::new(server);
    let member = Member { name: "noticed".to_owned(), token: server.token_of("noticed"), allowance: 999 };
    let arguments = json!({"q": "Four Tet"});
    let right = server.call_as(&member.token, "resolve_artist", arguments.clone());
    let violations = |arguments: &Value, edit: &dyn Fn(&mut Value)| {
        auditor.open(&member);
        let mut envelope = right.clone();
        envelope.json["meta"]["quota"]["allowance"] = json!(999);
        edit(&mut envelope.json);
        let answered = Answered { status: 200, envelope: Some(envelope), took: Duration::ZERO };
        auditor.heard(Some(&member), "resolve_artist", arguments, &answered);
        std::mem::take(&mut *auditor.tally.lock().unwrap()).violations
    };
    assert!(violations(&arguments, &|_| ()).is_empty());
    for (edit, noticed) in [
        (
            &(|json: &mut Value| json["meta"]["quota"]["allowance"] = json!(1_000)) as &dyn Fn(&mut Value),
            "another",
        ),
        (&|json: &mut Value| json["meta"]["quota"]["used"] = json!(1_000), "allowed"),
        (
            &|json: &mut Value| (json["meta"]["replay"], json["meta"]["units"]) = (json!(true), json!(0)),
            "never",
        ),
        (&|json: &mut Value| json["data"]["name"] = json!("Burial"), "something else"),
        (&|json: &mut Value| json["extra"] = json!(1), "extra"),
    ] {
        let violations = violations(&arguments, edit);
        assert!(violations.len() == 1 && violations[0].contains(noticed), "{noticed}: {violations:?}");
    }
    for (told, used, noticed) in [(5, 4, "told of 5"), (0, 1_000, "of 999"), (3, 10, "nobody was told")] {
        auditor.open(&member);
        auditor.told_elsewhere(&member, told);
        let wrong = auditor.balanced(&member, used, 6).expect_err("books that do not balance");
        assert!(wrong.contains(noticed), "{wrong}");
    }
    auditor.open(&member);
    auditor.told_elsewhere(&member, 3);
    assert_eq!((auditor.balanced(&member, 9, 6), auditor.balanced(&member, 9, 0)), (Ok(6), Ok(0)));
}
