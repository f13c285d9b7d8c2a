//! The two endpoints and what each lists.

/// An MCP endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// `/mcp`: the tools that every client gets.
    Core,
    /// `/mcp/full`: those and the discovery tools.
    Full,
}

impl Profile {
    /// Every endpoint.
    pub const ALL: [Self; 2] = [Self::Core, Self::Full];

    /// The path, without a trailing slash.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Core => "/mcp",
            Self::Full => "/mcp/full",
        }
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
