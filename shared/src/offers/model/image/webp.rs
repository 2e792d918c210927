//! WebP: a RIFF file, which is a sequence of chunks with a type, a length and data.

use super::{BROKEN, CUT, Cleaned, EMPTY, ImageError, exif};

/// `RIFF`, the length, and `WEBP`.
const FILE_HEADER_BYTES: usize = 12;
/// Type and length.
const HEADER_BYTES: usize = 8;
/// Of the data of `VP8X`.
const CANVAS_BYTES: usize = 10;
/// Of the data of `ANIM`.
const ANIMATION_BYTES: usize = 6;
/// Of the data of a frame, before its chunks.
const FRAME_HEADER_BYTES: usize = 16;

const HAS_EXIF: u8 = 0x08;
const HAS_XMP: u8 = 0x04;

pub(super) fn clean(image: &[u8]) -> Result<Cleaned, ImageError> {
    let mut cleaned = Cleaned::default();
    let (header, chunks) = image.split_first_chunk::<FILE_HEADER_BYTES>().ok_or(CUT)?;
    let [.., l0, l1, l2, l3, _, _, _, _] = *header;
    // The length includes `WEBP`.
    let length = usize::try_from(u32::from_le_bytes([l0, l1, l2, l3])).unwrap_or(usize::MAX).checked_sub(4).ok_or(BROKEN)?;
    let mut chunks = chunks.get(..length).ok_or(CUT)?;

    let mut kept = Vec::with_capacity(chunks.len());
    let (mut flags, mut has_exif, mut has_picture) = (None, false, false);
    while let Some((kind, data)) = next_chunk(&mut chunks)? {
        match kind {
            b"VP8X" if kept.is_empty() => {
                let canvas = data.get(..CANVAS_BYTES).ok_or(BROKEN)?;
                include_canvas(&mut cleaned, canvas.get(4..).unwrap_or_default());
                append(&mut kept, kind, canvas);
                flags = canvas.first().copied();
            }
            b"VP8 " | b"VP8L" if !has_picture => {
                include_picture(&mut cleaned, kind, data)?;
                append(&mut kept, kind, data);
                has_picture = true;
                // Without the header of an extended file, there is nothing else.
                if flags.is_none() {
                    break;
                }
            }
            _ if flags.is_none() => return Err(BROKEN),
            b"ANMF" => {
                append_frame(&mut kept, &mut cleaned, data)?;
                has_picture = true;
            }
            b"ANIM" => append(&mut kept, kind, data.get(..ANIMATION_BYTES).ok_or(BROKEN)?),
            b"ALPH" | b"ICCP" => append(&mut kept, kind, data),
            // Readers that find no flag do not turn the picture.
            b"EXIF" if !has_exif && flags.is_some_and(|flags| flags & HAS_EXIF != 0) => {
                if let Some(exif) = exif::only_orientation(data.strip_prefix(exif::PREFIX).unwrap_or(data)) {
                    has_exif = true;
                    append(&mut kept, b"EXIF", &exif);
                }
            }
            _ => {}
        }
    }
    if !has_picture {
        return Err(EMPTY);
    }
    if let (Some(flags), Some(kept)) = (flags, kept.get_mut(HEADER_BYTES)) {
        *kept = flags & !(HAS_EXIF | HAS_XMP) | if has_exif { HAS_EXIF } else { 0 };
    }
    let length = u32::try_from(kept.len() + 4).unwrap_or(u32::MAX);
    cleaned.bytes = [&b"RIFF"[..], &length.to_le_bytes(), b"WEBP", &kept].concat();
    Ok(cleaned)
}

/// The type and the data.
type Chunk<'a> = (&'a [u8; 4], &'a [u8]);

/// The next chunk. `None` at the end. The last chunk can lack the byte that makes its length even.
fn next_chunk<'a>(chunks: &mut &'a [u8]) -> Result<Option<Chunk<'a>>, ImageError> {
    if chunks.is_empty() {
        return Ok(None);
    }
    let (kind, rest) = chunks.split_first_chunk().ok_or(CUT)?;
    let (length, rest) = rest.split_first_chunk().ok_or(CUT)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (data, rest) = rest.split_at_checked(length).ok_or(CUT)?;
    *chunks = rest.get(length % 2..).unwrap_or_default();
    Ok(Some((kind, data)))
}

fn append(chunks: &mut Vec<u8>, kind: &[u8], data: &[u8]) {
    chunks.extend(kind);
    chunks.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_le_bytes());
    chunks.extend(data);
    chunks.extend((data.len() % 2 == 1).then_some(0));
}

