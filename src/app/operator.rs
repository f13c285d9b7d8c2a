//! The operator's socket, with the parts that it asks and sets.

use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Handle;

use crate::admin::{self, Standing};
use crate::pipeline::Parts;
use crate::tools::registry::ToolName;

/// Listens for the operator. A server without that still serves, and says so.
pub(super) fn listen(data: &Path, parts: Arc<Parts>, standing: Arc<Standing>) {
    let runtime = Handle::current();
    let tools = ToolName::ALL.map(ToolName::as_str);
    let folder = data.to_owned();
    let answer = move |verb| {
        let Parts { admission, accounts, client, .. } = &*parts;
        runtime.block_on(admin::answer(&folder, admission, accounts, client, &standing, &tools, verb))
    };
    if let Err(error) = admin::listen(data, answer) {
        tracing::warn!(%error, "there is no socket for `ono-sendai admin`");
    }
}
