//! The command line, as a person or a script meets it.

mod broken_automatic;
mod call;
mod check_config;
mod check_files;
mod demo;
mod doctor;
mod drain;
mod fake_server;
mod start;
mod stop;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::harness::Kept as _;

/// Runs the program in an empty folder, with nothing inherited that could change what it does.
fn ono_sendai(arguments: &[&str]) -> Output {
    ono_sendai_with(&[], arguments)
}

/// The same with these variables and no others.
fn ono_sendai_with(variables: &[(&str, &std::path::Path)], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .args(arguments)
        .current_dir(folder("cwd"))
        .env_clear()
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .kept_output()
        .expect("the program runs")
}

/// A folder of this test run.
fn folder(name: &str) -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{}", std::process::id())).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    folder
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("it ended by itself")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("stdout is text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("stderr is text")
}

#[test]
fn help_and_version_are_data_and_end_with_0() {
    for arguments in [&["--help"][..], &["-h"], &["help"], &["call", "--help"], &["--version"], &["version"]]
    {
        let output = ono_sendai(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{arguments:?}");
    }
    let commit = option_env!("ONO_SENDAI_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    let version = format!("ono-sendai {}{commit}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(stdout(&ono_sendai(&["version"])), version);
    assert_eq!(stdout(&ono_sendai(&["--version"])), version);
}

#[test]
fn help_names_every_exit_code() {
    let help = stdout(&ono_sendai(&["--help"]));
    for exit in ono_sendai::cli::Exit::ALL {
        assert!(help.contains(&format!("  {}  {}", exit.code(), exit.meaning())), "{exit:?} in {help}");
    }
}

#[test]
fn a_mistake_on_the_command_line_ends_with_1_and_says_what_it_is() {
    for (arguments, said) in [
        (&[][..], "Usage: ono-sendai <COMMAND>"),
        (&["sevre"], "unrecognized subcommand 'sevre'"),
        (&["serve"], "--config <FILE>"),
        (&["demo", "--listen", "8443"], "invalid value '8443' for '--listen <ADDRESS:PORT>'"),
        (&["demo", "--lisen", "x"], "unexpected argument '--lisen'"),
        (&["check-config"], "<FILE>"),
        (&["call"], "<TOOL>"),
        (&["call", "two words"], "1 to 128 letters, digits"),
        (&["call", "find", "q"], "write it as key=value"),
        (&["call", "find", "q=1", "q=2"], "error: q is given twice"),
        (&["call", "find", "--url", "http://mcp.example.org/mcp"], "use https"),
        (&["call", "find", "--url", "https://a:b@mcp.example.org/mcp"], "use --token"),
        (&["call", "find", "--token", "two words"], "a token has no spaces"),
        (&["call", "find", "--ca", "/dev/null"], "error: /dev/null cannot be read: not a regular file"),
        (&["tools", "--xml"], "unexpected argument '--xml'"),
    ] {
        let output = ono_sendai(arguments);
        assert_eq!(code(&output), 1, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_token_is_never_shown_back() {
    for more in [
        &["--token", "s3cr3t word"][..],
        &["--token", "s3cr3t", "--ca", "/dev/null"],
        &["--token", "s3cr3t", "--url", "x"],
    ] {
        let mut arguments = vec!["call", "find"];
        arguments.extend(more);
        let output = ono_sendai(&arguments);
        assert_eq!(code(&output), 1, "{more:?}");
        assert!(!stderr(&output).contains("s3cr3t"), "{}", stderr(&output));
    }
}

#[test]
fn output_that_nobody_reads_is_not_an_error_and_a_full_disk_is() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let mut version = Command::new(env!("CARGO_BIN_EXE_ono-sendai"));
    let output = version.arg("version").stdout(full).stderr(Stdio::piped()).output().expect("it runs");
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).starts_with("ono-sendai: cannot write the output: "), "{}", stderr(&output));

    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = Command::new(env!("CARGO_BIN_EXE_ono-sendai"))
        .arg("--help")
        .stdout(writer)
        .status()
        .expect("it runs");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn serve_with_a_faulty_configuration_ends_with_2_and_names_every_mistake() {
    let file = folder("serve").join("faulty.toml");
    std::fs::write(&file, "[server]\nlisen = 1\n\n[log]\nlevel = \"loud\"\n").expect("a file");
    let output = ono_sendai(&["serve", "--config", file.to_str().expect("text")]);
    assert_eq!(code(&output), 2);
    assert_eq!(stderr(&output).lines().count(), 2, "{}", stderr(&output));
    assert!(output.stdout.is_empty());
}