/// Appends a frame of an animation without metadata of its own.
fn append_frame(kept: &mut Vec<u8>, cleaned: &mut Cleaned, frame: &[u8]) -> Result<(), ImageError> {
    let (header, mut chunks) = frame.split_at_checked(FRAME_HEADER_BYTES).ok_or(CUT)?;
    include_canvas(cleaned, header.get(6..).unwrap_or_default());
    let mut data = header.to_vec();
    let mut has_picture = false;
    while let Some((kind, chunk)) = next_chunk(&mut chunks)? {
        match kind {
            b"ALPH" => append(&mut data, kind, chunk),
            b"VP8 " | b"VP8L" if !has_picture => {
                include_picture(cleaned, kind, chunk)?;
                append(&mut data, kind, chunk);
                has_picture = true;
            }
            _ => {}
        }
    }
    append(kept, b"ANMF", &data);
    if has_picture { Ok(()) } else { Err(EMPTY) }
}

/// Width and height in three bytes each, less one.
fn include_canvas(cleaned: &mut Cleaned, size: &[u8]) {
    if let Some([w0, w1, w2, h0, h1, h2]) = size.first_chunk() {
        let width = u32::from_le_bytes([*w0, *w1, *w2, 0]) + 1;
        let height = u32::from_le_bytes([*h0, *h1, *h2, 0]) + 1;
        cleaned.dimensions.include(width, height);
    }
}

