//! PNG (and animated PNG): a sequence of chunks with a length, a type, data and a checksum.

use super::{BROKEN, CUT, Cleaned, EMPTY, ImageError, exif};

const SIGNATURE_BYTES: usize = 8;
/// Length and type.
const HEADER_BYTES: usize = 8;
const CHECKSUM_BYTES: usize = 4;
/// The last chunk, which has no data.
const END: &[u8] = b"\0\0\0\0IEND\xaeB`\x82";

/// Chunks that a decoder needs, or that change how the image looks, each with the largest size of its data. In longer ones,
/// something else is hidden.
const KEPT: [(&[u8; 4], usize); 18] = [
    (b"IHDR", 13),
    (b"PLTE", 768),
    (b"IDAT", usize::MAX),
    (b"tRNS", 256),
    (b"cHRM", 32),
    (b"gAMA", 4),
    (b"iCCP", usize::MAX),
    (b"sBIT", 4),
    (b"sRGB", 1),
    (b"cICP", 4),
    (b"mDCV", 24),
    (b"cLLI", 8),
    (b"bKGD", 6),
    (b"hIST", 512),
    (b"pHYs", 9),
    (b"acTL", 8),
    (b"fcTL", 26),
    (b"fdAT", usize::MAX),
];

pub(super) fn clean(image: &[u8]) -> Result<Cleaned, ImageError> {
    let mut cleaned = Cleaned::default();
    let (signature, mut rest) = image.split_at_checked(SIGNATURE_BYTES).ok_or(CUT)?;
    cleaned.bytes.extend(signature);
    let (mut previous, mut has_picture) = (None, false);
    // Where nothing but the last chunk is missing, it is added.
    while !END.starts_with(rest) {
        let (length, typed) = rest.split_first_chunk::<4>().ok_or(CUT)?;
        let kind = typed.first_chunk::<4>().ok_or(CUT)?;
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        // The header is first. Decoders stop reading the picture at a chunk between its parts.
        let is_misplaced = (kind == b"IHDR") == previous.is_some() || (kind == b"IDAT" && has_picture && previous != Some(kind));
        if !kind.iter().all(u8::is_ascii_alphabetic) || is_misplaced {
            return Err(BROKEN);
        }
        let total = length.saturating_add(HEADER_BYTES + CHECKSUM_BYTES);
        let (chunk, after) = rest.split_at_checked(total).ok_or(CUT)?;
        let data = chunk.get(HEADER_BYTES..HEADER_BYTES + length).unwrap_or_default();
        match kind {
            b"eXIf" => cleaned.bytes.extend(exif::only_orientation(data).map(|exif| exif_chunk(&exif)).unwrap_or_default()),
            b"IEND" => {
                cleaned.bytes.extend(if data.is_empty() { chunk } else { END });
                return if has_picture { Ok(cleaned) } else { Err(EMPTY) };
            }
            kind if is_kept(*kind, data.len()) => {
                if kind == b"IHDR" {
                    include_size(&mut cleaned, data);
                }
                cleaned.bytes.extend(chunk);
            }
            // A capital means that the picture cannot be decoded without the chunk.
            [b'A'..=b'Z', ..] => return Err(BROKEN),
            _ => {}
        }
        has_picture |= kind == b"IDAT";
        (previous, rest) = (Some(kind), after);
    }
    cleaned.bytes.extend(END);
    if has_picture { Ok(cleaned) } else { Err(EMPTY) }
}

fn is_kept(kind: [u8; 4], length: usize) -> bool {
    KEPT.iter().any(|(kept, max)| **kept == kind && length <= *max)
}

fn include_size(cleaned: &mut Cleaned, header: &[u8]) {
    if let Some((width, rest)) = header.split_first_chunk()
        && let Some(height) = rest.first_chunk()
    {
        cleaned.dimensions.include(u32::from_be_bytes(*width), u32::from_be_bytes(*height));
    }
}

fn exif_chunk(exif: &[u8]) -> Vec<u8> {
    let typed = [b"eXIf", exif].concat();
    let length = u32::try_from(exif.len()).unwrap_or_default();
    [&length.to_be_bytes()[..], &typed, &crc_32(&typed).to_be_bytes()].concat()
}

