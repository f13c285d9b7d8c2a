//! An issuer that does what a test wants: its keys, its documents, its failures.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};

use crate::harness::Demo;

pub fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub fn unb64(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).expect("base64")
}

pub fn now_s() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_secs()).expect("seconds")
}

/// A key pair of an issuer, or of somebody who would like to be one.
pub struct Key {
    pub id: String,
    pair: Pair,
}

enum Pair {
    Es(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
    Rs(RsaKeyPair),
}

impl Key {
    pub fn es256(id: &str) -> Self {
        let rng = SystemRandom::new();
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &rng).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref(), &rng);
        Self { id: id.to_owned(), pair: Pair::Es(pair.expect("a key")) }
    }

    pub fn ed25519(id: &str) -> Self {
        let der = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        Self { id: id.to_owned(), pair: Pair::Ed(Ed25519KeyPair::from_pkcs8(der.as_ref()).expect("a key")) }
    }

    pub fn rs256(id: &str) -> Self {
        let pem = include_bytes!("../transport/pem/rsa-pkcs8.key");
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem).expect("PEM");
        let pair = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).expect("a key");
        Self { id: id.to_owned(), pair: Pair::Rs(pair) }
    }

    pub fn algorithm(&self) -> &'static str {
        match self.pair {
            Pair::Es(_) => "ES256",
            Pair::Ed(_) => "EdDSA",
            Pair::Rs(_) => "RS256",
        }
    }

    pub fn jwk(&self) -> Value {
        let id = &self.id;
        match &self.pair {
            Pair::Es(pair) => {
                let point = pair.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "kid": id, "x": b64(&point[1..33]), "y": b64(&point[33..])})
            }
            Pair::Ed(pair) => json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "x": b64(pair.public_key())}),
            Pair::Rs(pair) => {
                let parts = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({"kty": "RSA", "use": "sig", "alg": "RS256", "kid": id, "n": b64(&parts.n), "e": b64(&parts.e)})
            }
        }
    }

    /// The public key of an RSA key of 2,048 bits, as a `SubjectPublicKeyInfo`.
    pub fn public_key_info(&self) -> Vec<u8> {
        let Pair::Rs(pair) = &self.pair else { panic!("this is no RSA key") };
        let key = pair.public().as_ref();
        let size = |length: usize| {
            let [.., high, low] = length.to_be_bytes();
            [0x82, high, low]
        };
        // rsaEncryption without parameters.
        let algorithm = [0x30, 13, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 1, 5, 0];
        let mut bits = vec![3];
        bits.extend(size(key.len() + 1));
        bits.push(0);
        bits.extend(key);
        let mut info = vec![0x30];
        info.extend(size(algorithm.len() + bits.len()));
        info.extend(algorithm);
        info.extend(bits);
        info
    }

    /// A token with exactly this header and these claims, which may be no JSON at all.
    pub fn sign_text(&self, header: &str, claims: &str) -> String {
        let message = format!("{}.{}", b64(header), b64(claims));
        let rng = SystemRandom::new();
        let signature = match &self.pair {
            Pair::Es(pair) => pair.sign(&rng, message.as_bytes()).expect("a signature").as_ref().to_vec(),
            Pair::Ed(pair) => pair.sign(message.as_bytes()).as_ref().to_vec(),
            Pair::Rs(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &rng, message.as_bytes(), &mut signature).expect("a signature");
                signature
            }
        };
        format!("{message}.{}", b64(signature))
    }

    pub fn sign(&self, claims: &Value) -> String {
        let header = json!({"alg": self.algorithm(), "kid": self.id, "typ": "at+jwt"});
        self.sign_text(&header.to_string(), &claims.to_string())
    }
}

/// What the issuer does when it is asked for its keys.
#[derive(Clone, Debug)]
pub enum Answers {
    /// Gives this document.
    Document(Value),
    /// Gives this status.
    Status(u16),
    /// Takes the connection and says nothing.
    Silence,
}

/// An issuer on this machine.
pub struct Issuer {
    pub name: String,
    answers: Arc<Mutex<Answers>>,
    asked: Arc<AtomicUsize>,
}

impl Issuer {
    pub fn with(keys: &[&Key]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let name = format!("http://{}", listener.local_addr().expect("an address"));
        let answers = Arc::new(Mutex::new(Answers::Document(key_set(keys))));
        let asked = Arc::new(AtomicUsize::new(0));
        let issuer = Self { name: name.clone(), answers: answers.clone(), asked: asked.clone() };
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (name, answers, asked) = (name.clone(), answers.clone(), asked.clone());
                std::thread::spawn(move || serve(stream, &name, &answers, &asked));
            }
        });
        issuer
    }

    pub fn answers(&self, answers: Answers) {
        *self.answers.lock().expect("unbroken") = answers;
    }

    /// How often it was asked for its keys.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// A server that takes its tokens; `auth` are further lines of that section, `rest` is further configuration.
    pub fn server(&self, auth: &str, rest: &str) -> Demo {
        Demo::serving("", &self.sections(auth, rest))
    }

    /// The same of another build.
    pub fn server_of(&self, binary: &Path, rest: &str) -> Demo {
        Demo::serving_of(binary, "", &self.sections("", rest))
    }

    fn sections(&self, auth: &str, rest: &str) -> String {
        format!(
            "[auth]\nissuer = \"{}\"\n{auth}\n[anonymous]\nrequests_per_second = 10000\nrequests_burst = 100000\n{rest}",
            self.name
        )
    }

    /// The claims of a good token for `server`.
    pub fn claims(&self, server: &Demo) -> Value {
        json!({"iss": self.name, "sub": "user_1", "aud": server.url("/mcp"), "client_id": "client_1",
            "iat": now_s(), "exp": now_s() + 600, "scope": "openid email"})
    }
}

pub fn key_set(keys: &[&Key]) -> Value {
    json!({"keys": keys.iter().map(|key| key.jwk()).collect::<Vec<_>>()})
}

fn serve(mut stream: TcpStream, name: &str, answers: &Mutex<Answers>, asked: &AtomicUsize) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let (status, body) = match path {
        "/.well-known/oauth-authorization-server" => {
            (200, json!({"issuer": name, "jwks_uri": format!("{name}/jwks")}).to_string())
        }
        "/jwks" => {
            asked.fetch_add(1, Ordering::SeqCst);
            let answers = answers.lock().expect("unbroken").clone();
            match answers {
                Answers::Document(document) => (200, document.to_string()),
                Answers::Status(status) => (status, String::new()),
                Answers::Silence => {
                    // Until the other side has had enough.
                    let _ = stream.read(&mut byte);
                    return;
                }
            }
        }
        _ => (404, String::new()),
    };
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}
