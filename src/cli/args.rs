//! How commands and their options are spelled, and what their values become.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use url::Url;

use super::DATA_VARIABLE;
use super::admin::AdminCommand;
use super::crate_sim::CrateSimArguments;
use super::exit::Exit;
use super::token::Token;
use super::version;
use crate::app::{DEMO_CERTIFICATE_FILE, DEMO_SUBJECT};
use crate::config::{DATA_FOLDER, LogLevel, PORT, PublicBase, Server};
use crate::host::is_loopback;

/// Verified music facts for AI assistants, over MCP.
#[derive(Debug, Parser)]
#[command(name = "ono-sendai", version = version::own(), after_help = exit_codes())]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve the built-in demo catalogue on this machine, and say how to connect to it
    Demo {
        /// The address and port to listen on
        #[arg(long, value_name = "ADDRESS:PORT", default_value_t = Server::default().listen, value_parser = socket)]
        listen: SocketAddr,
        #[arg(long, value_name = "FOLDER", help = data_help())]
        data: Option<PathBuf>,
        /// The least important line that is written to stderr: error, warn, info, debug or trace
        #[arg(long, value_name = "LEVEL", default_value = LogLevel::Info.as_str(), value_parser = log_level)]
        log_level: LogLevel,
    },
    /// Serve as a configuration file says
    Serve {
        /// The configuration file
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
    },
    /// Report every mistake in a configuration file
    CheckConfig {
        /// The configuration file
        file: PathBuf,
    },
    /// Examine everything that a server needs: certificate, folders, database, port, open files, data service, issuer, accounts, clock
    Doctor {
        /// The configuration file
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
    },
    /// Call one tool of a running server
    Call(CallArguments),
    /// Stand in for the data service: the demo catalogue in its form, with a key, a plan and faults
    CrateSim(CrateSimArguments),
    /// List the tools
    Tools {
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Say how many tokens the list costs a model
        #[arg(long)]
        tokens: bool,
    },
    /// Print a token of the built-in issuer of a demo, or of the server that a configuration file describes
    Token {
        /// The name to sign in under
        #[arg(long = "as", value_name = "NAME", default_value = DEMO_SUBJECT, value_parser = subject)]
        subject: String,
        /// The configuration file of the server, when it is not a demo
        #[arg(long, value_name = "FILE", conflicts_with_all = ["listen", "data"])]
        config: Option<PathBuf>,
        /// The address and port that the demo listens on
        #[arg(long, value_name = "ADDRESS:PORT", default_value_t = Server::default().listen, value_parser = socket)]
        listen: SocketAddr,
        #[arg(long, value_name = "FOLDER", help = data_help())]
        data: Option<PathBuf>,
    },
    /// Put a backup in the place of what a server keeps, while it does not run
    Restore {
        /// The backup, as `admin backup` wrote it
        file: PathBuf,
        #[arg(long, value_name = "FOLDER", help = data_help())]
        data: Option<PathBuf>,
    },
    /// Put what can still be read of a damaged database in its place, while no server runs
    Salvage {
        #[arg(long, value_name = "FOLDER", help = data_help())]
        data: Option<PathBuf>,
    },
    /// Ask and set what an operator may, in a server that runs on this machine
    Admin {
        #[arg(long, value_name = "FOLDER", help = data_help(), global = true)]
        data: Option<PathBuf>,
        #[command(subcommand)]
        command: AdminCommand,
    },
    /// Print the version
    Version,
}

/// One call, as typed.
#[derive(Debug, Args)]
pub(super) struct CallArguments {
    /// The tool, such as resolve_artist
    #[arg(value_parser = tool_name)]
    pub(super) tool: String,
    /// Its arguments, such as q="Four Tet"
    #[arg(value_name = "KEY=VALUE", value_parser = argument)]
    pub(super) arguments: Vec<(String, String)>,
    /// The MCP address of the server
    #[arg(long, default_value_t = default_endpoint(), value_parser = endpoint)]
    pub(super) url: Url,
    /// A bearer token
    #[arg(long, value_name = "TOKEN")]
    pub(super) token: Option<Token>,
    /// Print the raw envelope, as when piped
    #[arg(long)]
    pub(super) json: bool,
    #[arg(long, value_name = "FILE", help = ca_help())]
    pub(super) ca: Option<PathBuf>,
}

