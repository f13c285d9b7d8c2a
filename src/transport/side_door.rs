//! A way in for the program itself, by which it finds out whether it still serves.
//!
//! A connection through it never leaves the process, and otherwise is like any other: the same loop takes it, and it
//! meets TLS, the guard and the routes. Decides what counts as an answer. However many strangers fill the server, the
//! door stays free: a server that is full is not one that hangs.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::TlsConnector;

use super::shown::Shown;
use crate::host::Authority;

/// The longest answer that is read.
const ANSWER_MAX_BYTES: u64 = 64 * 1024;

/// The connections that come through the door.
pub(super) type Knocks = mpsc::Receiver<TcpStream>;

/// The door, from the inside.
#[derive(Debug)]
pub struct SideDoor {
    knocks: mpsc::Sender<TcpStream>,
    client: Arc<ClientConfig>,
    name: ServerName<'static>,
    /// Each with the statuses that are an answer to it.
    requests: Vec<(String, &'static [u16])>,
    shown: Option<Arc<Shown>>,
}

/// Something that a server which serves can answer, and for which it charges nothing.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Where it is asked, by POST.
    pub path: &'static str,
    /// Further header fields, each with its name.
    pub fields: &'static [(&'static str, &'static str)],
    /// What is asked.
    pub body: &'static str,
    /// The statuses that are an answer.
    pub answers: &'static [u16],
}

/// Why the server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// It answered nothing.
    #[error("no answer within {} ms", .0.as_millis())]
    Late(Duration),
    /// It takes no connections any more.
    #[error("no connection is taken any more")]
    Closed,
    /// The connection came to nothing.
    #[error("the connection failed: {0}")]
    Broken(#[from] io::Error),
    /// What came is no answer of the page that was asked for.
    #[error("another answer than it should be to {asked:?}: {answer:?}")]
    Other {
        /// How the request begins.
        asked: String,
        /// How the answer begins.
        answer: String,
    },
}

impl SideDoor {
    /// A door for a server that answers to `own`, and where its knocks arrive.
    pub(super) fn new(own: &Authority, further: &[Question]) -> (Self, Knocks) {
        let (knocks, taken) = mpsc::channel(1);
        let name =
            ServerName::try_from(own.host().trim_matches(['[', ']']).to_owned()).unwrap_or_else(|_| nobody());
        let ready = format!("GET /readyz HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n");
        let readiness: (String, &[u16]) = (ready, &[200, 503]);
        let further = further.iter().map(|question| (posted(question, own), question.answers));
        let requests = std::iter::once(readiness).chain(further).collect();
        (Self { knocks, client: Arc::new(client()), name, requests, shown: None }, taken)
    }

    /// The same for a server that may wait for its certificate: until then it answers to this machine's own names only.
    #[must_use]
    pub fn showing(self, shown: Arc<Shown>) -> Self {
        Self { shown: Some(shown), ..self }
    }

    /// Asks whether the server is ready, and is content with any answer to that: one that refuses metered calls serves
    /// all the same. Then asks what else there is to ask.
    ///
    /// # Errors
    /// What kept it from answering in time.
    pub async fn is_answered(&self, within: Duration) -> Result<(), Unanswered> {
        let all = async {
            for (request, answers) in &self.requests {
                self.ask(request, answers).await?;
            }
            Ok(())
        };
        tokio::time::timeout(within, all).await.unwrap_or(Err(Unanswered::Late(within)))
    }

    async fn ask(&self, request: &str, answers: &[u16]) -> Result<(), Unanswered> {
        let (ours, theirs) = pair()?;
        self.knocks.send(theirs).await.map_err(|_closed| Unanswered::Closed)?;
        let client = TlsConnector::from(Arc::clone(&self.client));
        let is_waiting = self.shown.as_ref().is_some_and(|shown| shown.is_waiting());
        let name = if is_waiting { nobody() } else { self.name.clone() };
        let mut stream = client.connect(name, ours).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.take(ANSWER_MAX_BYTES).read_to_end(&mut answer).await?;
        let head = String::from_utf8_lossy(answer.get(..12).unwrap_or(&answer)).into_owned();
        let status = head.strip_prefix("HTTP/1.1 ").and_then(|status| status.parse().ok());
        if status.is_some_and(|status| answers.contains(&status)) {
            return Ok(());
        }
        let asked = request.split(" HTTP").next().unwrap_or_default().to_owned();
        Err(Unanswered::Other { asked, answer: head })
    }
}

fn posted(question: &Question, own: &Authority) -> String {
    let Question { path, fields, body, .. } = question;
    let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {own}\r\n{fields}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// What a handshake without a name is for.
fn nobody() -> ServerName<'static> {
    ServerName::from(IpAddr::from(Ipv4Addr::LOCALHOST))
}

/// Both ends of a connection that no network sees. They are sockets of another family than their type says, which makes
/// no difference to reading, writing and closing; so connections of all kinds have one type. They need two file
/// descriptors: a program that has none left cannot take connections either.
fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    let end = |end: UnixStream| {
        end.set_nonblocking(true)?;
        TcpStream::from_std(OwnedFd::from(end).into())
    };
    Ok((end(ours)?, end(theirs)?))
}

fn client() -> ClientConfig {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Ourselves(Arc::clone(&provider)));
    let mut config =
        builder(provider).dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    // Each time the certificate and its key are used.
    config.resumption = Resumption::disabled();
    config
}

#[expect(clippy::expect_used, reason = "the versions are constants that this provider supports")]
fn builder(provider: Arc<CryptoProvider>) -> rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier> {
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider supports TLS 1.2 and 1.3")
}

/// Takes any certificate whose key signs: at the other end of the pair is this program. An expired certificate, or one
/// for another name, is nothing that a new start would change.
#[derive(Debug)]
struct Ourselves(Arc<CryptoProvider>);

impl ServerCertVerifier for Ourselves {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
