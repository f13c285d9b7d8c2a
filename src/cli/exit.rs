//! The codes that the process ends with. Scripts and supervisors rely on them: they never change.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: it did what was asked.
    Ok,
    /// 1: the command line is wrong, or its output could not be written.
    Usage,
    /// 2: the configuration is wrong.
    Configuration,
    /// 3: the server could not start: port, certificate, data folder.
    NotStarted,
    /// 4: the server that was called answered with an error.
    RemoteError,
    /// 5: the server that should be called cannot be reached or is not trusted.
    NotReachable,
    /// 6: the store stopped answering; a supervisor should start the server again.
    StoreStopped,
}

impl Exit {
    /// Every code, in order.
    pub const ALL: &[Self] = &[
        Self::Ok,
        Self::Usage,
        Self::Configuration,
        Self::NotStarted,
        Self::RemoteError,
        Self::NotReachable,
        Self::StoreStopped,
    ];

    /// The number that the process ends with.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Usage => 1,
            Self::Configuration => 2,
            Self::NotStarted => 3,
            Self::RemoteError => 4,
            Self::NotReachable => 5,
            Self::StoreStopped => 6,
        }
    }

    /// What it means, in a few words.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "it did what was asked",
            Self::Usage => "the command line is wrong",
            Self::Configuration => "the configuration is wrong",
            Self::NotStarted => "the server could not start",
            Self::RemoteError => "the remote answered an error",
            Self::NotReachable => "the remote is not reachable or not trusted",
            Self::StoreStopped => "the store stopped answering",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_counted_without_a_gap() {
        let codes: Vec<usize> = Exit::ALL.iter().map(|exit| exit.code().into()).collect();
        assert_eq!(codes, (0..Exit::ALL.len()).collect::<Vec<_>>());
    }
}
