//! The endpoints: what each lists, and whether it wants a sign-in from the first request.

/// Where the document stands that says how to sign in, for clients that know no endpoint yet.
pub const METADATA_ROOT: &str = "/.well-known/oauth-protected-resource";

/// The set of tools that an endpoint lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// `/mcp`: the tools that every client gets.
    Core,
    /// `/mcp/full`: those and the discovery tools.
    Full,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 2] = [Self::Core, Self::Full];

    /// The path, without a trailing slash.
    #[must_use]
    pub fn path(self) -> &'static str {
        Endpoint { profile: self, sign_in: SignIn::Optional }.path()
    }

    /// The word in docs and capabilities.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Full => "full",
        }
    }
}

/// Whether an endpoint wants a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignIn {
    /// Some of its tools work without one.
    Optional,
    /// Nothing works without one; for clients that sign in only where the first request is refused.
    Needed,
}

/// An MCP endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// What it lists.
    pub profile: Profile,
    /// Whether it wants a token from the first request.
    pub sign_in: SignIn,
}

impl Endpoint {
    /// The endpoint that everything else is named after.
    pub const CORE: Self = Self { profile: Profile::Core, sign_in: SignIn::Optional };

    /// Every endpoint.
    pub const ALL: [Self; 4] = [
        Self::CORE,
        Self { profile: Profile::Full, sign_in: SignIn::Optional },
        Self { profile: Profile::Core, sign_in: SignIn::Needed },
        Self { profile: Profile::Full, sign_in: SignIn::Needed },
    ];

    /// The path, without a trailing slash.
    #[must_use]
    pub fn path(self) -> &'static str {
        match (self.profile, self.sign_in) {
            (Profile::Core, SignIn::Optional) => "/mcp",
            (Profile::Full, SignIn::Optional) => "/mcp/full",
            (Profile::Core, SignIn::Needed) => "/mcp/linked",
            (Profile::Full, SignIn::Needed) => "/mcp/full/linked",
        }
    }

    /// Where the document stands that says how to sign in for it.
    #[must_use]
    pub fn metadata_path(self) -> &'static str {
        match (self.profile, self.sign_in) {
            (Profile::Core, SignIn::Optional) => "/.well-known/oauth-protected-resource/mcp",
            (Profile::Full, SignIn::Optional) => "/.well-known/oauth-protected-resource/mcp/full",
            (Profile::Core, SignIn::Needed) => "/.well-known/oauth-protected-resource/mcp/linked",
            (Profile::Full, SignIn::Needed) => "/.well-known/oauth-protected-resource/mcp/full/linked",
        }
    }

    /// Whether every request to it needs a token.
    #[must_use]
    pub fn needs_sign_in(self) -> bool {
        self.sign_in == SignIn::Needed
    }

    /// The endpoint with the same tools that wants a token from the first request.
    #[must_use]
    pub fn linked(self) -> Self {
        Self { sign_in: SignIn::Needed, ..self }
    }
}
