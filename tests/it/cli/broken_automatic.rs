//! Configurations of an automatic certificate that cannot be meant.

/// Name, file, and the lines that are wanted without the name of the file in front.
pub const AUTOMATIC: &[(&str, &str, &[&str])] = &[
    (
        "automatic certificate beside one of files",
        "[tls]\ncertificate = \"c\"\nkey = \"k\"\n[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\"mcp.example.org\"]\nagree_to_terms = true\n",
        &[
            "10: acme.names: found names together with certificate and key under [tls]; accepted: one of the two",
        ],
    ),
    (
        "automatic certificate of a demo",
        "[server]\npublic_base = \"https://mcp.example.org\"\n[acme]\nnames = [\"mcp.example.org\"]\nagree_to_terms = true\n",
        &[
            "4: acme.names: found names together with fixture_mode = true; accepted: fixture_mode = false under [server]; a demo makes a certificate of its own",
        ],
    ),
    (
        "automatic certificate without agreement",
        "[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\"mcp.example.org\"]\n",
        &[
            "7: acme.agree_to_terms: found names without agree_to_terms = true; accepted: true, once you have read the terms of service of the authority",
        ],
    ),
    (
        "automatic certificate without the server's own name",
        "[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\"other.example.org\"]\nagree_to_terms = true\n",
        &[
            "7: acme.names: found names without mcp.example.org, which is that of public_base; accepted: every name that clients call the server by, that of public_base among them",
        ],
    ),
    (
        "automatic certificate for what cannot be proved",
        "[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\n  \"mcp.example.org\",\n  \"*.example.org\",\n  \"192.0.2.1\",\n  \"mcp.example.org:8443\",\n]\nagree_to_terms = true\n",
        &[
            "9: acme.names: found \"*.example.org\" in the list; accepted: a host name such as \"mcp.example.org\"; an address or a name with an asterisk cannot be proved this way",
            "10: acme.names: found \"192.0.2.1\" in the list; accepted: a host name such as \"mcp.example.org\"; an address or a name with an asterisk cannot be proved this way",
            "11: acme.names: found \"mcp.example.org:8443\" in the list; accepted: a host name such as \"mcp.example.org\"; an address or a name with an asterisk cannot be proved this way",
        ],
    ),
    (
        "automatic certificate for a name twice",
        "[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\n  \"mcp.example.org\",\n  \"api.example.org\",\n  \"MCP.example.org.\",\n]\nagree_to_terms = true\n",
        &["10: acme.names: found \"MCP.example.org.\" a second time in the list; accepted: each entry once"],
    ),
    (
        "automatic certificate for nothing",
        "[acme]\nagree_to_terms = true\ncontact = \"ops@example.org\"\n",
        &[
            "2: acme.names: found none, together with other keys of [acme]; accepted: the names to get a certificate for, or an empty [acme]",
        ],
    ),
    (
        "automatic certificate from an address without TLS",
        "[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\"mcp.example.org\"]\nagree_to_terms = true\ndirectory = \"http://ca.example.org/directory\"\ncontact = \"https://example.org\"\n",
        &[
            "9: acme.directory: found \"http://ca.example.org/directory\"; accepted: an https address without user, query or fragment",
            "10: acme.contact: found \"https://example.org\"; accepted: an e-mail address, or \"\" for none",
        ],
    ),
    (
        "half of an external account",
        "[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\"mcp.example.org\"]\nagree_to_terms = true\nexternal_account_id = \"kid-1\"\n",
        &[
            "9: acme.external_account_id: found an id without its key; accepted: both the id and its key, or neither",
        ],
    ),
    (
        "the other half of an external account",
        "[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\"mcp.example.org\"]\nagree_to_terms = true\nexternal_account_key_file = \"k\"\n",
        &[
            "9: acme.external_account_id: found a key without its id; accepted: both the id and its key, or neither",
        ],
    ),
    (
        "external account with a key that is none",
        "[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\"mcp.example.org\"]\nagree_to_terms = true\nexternal_account_id = \"kid-1\"\nexternal_account_key = \"SECRET SECRET\"\n",
        &[
            "10: acme.external_account_key: found a value that cannot be one; accepted: a key of at least 16 bytes in base64url, or \"\" for none",
        ],
    ),
    (
        "external account with two keys",
        "[server]\npublic_base = \"https://mcp.example.org\"\nfixture_mode = false\n[crate]\nkey = \"ck\"\n[acme]\nnames = [\"mcp.example.org\"]\nagree_to_terms = true\nexternal_account_id = \"kid-1\"\nexternal_account_key = \"AAAAAAAAAAAAAAAAAAAAAA\"\nexternal_account_key_file = \"k\"\n",
        &[
            "11: acme.external_account_key_file: found both external_account_key and external_account_key_file; accepted: one of them",
        ],
    ),
];
