//! Which paths of the crate a text names, however it spells them.

/// A word, or one other character.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    /// Two colons.
    Path,
    Other(char),
}

/// Every path from the crate's root that the code of `module` names, with its line.
///
/// `code` is free of comments and strings. `super` is followed through modules that are written inside
/// the file; `self` never leaves its module and is left out.
pub fn paths(module: &[String], code: &str) -> Vec<(usize, Vec<String>)> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    let mut inside: Vec<Option<String>> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (line, token) = &tokens[at];
        match token {
            Token::Other('{') => {
                let named = match (at.checked_sub(2).map(|two| &tokens[two].1), at.checked_sub(1)) {
                    (Some(Token::Word(word)), Some(before)) if word == "mod" => match &tokens[before].1 {
                        Token::Word(name) => Some(name.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                inside.push(named);
            }
            Token::Other('}') => {
                inside.pop();
            }
            Token::Word(word) if is_start(&tokens, at) => {
                let here: Vec<String> = module.iter().chain(inside.iter().flatten()).cloned().collect();
                let (base, after) = match word.as_str() {
                    "super" => {
                        let supers = climb(&tokens, at);
                        let left = here.len().checked_sub(supers);
                        let left = left.unwrap_or_else(|| panic!("line {line}: super leaves the crate"));
                        (here[..left].to_vec(), at + 2 * supers - 1)
                    }
                    _ => (Vec::new(), at + 1),
                };
                if tokens.get(after).map(|(_, token)| token) == Some(&Token::Path) {
                    let mut end = after + 1;
                    let mut tails = Vec::new();
                    tree(&tokens, &mut end, &base, &mut tails);
                    found.extend(tails.into_iter().map(|path| (*line, path)));
                    at = end;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Whether a path from a known place begins here.
fn is_start(tokens: &[(usize, Token)], at: usize) -> bool {
    let Token::Word(word) = &tokens[at].1 else { return false };
    let before = at.checked_sub(1).map(|before| &tokens[before].1);
    matches!(word.as_str(), "crate" | "super" | "ono_sendai")
        && !matches!(before, Some(Token::Path | Token::Other('$')))
}

/// How many `super` stand in a row.
fn climb(tokens: &[(usize, Token)], at: usize) -> usize {
    let is = |at: usize, wanted: &Token| tokens.get(at).is_some_and(|(_, token)| token == wanted);
    let word = Token::Word("super".to_owned());
    let mut supers = 1;
    while is(at + 2 * supers - 1, &Token::Path) && is(at + 2 * supers, &word) {
        supers += 1;
    }
    supers
}

/// Reads what follows two colons: a path, a star, or a group of either.
fn tree(tokens: &[(usize, Token)], at: &mut usize, base: &[String], found: &mut Vec<Vec<String>>) {
    let token = |at: usize| tokens.get(at).map(|(_, token)| token);
    match token(*at) {
        Some(Token::Word(word)) => {
            let mut path = base.to_vec();
            match word.as_str() {
                "self" => {}
                "super" => drop(path.pop()),
                _ => path.push(word.clone()),
            }
            *at += 1;
            if token(*at) == Some(&Token::Path) && !matches!(token(*at + 1), Some(Token::Other('<'))) {
                *at += 1;
                tree(tokens, at, &path, found);
            } else {
                found.push(path);
            }
        }
        Some(Token::Other('{')) => {
            *at += 1;
            while let Some(token) = token(*at) {
                match token {
                    Token::Other('}') => {
                        *at += 1;
                        break;
                    }
                    Token::Other(',') => *at += 1,
                    Token::Word(word) if word == "as" => *at += 2,
                    _ => tree(tokens, at, base, found),
                }
            }
        }
        _ => {
            // A star names everything in its module.
            found.push(base.iter().cloned().chain(["*".to_owned()]).collect());
            *at += 1;
        }
    }
}

fn tokens(code: &str) -> Vec<(usize, Token)> {
    let mut tokens = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !word.is_empty() {
                rest = &rest[word.len()..];
                tokens.push((number + 1, Token::Word(word)));
            } else if let Some(after) = rest.strip_prefix("::") {
                rest = after;
                tokens.push((number + 1, Token::Path));
            } else {
                rest = &rest[first.len_utf8()..];
                if !first.is_whitespace() {
                    tokens.push((number + 1, Token::Other(first)));
                }
            }
        }
    }
    tokens
}
