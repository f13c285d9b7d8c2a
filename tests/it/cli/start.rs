//! Servers that cannot start: one line each, and exit code 3.

use std::net::{Ipv4Addr, TcpListener};

use super::{code, folder, ono_sendai, stderr};

/// Starts a demo that must not come up; the one line that it leaves.
fn failed(listen: &str, data: &str) -> String {
    let output = ono_sendai(&["demo", "--listen", listen, "--data", data]);
    let said = stderr(&output);
    assert_eq!((code(&output), said.lines().count()), (3, 1), "{said}");
    assert!(output.stdout.is_empty(), "{output:?}");
    said
}

#[test]
fn a_taken_port_is_one_line_that_names_it_and_ends_with_3() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let data = folder("taken-port");
    let said = failed(&address, data.to_str().expect("text"));
    assert!(said.contains(&address) && said.contains("is taken"), "{said}");
}

#[test]
fn an_address_of_another_machine_is_one_line_and_ends_with_3() {
    let data = folder("other-machine");
    let said = failed("192.0.2.1:8443", data.to_str().expect("text"));
    assert!(said.contains("192.0.2.1:8443"), "{said}");
}

#[test]
fn a_data_folder_that_cannot_be_used_is_one_line_that_names_it_and_ends_with_3() {
    let file = folder("data-folder").join("a-file");
    std::fs::write(&file, "not a folder").expect("a file");
    let below = file.join("data");
    for data in [file.as_path(), below.as_path(), std::path::Path::new("/proc/none/data")] {
        let data = data.to_str().expect("text");
        let said = failed("127.0.0.1:0", data);
        assert!(said.contains(data) && said.contains("uid"), "{said}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "not a folder");
}
