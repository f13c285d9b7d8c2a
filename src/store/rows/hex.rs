//! Bytes as hexadecimal digits, for bodies that people may have to read.

use std::fmt::Write as _;

use serde::{Deserialize as _, Deserializer, Serializer, de};

pub(super) fn serialize<S: Serializer, const N: usize>(bytes: &[u8; N], to: S) -> Result<S::Ok, S::Error> {
    let mut text = String::with_capacity(N * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    to.serialize_str(&text)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>, const N: usize>(from: D) -> Result<[u8; N], D::Error> {
    let text = String::deserialize(from)?;
    let mut bytes = [0; N];
    let wrong = || de::Error::custom("not as many hexadecimal digits as there should be");
    if text.len() != N * 2 {
        return Err(wrong());
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        let digits = text.get(at * 2..at * 2 + 2).ok_or_else(wrong)?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
    }
    Ok(bytes)
}
