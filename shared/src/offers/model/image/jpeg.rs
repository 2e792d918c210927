//! JPEG: segments that begin with a marker, and the compressed picture after each start of a scan.

use super::{BROKEN, CUT, Cleaned, EMPTY, ImageError, exif};

const MARKER: u8 = 0xff;
const START_OF_IMAGE: u8 = 0xd8;
const END_OF_IMAGE: u8 = 0xd9;
const START_OF_SCAN: u8 = 0xda;
const HUFFMAN_TABLES: u8 = 0xc4;
const ARITHMETIC_TABLES: u8 = 0xcc;
const QUANTIZATION_TABLES: u8 = 0xdb;
/// Of eight tables, the most that a decoder can have.
const MAX_HUFFMAN_BYTES: usize = 8 * (17 + 256);
const MAX_ARITHMETIC_BYTES: usize = 8 * 2;
/// Of four tables with 16 bits for each value.
const MAX_QUANTIZATION_BYTES: usize = 4 * (1 + 128);

/// Precision, height and width, at the beginning of a frame.
const SIZE_BYTES: usize = 5;
const JFIF: &[u8] = b"JFIF\0";
/// With the size of a thumbnail, in the last two.
const JFIF_BYTES: usize = 14;
const ADOBE_BYTES: usize = 12;

pub(super) fn clean(image: &[u8]) -> Result<Cleaned, ImageError> {
    let mut cleaned = Cleaned::default();
    let mut rest = image;
    let (mut has_frame, mut has_scan, mut has_picture) = (false, false, false);
    while let Some((skipped, marker, after)) = next_marker(rest) {
        // Decoders skip what is between segments. After a scan it can be a part of the picture that a stray marker has cut off.
        if has_scan && skipped.iter().any(|byte| *byte != MARKER) {
            return Err(BROKEN);
        }
        match marker {
            END_OF_IMAGE => break,
            0x01 | START_OF_IMAGE | 0xd0..=0xd7 if has_scan => return Err(BROKEN),
            0x01 | START_OF_IMAGE | 0xd0..=0xd7 => {
                cleaned.bytes.extend([MARKER, marker]);
                rest = after;
                continue;
            }
            _ => {}
        }
        let length = usize::from(u16::from_be_bytes(*after.first_chunk().ok_or(CUT)?));
        let (segment, after) = after.split_at_checked(length).ok_or(CUT)?;
        let data = segment.get(2..).ok_or(BROKEN)?;
        rest = after;
        let Some(kept) = kept(marker, data)? else { continue };
        if is_start_of_frame(marker) {
            include_size(&mut cleaned, data);
            has_frame = true;
        }
        cleaned.bytes.extend([MARKER, marker]);
        match kept {
            Kept::Unchanged => cleaned.bytes.extend(segment),
            Kept::Replaced(data) => {
                let length = u16::try_from(data.len() + 2).unwrap_or_default();
                cleaned.bytes.extend(length.to_be_bytes());
                cleaned.bytes.extend(data);
            }
        }
        if marker == START_OF_SCAN {
            let (scan, after) = rest.split_at(scan_length(rest));
            cleaned.bytes.extend(scan);
            rest = after;
            has_scan = true;
            has_picture |= has_frame && !scan.is_empty();
        }
    }
    // The end marker is the only one that can be missing: whether a scan is complete can be seen by decoding it alone.
    cleaned.bytes.extend([MARKER, END_OF_IMAGE]);
    if has_picture { Ok(cleaned) } else { Err(EMPTY) }
}

/// What remains of a segment.
enum Kept {
    Unchanged,
    Replaced(Vec<u8>),
}

/// `None` for metadata: comments, and what decoders do not need.
fn kept(marker: u8, data: &[u8]) -> Result<Option<Kept>, ImageError> {
    Ok(match marker {
        HUFFMAN_TABLES => Some(at_most(data, MAX_HUFFMAN_BYTES)?),
        ARITHMETIC_TABLES => Some(at_most(data, MAX_ARITHMETIC_BYTES)?),
        QUANTIZATION_TABLES => Some(at_most(data, MAX_QUANTIZATION_BYTES)?),
        // Two bytes for each component, between their number and three more.
        START_OF_SCAN => Some(header(data, data.first(), 4, 2)?),
        // The number of lines, and how often the decoder restarts.
        0xdc | 0xdd => Some(first(data, 2)),
        // Readers would take the size from what follows the segment.
        _ if is_start_of_frame(marker) && data.len() < SIZE_BYTES => return Err(BROKEN),
        // Precision, height and width, the number of components, and three bytes for each.
        _ if is_start_of_frame(marker) => Some(header(data, data.get(5), 6, 3)?),
        0xe0 => data.starts_with(JFIF).then(|| jfif(data)),
        0xe1 => {
            let exif = data.strip_prefix(exif::PREFIX).and_then(exif::only_orientation);
            exif.map(|exif| Kept::Replaced([exif::PREFIX, &exif].concat()))
        }
        0xe2 => data.starts_with(b"ICC_PROFILE\0").then_some(Kept::Unchanged),
        // How the colours are encoded.
        0xee => data.starts_with(b"Adobe").then(|| first(data, ADOBE_BYTES)),
        _ => None,
    })
}

