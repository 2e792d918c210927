//! Pages of lists.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;

use super::keys;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    pub start: PageStart,
    pub limit: usize,
}

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageStart {
    /// After so many rows. New rows move the others to later pages.
    Offset(usize),
    /// After this row. Pages that follow each other this way show each row once, whatever is added meanwhile.
    After(Cursor),
}

impl PageStart {
    /// The start that a request names by its parameter `after`, which comes before an offset. What is no cursor, as an empty
    /// text, is the start of the list.
    pub fn new(after: Option<&str>, offset: usize) -> Self {
        match after {
            Some(after) => Cursor::parse(after).map_or(Self::Offset(0), Self::After),
            None => Self::Offset(offset),
        }
    }

    pub fn offset(&self) -> usize {
        match self {
            Self::Offset(offset) => *offset,
            Self::After(_) => 0,
        }
    }

    /// Whether a row with this sort key is on this or a later page, however many rows are before it.
    pub fn allows(&self, sort_key: &str) -> bool {
        match self {
            Self::Offset(_) => true,
            Self::After(cursor) => sort_key < cursor.sort_key(),
        }
    }
}

/// A place in a list: directly after the row with this sort key, whether there is one or not. It says nothing but a time and
/// an id, and means the same in every list of every merchant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(String);

impl Cursor {
    pub fn after(sort_key: impl Into<String>) -> Self {
        Self(sort_key.into())
    }

    /// Reads a cursor as it was displayed. `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let sort_key = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let (time, id) = sort_key.split_once('#')?;
        let time: Timestamp = time.parse().ok()?;
        let is_sort_key = keys::at_and_id(time, id) == sort_key && sort_key.len() <= keys::MAX_SK_BYTES;
        is_sort_key.then_some(Self(sort_key))
    }

    pub fn sort_key(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&URL_SAFE_NO_PAD.encode(&self.0))
    }
}

/// A page of a list, and the number of rows of the whole list.
#[derive(Debug)]
pub struct Page<T> {
    pub rows: Vec<T>,
    pub total: usize,
    /// Where the next page begins. `None` on the last one.
    pub next: Option<Cursor>,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), total: 0, next: None }
    }
}

impl PageRequest {
    /// Collects the page of a list whose rows are pushed one after the other.
    pub fn collect<T>(self) -> PageCollector<T> {
        PageCollector { request: self, page: Page::default(), last: String::new() }
    }
}

#[derive(Debug)]
pub struct PageCollector<T> {
    request: PageRequest,
    page: Page<T>,
    /// The sort key of the page's last row.
    last: String,
}

impl<T> PageCollector<T> {
    /// Adds a row to the list. It is made only if it is on the page.
    pub fn push_with(&mut self, sort_key: &str, row: impl FnOnce() -> T) {
        let start = &self.request.start;
        let is_reached = self.page.total >= start.offset() && start.allows(sort_key);
        self.page.total += 1;
        if !is_reached || self.page.next.is_some() {
            return;
        }
        if self.page.rows.len() < self.request.limit {
            self.page.rows.push(row());
            sort_key.clone_into(&mut self.last);
        } else {
            self.page.next = Some(Cursor::after(self.last.as_str()));
        }
    }

    pub fn page(self) -> Page<T> {
        self.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_displayed() {
        for id in ["o-1", "o#1", "å/+?&=%", ""] {
            let cursor = Cursor::after(keys::at_and_id("2026-01-01T10:00:00.001Z".parse().unwrap(), id));
            let text = cursor.to_string();
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{text}");
            assert_eq!(Cursor::parse(&text), Some(cursor));
        }
    }

    #[test]
    fn any_other_text_is_no_cursor() {
        let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
        for text in [
            "",
            "null",
            "2026-01-01T10:00:00.000Z#o-1",
            &encoded("o-1"),
            &encoded("2026-01-01#o-1"),
            &encoded("2026-01-01T10:00:00Z#o-1"),
            &encoded("2026-01-01T11:00:00.000+01:00#o-1"),
            &encoded(&format!("2026-01-01T10:00:00.000Z#{}", "x".repeat(1000))),
            &format!("{}=", encoded("2026-01-01T10:00:00.000Z#o-1")),
        ] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_cursor_comes_before_an_offset() {
        let cursor = Cursor::after("2026-01-01T10:00:00.000Z#o-1");
        assert_eq!(PageStart::new(Some(&cursor.to_string()), 3), PageStart::After(cursor));
        assert_eq!(PageStart::new(Some(""), 3), PageStart::Offset(0));
        assert_eq!(PageStart::new(Some("null"), 3), PageStart::Offset(0));
        assert_eq!(PageStart::new(None, 3), PageStart::Offset(3));
    }

    #[test]
    fn a_page_knows_whether_another_one_follows() {
        let page = |start: PageStart| {
            let mut page = PageRequest { start, limit: 2 }.collect();
            for sort_key in ["e", "d", "c", "b", "a"] {
                page.push_with(sort_key, || sort_key);
            }
            let page = page.page();
            (page.rows, page.next.map(|next| next.sort_key().to_owned()), page.total)
        };
        for (start, rows, next) in [
            (PageStart::Offset(0), vec!["e", "d"], Some("d")),
            (PageStart::Offset(3), vec!["b", "a"], None),
            (PageStart::Offset(5), vec![], None),
            (PageStart::After(Cursor::after("d")), vec!["c", "b"], Some("b")),
            (PageStart::After(Cursor::after("b-")), vec!["b", "a"], None),
            (PageStart::After(Cursor::after("a")), vec![], None),
        ] {
            assert_eq!(page(start.clone()), (rows, next.map(str::to_owned), 5), "{start:?}");
        }
    }
}
