//! What the answers of an endpoint say. Names count, and namespaces do not: endpoints have different ones.

use quick_xml::Reader;
use quick_xml::events::Event;

/// The texts of an answer, each with the names of the elements around it.
pub(crate) struct Texts {
    all: Vec<(Vec<String>, String)>,
}

impl Texts {
    /// `None` if it is no XML, or is cut off.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::from_reader(bytes);
        let (mut path, mut all, mut text, mut ended) = (Vec::<String>::new(), Vec::new(), String::new(), false);
        loop {
            match reader.read_event().ok()? {
                Event::Start(element) => {
                    // Nothing that S3 answers is so deep.
                    if ended || path.len() >= 16 {
                        return None;
                    }
                    path.push(String::from_utf8(element.local_name().as_ref().to_vec()).ok()?);
                    text.clear();
                }
                Event::Empty(element) => {
                    path.push(String::from_utf8(element.local_name().as_ref().to_vec()).ok()?);
                    all.push((path.clone(), String::new()));
                    path.pop();
                }
                Event::Text(part) => text.push_str(&part.xml10_content().ok()?),
                Event::CData(part) => text.push_str(&part.decode().ok()?),
                Event::GeneralRef(part) => text.push_str(match &*part.decode().ok()? {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "quot" => "\"",
                    "apos" => "'",
                    _ => return None,
                }),
                Event::End(_) => {
                    all.push((path.clone(), std::mem::take(&mut text)));
                    path.pop()?;
                    ended = path.is_empty();
                }
                Event::Eof => return (ended && path.is_empty()).then_some(Self { all }),
                Event::DocType(_) => return None,
                _ => {}
            }
        }
    }

    /// The name of the element around all.
    pub(crate) fn root(&self) -> &str {
        self.all.first().and_then(|(path, _)| path.first()).map_or("", String::as_str)
    }

    /// The texts at a path below the root.
    pub(crate) fn at<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
        self.all.iter().filter(move |(path, _)| path.iter().skip(1).eq(names.iter())).map(|(_, text)| text.trim())
    }

    pub(crate) fn first<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all.iter().find(|(path, _)| path.len() == 2 && path[1] == name).map(|(_, text)| text.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_names_alone() {
        let list = r#"<?xml version="1.0"?><a:ListBucketResult xmlns:a="x"><IsTruncated>false</IsTruncated>
            <Contents><Key>a&amp;b</Key></Contents><Contents><Key>c</Key></Contents><Prefix/></a:ListBucketResult>"#;
        let texts = Texts::read(list.as_bytes()).unwrap();
        assert_eq!(texts.root(), "ListBucketResult");
        assert_eq!(texts.first("IsTruncated"), Some("false"));
        assert_eq!(texts.at(&["Contents", "Key"]).collect::<Vec<_>>(), ["a&b", "c"]);
        assert_eq!(texts.first("Prefix"), Some(""));
    }

    #[test]
    fn what_is_cut_off_is_no_answer() {
        let whole = b"<Error><Code>SlowDown</Code></Error>";
        assert!(Texts::read(whole).is_some());
        for end in 0..whole.len() {
            assert!(Texts::read(&whole[..end]).is_none(), "{end}");
        }
        assert!(Texts::read(b"<Error></Error><Error></Error>").is_none());
        assert!(Texts::read(b"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>").is_none());
        assert!(Texts::read("<a>".repeat(20).as_bytes()).is_none());
    }
}
