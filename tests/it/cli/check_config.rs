//! `check-config`: what it says, word for word.

use super::broken_automatic::AUTOMATIC;
use super::{code, folder, ono_sendai, stderr, stdout};

/// Name, file, and the lines that are wanted without the name of the file in front.
const BROKEN: &[(&str, &str, &[&str])] = &[
    (
        "unquoted address",
        "[server]\nlisten = 127.0.0.1:8443\n",
        &[
            "2: not TOML: found a value that is not quoted; accepted: text in double quotes, a number, true, false or a list",
        ],
    ),
    (
        "unquoted word",
        "[log]\nlevel = info\n",
        &[
            "2: not TOML: found a value that is not quoted; accepted: text in double quotes, a number, true, false or a list",
        ],
    ),
    (
        "no value",
        "[server]\nlisten =\n",
        &["2: not TOML: found no value; accepted: text in double quotes, a number, true, false or a list"],
    ),
    (
        "unclosed string",
        "[server]\nlisten = \"127.0.0.1:8443\npublic = false\n",
        &["2: not TOML: invalid basic string, expected `\"`"],
    ),
    (
        "unclosed section",
        "[server\nlisten = \"127.0.0.1:8443\"\n",
        &["1: not TOML: unclosed table, expected `]`"],
    ),
    ("same key twice", "[server]\npublic = false\npublic = false\n", &["3: not TOML: duplicate key"]),
    ("same section twice", "[server]\npublic = false\n[log]\n[server]\n", &["4: not TOML: duplicate key"]),
    ("not a pair", "[server]\npublic\n", &["2: not TOML: key with no value, expected `=`"]),
    (
        "syntax and meaning together",
        "[server]\nlisten = nowhere\nport = 1\n[log]\nlevel = \"loud\"\n",
        &[
            "2: not TOML: found a value that is not quoted; accepted: text in double quotes, a number, true, false or a list",
            "3: server.port: found an unknown key; accepted: listen, public_base, public, fixture_mode, data_dir",
            "5: log.level: found \"loud\"; accepted: \"error\", \"warn\", \"info\", \"debug\", \"trace\"",
        ],
    ),
    (
        "key unknown but near",
        "[server]\nlisen = \"127.0.0.1:1\"\n",
        &["2: server.lisen: found an unknown key; accepted: listen (the nearest name)"],
    ),
    (
        "key unknown and far",
        "[deadlines]\nport = 8443\n",
        &["2: deadlines.port: found an unknown key; accepted: call_ms, tool_ms"],
    ),
    (
        "operators at an address that others reach",
        "[operator]\nlisten = \"0.0.0.0:9464\"\n",
        &[
            "2: operator.listen: found \"0.0.0.0:9464\"; accepted: an address of the loopback and a port, such as \"127.0.0.1:9464\" or \"[::1]:9464\", or unix: and the absolute path of a socket of at most 107 bytes, or \"\" for none",
        ],
    ),
    (
        "operators at a path that depends on where it starts",
        "[server]\npublic = false\n\n[operator]\nlisten = \"unix:operator.sock\"\n",
        &[
            "5: operator.listen: found \"unix:operator.sock\"; accepted: an address of the loopback and a port, such as \"127.0.0.1:9464\" or \"[::1]:9464\", or unix: and the absolute path of a socket of at most 107 bytes, or \"\" for none",
        ],
    ),
    (
        "key of another section",
        "[server]\ncertificate = \"c.pem\"\n",
        &["2: server.certificate: found an unknown key; accepted: certificate under [tls]"],
    ),
    (
        "section unknown but near",
        "[servers]\npublic = false\n",
        &["1: [servers]: found an unknown section; accepted: [server] (the nearest name)"],
    ),
    (
        "section unknown and far",
        "[database]\npath = \"x\"\n",
        &[
            "1: [database]: found an unknown section; accepted: [server], [tls], [acme], [transport], [guard], [deadlines], [crate], [anonymous], [auth], [issuer], [accounts], [backup], [legal], [pages], [operator], [log]",
        ],
    ),
    (
        "key without a section",
        "listen = \"127.0.0.1:1\"\n",
        &["1: listen: found a key outside of every section; accepted: listen under [server] or [operator]"],
    ),
    (
        "stranger without a section",
        "verbose = true\n",
        &[
            "1: verbose: found a key outside of every section; accepted: keys under a section such as [server]",
        ],
    ),
    ("section as a value", "server = 3\n", &["1: server: found 3; accepted: a section, written [server]"]),
    (
        "section as a list",
        "[[log]]\nlevel = \"info\"\n",
        &["1: log: found a list; accepted: a section, written [log]"],
    ),
    (
        "address without a port",
        "[server]\nlisten = \"127.0.0.1\"\n",
        &[
            "2: server.listen: found \"127.0.0.1\"; accepted: an IP address and a port, such as \"127.0.0.1:8443\" or \"[::]:443\"",
        ],
    ),
    (
        "port as a number",
        "[server]\nlisten = 8443\n",
        &[
            "2: server.listen: found 8443; accepted: an IP address and a port, such as \"127.0.0.1:8443\" or \"[::]:443\"",
        ],
    ),
    (
        "base over http",
        "[server]\npublic_base = \"http://mcp.example.org\"\n",
        &[
            "2: server.public_base: found \"http://mcp.example.org\"; accepted: https://NAME or https://NAME:PORT in lower case, without a path or a final slash",
        ],
    ),
    (
        "base with a final slash",
        "[server]\npublic_base = \"https://mcp.example.org/\"\n",
        &[
            "2: server.public_base: found \"https://mcp.example.org/\"; accepted: https://NAME or https://NAME:PORT in lower case, without a path or a final slash",
        ],
    ),
    (
        "base with a path",
        "[server]\npublic_base = \"https://mcp.example.org/mcp\"\n",
        &[
            "2: server.public_base: found \"https://mcp.example.org/mcp\"; accepted: https://NAME or https://NAME:PORT in lower case, without a path or a final slash",
        ],
    ),
    (
        "flag as text",
        "[server]\npublic = \"yes\"\n",
        &["2: server.public: found \"yes\"; accepted: true or false"],
    ),
    (
        "empty data folder",
        "[server]\ndata_dir = \"\"\n",
        &["2: server.data_dir: found \"\"; accepted: the path of a folder"],
    ),
    (
        "fixture mode off",
        "[server]\nfixture_mode = false\n[tls]\ncertificate = \"c\"\nkey = \"k\"\n",
        &[
            "2: server.fixture_mode: found false without a key for the data service; accepted: key, key_file or key_credential under [crate], or fixture_mode = true for the built-in demo catalogue",
        ],
    ),
    (
        "fixture mode off without a certificate",
        "[server]\nfixture_mode = false\n",
        &[
            "2: server.fixture_mode: found false without a key for the data service; accepted: key, key_file or key_credential under [crate], or fixture_mode = true for the built-in demo catalogue",
        ],
    ),
    (
        "public demo",
        "[server]\npublic = true\npublic_base = \"https://mcp.example.org\"\n[legal]\noperator = \"A\"\ncontact = \"a@example.org\"\n",
        &[
            "2: server.public: found true together with fixture_mode = true; accepted: public = false; a public server must not serve the demo catalogue",
        ],
    ),
    (
        "public on loopback without an operator",
        "[server]\npublic = true\nfixture_mode = false\n[tls]\ncertificate = \"c\"\nkey = \"k\"\n",
        &[
            "2: server.public_base: found \"https://localhost:8443\" together with public = true; accepted: the https address that clients reach from outside, such as \"https://mcp.example.org\"",
            "2: server.public: found true without [legal] operator and contact; accepted: operator and contact under [legal]; a public server says who runs it",
            "3: server.fixture_mode: found false without a key for the data service; accepted: key, key_file or key_credential under [crate], or fixture_mode = true for the built-in demo catalogue",
        ],
    ),
    (
        "public with the certificate that is made",
        "[server]\npublic = true\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[legal]\noperator = \"A\"\ncontact = \"a@example.org\"\n",
        &[
            "2: server.public: found true without a certificate of its own; accepted: certificate and key under [tls], or names under [acme]; the one that is made is good for localhost only",
        ],
    ),
    (
        "two keys for the data service",
        "[crate]\nkey = \"ck_test_0123\"\nkey_file = \"k\"\n",
        &["3: crate.key_file: found both key and key_file; accepted: one of them"],
    ),
    (
        "key that is none, shown nowhere",
        "[crate]\nkey = \"ck_test_0123 ck_test_4567\"\n",
        &[
            "2: crate.key: found a value that cannot be one; accepted: a key as the service issued it, at most 200 letters, digits and marks, or \"\" for none",
        ],
    ),
    (
        "key without quotes, shown nowhere",
        "[crate]\nkey = ck_test_0123\n",
        &[
            "2: not TOML: found a value that is not quoted; accepted: text in double quotes, a number, true, false or a list",
        ],
    ),
    (
        "data service in the clear, and a switch that is none",
        "[crate]\nbase_url = \"http://crate.example.org\"\nsimilar = true\n",
        &[
            "2: crate.base_url: found \"http://crate.example.org\"; accepted: an https address without user, query or fragment, or http://localhost:PORT",
            "3: crate.similar: found true; accepted: \"auto\", \"on\", \"off\"",
        ],
    ),
    (
        "certificate alone",
        "[tls]\ncertificate = \"c.pem\"\n",
        &[
            "2: tls.certificate: found a certificate without a key; accepted: both certificate and key, or neither",
        ],
    ),
    (
        "key alone",
        "[tls]\ncertificate = \"\"\nkey = \"k.pem\"\n",
        &["3: tls.key: found a key without a certificate; accepted: both certificate and key, or neither"],
    ),
    (
        "number out of range",
        "[transport]\nhandshake_timeout_s = 0\nheader_limit_kib = 1\nhttp2_streams = 1001\n",
        &[
            "2: transport.handshake_timeout_s: found 0; accepted: a whole number of seconds from 1 to 120",
            "3: transport.header_limit_kib: found 1; accepted: a whole number of KiB from 4 to 256",
            "4: transport.http2_streams: found 1001; accepted: a whole number of streams from 1 to 1000",
        ],
    ),
    (
        "number that is negative",
        "[transport]\nconnections = -1\n",
        &["2: transport.connections: found -1; accepted: a whole number of connections from 1 to 100000"],
    ),
    (
        "number with a fraction",
        "[transport]\nidle_timeout_s = 1.5\n",
        &["2: transport.idle_timeout_s: found 1.5; accepted: a whole number of seconds from 5 to 3600"],
    ),
    (
        "number that is huge",
        "[transport]\nidle_timeout_s = 99999999999999999999999\n",
        &[
            "2: transport.idle_timeout_s: found 99999999999999999999999; accepted: a whole number of seconds from 5 to 3600",
        ],
    ),
    (
        "number as text",
        "[deadlines]\ntool_ms = \"12 s\"\n",
        &[
            "2: deadlines.tool_ms: found \"12 s\"; accepted: a whole number of milliseconds from 100 to 120000",
        ],
    ),
    (
        "date",
        "[deadlines]\ntool_ms = 2026-01-01\n",
        &["2: deadlines.tool_ms: found a date; accepted: a whole number of milliseconds from 100 to 120000"],
    ),
    (
        "call longer than tool",
        "[deadlines]\ncall_ms = 9000\ntool_ms = 8000\n",
        &[
            "2: deadlines.call_ms: found 9000 above tool_ms = 8000; accepted: at most tool_ms; one upstream call is a part of one tool call",
        ],
    ),
    (
        "call longer than the default tool",
        "[deadlines]\ncall_ms = 13000\n",
        &[
            "2: deadlines.call_ms: found 13000 above tool_ms = 12000; accepted: at most tool_ms; one upstream call is a part of one tool call",
        ],
    ),
    (
        "comment line after the idle end",
        "[transport]\nidle_timeout_s = 5\nsse_comment_s = 5\n",
        &[
            "3: transport.sse_comment_s: found 5 not below idle_timeout_s = 5; accepted: less than idle_timeout_s; the comment line keeps a waiting stream open",
        ],
    ),
    (
        "hosts and origins that no request could name",
        "[guard]\nextra_hosts = [\"example..org\"]\nextra_origins = [\"https://exam!ple.org\"]\n",
        &[
            "2: guard.extra_hosts: found \"example..org\" in the list; accepted: a host such as \"mcp.example.org\" or \"10.0.0.5:8443\"",
            "3: guard.extra_origins: found \"https://exam!ple.org\" in the list; accepted: an origin such as \"https://app.example.org\"",
        ],
    ),
    (
        "host with a path",
        "[guard]\nextra_hosts = [\"ok.example.org\", \"bad.example.org/mcp\"]\n",
        &[
            "2: guard.extra_hosts: found \"bad.example.org/mcp\" in the list; accepted: a host such as \"mcp.example.org\" or \"10.0.0.5:8443\"",
        ],
    ),
    (
        "lists on several lines",
        "[guard]\nextra_origins = [\n  \"https://ok.example.org\",\n  \"null\",\n  7,\n]\ntrusted_proxies = [\n  \"10.0.0.1/8\",\n]\n",
        &[
            "4: guard.extra_origins: found \"null\" in the list; accepted: an origin such as \"https://app.example.org\"",
            "5: guard.extra_origins: found 7 in the list; accepted: an origin such as \"https://app.example.org\"",
            "8: guard.trusted_proxies: found \"10.0.0.1/8\" in the list; accepted: an address or a network such as \"10.0.0.5\" or \"10.0.0.0/8\"",
        ],
    ),
    (
        "list as text",
        "[guard]\ntrusted_proxies = \"10.0.0.0/8\"\n",
        &[
            "2: guard.trusted_proxies: found \"10.0.0.0/8\"; accepted: a list; each entry an address or a network such as \"10.0.0.5\" or \"10.0.0.0/8\"",
        ],
    ),
    (
        "list of lists",
        "[guard]\nextra_hosts = [[\"x\"]]\n",
        &[
            "2: guard.extra_hosts: found a list in the list; accepted: a host such as \"mcp.example.org\" or \"10.0.0.5:8443\"",
        ],
    ),
    (
        "no pace",
        "[anonymous]\ncalls_per_minute = 0\n",
        &["2: anonymous.calls_per_minute: found 0; accepted: a whole number of calls from 1 to 1000000"],
    ),
    (
        "files of a wrong type",
        "[tls]\ncertificate = 5\nkey = true\n",
        &[
            "2: tls.certificate: found a value that names nothing; accepted: the path of a file, or \"\" for none",
            "3: tls.key: found a value that names nothing; accepted: the path of a file, or \"\" for none",
        ],
    ),
    (
        "addresses with what has no place in them",
        "[auth]\nissuer = \"https://id.example/?a=b\"\n[accounts]\nmode = \"hooked\"\nservice_url = \"https://id.example/#a\"\nservice_key_file = \"k\"\n",
        &[
            "2: auth.issuer: found \"https://id.example/?…\"; accepted: the https address that the issuer's tokens carry as iss (http on this machine only), without a query, or \"\" for none",
            "5: accounts.service_url: found \"https://id.example/?…\"; accepted: an https address (http on this machine only), without a user or a fragment, or \"\" for none",
        ],
    ),
    (
        "contact that is none",
        "[legal]\ncontact = \"ask around\"\noperator = \" \"\n",
        &[
            "2: legal.contact: found \"ask around\"; accepted: an e-mail address or an https address, or \"\" for none",
            "3: legal.operator: found \" \"; accepted: a name of at most 200 characters on one line, or \"\" for none",
        ],
    ),
    (
        "log format unknown",
        "[log]\nformat = \"xml\"\nlevel = \"INFO\"\n",
        &[
            "2: log.format: found \"xml\"; accepted: \"text\", \"json\"",
            "3: log.level: found \"INFO\"; accepted: \"error\", \"warn\", \"info\", \"debug\", \"trace\"",
        ],
    ),
    (
        "long and odd value",
        "[log]\nlevel = \"a\\u001bbxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n",
        &[
            "2: log.level: found \"a\\u{1b}bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\"; accepted: \"error\", \"warn\", \"info\", \"debug\", \"trace\"",
        ],
    ),
    (
        "nested section",
        "[server.tls]\nkey = \"k\"\n",
        &[
            "1: server.tls: found an unknown key; accepted: listen, public_base, public, fixture_mode, data_dir",
        ],
    ),
    (
        "key and credential for the data service",
        "[crate]\nkey_file = \"k\"\nkey_credential = \"crate-key\"\n",
        &["3: crate.key_credential: found both key_file and key_credential; accepted: one of them"],
    ),
    (
        "key in three places",
        "[crate]\nkey = \"ck\"\nkey_file = \"k\"\nkey_credential = \"crate-key\"\n",
        &["4: crate.key_credential: found all of key, key_file, key_credential; accepted: one of them"],
    ),
    (
        "credential that is a path, shown nowhere",
        "[crate]\nkey_credential = \"../ck_live_0123\"\n",
        &[
            "2: crate.key_credential: found a value that names nothing; accepted: the name of a credential that systemd gives, such as \"crate.key\", or \"\" for none",
        ],
    ),
    (
        "built-in issuer on a public server",
        "[server]\npublic = true\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[tls]\ncertificate = \"c\"\nkey = \"k\"\n[crate]\nkey_credential = \"k\"\n[issuer]\nenabled = true\n[legal]\noperator = \"A\"\ncontact = \"a@example.org\"\n",
        &[
            "11: issuer.enabled: found true together with public = true; accepted: false; whoever reaches the built-in issuer can sign in under any name",
        ],
    ),
    (
        "two issuers",
        "[auth]\nissuer = \"https://issuer.example.org\"\n[issuer]\nenabled = true\n",
        &[
            "2: auth.issuer: found another issuer together with the built-in one; accepted: either issuer under [auth], or enabled = true under [issuer]",
        ],
    ),
    (
        "key set without an issuer, and no algorithm",
        "[auth]\njwks_uri = \"https://issuer.example.org/jwks\"\nalgorithms = []\n",
        &[
            "2: auth.jwks_uri: found a key set without an issuer; accepted: issuer, or no jwks_uri",
            "3: auth.algorithms: found an empty list; accepted: at least one algorithm",
        ],
    ),
    (
        "algorithm that nobody should use",
        "[auth]\nalgorithms = [\"none\", \"HS256\", \"RS256\"]\n",
        &[
            "2: auth.algorithms: found \"none\" in the list; accepted: \"RS256\", \"ES256\" or \"EdDSA\"",
            "2: auth.algorithms: found \"HS256\" in the list; accepted: \"RS256\", \"ES256\" or \"EdDSA\"",
        ],
    ),
    (
        "issuer in the clear, who signs in shown nowhere",
        "[auth]\nissuer = \"http://me:secret@issuer.example.org/\"\n",
        &[
            "2: auth.issuer: found \"http://…@issuer.example.org/\"; accepted: the https address that the issuer's tokens carry as iss (http on this machine only), without a query, or \"\" for none",
        ],
    ),
    (
        "account service without its secret",
        "[accounts]\nmode = \"hooked\"\nservice_url = \"https://accounts.example.org\"\n",
        &[
            "2: accounts.mode: found \"hooked\" without service_url and a secret; accepted: service_url and one of service_key, service_key_file, service_key_credential, or mode = \"interim\"",
        ],
    ),
    (
        "account service that nobody asks",
        "[accounts]\nservice_key_credential = \"accounts\"\n",
        &[
            "2: accounts.service_url: found an account service together with mode = \"interim\"; accepted: mode = \"hooked\", or neither service_url nor a secret for it",
        ],
    ),
    (
        "secret that is too short, shown nowhere",
        "[accounts]\nservice_key = \"0123456789\"\n",
        &[
            "2: accounts.service_key: found a value that cannot be one; accepted: a secret of 32 to 512 characters, or \"\" for none",
        ],
    ),
    (
        "further certificates that are none",
        "[tls]\nmore = [\"c.pem\"]\n",
        &[
            "2: tls.more: found \"c.pem\" in the list; accepted: a list of tables, each written as [[tls.more]]",
        ],
    ),
    (
        "further certificates without a first one",
        "[[tls.more]]\ncertificate = \"c.pem\"\nkey = \"k.pem\"\n",
        &[
            "1: tls.more: found further pairs without a first one; accepted: certificate and key under [tls] too; clients that ask for another name are shown that pair",
        ],
    ),
    (
        "further certificates, each with a mistake of its own",
        "[tls]\ncertificate = \"c\"\nkey = \"k\"\n[[tls.more]]\ncertificate = \"c\"\n[[tls.more]]\ncertificate = \"c\"\nkey = \"k\"\ncert = \"c\"\n[[tls.more]]\n",
        &[
            "5: tls.more[0].certificate: found a certificate without a key; accepted: both certificate and key, or neither",
            "9: tls.more[1].cert: found an unknown key; accepted: certificate, certificate_credential, key, key_credential",
            "10: tls.more[2].certificate: found neither certificate nor key; accepted: both",
        ],
    ),
    (
        "certificate at a path and with systemd",
        "[tls]\ncertificate = \"c\"\ncertificate_credential = \"tls-certificate\"\nkey = \"k\"\n",
        &[
            "3: tls.certificate_credential: found both certificate and certificate_credential; accepted: one of them",
        ],
    ),
    (
        "everything at once",
        "[server]\nlisten = \"here\"\npublic = 1\n\n[transprot]\n\n[tls]\nkey = \"k\"\n\n[log]\nlevle = \"info\"\n",
        &[
            "2: server.listen: found \"here\"; accepted: an IP address and a port, such as \"127.0.0.1:8443\" or \"[::]:443\"",
            "3: server.public: found 1; accepted: true or false",
            "5: [transprot]: found an unknown section; accepted: [transport] (the nearest name)",
            "8: tls.key: found a key without a certificate; accepted: both certificate and key, or neither",
            "11: log.levle: found an unknown key; accepted: level (the nearest name)",
        ],
    ),
];

