//! `check-config`: what it says, word for word.

use super::{code, folder, ono_sendai, stderr, stdout};

/// Name, file, and the lines that are wanted without the name of the file in front.
const BROKEN: &[(&str, &str, &[&str])] = &[(
    "unquoted address",
    "[server]\nlisten = 127.0.0.1:8443\n",
    &["2: not TOML"],
)];

fn check(name: &str, text: &str) -> (i32, String, String) {
    let file = folder("check-config").join(format!("{}.toml", name.replace(' ', "-")));
    std::fs::write(&file, text).expect("a file");
    let path = file.to_str().expect("text");
    let output = ono_sendai(&["check-config", path]);
    (
        code(&output),
        stdout(&output),
        stderr(&output).replace(&format!("{path}:"), ""),
    )
}

#[test]
fn every_mistake_is_named_with_its_line_and_what_is_accepted() {
    for (name, text, wanted) in BROKEN {
        let (code, out, err) = check(name, text);
        assert_eq!((code, out.as_str()), (2, ""), "{name}");
        assert_eq!(err.lines().collect::<Vec<_>>(), *wanted, "{name}");
    }
}