/// The size in a picture itself, in 14 bits each.
fn include_picture(cleaned: &mut Cleaned, kind: &[u8], data: &[u8]) -> Result<(), ImageError> {
    match (kind, data) {
        (b"VP8 ", [_, _, _, 0x9d, 0x01, 0x2a, w0, w1, h0, h1, ..]) => {
            let size = |low: u8, high: u8| u32::from(u16::from_le_bytes([low, high]) & 0x3fff);
            cleaned.dimensions.include(size(*w0, *w1), size(*h0, *h1));
        }
        (b"VP8L", [0x2f, b0, b1, b2, b3, ..]) => {
            let bits = u32::from_le_bytes([*b0, *b1, *b2, *b3]);
            cleaned.dimensions.include((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
        }
        _ => return Err(BROKEN),
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn cleaned(image: &[u8]) -> Vec<u8> {
        clean(image).unwrap().bytes
    }

    fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        let mut chunk = Vec::new();
        append(&mut chunk, kind, data);
        chunk
    }

    fn image(chunks: &[Vec<u8>]) -> Vec<u8> {
        let chunks = chunks.concat();
        let length = u32::try_from(chunks.len() + 4).unwrap();
        [&b"RIFF"[..], &length.to_le_bytes(), b"WEBP", &chunks].concat()
    }

    fn size_in_24_bits(width: u32, height: u32) -> Vec<u8> {
        [width, height].iter().flat_map(|side| (side - 1).to_le_bytes()[..3].to_vec()).collect()
    }

    fn extended(flags: u8, width: u32, height: u32) -> Vec<u8> {
        chunk(b"VP8X", &[&[flags, 0, 0, 0][..], &size_in_24_bits(width, height)].concat())
    }

    fn lossy(width: u32, height: u32) -> Vec<u8> {
        let [width, height] = [width, height].map(|side| u16::try_from(side).unwrap().to_le_bytes());
        chunk(b"VP8 ", &[&b"\0\0\0\x9d\x01\x2a"[..], &width, &height, b"pixel"].concat())
    }

    fn frame(chunks: &[Vec<u8>]) -> Vec<u8> {
        chunk(b"ANMF", &[&[0; 6][..], &size_in_24_bits(3, 2), &[0; 4], &chunks.concat()].concat())
    }

    pub(in super::super) fn sized_canvas(width: u32, height: u32) -> Vec<u8> {
        image(&[extended(0, width, height), lossy(1, 1)])
    }

    pub(in super::super) fn sized_lossy(width: u32, height: u32) -> Vec<u8> {
        image(&[lossy(width, height)])
    }

    pub(in super::super) fn sized_lossless(width: u32, height: u32) -> Vec<u8> {
        let bits = ((height - 1) << 14) | (width - 1);
        image(&[chunk(b"VP8L", &[&[0x2f][..], &bits.to_le_bytes()].concat())])
    }

    pub(in super::super) fn sample() -> Vec<u8> {
        image(&[
            extended(0x2e, 30, 20),
            chunk(b"ICCP", b"profile"),
            chunk(b"ANIM", b"123456"),
            frame(&[chunk(b"ALPH", b"a"), chunk(b"NOTE", b"by Anna"), lossy(3, 2)]),
            frame(&[lossy(3, 2)]),
            chunk(b"EXIF", &exif::tests::sample(6)),
            chunk(b"XMP ", b"by Anna"),
        ])
    }

    #[test]
    fn removes_metadata_and_what_follows_the_end() {
        let upright = exif::only_orientation(&exif::tests::sample(6)).unwrap();
        let expected = image(&[
            extended(0x2a, 30, 20),
            chunk(b"ICCP", b"profile"),
            chunk(b"ANIM", b"123456"),
            frame(&[chunk(b"ALPH", b"a"), lossy(3, 2)]),
            frame(&[lossy(3, 2)]),
            chunk(b"EXIF", &upright),
        ]);
        assert_eq!(cleaned(&sample()), expected);
        assert_eq!(cleaned(&[sample(), b"PK: a hidden archive".to_vec()].concat()), expected);
    }

    #[test]
    fn nothing_is_hidden_behind_the_fields_of_a_chunk() {
        let with = |canvas: &[u8], animation: &[u8]| image(&[chunk(b"VP8X", canvas), chunk(b"ANIM", animation), lossy(1, 1)]);
        assert_eq!(cleaned(&with(b"\0\0\0\0\0\0\0\0\0\0<script>", b"123456<script>")), with(&[0; 10], b"123456"));
        for surplus in
            [chunk(b"VP8 ", b"<script>"), chunk(b"VP8L", b"<script>"), chunk(b"ANMF", b"<script>"), b"<script>".to_vec()]
        {
            assert_eq!(cleaned(&image(&[lossy(1, 1), surplus])), image(&[lossy(1, 1)]));
        }
    }

    #[test]
    fn an_image_of_which_a_part_would_be_lost_is_refused() {
        let head = || extended(0, 3, 2);
        for (chunks, error) in [
            (vec![head()], EMPTY),
            (vec![head(), frame(&[chunk(b"NOTE", b"")])], EMPTY),
            (vec![head(), chunk(b"ANMF", b"<script>")], CUT),
            (vec![head(), chunk(b"VP8 ", b"<script>")], BROKEN),
            (vec![chunk(b"VP8Z", b"<script>")], BROKEN),
            (vec![chunk(b"VP8X", b"")], BROKEN),
            (vec![head(), lossy(3, 2)[..12].to_vec()], CUT),
            (vec![head(), lossy(3, 2), b"EXIF".to_vec()], CUT),
        ] {
            assert_eq!(clean(&image(&chunks)).unwrap_err(), error, "{chunks:?}");
        }
        let whole = sized_lossy(3, 2);
        assert_eq!(clean(&whole[..whole.len() - 2]).unwrap_err(), CUT);
    }

    #[test]
    fn an_orientation_that_no_flag_announces_is_removed() {
        let with = image(&[extended(0, 3, 2), lossy(3, 2), chunk(b"EXIF", &exif::tests::sample(6))]);
        assert_eq!(cleaned(&with), image(&[extended(0, 3, 2), lossy(3, 2)]));
    }

    #[test]
    fn the_flags_say_what_is_left() {
        for (orientation, flags) in [(1, 0x20), (6, 0x28)] {
            let exif = [exif::PREFIX, &exif::tests::sample(orientation)].concat();
            let with = image(&[extended(0x2c, 3, 2), lossy(3, 2), chunk(b"EXIF", &exif), chunk(b"XMP ", b"x")]);
            let cleaned = cleaned(&with);
            assert!(cleaned[FILE_HEADER_BYTES..].starts_with(&extended(flags, 3, 2)), "{cleaned:?}");
        }
    }

    #[test]
    fn a_plain_image_stays_as_it_is() {
        for image in [sized_lossy(30, 20), sized_lossless(30, 20), sized_canvas(30, 20)] {
            let Cleaned { bytes, dimensions } = clean(&image).unwrap();
            assert_eq!((bytes, dimensions.side, dimensions.pixels), (image, 30, 600));
        }
    }

    #[test]
    fn metadata_that_was_cut_is_removed() {
        let parts = [extended(0x04, 3, 2), lossy(3, 2), chunk(b"XMP ", b"by Anna"), chunk(b"NOTE", b"by Anna")];
        let image = image(&parts);
        for length in 0..image.len() {
            let Ok(Cleaned { bytes: cleaned, .. }) = clean(&image[..length]) else { continue };
            assert!(!cleaned.windows(4).any(|text| text == b"Anna"), "{length}");
        }
    }
}
