//! Uploaded images: how large they can be, and what is removed from them before they are stored.
//!
//! A photo tells where and when it was taken, with which device, and often by whom. All of that is removed, and so is what
//! follows the end of the image; the picture itself is not encoded anew. What decides how it looks stays: colour profiles,
//! and the orientation, which becomes the only EXIF tag. Only what is known to be needed is kept, so that metadata of a kind
//! that nobody has heard of yet is removed as well.
//!
//! Images are not decoded: what stands in the compressed picture itself is not looked at, and stays. So that what is left decodes to
//! the same pixels, the structure of a file must be whole: only its end marker can be missing, and is added.

mod exif;
mod gif;
mod jpeg;
mod png;
mod webp;

use thiserror::Error;

use crate::values::FileType;

const MAX_PIXELS: u64 = 50_000_000;
const MAX_SIDE: u32 = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ImageError {
    #[error("must have at most {} megapixels, and at most {MAX_SIDE} pixels a side", MAX_PIXELS / 1_000_000)]
    TooManyPixels,
    #[error("is a damaged image: {0}")]
    Damaged(&'static str),
}

const CUT: ImageError = ImageError::Damaged("it ends too early");
const BROKEN: ImageError = ImageError::Damaged("a part of it cannot be read");
const EMPTY: ImageError = ImageError::Damaged("it has no picture");

/// An image without metadata.
#[derive(Debug, Default)]
struct Cleaned {
    bytes: Vec<u8>,
    dimensions: Dimensions,
}

/// The largest side and the largest area in the headers of a file, which can contain several images.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Dimensions {
    side: u32,
    pixels: u64,
}

impl Dimensions {
    fn include(&mut self, width: u32, height: u32) {
        self.side = self.side.max(width).max(height);
        self.pixels = self.pixels.max(u64::from(width) * u64::from(height));
    }
}

