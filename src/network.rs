//! Address ranges, for deciding whose word is taken.

use std::fmt;
use std::net::IpAddr;

/// An address range: `10.0.0.0/8`, `fd00::/8`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// Takes an address or `address/prefix`; bits beyond the prefix must be zero, since a range
    /// written with them is mostly a slip.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let width = width(address);
        let prefix = match prefix {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok()?,
            Some(_) => return None,
            None => width,
        };
        let sound = prefix <= width && masked(address, prefix) == bits(address);
        sound.then_some(Self { address, prefix })
    }

    /// Whether `address` lies in the range. An IPv4 address mapped into IPv6 counts as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.address.is_ipv4() && masked(address, self.prefix) == bits(self.address)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

fn masked(address: IpAddr, prefix: u8) -> u128 {
    let free = u32::from(width(address).saturating_sub(prefix));
    let mask = u128::MAX.checked_shl(free).unwrap_or(0);
    bits(address) & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_what_it_names_and_nothing_else() {
        for (range, address, inside) in [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.5", "10.0.0.5", true),
            ("10.0.0.5", "10.0.0.6", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("0.0.0.0/0", "255.1.2.3", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "2001:db9::1", true),
            ("::/0", "10.0.0.1", false),
        ] {
            let network = Network::parse(range).unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), inside, "{range} {address}");
        }
    }

    #[test]
    fn a_range_that_cannot_be_meant_is_refused() {
        for bad in
            ["10.0.0.1/8", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/+8", "proxy", ""]
        {
            assert_eq!(Network::parse(bad), None, "{bad}");
        }
    }
}
