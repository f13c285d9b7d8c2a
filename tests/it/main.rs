//! Everything here drives the program from outside, the way a stranger would.

mod fixtures;
