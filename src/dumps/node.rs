//! A packed XML file as a series of records, each a small tree.
//!
//! Decides where a record begins and ends, and what text and attributes are once escapes are undone. Knows nothing of
//! what a record is about.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion, escape};

use super::DumpError;

/// How deep elements of a record may lie in each other; the dumps need six.
const DEEPEST: usize = 24;

/// One element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<Node>,
}

impl Node {
    /// The elements that a path leads to, such as `urls/url`.
    pub(super) fn all<'a>(&'a self, path: &str) -> Vec<&'a Node> {
        path.split('/').fold(vec![self], |found, step| {
            found.into_iter().flat_map(|node| node.children.iter().filter(move |c| c.name == step)).collect()
        })
    }

    /// The text of the first element that a path leads to, if it has any.
    pub(super) fn text_of(&self, path: &str) -> Option<String> {
        self.all(path).first().and_then(|node| node.own_text())
    }

    /// Its text without control characters and blanks around it, if any is left.
    pub(super) fn own_text(&self) -> Option<String> {
        cleaned(&self.text)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        self.attributes.iter().find(|(own, _)| own == name).and_then(|(_, value)| cleaned(value))
    }

    /// Whether it has elements in it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.children.iter().any(|child| child.name == name)
    }

    fn opened(tag: &BytesStart<'_>) -> Result<Self, String> {
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| error.to_string())?;
            let value =
                attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| error.to_string())?;
            attributes.push((attribute.key.0.to_owned(), value.into_owned()));
        }
        Ok(Self { name: tag.name().0.to_owned(), attributes, ..Self::default() })
    }
}

fn cleaned(text: &str) -> Option<String> {
    let kept: String = text.chars().filter(|c| !c.is_control()).collect();
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}

/// Every record of a packed file whose root is `kind`, as `read` makes it; a record that says nothing is left out.
pub(super) fn records<T>(
    path: &Path,
    kind: &'static str,
    read: fn(&Node) -> Option<T>,
) -> Result<Vec<T>, DumpError> {
    let file = File::open(path).map_err(|source| DumpError::Read { path: path.to_owned(), source })?;
    let unpacked = BufReader::new(MultiGzDecoder::new(BufReader::new(file)));
    let mut found = Vec::new();
    each(unpacked, kind, |record| found.extend(read(record))).map_err(|reason| DumpError::Xml {
        path: path.to_owned(),
        kind,
        reason,
    })?;
    Ok(found)
}

/// Hands over one child of the root after the other.
fn each(source: impl BufRead, root: &str, mut take: impl FnMut(&Node)) -> Result<(), String> {
    let mut reader = Reader::from_reader(source);
    let mut buffer = Vec::new();
    let mut open: Vec<Node> = Vec::new();
    let mut in_root = false;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(|error| error.to_string())?;
        match &event {
            Event::Start(tag) if !in_root => {
                if tag.name().0 != root {
                    return Err("its first element is another".to_owned());
                }
                in_root = true;
            }
            Event::Start(_) if open.len() >= DEEPEST => return Err("elements lie too deep".to_owned()),
            Event::Start(tag) => open.push(Node::opened(tag)?),
            Event::Empty(tag) if in_root => close(Node::opened(tag)?, &mut open, &mut take),
            Event::End(_) => match open.pop() {
                Some(node) => close(node, &mut open, &mut take),
                // The root's own end.
                None => in_root = false,
            },
            Event::Text(text) => write(&mut open, &text.xml10_content()),
            Event::CData(text) => write(&mut open, &text.xml10_content()),
            Event::GeneralRef(entity) => {
                let name: &str = entity;
                let letter = entity.resolve_char_ref().map_err(|error| error.to_string())?;
                match (letter, escape::resolve_predefined_entity(name)) {
                    (Some(letter), _) => write(&mut open, letter.encode_utf8(&mut [0; 4])),
                    (None, Some(text)) => write(&mut open, text),
                    (None, None) => return Err("it names an entity that is not known".to_owned()),
                }
            }
            Event::Eof if in_root || !open.is_empty() => return Err("it ends too early".to_owned()),
            Event::Eof => return Ok(()),
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn close(node: Node, open: &mut [Node], take: &mut impl FnMut(&Node)) {
    match open.last_mut() {
        Some(parent) => parent.children.push(node),
        None => take(&node),
    }
}

fn write(open: &mut [Node], text: &str) {
    if let Some(node) = open.last_mut() {
        node.text.push_str(text);
    }
}

/// The records of a text.
#[cfg(test)]
pub(super) fn parsed(text: &str, root: &str) -> Result<Vec<Node>, String> {
    let mut found = Vec::new();
    each(text.as_bytes(), root, |node| found.push(node.clone())).map(|()| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Node>, String> {
        parsed(text, "artists")
    }

    #[test]
    fn escapes_are_undone_and_control_characters_left_out() {
        let text = "<artists>\n<artist><id>1</id><name>A &amp; B&#228;&#xdf;<![CDATA[<&>]]>&#13;</name>\
                    <empty/><label name=\"C &quot;D&quot;\" id=\"5\"/></artist>\n<artist/></artists>";
        let found = read(text).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].text_of("name").as_deref(), Some("A & Bäß<&>"));
        assert_eq!(found[0].text_of("empty"), None);
        assert_eq!(found[0].text_of("nothing/there"), None);
        assert_eq!(found[0].all("label")[0].attribute("name").as_deref(), Some("C \"D\""));
        assert_eq!(found[1], Node { name: "artist".to_owned(), ..Node::default() });
    }

    #[test]
    fn a_file_that_is_no_dump_or_ends_early_is_refused() {
        let deep = format!("<artists>{}", "<a>".repeat(100));
        for text in [
            "<labels><label/></labels>",
            "<artists><artist>",
            "<artists>",
            "<artists>&what;</artists>",
            &deep,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(read("<?xml version=\"1.0\"?><artists></artists>"), Ok(Vec::new()));
    }
}