/// Tables that are longer hide something else.
fn at_most(data: &[u8], length: usize) -> Result<Kept, ImageError> {
    if data.len() <= length { Ok(Kept::Unchanged) } else { Err(BROKEN) }
}

/// Without what follows the first bytes.
fn first(data: &[u8], length: usize) -> Kept {
    data.get(..length).filter(|_| data.len() > length).map_or(Kept::Unchanged, |data| Kept::Replaced(data.to_vec()))
}

/// Version, units and density, without the thumbnail.
fn jfif(data: &[u8]) -> Kept {
    match data.get(..JFIF_BYTES - 2) {
        Some(fields) => Kept::Replaced([fields, &[0, 0]].concat()),
        None => Kept::Unchanged,
    }
}

/// A header with at most four components, which is what decoders know. One with more may be a text.
fn header(data: &[u8], components: Option<&u8>, fields: usize, bytes_of_component: usize) -> Result<Kept, ImageError> {
    let components = usize::from(components.copied().unwrap_or_default());
    if components <= 4 { Ok(first(data, fields + bytes_of_component * components)) } else { Err(BROKEN) }
}

/// What precedes the next marker, the marker, and what follows it. Any number of fill bytes (`0xff`) can precede it.
fn next_marker(bytes: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let start = bytes.windows(2).position(|pair| matches!(pair, [MARKER, 0x01..=0xfe]))?;
    let (skipped, rest) = bytes.split_at_checked(start)?;
    let (marker, rest) = rest.get(1..)?.split_first()?;
    Some((skipped, *marker, rest))
}

/// The length of the compressed picture at the beginning. A marker ends it, except for those that restart the decoder, and for
/// reserved ones, which decoders skip.
fn scan_length(bytes: &[u8]) -> usize {
    let ends = |pair: &[u8]| matches!(pair, [MARKER, 0xc0..=0xc7 | 0xc9..=0xcf | 0xd8..=0xef | 0xfe]);
    bytes.windows(2).position(ends).unwrap_or(bytes.len())
}

fn is_start_of_frame(marker: u8) -> bool {
    // Those between are tables, and an extension.
    matches!(marker, 0xc0..=0xcf) && !matches!(marker, HUFFMAN_TABLES | 0xc8 | ARITHMETIC_TABLES)
}

