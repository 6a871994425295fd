//! Parts of a document as small trees: most formats are a list of items, each of which is read whole.

use quick_xml::events::{BytesStart, Event};

use super::{Document, attributes};

/// Elements nested deeper than this in an item are not kept.
const DEPTH_LIMIT: usize = 40;
/// Elements of one item beyond this many are not kept.
const ELEMENTS_LIMIT: usize = 10_000;
/// Text of one element beyond this is not kept, nor are its attributes.
const TEXT_LIMIT: usize = 256 << 10;
/// Nor is more than this of one item.
const ITEM_LIMIT: usize = 4 << 20;
/// What an element costs besides what is written in it.
const ELEMENT_COST: usize = 64;
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
        let mut left = TEXT_LIMIT;
        let mut cut = |text: &str| {
            let kept = &text[..text.floor_char_boundary(left)];
            left -= kept.len();
            kept.to_owned()
        };
        let name = cut(tag.local_name().into_inner());
        // Trimmed once: the same attribute may be asked for by every item below.
        let attributes = attributes(tag).into_iter().map(|(key, value)| (cut(&key), cut(value.trim()))).collect();
        Self { name, attributes, line, last: line, ..Self::default() }
    }

    /// How much is kept of its tag.
    fn cost(&self) -> usize {
        let attributes = self.attributes.iter().map(|(key, value)| key.len() + value.len() + ELEMENT_COST);
        ELEMENT_COST + self.name.len() + attributes.sum::<usize>()
    }

    /// An attribute; empty when there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        self.attributes.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
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
                Event::End(_) if deeper > 0 => deeper -= 1,
                Event::End(_) => drop(around.pop()),
                _ => {}
            }
        }
    }

    /// The first element with all that is in it.
    pub(super) fn first(&mut self) -> Option<Element> {
        loop {
            let (event, line) = self.next()?;
            if let Event::Start(tag) = event {
                let element = Element::of(&tag, line);
                return Some(self.rest_of(element));
            }
        }
    }

    /// Everything up to the end of an element that was opened.
    fn rest_of(&mut self, element: Element) -> Element {
        let mut item = Item { left: ITEM_LIMIT, ..Item::default() };
        item.open(element);
        while let Some((event, line)) = self.next() {
            match event {
                Event::Start(tag) if item.has_room() => item.open(Element::of(&tag, line)),
                Event::Start(_) => item.skipped += 1,
                Event::End(_) if item.skipped > 0 => item.skipped -= 1,
                Event::End(_) => {
                    if let Some(whole) = item.close(line) {
                        return whole;
                    }
                }
                Event::Text(text) => item.text(&text),
                _ => {}
            }
        }
        // The document ended inside.
        loop {
            let line = item.open.last().map_or(0, |element| element.last);
            if let Some(whole) = item.close(line) {
                return whole;
            }
        }
    }
}

/// An item as far as it was read.
#[derive(Default)]
struct Item {
    /// The elements that are open, outermost first.
    open: Vec<Element>,
    /// Elements open inside of these that are not kept.
    skipped: usize,
    kept: usize,
    /// How much more is kept.
    left: usize,
}

impl Item {
    fn has_room(&self) -> bool {
        self.skipped == 0 && self.open.len() < DEPTH_LIMIT && self.kept < ELEMENTS_LIMIT && self.left > 0
    }

    fn open(&mut self, element: Element) {
        self.kept += 1;
        self.left = self.left.saturating_sub(element.cost());
        self.open.push(element);
    }

    fn text(&mut self, text: &str) {
        let Some(element) = self.open.last_mut().filter(|_| self.skipped == 0) else { return };
        let room = TEXT_LIMIT.saturating_sub(element.text.len()).min(self.left);
        let text = &text[..text.floor_char_boundary(room)];
        self.left -= text.len();
        element.text.push_str(text);
    }

    /// Closes the innermost element; gives the item when that is it.
    fn close(&mut self, line: u32) -> Option<Element> {
        let Some(mut closed) = self.open.pop() else { return Some(Element::default()) };
        closed.last = line;
        match self.open.last_mut() {
            Some(parent) => {
                parent.children.push(closed);
                None
            }
            None => Some(closed),
        }
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

    #[test]
    fn what_is_kept_of_an_item_is_bounded() {
        let long = "x".repeat(1 << 20);
        let wide = format!("<r><i a='{long}' b='{long}'>{}</i><i/></r>", format!("<c>{long}</c>").repeat(10));
        let found = items(&wide);
        assert_eq!(found.len(), 2);
        let (_, item) = &found[0];
        assert_eq!(item.get("a").len() + item.get("b").len() + "ia".len(), TEXT_LIMIT);
        assert!(item.whole_text().len() < ITEM_LIMIT);
        let tags = format!("<r><i>{}</i></r>", format!("<c a='{long}'/>").repeat(100));
        assert!(items(&tags)[0].1.children.len() < 20);
    }
}
