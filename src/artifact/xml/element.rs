//! Parts of a document as small trees: most formats are a list of items, each of which is read whole.

use quick_xml::events::{BytesStart, Event};

use super::{Document, attributes, reference};

/// Elements nested deeper than this in an item are not kept.
const DEPTH_LIMIT: usize = 40;
/// Elements of one item beyond this many are not kept.
const ELEMENTS_LIMIT: usize = 10_000;
/// Text of one element beyond this is not kept.
const TEXT_LIMIT: usize = 256 << 10;
/// Ancestors beyond this many are not named.
const ANCESTORS_LIMIT: usize = 64;

/// One element.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Element {
    /// Without its prefix.
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    /// Its own text, not that of its children.
    pub(super) text: String,
    pub(super) children: Vec<Element>,
    /// The 1-based line of the artifact on which its tag ends.
    pub(super) line: u32,
    /// The line on which it ends.
    pub(super) last: u32,
}

impl Element {
    fn of(tag: &BytesStart<'_>, line: u32) -> Self {
        let name = tag.local_name().into_inner().to_owned();
        Self { name, attributes: attributes(tag), line, last: line, ..Self::default() }
    }

    /// An attribute; empty when there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        self.attributes.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.trim())
    }

    /// An attribute as a number.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.get(name).parse().ok()
    }

    /// The first element below, at whatever depth, of a name.
    pub(super) fn below(&self, name: &str) -> Option<&Element> {
        self.children.iter().find_map(|child| if child.name == name { Some(child) } else { child.below(name) })
    }

    /// Every element below of a name, in the order of the document; what is inside of one is not searched.
    pub(super) fn every(&self, name: &str) -> Vec<&Element> {
        let mut found = Vec::new();
        for child in &self.children {
            if child.name == name {
                found.push(child);
            } else {
                found.extend(child.every(name));
            }
        }
        found
    }

    /// All text, of children as well.
    pub(super) fn whole_text(&self) -> String {
        let mut text = self.text.clone();
        for child in &self.children {
            text.push_str(&child.whole_text());
        }
        text
    }
}

impl Document<'_> {
    /// Gives every item, with the elements around it (tags alone, outermost first), to `visit`.
    ///
    /// An item that the document's end cuts off is given as far as it goes.
    pub(super) fn items(&mut self, is_item: impl Fn(&str) -> bool, mut visit: impl FnMut(&[Element], Element)) {
        let mut around: Vec<Element> = Vec::new();
        // Ancestors beyond the limit.
        let mut deeper = 0_usize;
        while let Some((event, line)) = self.next() {
            match event {
                Event::Start(tag) => {
                    let element = Element::of(&tag, line);
                    if is_item(&element.name) {
                        let item = self.rest_of(element);
                        visit(&around, item);
                    } else if around.len() < ANCESTORS_LIMIT {
                        around.push(element);
                    } else {
                        deeper += 1;
                    }
                }
                Event::Empty(tag) => {
                    let element = Element::of(&tag, line);
                    if is_item(&element.name) {
                        visit(&around, element);
                    }
                }
                Event::End(_) if deeper > 0 => deeper -= 1,
                Event::End(_) => drop(around.pop()),
                _ => {}
            }
        }
    }

    /// Everything up to the end of an element that was opened.
    pub(super) fn rest_of(&mut self, element: Element) -> Element {
        let mut open = vec![element];
        let (mut skipped, mut kept) = (0_usize, 0_usize);
        while let Some((event, line)) = self.next() {
            match event {
                Event::Start(tag) => {
                    if skipped > 0 || open.len() >= DEPTH_LIMIT || kept >= ELEMENTS_LIMIT {
                        skipped += 1;
                    } else {
                        kept += 1;
                        open.push(Element::of(&tag, line));
                    }
                }
                Event::Empty(tag) if skipped == 0 && kept < ELEMENTS_LIMIT => {
                    kept += 1;
                    if let Some(parent) = open.last_mut() {
                        parent.children.push(Element::of(&tag, line));
                    }
                }
                Event::End(_) if skipped > 0 => skipped -= 1,
                Event::End(_) => {
                    let Some(mut closed) = open.pop() else { break };
                    closed.last = line;
                    match open.last_mut() {
                        Some(parent) => parent.children.push(closed),
                        None => return closed,
                    }
                }
                Event::Text(text) if skipped == 0 => push(&mut open, &text),
                Event::CData(text) if skipped == 0 => push(&mut open, &text),
                Event::GeneralRef(name) if skipped == 0 => match reference(&name) {
                    Some(c) => push(&mut open, c.encode_utf8(&mut [0; 4])),
                    None => push(&mut open, &format!("&{};", &*name)),
                },
                _ => {}
            }
        }
        // The document ended inside.
        let mut whole = open.pop().unwrap_or_default();
        while let Some(mut parent) = open.pop() {
            parent.children.push(whole);
            whole = parent;
        }
        whole
    }
}

fn push(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        let room = TEXT_LIMIT.saturating_sub(element.text.len());
        element.text.push_str(&text[..text.floor_char_boundary(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<(usize, Element)> {
        let mut found = Vec::new();
        let mut bytes = text.as_bytes();
        Document::behind(&mut bytes, 0).items(|name| name == "i", |around, item| found.push((around.len(), item)));
        found
    }

    #[test]
    fn an_item_is_a_tree_with_its_place() {
        let found = items("<r><g a='1'>\n<i b='&lt;2'>x<c>y</c>&amp;z</i><i/></g></r>");
        assert_eq!(found.len(), 2);
        let (around, item) = &found[0];
        assert_eq!(
            (*around, item.get("b"), item.text.as_str(), item.below("c").unwrap().text.as_str(), item.line),
            (2, "<2", "x&z", "y", 2)
        );
        assert_eq!(item.whole_text(), "x&zy");
        assert!(item.below("d").is_none());
    }

    #[test]
    fn an_item_that_is_cut_off_is_kept_and_depth_is_bounded() {
        assert_eq!(items("<r><i><c>y").remove(0).1.below("c").unwrap().text, "y");
        let deep = format!("<r><i>{}", "<c>".repeat(100_000));
        assert_eq!(items(&deep).len(), 1);
        assert!(items(&"<r>".repeat(100_000)).is_empty());
    }
}
