//! Pages of lists.

/// The page of a list that is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    pub offset: usize,
    pub limit: usize,
}

/// A page of a list, and the number of rows of the whole list.
#[derive(Debug)]
pub struct Page<T> {
    pub rows: Vec<T>,
    pub total: usize,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), total: 0 }
    }
}

impl PageRequest {
    /// Collects the page of a list whose rows are pushed one after the other.
    pub fn collect<T>(self) -> PageCollector<T> {
        PageCollector { request: self, page: Page::default() }
    }
}

#[derive(Debug)]
pub struct PageCollector<T> {
    request: PageRequest,
    page: Page<T>,
}

impl<T> PageCollector<T> {
    /// Adds a row to the list if it matches.
    pub fn push_if(&mut self, matches: bool, row: T) {
        if !matches {
            return;
        }
        self.push_with(|| row);
    }

    /// Adds a row to the list. It is made only if it is on the page.
    pub fn push_with(&mut self, row: impl FnOnce() -> T) {
        if self.page.total >= self.request.offset && self.page.rows.len() < self.request.limit {
            self.page.rows.push(row());
        }
        self.page.total += 1;
    }

    pub fn page(self) -> Page<T> {
        self.page
    }
}
