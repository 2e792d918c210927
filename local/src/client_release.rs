//! A client as browsers load it: its scripts, styles and pictures under an address that changes with their content, so that they
//! can be kept for ever. Only the page itself is asked for again.
//!
//! The sources name each other by plain paths, such as `/kit/money.js`, and need no build: a release puts its prefix before them.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// The files of a client, by path.
pub type ClientFiles = BTreeMap<String, Vec<u8>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Follows from the content of all files.
    prefix: String,
    files: ClientFiles,
}

/// The path of the page, which has no prefix.
pub const PAGE: &str = "/index.html";
/// The path below which all other files are.
pub const RELEASES: &str = "/v/";
/// In bytes. Two releases of a client differ in them, but for one in four billion.
const HASH_LENGTH: usize = 4;

impl Release {
    pub fn new(files: &ClientFiles) -> Self {
        let prefix = format!("{RELEASES}{}", content_hash(files));
        let released = files.iter().map(|(path, content)| match str::from_utf8(content) {
            Ok(text) if names_files(path) => (path.clone(), with_prefix(text, &prefix, files).into_bytes()),
            _ => (path.clone(), content.clone()),
        });
        Self { files: released.collect(), prefix }
    }

    /// The page, whose address stays the same.
    pub fn page(&self) -> Option<&[u8]> {
        self.files.get(PAGE).map(Vec::as_slice)
    }

    /// The other files by their addresses.
    pub fn kept_files(&self) -> impl Iterator<Item = (String, &[u8])> {
        let kept = self.files.iter().filter(|(path, _)| *path != PAGE);
        kept.map(|(path, content)| (format!("{}{path}", self.prefix), content.as_slice()))
    }

    /// The file with this address. `None` for those of another release too.
    pub fn kept_file(&self, address: &str) -> Option<&[u8]> {
        let path = address.strip_prefix(&self.prefix).filter(|path| *path != PAGE)?;
        self.files.get(path).map(Vec::as_slice)
    }
}

/// The path of the file with this address of any release.
pub fn path_in_release(address: &str) -> Option<&str> {
    let rest = address.strip_prefix(RELEASES)?;
    rest.find('/').and_then(|end| rest.get(end..))
}

fn content_hash(files: &ClientFiles) -> String {
    let mut hash = Sha256::new();
    for (path, content) in files {
        hash.update(path.len().to_be_bytes());
        hash.update(path);
        hash.update(content.len().to_be_bytes());
        hash.update(content);
    }
    hex::encode(hash.finalize().get(..HASH_LENGTH).unwrap_or_default())
}

fn names_files(path: &str) -> bool {
    [".html", ".js", ".mjs"].iter().any(|extension| path.ends_with(extension))
}

/// Puts the prefix before each quoted path of a file of the client.
fn with_prefix(text: &str, prefix: &str, files: &ClientFiles) -> String {
    let mut written = String::with_capacity(text.len() + text.len() / 20);
    let mut pieces = text.split('"');
    written.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        written.push('"');
        if piece != PAGE && files.contains_key(piece) {
            written.push_str(prefix);
        }
        written.push_str(piece);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> ClientFiles {
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
    }

    const SOURCES: [(&str, &str); 4] = [
        ("/app.js", r#"import { a } from "/kit/a.js"; import "./b.js"; import { c } from "/config.js"; fetch("/api/a.js");"#),
        ("/b.js", "export const b = 1;"),
        ("/index.html", r#"<link href="/icon.svg" /><script type="module" src="/app.js"></script><a href="/index.html">"#),
        ("/kit/a.js", "export const a = 1;"),
    ];

    #[test]
    fn files_name_each_other_by_the_addresses_of_the_release() {
        let release = Release::new(&files(&SOURCES));
        let prefix = &release.prefix;
        let script = release.kept_file(&format!("{prefix}/app.js")).unwrap();
        let expected = format!(
            r#"import {{ a }} from "{prefix}/kit/a.js"; import "./b.js"; import {{ c }} from "/config.js"; fetch("/api/a.js");"#
        );
        assert_eq!(str::from_utf8(script).unwrap(), expected);
        // The icon is no file of this client.
        let expected =
            format!(r#"<link href="/icon.svg" /><script type="module" src="{prefix}/app.js"></script><a href="/index.html">"#);
        assert_eq!(str::from_utf8(release.page().unwrap()).unwrap(), expected);
    }

    #[test]
    fn any_change_changes_the_address_of_every_file() {
        let release = Release::new(&files(&SOURCES));
        assert_eq!(release, Release::new(&files(&SOURCES)));
        let mut changed = SOURCES;
        changed[3].1 = "export const a = 2;";
        let other = Release::new(&files(&changed));
        for (address, _) in release.kept_files() {
            assert!(other.kept_file(&address).is_none(), "{address}");
            assert!(release.kept_file(&address).is_some(), "{address}");
        }
        assert_eq!(release.kept_files().count(), 3);
    }

    #[test]
    fn the_page_and_foreign_paths_are_no_kept_files() {
        let release = Release::new(&files(&SOURCES));
        for address in ["/app.js", "/index.html", "/v/00000000/app.js", &format!("{}/index.html", release.prefix)] {
            assert!(release.kept_file(address).is_none(), "{address}");
        }
        assert_eq!(path_in_release("/v/00000000/kit/a.js"), Some("/kit/a.js"));
        assert_eq!(path_in_release("/v/00000000"), None);
        assert_eq!(path_in_release("/kit/a.js"), None);
    }
}
