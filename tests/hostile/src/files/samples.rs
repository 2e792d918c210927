//! Files that are not what they seem, or contain more than they should.

use std::collections::BTreeMap;

use world::SeededRandom;

use super::formats::{gif, jpeg, pdf, png, webp};

/// What no stored image may contain: it stands in metadata, comments, surplus bytes and what follows the end.
pub(super) const MARKER: &[u8] = b"CANARY<script>alert(document.domain)</script>";
/// The beginning of the marker, for files that were cut inside it.
pub(super) const MARKER_START: &[u8] = b"CANARY";

/// The largest file that is accepted.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// What must become of a file.
#[derive(Debug, Clone)]
pub(super) enum Fate {
    /// Also as a document, unless it is the beginning of one.
    Refused,
    /// Stored as exactly these bytes of this type.
    Image(&'static str, Vec<u8>),
    /// Refused as an image. All but what is refused altogether is stored unchanged as a document.
    Document,
    /// Refused, or stored as an image of this type without the marker.
    Harmless(&'static str),
}

#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) fate: Fate,
}

fn sample(name: impl Into<String>, bytes: impl Into<Vec<u8>>, fate: &Fate) -> Sample {
    Sample { name: name.into(), bytes: bytes.into(), fate: fate.clone() }
}

/// Samples of the same fate.
fn all_of<N: Into<String>>(fate: &Fate, files: impl IntoIterator<Item = (N, Vec<u8>)>) -> Vec<Sample> {
    files.into_iter().map(|(name, bytes)| sample(name, bytes, fate)).collect()
}

pub(super) const PNG: &str = "image/png";
pub(super) const JPEG: &str = "image/jpeg";
pub(super) const GIF: &str = "image/gif";
pub(super) const WEBP: &str = "image/webp";

/// All files, with `cuts` copies of each format that end too early and `damaged` copies with random changes.
pub(super) fn all(cuts: usize, damaged: usize, random: &mut SeededRandom) -> Vec<Sample> {
    let mut samples = [disguises(), sizes(), pdfs(), polyglots()].concat();
    let whole = [
        (PNG, png::with_metadata(MARKER)),
        (JPEG, jpeg::with_metadata(MARKER)),
        (GIF, gif::with_metadata(MARKER)),
        (WEBP, webp::with_metadata(MARKER)),
    ];
    let plain = [(PNG, png::plain()), (JPEG, jpeg::plain()), (GIF, gif::SMALLEST.to_vec()), (WEBP, webp::plain())];
    samples.extend(plain.map(|(content_type, bytes)| sample(content_type, bytes.clone(), &Fate::Image(content_type, bytes))));
    for (content_type, bytes) in whole {
        let step = bytes.len().div_ceil(cuts).max(1);
        for length in (0..bytes.len()).step_by(step) {
            let fate = if length == 0 { Fate::Refused } else { Fate::Harmless(content_type) };
            samples.push(sample(format!("{content_type} cut at {length}"), &bytes[..length], &fate));
        }
        for copy in 0..damaged {
            let mut bytes = bytes.clone();
            // Behind the signature, which decides the type. The marker moves and stays whole.
            let position = 16 + usize::try_from(random.below(i64::try_from(bytes.len() - 16).unwrap())).unwrap();
            let surplus = *random.pick(&[MARKER, b"\0CANARY", b"\xff\xffCANARY", b"-->CANARY<svg onload=alert(1)>"]);
            match copy % 3 {
                0 => bytes.truncate(position),
                1 => bytes[position] = bytes[position].wrapping_add(1),
                _ => drop(bytes.splice(position..position, *b"\0")),
            }
            bytes.extend(surplus);
            samples.push(sample(format!("{content_type} damaged {copy}"), bytes, &Fate::Harmless("any")));
        }
    }
    samples
}

/// What is no image and no PDF, whatever it is named or claims. In the file, a character is a byte.
fn disguises() -> Vec<Sample> {
    let listed: BTreeMap<String, String> = serde_json::from_str(include_str!("disguises.json")).unwrap();
    let utf_16 = |text: &str, little: bool| -> Vec<u8> {
        let units = format!("\u{feff}{text}");
        units.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    let files = listed.iter().map(|(name, text)| {
        let parts = [("{svg}", "SVG"), ("{html}", "HTML"), ("{zip}", "ZIP")];
        let text = parts.iter().fold(text.clone(), |text, (part, name)| text.replace(part, &listed[*name]));
        (name.clone(), text.chars().map(|character| u8::try_from(character).unwrap()).collect())
    });
    let made = [
        ("SVG in UTF-16", utf_16(&listed["SVG"], true)),
        ("SVG in big-endian UTF-16", utf_16(&listed["SVG"], false)),
        ("HTML in UTF-16", utf_16(&listed["HTML"], true)),
        ("HTML in big-endian UTF-16", utf_16(&listed["HTML"], false)),
        ("tar", [&[0; 257][..], b"ustar\x0000", &[0; 247]].concat()),
        ("ICO with a PNG", [&b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\x20\0\0\0\x16\0\0\0"[..], &png::plain()].concat()),
        ("GIF after a space", [b" ", gif::SMALLEST].concat()),
        ("GIF in lower case", gif::SMALLEST.to_ascii_lowercase()),
        ("PNG with a byte order mark", [b"\xef\xbb\xbf", &png::plain()[..]].concat()),
        ("JPEG after a line end", [b"\n", &jpeg::plain()[..]].concat()),
    ];
    [all_of(&Fate::Refused, files), all_of(&Fate::Refused, made)].concat()
}

/// At the bound and one above.
fn sizes() -> Vec<Sample> {
    let filled = |mut bytes: Vec<u8>, length: usize| {
        bytes.resize(length, b' ');
        bytes
    };
    let (largest, too_large) = (MAX_BYTES, MAX_BYTES + 1);
    vec![
        sample("PNG of 4 MiB", png::of_length(largest), &Fate::Image(PNG, png::of_length(largest))),
        sample("PNG of 4 MiB and a byte", png::of_length(too_large), &Fate::Refused),
        sample("PNG with a trailer up to 4 MiB", filled(png::plain(), largest), &Fate::Image(PNG, png::plain())),
        sample("PNG with a trailer up to 4 MiB and a byte", filled(png::plain(), too_large), &Fate::Refused),
        sample("PDF of 4 MiB", filled(pdf::plain(), largest), &Fate::Document),
        sample("PDF of 4 MiB and a byte", filled(pdf::plain(), too_large), &Fate::Refused),
        sample("HTML of 4 MiB", filled(MARKER.to_vec(), largest), &Fate::Refused),
    ]
}

fn pdfs() -> Vec<Sample> {
    let files = [
        ("PDF", pdf::plain()),
        ("PDF of five bytes", b"%PDF-".to_vec()),
        ("PDF with JavaScript", pdf::with_action("/S /JavaScript /JS (app.alert(1))")),
        ("PDF that launches a program", pdf::with_action("/S /Launch /F (cmd.exe)")),
        ("PDF that opens an address", pdf::with_action("/S /URI /URI (javascript:alert(1))")),
        ("PDF that submits a form", pdf::with_action("/S /SubmitForm /F (http://169.254.169.254/)")),
        ("PDF with an embedded archive", pdf::with_stream("/Type /EmbeddedFile", b"PK\x03\x04\x14\0evil.exe")),
        ("PDF with a stream that grows", pdf::with_stream("/Filter [/FlateDecode /FlateDecode /FlateDecode]", &[0; 1000])),
        ("PDF with a script in XFA", pdf::with_stream("/XFA", b"<xdp:xdp><script>app.alert(1)</script></xdp:xdp>")),
        ("PDF with HTML behind it", [&pdf::plain()[..], MARKER].concat()),
        ("PDF with HTML inside", [b"%PDF-1.7\n", MARKER, b"\n%%EOF"].concat()),
        ("PDF with a ZIP behind it", [&pdf::plain()[..], b"PK\x03\x04\x14\0\0\0PK\x05\x06"].concat()),
        ("PDF with objects in a circle", b"%PDF-1.7\n1 0 obj<</Type/Pages/Kids[1 0 R]>>endobj\ntrailer<</Root 1 0 R>>".to_vec()),
    ];
    all_of(&Fate::Document, files)
}

/// Files that are of two types at once.
fn polyglots() -> Vec<Sample> {
    let zip = b"PK\x03\x04\x14\0\0\0CANARY.class PK\x05\x06";
    let php = b"<?php /*CANARY*/ system($_GET['c']); __halt_compiler();";
    let mut samples = Vec::new();
    for (content_type, image) in
        [(PNG, png::plain()), (JPEG, jpeg::plain()), (GIF, gif::SMALLEST.to_vec()), (WEBP, webp::plain())]
    {
        for (name, tail) in [
            ("a ZIP", &zip[..]),
            ("PHP", php),
            ("a PDF", b"\n%PDF-1.7\nCANARY\n%%EOF"),
            ("MHTML", b"\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\nCANARY"),
            ("HTML", MARKER),
            ("a script", b"*/=1;alert('CANARY')//"),
            ("an MP4", b"\0\0\0\x18ftypmp42CANARY"),
        ] {
            let bytes = [&image[..], tail].concat();
            samples.push(sample(format!("{content_type} and {name}"), bytes, &Fate::Image(content_type, image.clone())));
        }
    }
    let script = b"*/=1;alert('CANARY')//";
    for (name, content_type, bytes) in [
        ("GIF that is a script", GIF, b"GIF89a=1;/*CANARY*/alert(1)//".to_vec()),
        ("GIF that opens a comment", GIF, gif::script(script)),
        ("GIF that is a script and ends", GIF, [b"GIF89a/*\x01\0\0\0\0;", &script[..]].concat()),
        ("JPEG that is a script", JPEG, jpeg::script(script)),
        ("WebP that is a script", WEBP, [b"RIFF/*\0\0WEBPVP8 ", &script[..]].concat()),
    ] {
        samples.push(sample(name, bytes, &Fate::Harmless(content_type)));
    }
    samples
}
