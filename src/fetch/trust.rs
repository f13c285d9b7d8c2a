//! Why a connection could not be made, as far as trust goes.
//!
//! Decides which faults of a certificate another issuer's certificate might mend. Knows nothing of what is asked.

use std::error::Error as StdError;
use std::io;

use rustls::CertificateError;

/// Whether it failed since nobody who is trusted vouches for the other side's certificate. One that has ended, or that is
/// another host's, is not such: whom one trusts changes nothing there.
#[must_use]
pub fn is_untrusted(error: &(dyn StdError + 'static)) -> bool {
    chain(error).any(|error| {
        let Some(rustls::Error::InvalidCertificate(fault)) = error.downcast_ref() else { return false };
        !matches!(
            fault,
            CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. }
                | CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. }
        )
    })
}

/// An error and what it comes from. What an I/O error was made of it does not give as its source.
fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| inner(error))
}

fn inner<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(made_of) => Some(made_of),
        None => error.source(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outside")]
    struct Outside(#[source] io::Error);

    #[test]
    fn a_fault_of_trust_is_known_by_its_kind_however_deep_it_lies_and_whatever_a_text_says() {
        let told = |fault| {
            let inner = rustls::Error::InvalidCertificate(fault);
            is_untrusted(&Outside(io::Error::other(io::Error::other(inner))))
        };
        assert!(told(CertificateError::UnknownIssuer));
        assert!(told(CertificateError::BadSignature));
        assert!(!told(CertificateError::Expired) && !told(CertificateError::NotValidForName));
        let other = rustls::Error::General("the certificate of a store".to_owned());
        assert!(!is_untrusted(&Outside(io::Error::other(other))));
        assert!(!is_untrusted(&Outside(io::Error::other("a certificate that is not trusted"))));
    }
}
