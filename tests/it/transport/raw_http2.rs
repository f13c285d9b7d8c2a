//! HTTP/2 by hand: what no library would send.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::support::{Raw, Server, soon};

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RESET: u8 = 3;
pub const GOAWAY: u8 = 7;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

pub struct RawHttp2(Raw);

impl RawHttp2 {
    /// A connection whose peer takes `window` bytes of each answer at first.
    pub async fn greet(server: &Server, window: u32) -> Self {
        let mut raw = server.raw_with(&[b"h2"]).await;
        raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
        raw.send(frame(SETTINGS, 0, 0, &[&[0, 4][..], &window.to_be_bytes()].concat())).await;
        Self(raw)
    }

    /// The connection itself.
    pub fn into_raw(self) -> Raw {
        self.0
    }

    pub async fn send(&mut self, bytes: Vec<u8>) {
        self.0.send(bytes).await;
    }

    /// The same on a connection that may have ended; whether it has not.
    pub async fn try_send(&mut self, bytes: Vec<u8>) -> bool {
        let stream = &mut self.0.0;
        stream.write_all(&bytes).await.is_ok() && stream.flush().await.is_ok()
    }

    /// The next frame; `None` at the end.
    pub async fn next(&mut self) -> Option<(u8, u8, Vec<u8>)> {
        let mut head = [0; 9];
        soon(self.0.0.read_exact(&mut head)).await.ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        soon(self.0.0.read_exact(&mut payload)).await.ok()?;
        Some((head[3], head[4], payload))
    }

    /// The body of the first answer; `None` when its request was broken off.
    pub async fn answer(&mut self) -> Option<String> {
        let mut body = Vec::new();
        loop {
            let (kind, flags, payload) = self.next().await?;
            match kind {
                DATA => body.extend(payload),
                RESET | GOAWAY => return None,
                _ => {}
            }
            if [DATA, HEADERS].contains(&kind) && flags & END_STREAM != 0 {
                return Some(String::from_utf8(body).unwrap());
            }
        }
    }
}

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A POST to an endpoint.
pub fn post(stream: u32, body: &[u8]) -> Vec<u8> {
    request(stream, Some(b"localhost"), &[], body)
}

/// A POST that names this authority and has these further fields.
pub fn request(stream: u32, authority: Option<&[u8]>, fields: &[(&[u8], &[u8])], body: &[u8]) -> Vec<u8> {
    let text = |text: &[u8]| [&[u8::try_from(text.len()).unwrap()][..], text].concat();
    // :method POST, :scheme https, :path.
    let mut block = b"\x83\x87\x04\x04/mcp".to_vec();
    if let Some(authority) = authority {
        block.push(1);
        block.extend(text(authority));
    }
    for (name, value) in fields {
        block.push(0);
        block.extend(text(name));
        block.extend(text(value));
    }
    [frame(HEADERS, END_HEADERS, stream, &block), frame(DATA, END_STREAM, stream, body)].concat()
}
