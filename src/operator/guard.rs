//! Who may read: whoever reaches the socket under a name that this machine has for itself.
//!
//! A page that a browser loaded from elsewhere can make its own name lead to this address; the name that its requests
//! carry then gives it away. Decides by that name and by the origin alone.

use std::net::SocketAddr;

use http::StatusCode;
use http::header::{HOST, HeaderValue, ORIGIN};
use http::request::Parts;

use crate::host::{Authority, Origin};

/// The names that the socket answers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    hosts: Vec<String>,
    /// `None` for a socket that has no port, so that the one that a client names means nothing.
    port: Option<u16>,
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It names no host, or several.
    HostMissing,
    /// It names a host that this is not.
    HostUnknown,
    /// A page of another origin sends it.
    Origin,
}

impl Refused {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Self::HostMissing => StatusCode::BAD_REQUEST,
            Self::HostUnknown => StatusCode::MISDIRECTED_REQUEST,
            Self::Origin => StatusCode::FORBIDDEN,
        }
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Self::HostMissing => "The request must name its host exactly once.\n",
            Self::HostUnknown => {
                "This is the operator's socket: ask for localhost, 127.0.0.1 or [::1] with the port that it has. \
                 Through a tunnel the port has to be the same at both ends.\n"
            }
            Self::Origin => "Pages of other origins are not answered.\n",
        }
    }
}

impl Names {
    /// The names of a socket at a loopback address.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        let own = Authority::parse(&address.to_string()).map(|own| own.host().to_owned());
        let port = Some(address.port());
        Self { hosts: Self::loopback().chain(own).collect(), port }
    }

    /// The names of a socket at a path.
    #[must_use]
    pub fn of_a_path() -> Self {
        Self { hosts: Self::loopback().collect(), port: None }
    }

    fn loopback() -> impl Iterator<Item = String> {
        Authority::loopback().into_iter().map(|authority| authority.host().to_owned())
    }

    /// Host first, then origin.
    pub(super) fn check(&self, request: &Parts) -> Result<(), Refused> {
        let mut fields = request.headers.get_all(HOST).iter();
        let field = match (fields.next(), fields.next()) {
            (Some(field), None) => field.as_bytes(),
            _ => return Err(Refused::HostMissing),
        };
        let target = request.uri.authority().map(|authority| authority.as_str().as_bytes());
        for named in [Some(field), target].into_iter().flatten() {
            let named = std::str::from_utf8(named).ok().and_then(Authority::parse);
            if !named.is_some_and(|named| self.has(named.host(), named.port().unwrap_or(80))) {
                return Err(Refused::HostUnknown);
            }
        }
        let mut origins = request.headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok(()),
            (Some(origin), None) if self.is_own(origin) => Ok(()),
            (Some(_), _) => Err(Refused::Origin),
        }
    }

    fn has(&self, host: &str, port: u16) -> bool {
        self.hosts.iter().any(|own| own == host) && self.port.is_none_or(|own| own == port)
    }

    fn is_own(&self, origin: &HeaderValue) -> bool {
        let origin = origin.to_str().ok().and_then(Origin::parse);
        let pages =
            self.hosts.iter().filter_map(|host| Origin::parse(&format!("http://{host}:{}", self.port?)));
        origin.is_some_and(|origin| pages.into_iter().any(|page| page == origin))
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn check(names: &Names, fields: &[(&str, &str)]) -> Result<(), Refused> {
        let request = fields
            .iter()
            .fold(Request::builder().uri("/metrics"), |request, (name, value)| request.header(*name, *value));
        names.check(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn only_names_of_this_machine_with_the_port_are_answered() {
        let names = Names::at("127.0.0.1:9464".parse().unwrap());
        for good in ["localhost:9464", "127.0.0.1:9464", "[::1]:9464", "LOCALHOST:9464"] {
            assert_eq!(check(&names, &[("host", good)]), Ok(()), "{good}");
        }
        for bad in [
            "rebound.example.org:9464",
            "rebound.example.org",
            "localhost",
            "localhost:80",
            "localhost:9465",
            "localhost.example.org:9464",
            "127.0.0.2:9464",
            "192.0.2.1:9464",
            "",
            "localhost:9464@evil",
        ] {
            assert_eq!(check(&names, &[("host", bad)]), Err(Refused::HostUnknown), "{bad}");
        }
        assert_eq!(check(&names, &[]), Err(Refused::HostMissing));
        let twice = [("host", "localhost:9464"), ("host", "localhost:9464")];
        assert_eq!(check(&names, &twice), Err(Refused::HostMissing));
        let path = Names::of_a_path();
        assert_eq!(check(&path, &[("host", "localhost")]), Ok(()));
        assert_eq!(check(&path, &[("host", "rebound.example.org")]), Err(Refused::HostUnknown));
        let other = Names::at("127.0.0.2:9464".parse().unwrap());
        assert_eq!(check(&other, &[("host", "127.0.0.2:9464")]), Ok(()));
    }

    #[test]
    fn pages_of_other_origins_are_not_answered() {
        let names = Names::at("127.0.0.1:9464".parse().unwrap());
        let from = |origin| check(&names, &[("host", "localhost:9464"), ("origin", origin)]);
        assert_eq!(from("http://localhost:9464"), Ok(()));
        for bad in ["https://evil.example", "http://localhost:3000", "null", "https://localhost:9464"] {
            assert_eq!(from(bad), Err(Refused::Origin), "{bad}");
        }
    }
}
