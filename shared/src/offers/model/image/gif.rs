//! GIF: a header, then images and extensions, whose data is in blocks of up to 255 bytes.

use super::{BROKEN, CUT, Cleaned, EMPTY, ImageError};

const IMAGE: u8 = 0x2c;
const EXTENSION: u8 = 0x21;
const TRAILER: u8 = 0x3b;
const HAS_COLOR_TABLE: u8 = 0x80;

const TIME: u8 = 0xf9;
const APPLICATION: u8 = 0xff;
/// Applications that say how often an animation is repeated, in a block of three bytes.
const LOOPS: [&[u8; 11]; 2] = [b"NETSCAPE2.0", b"ANIMEXTS1.0"];
/// The application with a colour profile.
const PROFILE: &[u8; 11] = b"ICCRGBG1012";

pub(super) fn clean(image: &[u8]) -> Result<Cleaned, ImageError> {
    let mut cleaned = Cleaned::default();
    // Signature, width, height, flags, background and aspect ratio.
    let header = image.get(6..).unwrap_or_default();
    include_size(&mut cleaned, header);
    let header_length = 13 + color_table_length(header.get(4));
    let (header, mut rest) = image.split_at_checked(header_length).ok_or(CUT)?;
    cleaned.bytes.extend(header);
    let mut has_picture = false;
    loop {
        let length = match rest {
            [IMAGE, descriptor @ ..] => {
                // Marker, descriptor, colours, and the size of codes.
                let start = 1 + 9 + color_table_length(descriptor.get(8)) + 1;
                let length = start + blocks_length(rest.get(start..).ok_or(CUT)?)?;
                include_frame(&mut cleaned, descriptor);
                cleaned.bytes.extend(rest.get(..length).unwrap_or_default());
                has_picture = true;
                length
            }
            [EXTENSION, kind, blocks @ ..] => {
                let length = blocks_length(blocks)?;
                if let Some(kept) = kept(*kind, blocks.get(..length).unwrap_or_default())? {
                    cleaned.bytes.extend([EXTENSION, *kind]);
                    cleaned.bytes.extend(kept);
                }
                2 + length
            }
            // Some encoders end an image twice. Some decoders stop here, and others go on.
            [0, ..] => {
                cleaned.bytes.push(0);
                1
            }
            // The file may lack the trailer alone.
            [] | [TRAILER, ..] => {
                cleaned.bytes.push(TRAILER);
                return if has_picture { Ok(cleaned) } else { Err(EMPTY) };
            }
            _ => return Err(BROKEN),
        };
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// The blocks of an extension that are needed to show the image. Those of comments are not, nor those of unknown extensions, nor a
/// text over the image, which no browser shows.
fn kept(kind: u8, blocks: &[u8]) -> Result<Option<Vec<u8>>, ImageError> {
    Ok(match kind {
        // How long an image is shown, and which of its colours is transparent.
        TIME => {
            let block = blocks.get(..5).filter(|block| block.starts_with(&[4])).ok_or(BROKEN)?;
            Some([block, &[0]].concat())
        }
        APPLICATION if blocks.starts_with(&[11]) => {
            let repetitions = || blocks.get(12..16).filter(|block| block.starts_with(&[3, 1]));
            match blocks.get(1..12).unwrap_or_default() {
                name if name == PROFILE => Some(blocks.to_vec()),
                name if LOOPS.iter().any(|known| name == &known[..]) => {
                    repetitions().map(|repetitions| [&[11], name, repetitions, &[0]].concat())
                }
                _ => None,
            }
        }
        _ => None,
    })
}

fn color_table_length(flags: Option<&u8>) -> usize {
    flags.filter(|flags| *flags & HAS_COLOR_TABLE != 0).map_or(0, |flags| 3 << ((flags & 7) + 1))
}

/// The length of a sequence of blocks with the empty one that ends it.
fn blocks_length(bytes: &[u8]) -> Result<usize, ImageError> {
    let mut length = 0;
    loop {
        let size = bytes.get(length).ok_or(CUT)?;
        length += 1 + usize::from(*size);
        if *size == 0 {
            return Ok(length);
        }
    }
}

/// Some decoders make the picture as large as a frame reaches.
fn include_frame(cleaned: &mut Cleaned, descriptor: &[u8]) {
    if let Some([l0, l1, t0, t1, w0, w1, h0, h1]) = descriptor.first_chunk() {
        let end = |start: [u8; 2], length: [u8; 2]| u32::from(u16::from_le_bytes(start)) + u32::from(u16::from_le_bytes(length));
        cleaned.dimensions.include(end([*l0, *l1], [*w0, *w1]), end([*t0, *t1], [*h0, *h1]));
    }
}

fn include_size(cleaned: &mut Cleaned, size: &[u8]) {
    if let Some((width, rest)) = size.split_first_chunk()
        && let Some(height) = rest.first_chunk()
    {
        let (width, height) = (u16::from_le_bytes(*width), u16::from_le_bytes(*height));
        cleaned.dimensions.include(width.into(), height.into());
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Dimensions;
    use super::*;

    fn cleaned(image: &[u8]) -> Vec<u8> {
        clean(image).unwrap().bytes
    }

    fn screen(width: u16, height: u16) -> Vec<u8> {
        [&b"GIF89a"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\x80\0\0", b"rgbRGB"].concat()
    }

    fn frame(width: u16, height: u16) -> Vec<u8> {
        [&b"\x2c\0\0\0\0"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\x80rgbRGB\x02\x03abc\x01;\0"].concat()
    }

    fn application(name: &[u8; 11]) -> Vec<u8> {
        [&b"\x21\xff\x0b"[..], name, b"\x03\x01\0\0\0"].concat()
    }

    fn image(parts: &[Vec<u8>]) -> Vec<u8> {
        [&parts.concat()[..], b";"].concat()
    }

    pub(in super::super) fn sized(width: u32, height: u32) -> Vec<u8> {
        image(&[screen(u16::try_from(width).unwrap(), u16::try_from(height).unwrap()), frame(1, 1)])
    }

    pub(in super::super) fn sample() -> Vec<u8> {
        image(&[
            screen(30, 20),
            application(b"NETSCAPE2.0"),
            b"\x21\xfe\x07by Anna\x03...\0".to_vec(),
            application(b"XMP DataXMP"),
            b"\x21\xf9\x04\0\x0a\0\0\0".to_vec(),
            frame(30, 20),
            frame(10, 10),
        ])
    }

    #[test]
    fn removes_metadata_and_what_follows_the_end() {
        let expected = image(&[
            screen(30, 20),
            application(b"NETSCAPE2.0"),
            b"\x21\xf9\x04\0\x0a\0\0\0".to_vec(),
            frame(30, 20),
            frame(10, 10),
        ]);
        assert_eq!(cleaned(&sample()), expected);
        assert_eq!(cleaned(&[sample(), b"PK: a hidden archive".to_vec()].concat()), expected);
    }

    #[test]
    fn an_extension_is_kept_if_it_is_needed_to_show_the_image() {
        for (extension, is_kept) in [
            (application(b"NETSCAPE2.0"), true),
            (application(b"ANIMEXTS1.0"), true),
            (application(b"ICCRGBG1012"), true),
            (application(b"XMP DataXMP"), false),
            (application(b"MGK8BIM0000"), false),
            (b"\x21\xf9\x04\0\x0a\0\0\0".to_vec(), true),
            (b"\x21\x01\x01a\0".to_vec(), false),
            (b"\x21\xff\x0bNETSCAPE2.0\x08<script>\0".to_vec(), false),
            (b"\x21\xfe\0".to_vec(), false),
            (b"\x21\x77\x01a\0".to_vec(), false),
        ] {
            let with = image(&[screen(1, 1), extension, frame(1, 1)]);
            let without = image(&[screen(1, 1), frame(1, 1)]);
            assert_eq!(cleaned(&with), if is_kept { with.clone() } else { without }, "{with:?}");
        }
    }

    #[test]
    fn nothing_is_hidden_behind_the_blocks_of_an_extension() {
        for extension in [application(b"NETSCAPE2.0"), b"\x21\xf9\x04\0\x0a\0\0\0".to_vec()] {
            let (_, blocks) = extension.split_last().unwrap();
            let with = image(&[screen(1, 1), [blocks, b"\x08<script>\0"].concat(), frame(1, 1)]);
            assert_eq!(cleaned(&with), image(&[screen(1, 1), extension, frame(1, 1)]));
        }
    }

    #[test]
    fn an_image_of_which_a_part_would_be_lost_is_refused() {
        for (part, error) in
            [(&b"<script>"[..], BROKEN), (b"\0<script>", BROKEN), (b"\x21\xf9\x01a\0", BROKEN), (b"\x2c<script>", CUT)]
        {
            let with = [screen(1, 1), frame(1, 1), part.to_vec()].concat();
            assert_eq!(clean(&with).unwrap_err(), error, "{}", part.escape_ascii());
        }
        assert_eq!(clean(&image(&[screen(1, 1)])).unwrap_err(), EMPTY);
        let frame = frame(1, 1);
        assert_eq!(clean(&[&screen(1, 1), &frame[..frame.len() - 1]].concat()).unwrap_err(), CUT);
    }

    #[test]
    fn a_missing_end_is_added_and_a_second_end_of_a_frame_stays() {
        let whole = image(&[screen(1, 1), frame(1, 1), vec![0, 0], frame(1, 1)]);
        assert_eq!(cleaned(&whole), whole);
        assert_eq!(cleaned(&whole[..whole.len() - 1]), whole);
    }

    #[test]
    fn a_frame_can_be_larger_than_the_screen() {
        let image = image(&[screen(1, 1), frame(300, 200)]);
        let Dimensions { side, pixels } = clean(&image).unwrap().dimensions;
        assert_eq!((side, pixels), (300, 60_000));
    }
}
