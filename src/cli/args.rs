//! How commands and their options are spelled, and what their values become.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use http::HeaderValue;
use url::Url;

use super::exit::Exit;
use crate::config::host_is_loopback;

/// Verified music facts for AI assistants, over MCP.
#[derive(Debug, Parser)]
#[command(name = "ono-sendai", version, after_help = exit_codes())]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve the built-in demo catalogue on this machine, and say how to connect to it
    Demo {
        /// The address and port to listen on
        #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8443")]
        listen: SocketAddr,
        /// The folder for the certificate and everything else it keeps
        #[arg(long, value_name = "FOLDER", default_value = "./ono-sendai-data")]
        data: PathBuf,
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
    /// Call one tool of a running server
    Call(CallArguments),
    /// List the tools
    Tools {
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Say how many tokens the list costs a model
        #[arg(long)]
        tokens: bool,
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
    #[arg(long, default_value = "https://localhost:8443/mcp", value_parser = endpoint)]
    pub(super) url: Url,
    /// A bearer token
    // Parsed later: the parser of the command line would show a faulty one back.
    #[arg(long, value_name = "TOKEN")]
    pub(super) token: Option<String>,
    /// Print the raw envelope, as when piped
    #[arg(long)]
    pub(super) json: bool,
    /// A PEM file with the certificate to trust
    #[arg(long, value_name = "FILE")]
    pub(super) ca: Option<PathBuf>,
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

fn argument(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write it as key=value, such as q=\"Four Tet\"".to_owned()),
    }
}

fn endpoint(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("not an address: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a name or password in the address is not sent; use --token".to_owned());
    }
    let loopback = url.host().is_some_and(|host| host_is_loopback(&host));
    match url.scheme() {
        "https" => Ok(url),
        "http" if loopback => Ok(url),
        _ => Err("use https (plain http is for this machine only)".to_owned()),
    }
}

/// The Authorization header of a token; the error never repeats it.
pub(super) fn bearer(text: &str) -> Result<HeaderValue, String> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("a token has no spaces, line breaks or letters beyond ASCII".to_owned());
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {text}")).map_err(|error| error.to_string())?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_defaults_of_demo_are_those_of_the_shipped_demo_file() {
        let Command::Demo { listen, data } = Arguments::try_parse_from(["x", "demo"]).unwrap().command else {
            panic!("not demo")
        };
        let shipped = crate::config::Config::parse("demo", include_str!("../../config/demo.toml")).unwrap();
        assert_eq!(crate::config::Config::demo(listen, data), shipped);
    }

    #[test]
    fn an_argument_is_split_at_its_first_sign() {
        assert_eq!(argument("q=a=b"), Ok(("q".to_owned(), "a=b".to_owned())));
        assert_eq!(argument("q="), Ok(("q".to_owned(), String::new())));
        assert!(argument("q").is_err());
        assert!(argument("=x").is_err());
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
        let token = bearer("abc").unwrap();
        assert!(!format!("{token:?}").contains("abc"));
        assert!(bearer("a\nb").is_err());
    }
}