fn include_size(cleaned: &mut Cleaned, frame: &[u8]) {
    // After the precision.
    if let Some((height, rest)) = frame.get(1..).and_then(<[u8]>::split_first_chunk)
        && let Some(width) = rest.first_chunk()
    {
        let (width, height) = (u16::from_be_bytes(*width), u16::from_be_bytes(*height));
        cleaned.dimensions.include(width.into(), height.into());
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const COMMENT: u8 = 0xfe;

    fn cleaned(image: &[u8]) -> Vec<u8> {
        clean(image).unwrap().bytes
    }

    fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(data.len() + 2).unwrap();
        [&[MARKER, marker][..], &length.to_be_bytes(), data].concat()
    }

    fn frame(width: u16, height: u16) -> Vec<u8> {
        let [height, width] = [height, width].map(u16::to_be_bytes);
        segment(0xc2, &[&[8][..], &height, &width, b"\x01\x01\x11\0"].concat())
    }

    fn image(parts: &[Vec<u8>]) -> Vec<u8> {
        [&b"\xff\xd8"[..], &parts.concat(), b"\xff\xd9"].concat()
    }

    pub(in super::super) fn sized(width: u32, height: u32) -> Vec<u8> {
        image(&[frame(u16::try_from(width).unwrap(), u16::try_from(height).unwrap()), scans()])
    }

    fn exif(orientation: u8) -> Vec<u8> {
        segment(0xe1, &[exif::PREFIX, &exif::tests::sample(orientation)].concat())
    }

    /// Two scans, as a progressive image has, with stuffed bytes and a restart.
    fn scans() -> Vec<u8> {
        let scan = [segment(START_OF_SCAN, b"\x01\x01\0"), b"ab\xff\0cd\xff\xd0ef".to_vec()].concat();
        [scan.clone(), segment(0xc4, b"table"), scan].concat()
    }

    pub(in super::super) fn sample() -> Vec<u8> {
        image(&[
            segment(0xe0, b"JFIF\0\x01\x02"),
            exif(6),
            segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0GPS"),
            segment(0xe2, b"ICC_PROFILE\0\x01\x01profile"),
            segment(0xdb, b"table"),
            segment(COMMENT, b"by Anna"),
            frame(30, 20),
            scans(),
        ])
    }

    #[test]
    fn removes_metadata_and_what_follows_the_end() {
        let upright = [exif::PREFIX, &exif::only_orientation(&exif::tests::sample(6)).unwrap()].concat();
        let expected = image(&[
            segment(0xe0, b"JFIF\0\x01\x02"),
            segment(0xe1, &upright),
            segment(0xe2, b"ICC_PROFILE\0\x01\x01profile"),
            segment(0xdb, b"table"),
            frame(30, 20),
            scans(),
        ]);
        assert_eq!(cleaned(&sample()), expected);
        // Some cameras append a video.
        assert_eq!(cleaned(&[sample(), b"\0\0\0\x18ftypmp42 GPS".to_vec()].concat()), expected);
    }

    #[test]
    fn a_segment_is_kept_if_it_is_needed_to_show_the_image() {
        for (marker, data, is_kept) in [
            (0xdb, &b"table"[..], true),
            (0xdd, b"\0\x08", true),
            (0xee, b"Adobe\0d\0\0\0\0\x02", true),
            (0xe0, b"JFXX\0\x10thumbnail", false),
            (0xe1, b"Exif\0\0II*\0", false),
            (0xe2, b"MPF\0", false),
            (0xe2, b"FPXR\0", false),
            (0xeb, b"JP\0\x01", false),
            (0xed, b"Photoshop 3.0\08BIM", false),
            (0xee, b"other", false),
            (0xc8, b"other", false),
            (0xf0, b"other", false),
            (0x02, b"other", false),
            (COMMENT, b"", false),
        ] {
            let with = image(&[frame(1, 1), segment(marker, data), scans()]);
            let without = image(&[frame(1, 1), scans()]);
            assert_eq!(cleaned(&with), if is_kept { with } else { without }, "{marker:x} {data:?}");
        }
    }

    #[test]
    fn nothing_is_hidden_behind_the_fields_of_a_segment() {
        for (marker, fields) in [
            (0xe0, &b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"[..]),
            (0xee, b"Adobe\0d\0\0\0\0\x02"),
            (0xdd, b"\0\x08"),
            (0xc0, b"\x08\0\x01\0\x01\x01\x01\x11\0"),
        ] {
            let with = |data: &[u8]| image(&[segment(marker, data), frame(1, 1), scans()]);
            assert_eq!(cleaned(&with(&[fields, b"<script>"].concat())), with(fields), "{marker:x}");
        }
        let with = |thumbnail: &[u8]| {
            let fields = [&b"JFIF\0\x01\x01\0\0\x01\0\x01"[..], thumbnail].concat();
            image(&[segment(0xe0, &fields), frame(1, 1), scans()])
        };
        assert_eq!(cleaned(&with(b"\x01\x01rgb")), with(b"\0\0"));
    }

    #[test]
    fn an_image_of_which_a_part_would_be_lost_is_refused() {
        for (marker, data) in [
            (START_OF_SCAN, &b"<script>"[..]),
            (START_OF_SCAN, b"\x05\x01\0\x02\0\x03\0\x04\0\x05\0\0\x3f\0"),
            (0xc0, b"\x08\0\x01\0\x01<script>alert(1)</script>"),
            (0xc0, b"\x08\0\x01\0"),
        ] {
            let with = image(&[frame(1, 1), segment(marker, data), scans()]);
            assert_eq!(clean(&with).unwrap_err(), BROKEN, "{marker:x} {data:?}");
        }
        let with = |part: &[u8]| clean(&image(&[frame(1, 1), scans(), part.to_vec(), scans()])).unwrap_err();
        for part in
            [&b"\xff\xdb\0\0<script>"[..], b"\xff\xdb\0\x01<script>", b"\xff\xe1\0\x03apicture", b"\xff\xfe\0\x02\xff\xd1"]
        {
            assert_eq!(with(part), BROKEN, "{}", part.escape_ascii());
        }
        assert_eq!(with(b"\xff\xe1\xff\xff"), CUT);
        assert_eq!(clean(&image(&[scans()])).unwrap_err(), EMPTY);
        assert_eq!(clean(&image(&[frame(1, 1)])).unwrap_err(), EMPTY);
    }

    #[test]
    fn reserved_markers_belong_to_their_scan() {
        for marker in [0x01, 0x02, 0x9f, 0xbf, 0xc8, 0xf0, 0xfd] {
            let with = image(&[frame(1, 1), scans(), vec![MARKER, marker], b"ef\xff\xd1gh".to_vec()]);
            assert_eq!(cleaned(&with), with, "{marker:x}");
        }
    }

    #[test]
    fn a_missing_end_is_added() {
        let whole = image(&[frame(1, 1), scans()]);
        assert_eq!(cleaned(&whole[..whole.len() - 2]), whole);
    }

    #[test]
    fn bytes_between_segments_hide_no_metadata() {
        let parts = [frame(1, 1), b"\0\xff\0\xff\xff".to_vec(), exif(1), b"\xff\xff".to_vec(), segment(0xdb, b"table")];
        let with = image(&[parts.concat(), scans()]);
        assert_eq!(cleaned(&with), image(&[frame(1, 1), segment(0xdb, b"table"), scans()]));
    }
}
