//! Who sends a request, with what their account may do.

use std::net::IpAddr;

use super::parts::Parts;
use crate::accounts::{Standing, Unconfirmed};
use crate::admission::Asker;
use crate::auth::{Account, AuthRefusal, ClientKind, Principal};
use crate::envelope::meta::ClientClass;
use crate::network::Network;
use crate::transport::McpRequest;

/// Who asks.
#[derive(Debug)]
pub(super) struct Caller {
    principal: Principal,
    /// Only accounts have one.
    standing: Option<Standing>,
}

impl Caller {
    /// Finds out who asks, unless that is known already, and what their account may do.
    pub(super) async fn identify(
        parts: &Parts,
        post: &McpRequest,
        known: Option<Principal>,
    ) -> Result<Self, AuthRefusal> {
        let principal = match known {
            Some(principal) => principal,
            None => parts.auth.authenticate(&post.headers, post.endpoint).await?,
        };
        let standing = match principal.account() {
            None => None,
            Some(account) => Some(
                parts
                    .accounts
                    .standing(account)
                    .await
                    .map_err(|Unconfirmed { retry_after }| AuthRefusal::Unverifiable { retry_after })?,
            ),
        };
        Ok(Self { principal, standing })
    }

    /// Someone who brought no credentials.
    pub(super) fn anonymous(principal: Principal) -> Self {
        Self { principal, standing: None }
    }

    pub(super) fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The account and its standing; `None` without a sign-in.
    pub(super) fn account(&self) -> Option<(&Account, &Standing)> {
        self.principal.account().zip(self.standing.as_ref())
    }

    /// Who asks, as far as limits care. Whoever calls from `chatgpt` without an account shares its addresses with
    /// many others.
    pub(super) fn asker(&self, address: IpAddr, chatgpt: &[Network]) -> Asker {
        match self.account() {
            Some((account, standing)) => Asker::Account { id: account.id(), allowance: standing.allowance },
            None if lies_in(address, chatgpt) => Asker::Chatgpt(address),
            None => Asker::Anonymous(address),
        }
    }

    pub(super) fn client_class(&self, address: IpAddr, chatgpt: &[Network]) -> ClientClass {
        match self.principal.account().map(Account::client) {
            Some(ClientKind::Chatgpt) => ClientClass::Chatgpt,
            Some(ClientKind::Other) => ClientClass::LinkedGeneric,
            None if lies_in(address, chatgpt) => ClientClass::ChatgptIp,
            None => ClientClass::Unknown,
        }
    }
}

fn lies_in(address: IpAddr, networks: &[Network]) -> bool {
    networks.iter().any(|network| network.contains(address))
}
