//! The headers of a form and its parts: the boundary of its `Content-Type`, and `Content-Disposition` (RFC 6266, RFC 7578).
//!
//! Browsers and most clients send file names as raw UTF-8; some also as `filename*` (RFC 8187), which then counts.

use percent_encoding::percent_decode_str;

/// The parameters of the header that name the field and its file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ContentDisposition {
    pub(super) name: Option<String>,
    /// As the client has it, decoded. Not safe as a path.
    pub(super) file_name: Option<String>,
}

impl ContentDisposition {
    /// Reads the parameters, with names in any case. Of several with the same name, the first counts. `filename*` wins
    /// over `filename`, unless it cannot be decoded.
    pub(super) fn parse(header: &[u8]) -> Self {
        let header = String::from_utf8_lossy(header);
        let (mut name, mut plain, mut extended) = (None, None, None);
        for (parameter, value) in parameters(&header) {
            match parameter.to_ascii_lowercase().as_str() {
                "name" => set(&mut name, Some(value)),
                "filename" => set(&mut plain, Some(value)),
                "filename*" => set(&mut extended, decode_extended(&value)),
                _ => {}
            }
        }
        Self { name, file_name: extended.or(plain) }
    }
}

/// The boundary in a `Content-Type` of a form. Some clients send one with characters such as `=` without quotes.
pub(super) fn boundary(content_type: &str) -> Option<String> {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let mut parameters = parameters(content_type).into_iter();
    let (_, boundary) = parameters.find(|(name, _)| name.eq_ignore_ascii_case("boundary"))?;
    (essence.eq_ignore_ascii_case("multipart/form-data") && (1..=70).contains(&boundary.len())).then_some(boundary)
}

fn set(parameter: &mut Option<String>, value: Option<String>) {
    if parameter.is_none() {
        *parameter = value;
    }
}

/// The parameters after the type, with unquoted values.
fn parameters(header: &str) -> Vec<(String, String)> {
    let mut rest = header.split_once(';').map_or("", |(_, rest)| rest);
    let mut parameters = Vec::new();
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.rsplit(';').next().unwrap_or_default().trim();
        let (value, after) = value(after.trim_start());
        parameters.push((name.to_owned(), value));
        rest = after;
    }
    parameters
}

/// The value at the beginning of the text, and the text after it.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (token, rest) = text.split_once(';').unwrap_or((text, ""));
        return (token.trim().to_owned(), rest);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices().peekable();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return (value, quoted.get(index + 1..).unwrap_or_default()),
            // Only quotes and backslashes are escaped: some clients send the backslashes of Windows paths as they are.
            '\\' => match characters.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            character => value.push(character),
        }
    }
    (value, "")
}

/// An extended value: `UTF-8'language'percent-encoded`. `None` if it cannot be decoded.
fn decode_extended(value: &str) -> Option<String> {
    let mut parts = value.splitn(3, '\'');
    let (charset, _, encoded) = (parts.next()?, parts.next()?, parts.next()?);
    let decoded = percent_decode_str(encoded).decode_utf8().ok()?;
    charset.eq_ignore_ascii_case("utf-8").then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file_name(parameters: &str) -> Option<String> {
        ContentDisposition::parse(format!("form-data; name=\"file\"; {parameters}").as_bytes()).file_name
    }

    #[test]
    fn parameter_names_are_case_insensitive() {
        for header in [
            r#"form-data; name="file"; filename="a.pdf""#,
            r#"form-data; NAME="file"; FileName="a.pdf""#,
            "Form-Data;name=file;FILENAME=a.pdf",
            r#"form-data ; filename = "a.pdf" ; Name = "file""#,
            r#"form-data; size=7; name="file"; filename="a.pdf"; filename="b.pdf""#,
        ] {
            let expected = ContentDisposition { name: Some("file".to_owned()), file_name: Some("a.pdf".to_owned()) };
            assert_eq!(ContentDisposition::parse(header.as_bytes()), expected, "{header}");
        }
        assert_eq!(ContentDisposition::parse(b"form-data"), ContentDisposition::default());
        assert_eq!(ContentDisposition::parse(b""), ContentDisposition::default());
    }

    #[test]
    fn reads_file_names() {
        for (parameters, expected) in [
            (r#"filename="日本.pdf""#, Some("日本.pdf")),
            (r#"filename="a; b=\"c\".pdf""#, Some(r#"a; b="c".pdf"#)),
            (r#"filename="C:\scans\a.pdf""#, Some(r"C:\scans\a.pdf")),
            (r#"filename="""#, Some("")),
            (r#"filename="a.pdf"#, Some("a.pdf")),
            ("filename*=UTF-8''%E6%97%A5%E6%9C%AC.pdf", Some("日本.pdf")),
            ("FileName*=utf-8'sv'%C3%85.pdf", Some("Å.pdf")),
            (r#"filename="fallback.pdf"; filename*=UTF-8''%E6%97%A5.pdf"#, Some("日.pdf")),
            (r#"filename*=UTF-8''%E6%97%A5.pdf; filename="fallback.pdf""#, Some("日.pdf")),
            (r#"filename="fallback.pdf"; filename*=UTF-8''%FF.pdf"#, Some("fallback.pdf")),
            (r#"filename="fallback.pdf"; filename*=koi8-r''%C1.pdf"#, Some("fallback.pdf")),
            (r#"filename="fallback.pdf"; filename*=a.pdf"#, Some("fallback.pdf")),
            ("filename*=a.pdf", None),
            (r#"filename="=?UTF-8?Q?a?=.pdf""#, Some("=?UTF-8?Q?a?=.pdf")),
            ("", None),
        ] {
            assert_eq!(file_name(parameters).as_deref(), expected, "{parameters}");
        }
        let latin_1 = ContentDisposition::parse(b"form-data; name=\"file\"; filename=\"\xc5.pdf\"");
        assert_eq!(latin_1.file_name.as_deref(), Some("\u{fffd}.pdf"));
    }

    proptest! {
        #[test]
        fn every_quoted_name_is_read_as_it_was_sent(name in "[^\\x00-\\x1f]{0,40}") {
            let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
            prop_assert_eq!(file_name(&format!("filename=\"{quoted}\"")), Some(name));
        }

        #[test]
        fn no_header_panics(header: Vec<u8>) {
            ContentDisposition::parse(&header);
        }
    }
}
