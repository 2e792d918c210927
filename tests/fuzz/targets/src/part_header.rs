//! The header of a part of a form, which names the file.

use crate::support::texts;
use crate::upload::read;

pub fn part_header(data: &[u8]) {
    let parameters: Vec<u8> = data.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if let Some(name) = file_name(&parameters) {
        // Decoding only shortens: each character is at least a byte of what was sent.
        assert!(name.chars().count() <= parameters.len(), "{name:?}");
    }

    let [name, before] = texts(data);
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let before: String = before.chars().filter(char::is_ascii_alphanumeric).take(20).collect();
    // As RFC 8187 has it, after a parameter that nobody knows.
    let encoded = name.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    if encoded.len() < 4_000 {
        let header = format!("x{before}=\"{before}\"; filename=\"other\"; filename*=UTF-8''{encoded}");
        assert_eq!(file_name(header.as_bytes()).as_deref(), Some(name.as_str()));
    }
    // As browsers have it.
    if name.len() < 2_000 {
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        assert_eq!(file_name(format!("filename=\"{quoted}\"; a={before}").as_bytes()).as_deref(), Some(name.as_str()));
    }
}

/// The name of a file whose part has these parameters.
fn file_name(parameters: &[u8]) -> Option<String> {
    let header = b"--B\r\nContent-Disposition: form-data; name=\"file\"; ";
    read(&[header, parameters, b"\r\n\r\n%PDF-\r\n--B--\r\n"].concat()).map(|upload| upload.name)
}
