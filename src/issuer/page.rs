//! The pages that a person sees: the question whether a client may sign in, and what went wrong.
//!
//! Decides their words. Plain HTML: no script, nothing from another host; what a client says of itself is
//! shown as its claim.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::{HeaderValue, Response, StatusCode};
use url::Url;

use super::DEMO_SUBJECT;

/// What the question is about.
#[derive(Debug)]
pub(super) struct Question<'a> {
    /// What the client calls itself.
    pub(super) client: Option<&'a str>,
    /// Where the answer goes.
    pub(super) redirect: &'a Url,
    /// What is to be used.
    pub(super) resource: &'a str,
    /// The sealed request, which comes back with the decision.
    pub(super) request: &'a str,
    /// Where the decision is sent.
    pub(super) action: &'a str,
    /// Said above the form when the first try was not good.
    pub(super) complaint: Option<&'a str>,
}

/// The colours of the other pages, which this one cannot load: it takes nothing from anywhere.
const STYLE: &str = ":root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--soft:#f1f1ee;--line:#767676;--link:#0b4f9e;--mark:#7a3e00;--bad:#a3001b}\
@media(prefers-color-scheme:dark){:root{--ink:#ececec;--paper:#161616;--soft:#242424;--line:#9a9a9a;--link:#9cc5ff;--mark:#ffc98a;--bad:#ff9aa8}}\
*{box-sizing:border-box}\
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}\
main{max-width:34rem;margin:0 auto;padding:1.5rem 1rem;overflow-wrap:anywhere}\
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0 1rem}\
dl{margin:1rem 0;padding:.8rem 1rem;background:var(--soft);border-radius:.3rem}\
dt,label{display:block;font-weight:600}dd{margin:0}dd+dt{margin-top:.7rem}\
label{margin:1rem 0 .25rem}\
input,button{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:.3rem;padding:.55rem .9rem;min-height:2.75rem}\
input{width:100%}\
button{min-width:7rem;font-weight:600;margin:1rem .6rem 0 0;cursor:pointer}\
button[value=allow]{background:var(--link);color:var(--paper);border-color:var(--link)}\
:focus-visible{outline:3px solid var(--mark);outline-offset:2px}\
.note{border-left:.3rem solid var(--mark);padding-left:.8rem}\
.bad{border-color:var(--bad)}";

/// Asks whether the client may sign in.
pub(super) fn question(question: &Question<'_>) -> Response<Bytes> {
    let client = match question.client {
        Some(name) => format!("“{}” (the name that it gives itself)", escaped(name)),
        None => "A client that gives no name".to_owned(),
    };
    let complaint = question
        .complaint
        .map(|text| format!("<p class=\"note bad\" role=\"alert\">{}</p>\n", escaped(text)))
        .unwrap_or_default();
    let body = format!(
        "<h1>Sign in to hosaka music data</h1>\n\
         <p class=\"note\">This is the test sign-in of this server. It asks for no password: whoever reaches \
         this page can sign in under any name.</p>\n{complaint}\
         <p>{client} asks to use this server for you.</p>\n\
         <dl><dt>Your answer goes to</dt><dd>{redirect}</dd>\n<dt>It may use</dt><dd>{resource}</dd></dl>\n\
         <form method=\"post\" action=\"{action}\">\n\
         <input type=\"hidden\" name=\"request\" value=\"{request}\">\n\
         <label for=\"name\">Sign in as</label>\n\
         <input id=\"name\" name=\"name\" value=\"{DEMO_SUBJECT}\" maxlength=\"100\" required autocomplete=\"username\">\n\
         <button name=\"decision\" value=\"allow\">Allow</button>\n\
         <button name=\"decision\" value=\"deny\" formnovalidate>Deny</button>\n\
         </form>",
        redirect = escaped(&destination(question.redirect)),
        resource = escaped(question.resource),
        action = escaped(question.action),
        request = escaped(question.request),
    );
    // Some browsers hold the redirect after a form to this policy too, so the client's address is in it.
    page(StatusCode::OK, "Sign in", &body, &format!("'self' {}", source(question.redirect)))
}

/// Says what is wrong with a request that must not be answered at the client's address.
pub(super) fn problem(text: &str) -> Response<Bytes> {
    let body = format!(
        "<h1>This sign-in cannot go on</h1>\n<p class=\"note bad\">{}</p>\n\
         <p>Close this page and begin again in the program that you came from.</p>",
        escaped(text)
    );
    page(StatusCode::BAD_REQUEST, "Sign in", &body, "'none'")
}

fn page(status: StatusCode, title: &str, body: &str, form_action: &str) -> Response<Bytes> {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    );
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; \
         form-action {form_action}"
    );
    let mut response = Response::new(Bytes::from(html));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Not no-referrer: browsers would then hide the page's origin from its own form.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// What a person needs to know of an address: where it leads.
fn destination(url: &Url) -> String {
    match (url.scheme(), url.host_str()) {
        ("http" | "https", _) => url.origin().ascii_serialization(),
        (scheme, Some(host)) => format!("{scheme}://{host}"),
        (scheme, None) => format!("{scheme}: on this device"),
    }
}

/// The address as a source of a content security policy.
fn source(url: &Url) -> String {
    match url.scheme() {
        "http" | "https" => url.origin().ascii_serialization(),
        scheme => format!("{scheme}:"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(client: &str, redirect: &str) -> (String, String) {
        let redirect = Url::parse(redirect).unwrap();
        let response = question(&Question {
            client: Some(client),
            redirect: &redirect,
            resource: "https://localhost:8443/mcp",
            request: "sealed",
            action: "https://localhost:8443/issuer/authorize",
            complaint: None,
        });
        let policy = response.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        (String::from_utf8(response.body().to_vec()).unwrap(), policy)
    }

    #[test]
    fn what_a_client_calls_itself_is_text_and_nothing_runs_on_the_page() {
        let (page, policy) = asked("<script>alert(1)</script>\" onload='x'", "https://client.example/cb");
        assert!(!page.contains("<script") && !page.contains("onload='"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("https://client.example"), "{page}");
        assert!(policy.starts_with("default-src 'none';") && !policy.contains("script-src"), "{policy}");
        assert!(policy.ends_with("form-action 'self' https://client.example"), "{policy}");
    }

    #[test]
    fn an_app_is_named_by_its_scheme() {
        let (page, policy) = asked("x", "cursor://anysphere.cursor-mcp/oauth/callback");
        assert!(page.contains("cursor://anysphere.cursor-mcp"), "{page}");
        assert!(policy.ends_with("form-action 'self' cursor:"), "{policy}");
        let (page, _) = asked("x", "com.example.app:/cb");
        assert!(page.contains("com.example.app: on this device"), "{page}");
    }
}
