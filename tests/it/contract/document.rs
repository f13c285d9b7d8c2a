//! An OpenAPI document, asked whether a request or an answer fits it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Value, json};

/// A document with the validators that were needed so far.
pub struct Contract {
    document: Value,
    validators: Mutex<BTreeMap<String, &'static Validator>>,
}

/// What an extension of newer services is marked with in the demo's document.
const EXTENSION: &str = "x-extension";
/// What a dossier always says about itself.
const HEAD: [&str; 8] =
    ["contract_version", "grain", "slug", "display", "id", "cluster_id", "resolved_via", "generated_at"];

impl Contract {
    /// The service's own document, if it is here.
    pub fn of_the_service() -> Option<Self> {
        let folder = std::env::var_os("ONO_SHARED")
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
        let bytes = std::fs::read(folder.join("crate/openapi-2.47.0.json")).ok()?;
        let mut document = serde_json::from_slice(&bytes).expect("the document is JSON");
        assert!(admit_null(&mut document) > 0, "the document no longer needs to be read generously");
        Some(Self::new(document))
    }

    /// What the demo says of itself.
    pub fn of_the_demo() -> Self {
        Self::new(
            serde_json::from_slice(include_bytes!("../../../fixtures/service/openapi.json")).expect("JSON"),
        )
    }

    fn new(document: Value) -> Self {
        Self { document, validators: Mutex::default() }
    }

    /// Path templates with their methods.
    pub fn operations(&self) -> Vec<(String, String)> {
        let paths = self.document["paths"].as_object().expect("paths");
        let methods = |(path, item): (&String, &Value)| {
            let methods = item.as_object().expect("an item").keys().cloned().collect::<Vec<_>>();
            methods.into_iter().map(|method| (path.clone(), method)).collect::<Vec<_>>()
        };
        paths.iter().flat_map(methods).collect()
    }

    /// One operation.
    pub fn operation(&self, template: &str, method: &str) -> &Value {
        &self.document["paths"][template][method]
    }

    /// Whether the document marks this as something that only newer services have.
    pub fn is_extension(&self, template: &str, method: &str) -> bool {
        self.operation(template, method)[EXTENSION] == true
    }

    /// The template that a path fits, literal ones first, with the values of its parameters.
    pub fn template(&self, path: &str) -> Option<(String, Vec<(String, String)>)> {
        let paths = self.document["paths"].as_object().expect("paths");
        let mut found: Vec<(String, Vec<(String, String)>)> =
            paths.keys().filter_map(|template| Some((template.clone(), fit(template, path)?))).collect();
        found.sort_by_key(|(_, values)| values.len());
        found.into_iter().next()
    }

    /// What is wrong with a request; decoded path and query.
    pub fn request(&self, method: &str, path: &str, query: &[(String, String)]) -> Vec<String> {
        let Some((template, in_path)) = self.template(path) else {
            return vec![format!("{path} is no path of the document")];
        };
        let operation = self.operation(&template, method);
        if operation.is_null() {
            return vec![format!("{template} has no {method}")];
        }
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let mut problems = Vec::new();
        let mut known = Vec::new();
        for parameter in &parameters {
            let name = parameter["name"].as_str().expect("a name");
            known.push(name.to_owned());
            let given = if parameter["in"] == "path" { &in_path[..] } else { query };
            let values: Vec<&str> =
                given.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect();
            if values.is_empty() {
                if parameter["required"] == true {
                    problems.push(format!("{name} is required"));
                }
                continue;
            }
            let place = format!("{method} {template} parameter {name}");
            let validator = self.validator(&place, || parameter["schema"].clone());
            if !readings(&values).iter().any(|value| validator.is_valid(value)) {
                problems.push(format!("{name} must not be {values:?}"));
            }
        }
        let unknown = query.iter().filter(|(key, _)| !known.contains(key));
        problems.extend(unknown.map(|(key, _)| format!("{key} is no parameter of {template}")));
        problems
    }

    /// What is wrong with an answer to a request for `path`.
    pub fn answer(&self, method: &str, path: &str, status: u16, body: &Value) -> Vec<String> {
        self.answer_with(method, path, &[], status, body)
    }

