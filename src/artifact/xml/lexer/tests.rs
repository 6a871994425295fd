//! Pieces of any size, and cuts anywhere.

use std::fmt::Write as _;
use std::io::BufReader;

use super::*;

fn show(source: &mut dyn BufRead) -> String {
    let mut lexer = Lexer::new(source, 1);
    let mut shown = String::new();
    while let Some(token) = lexer.next() {
        match token {
            Token::Open(tag, empty) => write!(shown, "<{tag}{}>", if empty { "|" } else { "" }).unwrap(),
            Token::Close(name) => write!(shown, "</{name}>").unwrap(),
            Token::Text(text) | Token::Literal(text) => shown.push_str(text),
            Token::DocumentType => shown.push_str("!D"),
            Token::Comment => {}
            Token::Cut(what) => write!(shown, "!cut in {what}").unwrap(),
        }
    }
    format!("{shown} {}", lexer.line())
}

const ALL: &str = "<?xml version='1.0'?>\n<!DOCTYPE t [<!ENTITY a \"x>\">\n]>\n<a b='>' c=\"it's\"\n d=\"\"/><!-- <x> --->t&amp;u<![CDATA[a]]b]]]>x > ]]]]><![CDATA[>]]><p:q >&#x41;</ p:q > a < b &";

#[test]
fn every_part_is_found_in_pieces_of_any_size() {
    let whole = "\n!D\n<a b='>' c=\"it's\"\n d=\"\"|>t&amp;ua]]b]x > ]]]]>><p:q >&#x41;</p:q> a < b & 5";
    for size in [1, 2, 3, 5, 7, 64, 4096] {
        assert_eq!(show(&mut BufReader::with_capacity(size, ALL.as_bytes())), whole, "{size}");
    }
}

#[test]
fn what_is_cut_off_is_said_after_what_could_be_read() {
    let cut = |text: &str| show(&mut text.as_bytes());
    assert_eq!(cut("<a><![CDATA[b]"), "<a>b!cut in a section of literal text 1");
    assert_eq!(cut("<a>b</a"), "<a>b!cut in an end tag 1");
    assert_eq!(cut("<a b='>"), "!cut in a tag 1");
    assert_eq!(cut("<!-- x --"), "!cut in a comment 1");
    assert_eq!(cut("<!DOCTYPE a [ >"), "!cut in a document type 1");
    for end in 0..ALL.len() {
        cut(&ALL[..end]);
    }
}
