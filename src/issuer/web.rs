//! The addresses of the issuer: which there are, and what each answers.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use url::Url;

use super::ISSUER_PATH;
use super::client::ClientMetadata;
use super::document::ClientDocuments;
use super::flow::{Asked, Flow, NotAsked};
use super::form::Form;
use super::mint::Mint;
use super::page::{self, Question};
use crate::auth::object;
use crate::clock::Clock;
use crate::network::Network;

/// The longest name under which somebody signs in, in characters.
const SUBJECT_MAX_CHARS: usize = 100;
/// And in bytes: the server takes no longer one in a token.
const SUBJECT_MAX_BYTES: usize = 255;

/// What the issuer is made of.
#[derive(Debug)]
pub struct IssuerSettings {
    /// Signs the tokens.
    pub mint: Mint,
    /// What clients may ask for.
    pub scopes: Vec<String>,
    /// What tokens are for.
    pub audience: String,
    /// The addresses that clients may name for it, without a final slash.
    pub resources: Vec<String>,
    /// Networks in which documents about clients may lie although they are not public.
    pub client_networks: Vec<Network>,
    /// PEM certificates to trust there beside the machine's own.
    pub extra_roots: Vec<u8>,
}

/// The issuer behind its addresses.
#[derive(Debug)]
pub struct Issuer {
    flow: Flow,
    scopes: Vec<String>,
    clock: Clock,
}

/// A page of the issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Metadata,
    Keys,
    Register,
    Authorize,
    Token,
}

impl Place {
    fn at(path: &str) -> Option<Self> {
        match path {
            "/.well-known/oauth-authorization-server/issuer"
            | "/issuer/.well-known/oauth-authorization-server" => Some(Self::Metadata),
            "/issuer/jwks" => Some(Self::Keys),
            "/issuer/register" => Some(Self::Register),
            "/issuer/authorize" => Some(Self::Authorize),
            "/issuer/token" => Some(Self::Token),
            _ => None,
        }
    }
}

impl Issuer {
    /// The issuer.
    #[must_use]
    pub fn new(settings: IssuerSettings, clock: Clock) -> Self {
        let IssuerSettings { mint, scopes, audience, resources, client_networks, extra_roots } = settings;
        let documents = ClientDocuments::new(client_networks, extra_roots, clock.clone());
        Self { flow: Flow::new(mint, documents, scopes.clone(), audience, resources), scopes, clock }
    }

    /// The methods that a path answers to; `None` where the issuer has nothing.
    #[must_use]
    pub fn methods(path: &str) -> Option<&'static [Method]> {
        Place::at(path).map(|place| match place {
            Place::Metadata | Place::Keys => [Method::GET, Method::HEAD].as_slice(),
            Place::Register | Place::Token => [Method::POST].as_slice(),
            Place::Authorize => [Method::GET, Method::HEAD, Method::POST].as_slice(),
        })
    }

    /// Answers a request to one of its paths with one of their methods.
    pub async fn answer(&self, request: Request<Bytes>) -> Response<Bytes> {
        let now = self.clock.utc();
        match (Place::at(request.uri().path()), request.method()) {
            (Some(Place::Metadata), _) => as_json(StatusCode::OK, &self.metadata()),
            (Some(Place::Keys), _) => as_json(StatusCode::OK, &self.flow.mint().key().key_set()),
            (Some(Place::Register), _) => self.register(request.body()),
            (Some(Place::Token), _) => match self.flow.grant(&Form::parse(request.body()), now) {
                Ok(tokens) => as_json(StatusCode::OK, &json!(tokens)),
                Err(denied) => error(denied),
            },
            (Some(Place::Authorize), &Method::POST) => self.decide(&Form::parse(request.body())),
            (Some(Place::Authorize), _) => {
                let form = Form::parse(request.uri().query().unwrap_or_default().as_bytes());
                match self.flow.ask(&form, now).await {
                    Ok((asked, sealed)) => self.question(&asked, &sealed, None),
                    Err(NotAsked::Problem(text)) => page::problem(text),
                    Err(NotAsked::Redirect(url)) => redirect(&url),
                }
            }
            (None, _) => as_json(StatusCode::NOT_FOUND, &json!({"error": "not_found"})),
        }
    }

    /// Who signs: the name of the issuer, and where everything else is.
    fn metadata(&self) -> Value {
        let name = self.flow.mint().issuer();
        json!({
            "issuer": name,
            "authorization_endpoint": format!("{name}/authorize"),
            "token_endpoint": format!("{name}/token"),
            "registration_endpoint": format!("{name}/register"),
            "jwks_uri": format!("{name}/jwks"),
            "scopes_supported": self.scopes,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "client_id_metadata_document_supported": true,
        })
    }

    fn register(&self, body: &[u8]) -> Response<Bytes> {
        let Some(metadata) = object::<ClientMetadata>(body) else {
            return error(("invalid_client_metadata", "send a JSON object with redirect_uris"));
        };
        match self.flow.register(metadata) {
            Err(unfit) => error(unfit),
            Ok((id, client)) => {
                let mut answer = json!({
                    "client_id": id,
                    "client_id_issued_at": self.clock.utc().unix_timestamp(),
                    "redirect_uris": client.redirect_uris,
                    "grant_types": ["authorization_code", "refresh_token"],
                    "response_types": ["code"],
                    "token_endpoint_auth_method": "none",
                });
                if let (Some(name), Some(answer)) = (client.name, answer.as_object_mut()) {
                    answer.insert("client_name".to_owned(), Value::from(name));
                }
                as_json(StatusCode::CREATED, &answer)
            }
        }
    }

    fn decide(&self, form: &Form) -> Response<Bytes> {
        let now = self.clock.utc();
        let sealed = form.get("request").unwrap_or_default();
        let Some(asked) = self.flow.reopened(sealed, now).filter(|_| !form.is_ambiguous) else {
            return page::problem("The page was open for too long, or is not one of this server.");
        };
        let subject = match (form.get("decision"), form.get("name").map(str::trim)) {
            (Some("allow"), Some(name)) if is_subject(name) => Some(name.to_owned()),
            (Some("allow"), _) => {
                let complaint = "A name has 1 to 100 characters on one line, and 255 bytes at most.";
                return self.question(&asked, sealed, Some(complaint));
            }
            _ => None,
        };
        match self.flow.decided(asked, subject, now) {
            Some(url) => redirect(&url),
            None => page::problem("No code could be made; try again."),
        }
    }

    fn question(&self, asked: &Asked, sealed: &str, complaint: Option<&str>) -> Response<Bytes> {
        let Ok(address) = Url::parse(&asked.redirect_uri) else {
            return page::problem("The redirect address cannot be read.");
        };
        page::question(&Question {
            client: asked.client_name.as_deref(),
            redirect: &address,
            resource: self.flow.audience(),
            request: sealed,
            action: &format!("{ISSUER_PATH}/authorize"),
            complaint,
        })
    }
}

fn is_subject(name: &str) -> bool {
    (1..=SUBJECT_MAX_CHARS).contains(&name.chars().count())
        && name.len() <= SUBJECT_MAX_BYTES
        && !name.chars().any(char::is_control)
}

fn error((error, text): (&str, &str)) -> Response<Bytes> {
    as_json(StatusCode::BAD_REQUEST, &json!({"error": error, "error_description": text}))
}

fn as_json(status: StatusCode, body: &Value) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(body.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// See other: the browser asks for the address with GET, whatever it sent here.
fn redirect(url: &Url) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(location) = HeaderValue::from_str(url.as_str()) {
        headers.insert(LOCATION, location);
    }
    response
}
