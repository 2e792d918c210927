//! WebP: a RIFF file, which is a sequence of chunks with a type, a length and data.

use super::{Cleaned, exif};

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

pub(super) fn clean(image: &[u8]) -> Cleaned {
    let mut cleaned = Cleaned::default();
    let Some((_, chunks)) = image.split_at_checked(FILE_HEADER_BYTES) else { return cleaned };
    let length = image.get(4..).and_then(<[u8]>::first_chunk).map_or(0, |length| u32::from_le_bytes(*length));
    // The length includes `WEBP`.
    let length = usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(4);
    let chunks = chunks.get(..length).unwrap_or(chunks);

    let mut kept = Vec::with_capacity(chunks.len());
    let mut has_exif = false;
    for_each_chunk(chunks, |chunk| {
        let data = chunk.data;
        match chunk.kind {
            b"EXIF" => {
                let tiff = data.strip_prefix(exif::PREFIX).unwrap_or(data);
                if let Some(exif) = exif::only_orientation(tiff) {
                    has_exif = true;
                    append(&mut kept, b"EXIF", &exif);
                }
            }
            b"VP8X" => {
                include_canvas(&mut cleaned, data.get(4..).unwrap_or_default());
                append_first(&mut kept, &chunk, CANVAS_BYTES);
            }
            b"ANMF" => append_frame(&mut kept, &mut cleaned, &chunk),
            b"VP8 " | b"VP8L" if include_picture(&mut cleaned, chunk.kind, data) => kept.extend(chunk.all),
            b"ANIM" => append_first(&mut kept, &chunk, ANIMATION_BYTES),
            b"ALPH" | b"ICCP" => kept.extend(chunk.all),
            _ => {}
        }
    });
    // A canvas without data has no flags: what stands there is the next chunk.
    if let Some((header, [flags, ..])) = kept.split_first_chunk_mut::<HEADER_BYTES>()
        && header.starts_with(b"VP8X")
        && !header.ends_with(&[0; 4])
    {
        *flags = *flags & !(HAS_EXIF | HAS_XMP) | if has_exif { HAS_EXIF } else { 0 };
    }
    let length = u32::try_from(kept.len() + 4).unwrap_or(u32::MAX);
    cleaned.bytes = [&b"RIFF"[..], &length.to_le_bytes(), b"WEBP", &kept].concat();
    cleaned
}

struct Chunk<'a> {
    kind: &'a [u8; 4],
    data: &'a [u8],
    /// With its header, and the byte that makes its length even.
    all: &'a [u8],
}

/// What follows the last complete header is ignored.
fn for_each_chunk<'a>(mut chunks: &'a [u8], mut visit: impl FnMut(Chunk<'a>)) {
    while let Some((kind, rest)) = chunks.split_first_chunk::<4>()
        && let Some((length, _)) = rest.split_first_chunk::<4>()
    {
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let end = length.saturating_add(HEADER_BYTES);
        let data = chunks.get(HEADER_BYTES..end.min(chunks.len())).unwrap_or_default();
        let (all, after) = chunks.split_at_checked(end.saturating_add(length % 2)).unwrap_or((chunks, &[]));
        visit(Chunk { kind, data, all });
        chunks = after;
    }
}

fn append(chunks: &mut Vec<u8>, kind: &[u8], data: &[u8]) {
    chunks.extend(kind);
    chunks.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_le_bytes());
    chunks.extend(data);
    chunks.extend((data.len() % 2 == 1).then_some(0));
}

/// Appends a chunk without what follows the first bytes of its data.
fn append_first(chunks: &mut Vec<u8>, chunk: &Chunk<'_>, length: usize) {
    match chunk.data.get(..length) {
        Some(data) => append(chunks, chunk.kind, data),
        None => chunks.extend(chunk.all),
    }
}

/// Appends a frame of an animation without metadata of its own. One that was cut in its header is none.
fn append_frame(chunks: &mut Vec<u8>, cleaned: &mut Cleaned, frame: &Chunk<'_>) {
    let Some((header, pictures)) = frame.data.split_at_checked(FRAME_HEADER_BYTES) else { return };
    include_canvas(cleaned, header.get(6..).unwrap_or_default());
    let mut data = header.to_vec();
    for_each_chunk(pictures, |chunk| {
        if chunk.kind == b"ALPH" || include_picture(cleaned, chunk.kind, chunk.data) {
            data.extend(chunk.all);
        }
    });
    append(chunks, frame.kind, &data);
}