fn log_level(text: &str) -> Result<LogLevel, String> {
    LogLevel::ALL
        .iter()
        .copied()
        .find(|level| level.as_str() == text)
        .ok_or_else(|| "accepted: error, warn, info, debug, trace".to_owned())
}

fn data_help() -> String {
    format!(
        "The folder for the certificate and everything else it keeps \
         [default: {DATA_VARIABLE} from the environment, else {DATA_FOLDER}]"
    )
}

fn ca_help() -> String {
    format!(
        "A PEM file with the certificate to trust [default for this machine: {DEMO_CERTIFICATE_FILE} in the \
         folder that {DATA_VARIABLE} names, else in {DATA_FOLDER}]"
    )
}

#[expect(clippy::expect_used, reason = "localhost with a port is an address")]
fn default_endpoint() -> Url {
    Url::parse(&PublicBase::localhost(PORT).join("/mcp")).expect("an address")
}

fn exit_codes() -> String {
    let mut text = "Exit codes:".to_owned();
    for exit in Exit::ALL {
        text.push_str(&format!("\n  {}  {}", exit.code(), exit.meaning()));
    }
    text
}

/// A name that is sent in a header too, so it is plain from the start.
fn tool_name(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    if text.is_empty() || text.len() > 128 || !text.bytes().all(plain) {
        return Err("a tool has 1 to 128 letters, digits, _ - . or / in its name".to_owned());
    }
    Ok(text.to_owned())
}

fn subject(text: &str) -> Result<String, String> {
    let sound =
        (1..=100).contains(&text.chars().count()) && text.len() <= 255 && !text.chars().any(char::is_control);
    if sound {
        Ok(text.to_owned())
    } else {
        Err("a name has 1 to 100 characters on one line, and 255 bytes at most".to_owned())
    }
}

fn argument(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write it as key=value, such as q=\"Four Tet\"".to_owned()),
    }
}

pub(super) fn socket(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write an IP address and a port, such as 127.0.0.1:8446".to_owned())
}

fn endpoint(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("not an address: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a name or password in the address is not sent; use --token".to_owned());
    }
    let loopback = url.host().is_some_and(|host| is_loopback(&host));
    match url.scheme() {
        "https" => Ok(url),
        "http" if loopback => Ok(url),
        _ => Err("use https (plain http is for this machine only)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::data_folder;
    use crate::config::Config;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_defaults_of_demo_are_those_of_the_shipped_demo_file() {
        let Command::Demo { listen, data, log_level } =
            Arguments::try_parse_from(["x", "demo"]).unwrap().command
        else {
            panic!("not demo")
        };
        let shipped = Config::parse("demo", include_str!("../../config/demo.toml")).unwrap();
        assert_eq!(Config::demo(listen, data_folder(data, None)), shipped);
        assert_eq!(log_level, shipped.log.level);
    }

    #[test]
    fn an_argument_is_split_at_its_first_sign() {
        assert_eq!(argument("q=a=b"), Ok(("q".to_owned(), "a=b".to_owned())));
        assert_eq!(argument("q="), Ok(("q".to_owned(), String::new())));
        assert!(argument("q").is_err());
        assert!(argument("=x").is_err());
    }

    #[test]
    fn an_address_to_listen_on_has_numbers_only() {
        assert!(socket("127.0.0.1:8446").is_ok());
        assert!(socket("[::1]:0").is_ok());
        for bad in ["localhost:8446", "127.0.0.1", ":8446"] {
            assert!(socket(bad).unwrap_err().contains("such as 127.0.0.1:8446"), "{bad}");
        }
    }

    #[test]
    fn a_token_never_leaves_the_machine_in_the_clear() {
        for (url, accepted) in [
            ("https://mcp.example.org/mcp", true),
            ("http://localhost:8080/mcp", true),
            ("http://[::1]:8080/mcp", true),
            ("http://mcp.example.org/mcp", false),
            ("https://user:secret@mcp.example.org/mcp", false),
            ("ftp://localhost/", false),
            ("localhost:8443", false),
        ] {
            assert_eq!(endpoint(url).is_ok(), accepted, "{url}");
        }
    }

    #[test]
    fn what_was_typed_can_be_shown_without_its_token() {
        let typed = ["x", "call", "find", "--token", "s3cr3t"];
        let arguments = Arguments::try_parse_from(typed).unwrap();
        assert!(!format!("{arguments:?}").contains("s3cr3t"));
    }
}