/// The checksum of PNG, over the type and the data of a chunk.
fn crc_32(bytes: &[u8]) -> u32 {
    let with_bit = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), with_bit))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn cleaned(image: &[u8]) -> Vec<u8> {
        clean(image).unwrap().bytes
    }

    fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        let typed = [kind, data].concat();
        let length = u32::try_from(data.len()).unwrap();
        [&length.to_be_bytes()[..], &typed, &crc_32(&typed).to_be_bytes()].concat()
    }

    fn image(chunks: &[Vec<u8>]) -> Vec<u8> {
        [&b"\x89PNG\r\n\x1a\n"[..], &chunks.concat()].concat()
    }

    fn header(width: u32, height: u32) -> Vec<u8> {
        chunk(b"IHDR", &[&width.to_be_bytes()[..], &height.to_be_bytes(), b"\x08\x02\0\0\0"].concat())
    }

    pub(in super::super) fn sized(width: u32, height: u32) -> Vec<u8> {
        image(&[header(width, height), chunk(b"IDAT", b"x"), chunk(b"IEND", b"")])
    }

    pub(in super::super) fn sample() -> Vec<u8> {
        image(&[
            header(30, 20),
            chunk(b"iCCP", b"profile"),
            chunk(b"tEXt", b"Author\0Anna"),
            chunk(b"eXIf", &exif::tests::sample(6)),
            chunk(b"IDAT", b"picture"),
            chunk(b"iTXt", b"XML:com.adobe.xmp\0GPS"),
            chunk(b"tIME", b"1234567"),
            chunk(b"IEND", b""),
        ])
    }

    #[test]
    fn removes_metadata_and_what_follows_the_end() {
        let upright = exif_chunk(&exif::only_orientation(&exif::tests::sample(6)).unwrap());
        let expected =
            image(&[header(30, 20), chunk(b"iCCP", b"profile"), upright, chunk(b"IDAT", b"picture"), chunk(b"IEND", b"")]);
        assert_eq!(cleaned(&[sample(), b"PK: a hidden archive".to_vec()].concat()), expected);
        assert_eq!(cleaned(&sample()), expected);
    }

    #[test]
    fn a_chunk_is_kept_if_it_is_needed_to_show_the_image() {
        for (kind, is_kept) in [
            (b"PLTE", true),
            (b"hTML", false),
            (b"sPLT", false),
            (b"tRNS", true),
            (b"gAMA", true),
            (b"acTL", true),
            (b"fdAT", true),
            (b"zTXt", false),
            (b"iTXt", false),
            (b"tIME", false),
            (b"caBX", false),
            (b"eXIf", false),
        ] {
            let with = image(&[header(1, 1), chunk(kind, b"data"), chunk(b"IDAT", b"x"), chunk(b"IEND", b"")]);
            let without = sized(1, 1);
            assert_eq!(cleaned(&with), if is_kept { with } else { without }, "{}", kind.escape_ascii());
        }
    }

    #[test]
    fn a_missing_end_is_added() {
        let whole = sized(1, 1);
        for length in whole.len() - END.len()..whole.len() {
            assert_eq!(cleaned(&whole[..length]), whole, "{length}");
        }
    }

    #[test]
    fn an_image_of_which_a_part_would_be_lost_is_refused() {
        let (start, picture, end) = (header(1, 1), chunk(b"IDAT", b"x"), chunk(b"IEND", b""));
        let text = chunk(b"tEXt", b"Author\0Anna");
        for (chunks, error) in [
            (vec![], EMPTY),
            (vec![start.clone(), end.clone()], EMPTY),
            (vec![picture.clone(), end.clone()], BROKEN),
            (vec![start.clone(), start.clone(), picture.clone()], BROKEN),
            (vec![start.clone(), picture.clone(), text.clone(), picture.clone()], BROKEN),
            (vec![start.clone(), chunk(b"CgBI", b"data"), picture.clone()], BROKEN),
            (vec![start.clone(), picture[..10].to_vec()], CUT),
            (vec![start.clone(), picture.clone(), text[..14].to_vec()], CUT),
            (vec![b"...".to_vec()], CUT),
            (vec![b"\0\0\0\x01<!--<script>".to_vec()], BROKEN),
            (vec![b"\0\0\0\0\0\0\0\0<script>".to_vec()], BROKEN),
        ] {
            assert_eq!(clean(&image(&chunks)).unwrap_err(), error, "{chunks:?}");
        }
    }

    #[test]
    fn nothing_is_hidden_in_chunks_that_are_too_long() {
        for kind in [b"gAMA", b"pHYs", b"tRNS", b"PLTE", b"acTL"] {
            let with = image(&[header(1, 1), chunk(kind, &[0; 800]), chunk(b"IDAT", b"x"), chunk(b"IEND", b"")]);
            let expected = if kind == b"PLTE" { Err(BROKEN) } else { Ok(sized(1, 1)) };
            assert_eq!(clean(&with).map(|cleaned| cleaned.bytes), expected, "{}", kind.escape_ascii());
        }
        let with = image(&[header(1, 1), chunk(b"IDAT", b"x"), chunk(b"IEND", b"<script>")]);
        assert_eq!(cleaned(&with), sized(1, 1));
    }

    #[test]
    fn the_checksum_is_that_of_the_specification() {
        assert_eq!(crc_32(b"IEND"), 0xae42_6082);
    }
}
