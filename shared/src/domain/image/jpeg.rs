//! JPEG: segments that begin with a marker, and the compressed picture after each start of a scan.

use super::{Cleaned, exif};

const MARKER: u8 = 0xff;
const START_OF_IMAGE: u8 = 0xd8;
const END_OF_IMAGE: u8 = 0xd9;
const START_OF_SCAN: u8 = 0xda;
const COMMENT: u8 = 0xfe;

pub(super) fn clean(image: &[u8]) -> Cleaned {
    let mut cleaned = Cleaned::default();
    let mut rest = image;
    // Decoders skip what is between segments.
    while let Some((marker, after)) = next_marker(rest) {
        if matches!(marker, 0x01 | START_OF_IMAGE | END_OF_IMAGE | 0xd0..=0xd7) {
            cleaned.bytes.extend([MARKER, marker]);
            rest = if marker == END_OF_IMAGE { &[] } else { after };
            continue;
        }
        let length = after.first_chunk().map_or(0, |length| usize::from(u16::from_be_bytes(*length)));
        let (segment, after) = match after.split_at_checked(length) {
            Some(split) if length >= 2 => split,
            // The file was cut, or is none.
            _ => (after, &[][..]),
        };
        let data = segment.get(2..).unwrap_or_default();
        if let Some(kept) = kept(marker, data) {
            cleaned.bytes.extend([MARKER, marker]);
            match kept {
                Kept::Unchanged => cleaned.bytes.extend(segment),
                Kept::Replaced(data) => {
                    let length = u16::try_from(data.len() + 2).unwrap_or_default();
                    cleaned.bytes.extend(length.to_be_bytes());
                    cleaned.bytes.extend(data);
                }
            }
        }
        if is_start_of_frame(marker) {
            include_size(&mut cleaned, data);
        }
        rest = after;
        if marker == START_OF_SCAN {
            let (scan, after) = rest.split_at(scan_length(rest));
            cleaned.bytes.extend(scan);
            rest = after;
        }
    }
    cleaned
}

/// What remains of a segment.
enum Kept {
    Unchanged,
    Replaced(Vec<u8>),
}

/// `None` for metadata: comments, and application segments that decoders do not need.
fn kept(marker: u8, data: &[u8]) -> Option<Kept> {
    let needed: &[u8] = match marker {
        0xe0 => b"JFIF\0",
        0xe1 => {
            let exif = exif::only_orientation(data.strip_prefix(exif::PREFIX)?)?;
            return Some(Kept::Replaced([exif::PREFIX, &exif].concat()));
        }
        0xe2 => b"ICC_PROFILE\0",
        // How the colours are encoded.
        0xee => b"Adobe",
        0xe3..=0xef | COMMENT => return None,
        _ => return Some(Kept::Unchanged),
    };
    data.starts_with(needed).then_some(Kept::Unchanged)
}

/// The next marker, and what follows it. Any number of fill bytes (`0xff`) can precede it.
fn next_marker(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let start = bytes.windows(2).position(|pair| matches!(pair, [MARKER, 0x01..=0xfe]))?;
    let (marker, rest) = bytes.get(start + 1..)?.split_first()?;
    Some((*marker, rest))
}

/// The length of the compressed picture at the beginning. A marker ends it, except for those that restart the decoder.
fn scan_length(bytes: &[u8]) -> usize {
    let ends = |pair: &[u8]| matches!(pair, [MARKER, 0x01..=0xcf | 0xd8..=0xfe]);
    bytes.windows(2).position(ends).unwrap_or(bytes.len())
}

fn is_start_of_frame(marker: u8) -> bool {
    // Those between are tables, and an extension.
    matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc)
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
        image(&[frame(u16::try_from(width).unwrap(), u16::try_from(height).unwrap())])
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
        assert_eq!(clean(&sample()).bytes, expected);
        // Some cameras append a video.
        assert_eq!(clean(&[sample(), b"\0\0\0\x18ftypmp42 GPS".to_vec()].concat()).bytes, expected);
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
            (COMMENT, b"", false),
        ] {
            let with = image(&[frame(1, 1), segment(marker, data)]);
            let without = image(&[frame(1, 1)]);
            assert_eq!(clean(&with).bytes, if is_kept { with } else { without }, "{marker:x} {data:?}");
        }
    }

    #[test]
    fn bytes_between_segments_hide_no_metadata() {
        let parts = [frame(1, 1), b"\0\xff\0\xff\xff".to_vec(), exif(1), b"\xff\xff".to_vec(), segment(0xdb, b"table")];
        assert_eq!(clean(&image(&parts)).bytes, image(&[frame(1, 1), segment(0xdb, b"table")]));
    }

    #[test]
    fn a_file_that_was_cut_loses_its_metadata_all_the_same() {
        let sample = sample();
        for length in 0..sample.len() {
            let cleaned = clean(&sample[..length]).bytes;
            assert!(!cleaned.windows(4).any(|text| text == b"Anna" || text == b"GPS "), "{length}");
        }
    }
}
