//! Whether requests and answers are what the service's own description of itself allows.
//!
//! The description lies beside the repository where it can be had; it is not part of it. Without it, everything is
//! held to the demo's own document, which names the same fields and says less about them.

mod answers;
pub mod client;
mod document;

pub use document::Contract;

/// The service's document where it can be had, else the demo's own, with a loud word about it.
#[expect(clippy::print_stdout, reason = "a test says what it could not do")]
fn contract() -> &'static Contract {
    static CONTRACT: std::sync::OnceLock<Contract> = std::sync::OnceLock::new();
    CONTRACT.get_or_init(|| {
        Contract::of_the_service().unwrap_or_else(|| {
            println!(
                "SKIPPED: the service's own description is not here (ONO_SHARED names its folder); requests and \
                 answers were held to the demo's document only"
            );
            Contract::of_the_demo()
        })
    })
}
