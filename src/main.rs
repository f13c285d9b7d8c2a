//! Parses the command line and hands over; everything else is in the library.

fn main() {}
