//! What `demo` prints when it is ready: how to call it, and how to add it to clients.

use std::fmt;
use std::path::{Path, PathBuf};

use super::output::shell_word;
use crate::app::{DemoToken, Started};
use crate::config::{DATA_FOLDER, PORT};

/// Everything that the lines below differ in.
pub(super) struct Guide {
    url: String,
    certificate: Option<String>,
    certificate_is_new: bool,
    command: String,
    call_options: String,
    token: Option<DemoToken>,
}

impl Guide {
    /// The guide to a server that has just started with the data folder `data`.
    pub(super) fn new(started: &Started, data: &Path) -> Self {
        let port = started.address.port();
        let certificate = started
            .certificate
            .as_ref()
            .map(|file| file.path.canonicalize().unwrap_or_else(|_| file.path.clone()).display().to_string());
        let url = started.public_base.join("/mcp");
        let mut call_options = String::new();
        if port != PORT {
            call_options += &format!(" --url {url}");
        }
        // Also when the environment names the folder: the second terminal may not have it.
        if data.components().ne(Path::new(DATA_FOLDER).components())
            && let Some(certificate) = &certificate
        {
            call_options += &format!(" --ca {}", shell_word(certificate));
        }
        Self {
            url,
            certificate,
            certificate_is_new: started.certificate.as_ref().is_some_and(|file| file.is_new),
            command: command(std::env::var_os("CARGO").is_some(), std::env::current_exe().ok()),
            call_options,
            token: started.demo_token.clone(),
        }
    }
}

/// How this program is started a second time from the same folder.
fn command(under_cargo: bool, executable: Option<PathBuf>) -> String {
    match executable {
        Some(path) if under_cargo && path.ends_with("release/ono-sendai") => {
            "cargo run --release --".to_owned()
        }
        _ if under_cargo => "cargo run --".to_owned(),
        Some(path) => shell_word(&path.display().to_string()),
        None => "ono-sendai".to_owned(),
    }
}

impl fmt::Display for Guide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, certificate, certificate_is_new, command, call_options, token } = self;
        let node = certificate
            .as_ref()
            .map_or_else(String::new, |path| format!("NODE_EXTRA_CA_CERTS={} ", shell_word(path)));
        writeln!(f, "ono-sendai is ready: {url}")?;
        writeln!(f)?;
        writeln!(f, "Try it, from this folder in a second terminal:")?;
        writeln!(f, "  {command} call resolve_artist q=\"Four Tet\"{call_options}")?;
        writeln!(f)?;
        writeln!(f, "Claude Code:")?;
        writeln!(f, "  claude mcp add --transport http hosaka {url}")?;
        writeln!(f, "  {node}claude")?;
        writeln!(f)?;
        writeln!(f, "VS Code, in .vscode/mcp.json:")?;
        writeln!(f, "  {{ \"servers\": {{ \"hosaka\": {{ \"type\": \"http\", \"url\": \"{url}\" }} }} }}")?;
        writeln!(f, "  {node}code .")?;
        writeln!(f)?;
        writeln!(f, "MCP Inspector, with Node 22.19 or newer:")?;
        writeln!(
            f,
            "  {node}npx -y @modelcontextprotocol/inspector@2.12.0 --cli {url} --transport http --method tools/list"
        )?;
        writeln!(f)?;
        writeln!(f, "Any SDK: Streamable HTTP at {url}")?;
        if let Some(path) = certificate {
            writeln!(f, "  TypeScript: NODE_EXTRA_CA_CERTS={}", shell_word(path))?;
            writeln!(f, "  Python:     SSL_CERT_FILE={}", shell_word(path))?;
        }
        if let Some(token) = token {
            writeln!(f)?;
            writeln!(
                f,
                "Clients that can sign in do so by themselves; those that begin only when the first"
            )?;
            writeln!(
                f,
                "request is refused need {url}/linked. By hand, with a token that is good for an hour:"
            )?;
            writeln!(f, "  {command} call get_profile{call_options} --token TOKEN")?;
            writeln!(f, "Token: {}", token.reveal())?;
        }
        if *certificate_is_new {
            writeln!(f)?;
            writeln!(
                f,
                "The certificate was made just now: clients that trusted an earlier one need this one."
            )?;
        }
        writeln!(f)?;
        writeln!(
            f,
            "Hosted clients (Claude on the web, ChatGPT) cannot reach this machine: they need a server"
        )?;
        writeln!(f, "with a public https name. Stop with Ctrl-C.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::DemoCertificateFile;
    use crate::config::PublicBase;

    fn guide_to(port: u16, data: &str, is_new: bool) -> String {
        let path = Path::new("/no such/demo-cert.pem").to_owned();
        let started = Started {
            address: format!("127.0.0.1:{port}").parse().unwrap(),
            public_base: PublicBase::localhost(port),
            certificate: Some(DemoCertificateFile { path, is_new }),
            demo_token: None,
        };
        Guide::new(&started, Path::new(data)).to_string()
    }

    fn guide(port: u16, data: &str) -> String {
        guide_to(port, data, false)
    }

    #[test]
    fn a_certificate_that_is_new_is_said_to_be() {
        let new = "made just now";
        assert!(guide_to(PORT, DATA_FOLDER, true).contains(new));
        assert!(!guide_to(PORT, DATA_FOLDER, false).contains(new));
    }

    #[test]
    fn the_guide_names_every_way_in() {
        let text = guide(8443, "./ono-sendai-data");
        for wanted in [
            "ono-sendai is ready: https://localhost:8443/mcp\n",
            " call resolve_artist q=\"Four Tet\"\n",
            "claude mcp add --transport http hosaka https://localhost:8443/mcp\n",
            "NODE_EXTRA_CA_CERTS='/no such/demo-cert.pem' claude\n",
            ".vscode/mcp.json",
            "npx -y @modelcontextprotocol/inspector@2.12.0 --cli https://localhost:8443/mcp --transport http",
            "SSL_CERT_FILE='/no such/demo-cert.pem'\n",
            "public https name",
        ] {
            assert!(text.contains(wanted), "{wanted:?} is not in:\n{text}");
        }
    }

    #[test]
    fn the_call_to_paste_finds_another_port_and_folder() {
        let text = guide(9000, "/var/tmp/x");
        let wanted = "q=\"Four Tet\" --url https://localhost:9000/mcp --ca '/no such/demo-cert.pem'\n";
        assert!(text.contains(wanted), "{text}");
    }

    #[test]
    fn the_command_to_paste_is_the_one_that_was_used() {
        let release = Some(PathBuf::from("/src/target/release/ono-sendai"));
        assert_eq!(command(true, release.clone()), "cargo run --release --");
        assert_eq!(command(true, Some(PathBuf::from("/src/target/debug/ono-sendai"))), "cargo run --");
        assert_eq!(command(false, release), "/src/target/release/ono-sendai");
        assert_eq!(command(false, None), "ono-sendai");
    }
}
