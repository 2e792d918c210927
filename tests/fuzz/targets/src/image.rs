//! Metadata of images: the same picture is left, and nothing more to remove.

use imagesize::ImageSize;
use shared::offers::model::image::without_metadata;
use shared::values::FileType;

const SIGNATURES: [&[u8]; 5] =
    [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe1", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8X", b"\xff\xd8\xff\xc0"];

pub fn image(data: &[u8]) {
    clean(data);
    // The signatures need not be found by chance.
    if let Some((choice, rest)) = data.split_first() {
        let mut image = [SIGNATURES[usize::from(*choice) % SIGNATURES.len()], rest].concat();
        let length = u32::try_from(image.len().saturating_sub(8)).unwrap_or_default().to_le_bytes();
        if let (true, Some(field)) = (image.starts_with(b"RIFF"), image.get_mut(4..8)) {
            field.copy_from_slice(&length);
        }
        clean(&image);
    }
}

fn clean(image: &[u8]) {
    let Some(file_type) = FileType::of_document(image) else { return };
    let Ok(cleaned) = without_metadata(image, file_type) else { return };
    assert_eq!(FileType::of_document(&cleaned), Some(file_type));
    assert_eq!(without_metadata(&cleaned, file_type).as_ref(), Ok(&cleaned));
    // A segment of EXIF data is replaced by one with a single tag, which can be longer.
    assert!(cleaned.len() <= image.len() * 5 + 64, "{} {}", image.len(), cleaned.len());
    if has_whole_header(image, file_type)
        && let (Some(before), Some(after)) = (size(image), size(&cleaned))
    {
        assert_eq!(before, after);
        assert!(is_small(after), "{after:?}");
    }
}

/// Whether the size stands where it belongs. The other reader takes what it finds there for one all the same, and does not look whether
/// the header is the first, or long enough.
fn has_whole_header(image: &[u8], file_type: FileType) -> bool {
    match file_type {
        FileType::Png => matches!(image.get(8..16), Some([0, 0, 0, 8..=13, b'I', b'H', b'D', b'R'])),
        FileType::Jpeg => has_whole_frame(image.get(2..).unwrap_or_default()),
        FileType::WebP => {
            let is_known = match image.get(12..16) {
                Some(b"VP8 ") => image.get(23..26) == Some(b"\x9d\x01\x2a"),
                Some(b"VP8L") => image.get(20) == Some(&0x2f),
                _ => true,
            };
            is_known && length_at(image, 4) >= 22 && length_at(image, 16) >= 10
        }
        FileType::Gif | FileType::Pdf => true,
    }
}

/// Whether segments follow each other up to a frame with no more components than decoders know.
fn has_whole_frame(mut segments: &[u8]) -> bool {
    while let [0xff, marker, high, low, data @ ..] = segments {
        let length = usize::from(u16::from_be_bytes([*high, *low])).saturating_sub(2);
        match marker {
            // A scan, what has no data, and a fill byte.
            0xda | 0xd0..=0xd9 | 0x00 | 0x01 | 0xff => return false,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => return length >= 6 && matches!(data.get(5), Some(0..=4)),
            _ => segments = data.get(length..).unwrap_or_default(),
        }
    }
    false
}

fn length_at(image: &[u8], start: usize) -> u32 {
    image.get(start..).and_then(<[u8]>::first_chunk).map_or(0, |length| u32::from_le_bytes(*length))
}

fn is_small((width, height): (usize, usize)) -> bool {
    width <= 20_000 && height <= 20_000 && width * height <= 50_000_000
}

/// What another reader takes for the size of the picture.
fn size(image: &[u8]) -> Option<(usize, usize)> {
    let ImageSize { width, height } = imagesize::blob_size(image).ok()?;
    // Of a lossy WebP, the other reader takes the two bits of the scale for a part of the size.
    let bits = if image.starts_with(b"RIFF") && image.get(12..16) == Some(b"VP8 ") { 0x3fff } else { usize::MAX };
    Some((width & bits, height & bits))
}