fn check(name: &str, text: &str) -> (i32, String, String) {
    let file = folder("check-config").join(format!("{}.toml", name.replace(' ', "-")));
    std::fs::write(&file, text).expect("a file");
    let path = file.to_str().expect("text");
    let output = ono_sendai(&["check-config", path]);
    (code(&output), stdout(&output), stderr(&output).replace(&format!("{path}:"), ""))
}

#[test]
fn every_mistake_is_named_with_its_line_and_what_is_accepted() {
    assert!(BROKEN.len() >= 60, "{} broken configurations", BROKEN.len());
    for (name, text, wanted) in BROKEN.iter().chain(AUTOMATIC) {
        let (code, out, err) = check(name, text);
        assert_eq!((code, out.as_str()), (2, ""), "{name}");
        assert_eq!(err.lines().collect::<Vec<_>>(), *wanted, "{name}");
    }
}

#[test]
fn a_sound_file_is_said_to_be_ok() {
    for file in ["config/ono-sendai.toml", "config/demo.toml"] {
        let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
        let output = ono_sendai(&["check-config", &path]);
        assert_eq!(
            (code(&output), stdout(&output), stderr(&output)),
            (0, format!("{path}: ok\n"), String::new())
        );
    }
}

#[test]
fn what_is_no_configuration_file_is_one_line_without_a_line_number() {
    let folder = folder("check-config");
    let folder = folder.to_str().expect("text");
    for (path, said) in [
        ("/proc/none", "/proc/none: cannot be read: No such file or directory (os error 2)\n".to_owned()),
        (folder, format!("{folder}: cannot be read: not a regular file\n")),
        ("/dev/zero", "/dev/zero: cannot be read: not a regular file\n".to_owned()),
    ] {
        let output = ono_sendai(&["check-config", path]);
        assert_eq!((code(&output), stderr(&output)), (2, said));
    }
}

#[test]
fn a_file_that_is_not_text_is_refused_at_the_line_where_it_stops_being_text() {
    let file = super::folder("check-config").join("latin1.toml");
    std::fs::write(&file, b"[legal]\n# caf\xe9\n").expect("a file");
    let path = file.to_str().expect("text");
    let output = ono_sendai(&["check-config", path]);
    assert_eq!((code(&output), stderr(&output)), (2, format!("{path}:2: not TOML: not UTF-8 text\n")));
}
