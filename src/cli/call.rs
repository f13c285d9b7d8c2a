//! `call`: a small MCP client for people.
//!
//! Decides what is sent, whom to trust and how an answer is shown. Must never know a tool: names and
//! arguments go out as typed, and the envelope is read as any client would read it.

mod answer;
mod client;
mod render;
mod trust;

use std::collections::BTreeSet;
use std::path::Path;

use super::args::CallArguments;
use super::exit::Exit;
use super::output::{Style, complain, print};
use super::token::Token;
use answer::Reply;
use client::Failure;

/// Calls one tool and prints the answer. A demo on this machine keeps its certificate in `data_folder`.
pub(super) fn run(request: CallArguments, data_folder: &Path) -> Exit {
    let mut seen = BTreeSet::new();
    if let Some((twice, _)) = request.arguments.iter().find(|(key, _)| !seen.insert(key.as_str())) {
        complain(&format!("error: {twice} is given twice"));
        return Exit::Usage;
    }
    let authorization = match request.token.as_ref().map(Token::bearer).transpose() {
        Ok(authorization) => authorization,
        Err(reason) => {
            complain(&format!("error: --token: {reason}"));
            return Exit::Usage;
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("ono-sendai: cannot start the runtime: {error}"));
            return Exit::NotStarted;
        }
    };
    let style = Style::for_stdout();
    let readable = style.readable && !request.json;
    match runtime.block_on(client::call(&request, authorization, data_folder)) {
        Ok(Reply::Result(result)) => {
            let exit = if result.failed { Exit::RemoteError } else { Exit::Ok };
            let text = if readable { render::readable(&result, style) } else { render::raw(&result) };
            let printed = print(&text);
            if result.wants_token() && request.token.is_none() {
                complain("pass a token with --token TOKEN; `ono-sendai token` prints one of a demo's");
            }
            match printed {
                Exit::Ok => exit,
                unwritten => unwritten,
            }
        }
        Ok(Reply::Refused(line)) => {
            complain(&format!("error: {line}"));
            Exit::RemoteError
        }
        Err(Failure { exit, line }) => {
            complain(&format!("error: {line}"));
            exit
        }
    }
}