    /// The same where the query matters: `fields` trims a dossier, so that facets it does not name may be missing.
    /// The document says so in its prose only.
    pub fn answer_with(
        &self,
        method: &str,
        path: &str,
        query: &[(String, String)],
        status: u16,
        body: &Value,
    ) -> Vec<String> {
        let Some((template, _)) = self.template(path) else {
            return vec![format!("{path} is no path of the document")];
        };
        let response = &self.operation(&template, method)["responses"][status.to_string()];
        let schema = &response["content"]["application/json"]["schema"];
        if !schema.is_object() {
            return vec![format!("{method} {template} has no answer {status}")];
        }
        let validator = self.validator(&format!("{method} {template} answer {status}"), || schema.clone());
        let fields: Option<Vec<&str>> =
            query.iter().find(|(key, _)| key == "fields").map(|(_, list)| list.split(',').collect());
        let trimmed = |error: &ValidationError<'_>| match (error.kind(), &fields) {
            (ValidationErrorKind::Required { property }, Some(fields)) => {
                let facet = property.as_str().unwrap_or_default();
                error.instance_path().as_str().is_empty()
                    && !fields.contains(&facet)
                    && !HEAD.contains(&facet)
            }
            _ => false,
        };
        validator
            .iter_errors(body)
            .filter(|error| !trimmed(error))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }

    fn validator(&self, place: &str, schema: impl FnOnce() -> Value) -> &'static Validator {
        let mut validators = self.validators.lock().expect("no test failed in here");
        validators.entry(place.to_owned()).or_insert_with(|| {
            let mut root = schema();
            root["components"] = self.document["components"].clone();
            // A test process makes a few dozen of them and ends.
            Box::leak(Box::new(
                jsonschema::draft202012::new(&root).unwrap_or_else(|e| panic!("{place}: {e}")),
            ))
        })
    }
}

/// The values of the parameters in a template, if the path fits it.
fn fit(template: &str, path: &str) -> Option<Vec<(String, String)>> {
    let (template, path): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    if template.len() != path.len() {
        return None;
    }
    let mut values = Vec::new();
    for (expected, step) in template.into_iter().zip(path) {
        match expected.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
            Some(name) => values.push((name.to_owned(), step.to_owned())),
            None if expected == step => {}
            None => return None,
        }
    }
    Some(values)
}

/// What the text of a query can mean: a string, a number, a list.
fn readings(values: &[&str]) -> Vec<Value> {
    let mut readings = vec![json!(values)];
    if let [one] = values {
        readings.push(json!(one));
        readings.extend(one.parse::<i64>().ok().map(|number| json!(number)));
    }
    readings
}

/// The document types a field as text or null and then lists its words without null, while its prose says what
/// null means there. It is read as it is meant. Gives the number of such places.
fn admit_null(schema: &mut Value) -> usize {
    let mut widened = 0;
    match schema {
        Value::Object(object) => {
            let nullable = object
                .get("type")
                .and_then(Value::as_array)
                .is_some_and(|kinds| kinds.contains(&json!("null")));
            if let Some(Value::Array(words)) = object.get_mut("enum").filter(|_| nullable)
                && !words.contains(&Value::Null)
            {
                words.push(Value::Null);
                widened += 1;
            }
            widened + object.values_mut().map(admit_null).sum::<usize>()
        }
        Value::Array(parts) => parts.iter_mut().map(admit_null).sum(),
        _ => widened,
    }
}

#[test]
fn a_wrong_request_and_a_wrong_answer_are_seen() {
    let contract = Contract::of_the_demo();
    let request = |path: &str, query: &[(&str, &str)]| {
        let query: Vec<_> = query.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        contract.request("get", path, &query)
    };
    assert_eq!(request("/api/v2/search", &[("q", "x"), ("genre", "a"), ("genre", "b")]), [""; 0]);
    for (path, query, problem) in [
        ("/api/v2/none", &[][..], "no path"),
        ("/api/v2/search", &[("limit", "101")], "limit must not be"),
        ("/api/v2/search", &[("limit", "ten")], "limit must not be"),
        ("/api/v2/search", &[("colour", "red")], "no parameter"),
        ("/api/v2/tracks", &[], "title is required"),
        ("/api/v2/aura/abc", &[], "cluster must not be"),
    ] {
        let problems = request(path, query);
        assert!(problems.len() == 1 && problems[0].contains(problem), "{path} {query:?}: {problems:?}");
    }
    let answer = |status, body: Value| contract.answer("get", "/api/v2/artist/x", status, &body).len();
    assert!(answer(200, json!({})) > 5);
    assert_eq!(answer(400, json!({"error": "invalid_artist_key"})), 0);
    assert_eq!((answer(400, json!({})), answer(418, json!({}))), (1, 1));
    assert_eq!(contract.template("/api/v2/dossier/manifest").expect("a path").0, "/api/v2/dossier/manifest");
}
