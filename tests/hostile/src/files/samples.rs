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
    let mut samples = [disguises(), sizes(), pngs(), jpegs(), gifs(), webps(), bombs(), pdfs(), polyglots()].concat();
    let whole = [
        (PNG, png::with_metadata(MARKER)),
        (JPEG, jpeg::with_metadata(MARKER)),
        (GIF, gif::with_metadata(MARKER)),
        (WEBP, webp::with_metadata(MARKER)),
    ];
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
        ("GIF after a space", [b" ", &gif::plain()[..]].concat()),
        ("GIF in lower case", gif::plain().to_ascii_lowercase()),
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

fn pngs() -> Vec<Sample> {
    let (plain, harmless) = (Fate::Image(PNG, png::plain()), Fate::Harmless(PNG));
    let with = |kind: &[u8], data: &[u8]| png::with(&png::chunk(kind, data));
    let mut samples = vec![sample("PNG", png::plain(), &plain)];
    for kind in [b"tEXt", b"zTXt", b"iTXt", b"tIME", b"eXIf", b"caBX", b"htMl", b"iDOT", b"vpAg", b"dSIG", b"sPLT", b"prVt"] {
        let (name, behind) = (kind.escape_ascii(), png::with_behind(&png::chunk(kind, MARKER)));
        samples.push(sample(format!("PNG with {name} before the picture"), with(kind, MARKER), &plain));
        samples.push(sample(format!("PNG with {name} after the picture"), behind, &plain));
    }
    for kind in [b"HTML", b"JUNK", b"SCRP"] {
        let name = format!("PNG with the unknown critical chunk {}", kind.escape_ascii());
        samples.push(sample(name, with(kind, MARKER), &Fate::Document));
    }
    // Of a fixed size, or at most so large.
    for kind in [b"gAMA", b"pHYs", b"sRGB", b"cHRM", b"sBIT", b"bKGD", b"hIST", b"tRNS", b"acTL", b"fcTL", b"PLTE", b"cICP"] {
        let fate = if kind == b"PLTE" { &Fate::Document } else { &plain };
        samples.push(sample(format!("PNG with a long {}", kind.escape_ascii()), with(kind, &MARKER.repeat(20)), fate));
    }
    let upright = with(b"eXIf", b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0");
    let exif = [&b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"[..], MARKER].concat();
    let mut unchecked = [png::header(1, 1), png::picture(), png::end()];
    for chunk in &mut unchecked {
        *chunk.last_mut().unwrap() ^= 0x55;
    }
    let unchecked = png::file(&unchecked);
    let text_of_length = |length: u32| {
        let text = png::chunk(b"tEXt", MARKER);
        png::with(&[&length.to_be_bytes(), &text[4..]].concat())
    };
    let header = png::chunk(b"IHDR", &[b"\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0", MARKER].concat());
    samples.extend([
        sample("PNG with an orientation", with(b"eXIf", &exif), &Fate::Image(PNG, upright)),
        sample("PNG with wrong checksums", unchecked.clone(), &Fate::Image(PNG, unchecked)),
    ]);
    let clean = [
        ("PNG with a trailer", [&png::plain()[..], MARKER].concat()),
        ("PNG with a second PNG behind it", [png::plain(), png::with_behind(&png::chunk(b"tEXt", MARKER))].concat()),
        ("PNG with data in its end", png::file(&[png::header(1, 1), png::picture(), png::chunk(b"IEND", MARKER)])),
        ("PNG with 2 MiB of text", with(b"iTXt", &MARKER.repeat(46_000))),
    ];
    let odd = [
        ("PNG with data in its header", png::file(&[header, png::picture(), png::end()])),
        ("PNG with a chunk that has no name", with(b"<!--", MARKER)),
        ("PNG signature before HTML", [png::SIGNATURE, MARKER].concat()),
        ("PNG signature before a NUL and HTML", [png::SIGNATURE, b"\0\0\0\0\0\0\0\0", MARKER].concat()),
        ("PNG with text of 4 GB", text_of_length(u32::MAX)),
        ("PNG with text of 2 GB", text_of_length(0x7fff_ffff)),
        ("PNG without a picture", png::file(&[png::chunk(b"tEXt", MARKER)])),
    ];
    [samples, all_of(&plain, clean), all_of(&harmless, odd)].concat()
}

fn jpegs() -> Vec<Sample> {
    let (plain, harmless) = (Fate::Image(JPEG, jpeg::plain()), Fate::Harmless(JPEG));
    let with = |marker: u8, data: &[u8]| jpeg::with(marker, data, 1);
    let between = |data: &[u8]| jpeg::file(&[jpeg::tables(), data.into(), jpeg::frame(1, 1), jpeg::scan()]);
    let prefixed = |prefix: &[u8]| [prefix, MARKER].concat();
    let mut samples = vec![sample("JPEG", jpeg::plain(), &plain)];
    let comment_and_applications = [0xfe_u8].into_iter().chain(0xe0..=0xef);
    for marker in comment_and_applications.chain(0xf0..=0xfd).chain([0x02, 0x30, 0xbf, 0xc8]) {
        // At the beginning, the lowest markers are no signature.
        let fate = if marker < 0xc0 { &Fate::Refused } else { &plain };
        samples.push(sample(format!("JPEG with the marker {marker:02x}"), with(marker, MARKER), fate));
    }
    for (name, marker, prefix) in [
        ("EXIF", 0xe1_u8, &b"Exif\0\0MM\0*\0\0\0\x08\0\0"[..]),
        ("EXIF of 4 GB", 0xe1, b"Exif\0\0II*\0\xff\xff\xff\xff"),
        ("XMP", 0xe1, b"http://ns.adobe.com/xap/1.0/\0"),
        ("extended XMP", 0xe1, b"http://ns.adobe.com/xmp/extension/\0"),
        ("Photoshop", 0xed, b"Photoshop 3.0\08BIM\x04\x04\0\0"),
        ("JFXX", 0xe0, b"JFXX\0\x10"),
        ("pictures of a camera", 0xe2, b"MPF\0II*\0"),
        ("content credentials", 0xeb, b"JP\0\x01\0\0\0\x01"),
    ] {
        samples.push(sample(format!("JPEG with {name}"), with(marker, &prefixed(prefix)), &plain));
    }
    let jfif = b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0";
    for (name, marker, sent, kept) in [
        ("JFIF", 0xe0, jfif.to_vec(), &jfif[..]),
        ("surplus in JFIF", 0xe0, prefixed(jfif), jfif),
        ("a thumbnail in JFIF", 0xe0, prefixed(b"JFIF\0\x01\x01\0\0\x01\0\x01\x04\x04"), jfif),
        ("Adobe's colours", 0xee, b"Adobe\0\x64\0\0\0\0\x01".to_vec(), b"Adobe\0\x64\0\0\0\0\x01"),
        ("surplus in Adobe's colours", 0xee, prefixed(b"Adobe\0\x64\0\0\0\0\x01"), b"Adobe\0\x64\0\0\0\0\x01"),
        ("surplus in the restart interval", 0xdd, prefixed(b"\0\x08"), b"\0\x08"),
    ] {
        samples.push(sample(format!("JPEG with {name}"), with(marker, &sent), &Fate::Image(JPEG, with(marker, kept))));
    }
    let clean = [
        ("JPEG with bytes between segments", between(MARKER)),
        ("JPEG with a trailer", [&jpeg::plain()[..], MARKER].concat()),
        ("JPEG with a second JPEG behind it", [jpeg::plain(), with(0xfe, MARKER)].concat()),
        ("JPEG with 60 comments", jpeg::with(0xfe, &MARKER.repeat(1000), 60)),
        ("JPEG of fill bytes", between(&vec![0xff; 2_000_000])),
    ];
    let frame = jpeg::segment(0xc0, &prefixed(b"\x08\0\x01\0\x01\x01\x01\x11\0"));
    let odd = [
        ("JPEG with surplus in its frame", jpeg::with_frame(frame)),
        ("JPEG of a comment", prefixed(b"\xff\xd8\xff\xfe\0\x2f")),
        ("JPEG of HTML", prefixed(b"\xff\xd8\xff\xe0\0\x10")),
        ("JPEG that opens a comment", [b"\xff\xd8\xff\xfe\x2f\x2a", MARKER, b"*/=1;alert(1)"].concat()),
    ];
    [samples, all_of(&plain, clean), all_of(&harmless, odd)].concat()
}

fn gifs() -> Vec<Sample> {
    let (plain, harmless) = (Fate::Image(GIF, gif::plain()), Fate::Harmless(GIF));
    let mut samples = vec![sample("GIF", gif::plain(), &plain)];
    for label in [0xfe_u8, 0x01, 0x00, 0x77, 0xce] {
        samples.push(sample(format!("GIF with the extension {label:02x}"), gif::with(label, &[MARKER]), &plain));
    }
    for application in [&b"XMP DataXMP"[..], b"MGK8BIM0000", b"HTMLscript1", b"C2PA_GIF\x01\0\0"] {
        let name = format!("GIF with the application {}", application.escape_ascii());
        samples.push(sample(name, gif::with(0xff, &[application, MARKER]), &plain));
    }
    for (name, label, blocks) in [
        ("NETSCAPE2.0", 0xff, vec![&b"NETSCAPE2.0"[..], b"\x01\0\0"]),
        ("ANIMEXTS1.0", 0xff, vec![b"ANIMEXTS1.0", b"\x01\0\0"]),
        ("a time", 0xf9, vec![b"\0\x0a\0\0"]),
    ] {
        let kept = gif::with(label, &blocks);
        let surplus = gif::with(label, &[&blocks[..], &[MARKER]].concat());
        samples.push(sample(format!("GIF with {name}"), kept.clone(), &Fate::Image(GIF, kept.clone())));
        samples.push(sample(format!("GIF with surplus in {name}"), surplus, &Fate::Image(GIF, kept)));
        if label == 0xff {
            samples.push(sample(format!("GIF with nothing else in {name}"), gif::with(label, &[blocks[0], MARKER]), &harmless));
        }
    }
    let clean = [
        ("GIF with a trailer", [&gif::plain()[..], MARKER].concat()),
        ("GIF with a second GIF behind it", [gif::plain(), gif::with(0xfe, &[MARKER])].concat()),
    ];
    let odd = [
        ("GIF with bytes between blocks", gif::with_between(MARKER)),
        ("GIF with a NUL between blocks", gif::with_between(&[b"\0", MARKER].concat())),
        ("GIF signature before HTML", [b"GIF89a", MARKER].concat()),
        ("GIF of 1987 before HTML", [b"GIF87a\x01\0\x01\0\0\0\0", MARKER].concat()),
    ];
    [samples, all_of(&plain, clean), all_of(&harmless, odd)].concat()
}

fn webps() -> Vec<Sample> {
    let (plain, harmless) = (Fate::Image(WEBP, webp::plain()), Fate::Harmless(WEBP));
    let mut samples = vec![sample("WebP", webp::plain(), &plain)];
    for kind in [b"EXIF", b"XMP ", b"NOTE", b"html", b"VP8 "] {
        let name = format!("WebP with {}", kind.escape_ascii());
        samples.push(sample(name, webp::with(&webp::chunk(kind, MARKER)), &plain));
    }
    let clean = [
        ("WebP with a trailer", [&webp::plain()[..], MARKER].concat()),
        ("WebP with a trailer inside its length", webp::with(MARKER)),
    ];
    let animation = webp::chunk(b"ANIM", &[&[0; 6][..], MARKER].concat());
    let note = webp::animated(&webp::chunk(b"NOTE", MARKER), 1);
    let odd = [
        ("WebP with a length of 4 GB", webp::with_length(u32::MAX, MARKER)),
        ("WebP with a length of 0", webp::with_length(0, MARKER)),
        ("WebP with surplus in its header", webp::extended(&[&[0; 10][..], MARKER].concat(), b"")),
        ("WebP with surplus in its animation", webp::extended(&[0; 10], &animation)),
        ("WebP with a note in a frame", note.clone()),
        ("WebP with a note in a frame that was cut", note[..note.len() - 3].into()),
        ("WebP with a frame of nothing", webp::extended(&[2; 10], &webp::chunk(b"ANMF", MARKER))),
        ("WebP of an unknown picture", webp::file(&[webp::chunk(b"VP8Z", MARKER)])),
        ("WebP of HTML", [b"RIFF/**/WEBPVP8!", MARKER].concat()),
        ("WebP of HTML behind a cut picture", b"RIFF/**/WEBPVP8 \xff\xff".to_vec()),
    ];
    [samples, all_of(&plain, clean), all_of(&harmless, odd)].concat()
}

/// Images whose headers promise too much, or that have very many parts.
fn bombs() -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut refuse = |name: String, bytes: Vec<u8>| samples.push(sample(name, bytes, &Fate::Refused));
    let png_of = |width: u32, height: u32| png::file(&[png::header(width, height), png::picture(), png::end()]);
    for (width, height) in
        [(65_535, 65_535), (20_001, 1), (1, 20_001), (10_000, 5_001), (0x7fff_ffff, 0x7fff_ffff), (u32::MAX, 1)]
    {
        refuse(format!("PNG of {width} x {height}"), png_of(width, height));
    }
    for (width, height) in [(65_535_u16, 65_535_u16), (20_001, 1), (1, 20_001), (10_000, 5_001)] {
        let [gif, of_frame] = [((width, height), (1, 1)), ((1, 1), (width, height))]
            .map(|(screen, frame)| gif::file(&[gif::screen(screen.0, screen.1), gif::frame(frame.0, frame.1)]));
        refuse(format!("JPEG of {width} x {height}"), jpeg::with_frame(jpeg::frame(width, height)));
        refuse(format!("GIF of {width} x {height}"), gif);
        refuse(format!("GIF with a frame of {width} x {height}"), of_frame);
    }
    for (width, height) in [(16_384, 16_384), (20_001, 1), (10_000, 5_001), (0x0100_0000, 0x0100_0000)] {
        refuse(format!("WebP of {width} x {height}"), webp::file(&[webp::header(width, height), webp::lossy(1, 1)]));
    }
    let second_frame = [jpeg::tables(), jpeg::frame(1, 1), jpeg::scan(), jpeg::frame(65_535, 65_535), jpeg::scan()];
    refuse("lossy WebP of 16,383 a side".to_owned(), webp::file(&[webp::lossy(16_383, 16_383)]));
    refuse("lossless WebP of 16,384 a side".to_owned(), webp::file(&[webp::lossless(16_384, 16_384)]));
    refuse("second header of PNG".to_owned(), png::with(&png::header(65_535, 65_535)));
    refuse("second frame of JPEG".to_owned(), jpeg::file(&second_frame));
    let frames = [png::chunk(b"fcTL", &[0; 26]), png::chunk(b"fdAT", b"\0\0\0\x02data")].concat().repeat(50_000);
    let control = png::chunk(b"acTL", &[50_000_u32.to_be_bytes(), [0; 4]].concat());
    let animated = [png::header(1, 1), control, png::picture(), frames, png::end()];
    let empty = [png::header(1, 1), png::chunk(b"IDAT", b"").repeat(300_000), png::end()];
    let smallest = b"\x2c\0\0\0\0\x01\0\x01\0\0\x02\0";
    for (name, content_type, bytes) in [
        ("GIF of 349,000 frames", GIF, gif::file(&[gif::screen(1, 1), smallest.repeat(349_000)])),
        ("APNG of 50,000 frames", PNG, png::file(&animated)),
        ("PNG of 300,000 chunks", PNG, png::file(&empty)),
        (
            "JPEG of 500,000 scans",
            JPEG,
            jpeg::file(&[jpeg::tables(), jpeg::frame(1, 1), [jpeg::segment(0xda, b""), vec![0]].concat().repeat(500_000)]),
        ),
        ("WebP of 50,000 frames", WEBP, webp::animated(b"", 50_000)),
        ("PNG with a compressed profile", PNG, png::with(&png::chunk(b"iCCP", &[&b"p\0\0"[..], &vec![0; 100_000]].concat()))),
    ] {
        samples.push(sample(name, bytes.clone(), &Fate::Image(content_type, bytes)));
    }
    let comments = gif::file(&[gif::screen(1, 1), gif::extension(0xfe, &[b"a"]).repeat(500_000), gif::frame(1, 1)]);
    samples.push(sample("GIF of 500,000 comments", comments, &Fate::Image(GIF, gif::plain())));
    samples
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
    for (content_type, image) in [(PNG, png::plain()), (JPEG, jpeg::plain()), (GIF, gif::plain()), (WEBP, webp::plain())] {
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