/// Width and height in three bytes each, less one.
fn include_canvas(cleaned: &mut Cleaned, size: &[u8]) {
    if let Some([w0, w1, w2, h0, h1, h2]) = size.first_chunk() {
        let width = u32::from_le_bytes([*w0, *w1, *w2, 0]) + 1;
        let height = u32::from_le_bytes([*h0, *h1, *h2, 0]) + 1;
        cleaned.dimensions.include(width, height);
    }
}

/// The size in a picture itself, in 14 bits each. `false` if it is no picture.
fn include_picture(cleaned: &mut Cleaned, kind: &[u8], data: &[u8]) -> bool {
    match (kind, data) {
        (b"VP8 ", [_, _, _, 0x9d, 0x01, 0x2a, w0, w1, h0, h1, ..]) => {
            let size = |low: u8, high: u8| u32::from(u16::from_le_bytes([low, high]) & 0x3fff);
            cleaned.dimensions.include(size(*w0, *w1), size(*h0, *h1));
        }
        (b"VP8L", [0x2f, b0, b1, b2, b3, ..]) => {
            let bits = u32::from_le_bytes([*b0, *b1, *b2, *b3]);
            cleaned.dimensions.include((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

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
        assert_eq!(clean(&sample()).bytes, expected);
        assert_eq!(clean(&[sample(), b"PK: a hidden archive".to_vec()].concat()).bytes, expected);
    }

    #[test]
    fn nothing_is_hidden_behind_the_fields_of_a_chunk() {
        let with = |canvas: &[u8], animation: &[u8]| image(&[chunk(b"VP8X", canvas), chunk(b"ANIM", animation), lossy(1, 1)]);
        assert_eq!(clean(&with(b"\0\0\0\0\0\0\0\0\0\0<script>", b"123456<script>")).bytes, with(&[0; 10], b"123456"));
        for picture in [chunk(b"VP8 ", b"<script>"), chunk(b"VP8L", b"<script>"), chunk(b"ANMF", b"<script>")] {
            assert_eq!(clean(&image(&[lossy(1, 1), picture])).bytes, image(&[lossy(1, 1)]));
        }
    }

    #[test]
    fn the_flags_say_what_is_left() {
        for (orientation, flags) in [(1, 0x20), (6, 0x28)] {
            let exif = [exif::PREFIX, &exif::tests::sample(orientation)].concat();
            let with = image(&[extended(0x2c, 3, 2), lossy(3, 2), chunk(b"EXIF", &exif), chunk(b"XMP ", b"x")]);
            let cleaned = clean(&with).bytes;
            assert!(cleaned[FILE_HEADER_BYTES..].starts_with(&extended(flags, 3, 2)), "{cleaned:?}");
        }
    }

    #[test]
    fn an_empty_canvas_leaves_the_next_chunk_alone() {
        let with = image(&[chunk(b"VP8X", b""), lossy(3, 2)]);
        assert_eq!(clean(&with).bytes, with);
    }

    #[test]
    fn a_plain_image_stays_as_it_is() {
        for image in [sized_lossy(30, 20), sized_lossless(30, 20), sized_canvas(30, 20)] {
            assert_eq!(clean(&image).bytes, image);
            assert_eq!((clean(&image).dimensions.side, clean(&image).dimensions.pixels), (30, 600));
        }
    }

    #[test]
    fn a_file_that_was_cut_loses_its_metadata_all_the_same() {
        let parts = [extended(0x04, 3, 2), lossy(3, 2), chunk(b"XMP ", b"by Anna"), chunk(b"NOTE", b"by Anna")];
        let image = image(&parts);
        for length in 0..image.len() {
            let cleaned = clean(&image[..length]).bytes;
            assert!(!cleaned.windows(4).any(|text| text == b"Anna"), "{length}");
        }
        let sample = sample();
        for length in 0..sample.len() {
            let cleaned = clean(&sample[..length]).bytes;
            assert!(!cleaned.windows(4).any(|text| text == b"Anna"), "{length}");
        }
    }
}