/// Returns the file without metadata. A document that is not an image stays as it is.
pub fn without_metadata(bytes: &[u8], file_type: FileType) -> Result<Vec<u8>, ImageError> {
    let Cleaned { bytes, dimensions } = match file_type {
        FileType::Png => png::clean(bytes),
        FileType::Jpeg => jpeg::clean(bytes),
        FileType::Gif => gif::clean(bytes),
        FileType::WebP => webp::clean(bytes),
        FileType::Pdf => return Ok(bytes.to_vec()),
    }?;
    let is_too_large = dimensions.side > MAX_SIDE || dimensions.pixels > MAX_PIXELS;
    if is_too_large { Err(ImageError::TooManyPixels) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TYPES: [FileType; 4] = [FileType::Png, FileType::Jpeg, FileType::Gif, FileType::WebP];

    fn sample(file_type: FileType) -> Vec<u8> {
        match file_type {
            FileType::Png => png::tests::sample(),
            FileType::Jpeg => jpeg::tests::sample(),
            FileType::Gif => gif::tests::sample(),
            FileType::WebP => webp::tests::sample(),
            FileType::Pdf => Vec::new(),
        }
    }

    fn dimensions(bytes: &[u8], file_type: FileType) -> Dimensions {
        match file_type {
            FileType::Png => png::clean(bytes),
            FileType::Jpeg => jpeg::clean(bytes),
            FileType::Gif => gif::clean(bytes),
            FileType::WebP | FileType::Pdf => webp::clean(bytes),
        }
        .unwrap_or_default()
        .dimensions
    }

    #[test]
    fn a_document_stays_as_it_is() {
        assert_eq!(without_metadata(b"%PDF-1.7 /Author", FileType::Pdf).unwrap(), b"%PDF-1.7 /Author");
    }

    #[test]
    fn an_image_has_at_most_50_megapixels_and_20_000_pixels_a_side() {
        type Sized = fn(u32, u32) -> Vec<u8>;
        let formats: [(FileType, Sized); 6] = [
            (FileType::Png, png::tests::sized),
            (FileType::Jpeg, jpeg::tests::sized),
            (FileType::Gif, gif::tests::sized),
            (FileType::WebP, webp::tests::sized_canvas),
            (FileType::WebP, webp::tests::sized_lossy),
            (FileType::WebP, webp::tests::sized_lossless),
        ];
        for (file_type, image) in formats {
            for (width, height, accepted) in [
                (1, 1, true),
                (10_000, 5_000, true),
                (5_000, 10_000, true),
                (10_000, 5_001, false),
                (16_383, 16_383, false),
                (7_072, 7_071, false),
            ] {
                let cleaned = without_metadata(&image(width, height), file_type);
                assert_eq!(cleaned.is_ok(), accepted, "{file_type:?} {width} {height}");
            }
        }
        for (file_type, image) in &formats[..4] {
            for (width, height, accepted) in
                [(20_000, 2_500, true), (20_001, 1, false), (1, 20_001, false), (65_535, 65_535, false)]
            {
                let cleaned = without_metadata(&image(width, height), *file_type);
                assert_eq!(cleaned.is_ok(), accepted, "{file_type:?} {width} {height}");
            }
        }
        assert_eq!(ImageError::TooManyPixels.to_string(), "must have at most 50 megapixels, and at most 20000 pixels a side");
    }

    /// A copy of a sample with some bytes changed, removed or appended.
    fn damaged() -> impl Strategy<Value = (FileType, Vec<u8>)> {
        let change = (any::<prop::sample::Index>(), any::<u8>());
        let changes = prop::collection::vec(change, 0..8);
        let end = (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..40));
        (prop::sample::select(TYPES.to_vec()), changes, end).prop_map(|(file_type, changes, (cut, tail))| {
            let mut bytes = sample(file_type);
            for (index, byte) in changes {
                let index = index.index(bytes.len());
                // The signature stays: it decides the type.
                if index > 15 {
                    bytes[index] = byte;
                }
            }
            bytes.truncate(16.max(cut.index(bytes.len() * 2)));
            bytes.extend(tail);
            (file_type, bytes)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn the_result_is_of_the_same_type_and_size_and_has_nothing_more_to_remove(
            (file_type, bytes) in damaged(),
        ) {
            prop_assume!(FileType::of_image(&bytes) == Some(file_type));
            let Ok(cleaned) = without_metadata(&bytes, file_type) else { return Ok(()) };
            prop_assert_eq!(FileType::of_image(&cleaned), Some(file_type));
            prop_assert_eq!(dimensions(&cleaned, file_type), dimensions(&bytes, file_type));
            prop_assert_eq!(without_metadata(&cleaned, file_type), Ok(cleaned));
        }

        #[test]
        fn no_file_panics_or_grows_much(bytes: Vec<u8>) {
            for file_type in TYPES {
                if let Ok(cleaned) = without_metadata(&bytes, file_type) {
                    prop_assert!(cleaned.len() <= bytes.len() * 4 + 16);
                }
            }
        }
    }

    #[test]
    fn a_file_that_was_cut_loses_its_metadata_all_the_same() {
        for file_type in TYPES {
            let sample = sample(file_type);
            for length in 0..sample.len() {
                let Ok(cleaned) = without_metadata(&sample[..length], file_type) else { continue };
                assert!(!cleaned.windows(4).any(|text| text == b"Anna" || text == b"GPS "), "{file_type:?} {length}");
            }
        }
    }

    #[test]
    fn four_megabytes_of_any_block_are_read_once() {
        for (file_type, start, block) in [
            (FileType::Png, &b"\x89PNG\r\n\x1a\n"[..], &b"\0\0\0\0tEXt\0\0\0\0"[..]),
            (FileType::Jpeg, b"\xff\xd8\xff", b"\xff"),
            (FileType::Jpeg, b"\xff\xd8\xff\xda\0\x02", b"\xff\xda\0\x02"),
            (FileType::Jpeg, b"\xff\xd8\xff\xda\0\x02", b"\xff\0"),
            (FileType::Gif, b"GIF89a\x01\0\x01\0\0\0\0", b"\x21\xfe\0"),
            (FileType::Gif, b"GIF89a\x01\0\x01\0\0\0\0", b"\x21\xff\x01"),
            (FileType::WebP, b"RIFF\xff\xff\xff\x7fWEBPVP8X\0\0\0\0", b"XMP \0\0\0\0"),
        ] {
            let bytes = [start, &block.repeat(4 * 1024 * 1024 / block.len())].concat();
            assert_ne!(without_metadata(&bytes, file_type), Err(ImageError::TooManyPixels), "{file_type:?}");
        }
    }
}
