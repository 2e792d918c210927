//! The types of uploaded files.

/// The types of uploaded files, detected from their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    Png,
    Jpeg,
    Gif,
    WebP,
    Pdf,
}

const PDF_SIGNATURE: &[u8] = b"%PDF-";

impl FileType {
    /// Detects the type of an image. Requires the complete signature of the format: files of other formats can match a
    /// part of it.
    pub fn of_image(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, 0xc0..=0xfe, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', b'V', b'P', b'8', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// Detects the type of a document: an image, or a PDF, which may begin within the first 1,024 bytes, as readers accept it.
    pub fn of_document(bytes: &[u8]) -> Option<Self> {
        let mut starts = bytes.windows(PDF_SIGNATURE.len()).take(1024);
        Self::of_image(bytes).or_else(|| starts.any(|start| start == PDF_SIGNATURE).then_some(Self::Pdf))
    }

    /// The extension of file names, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::WebP => "webp",
            Self::Pdf => "pdf",
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Pdf => "application/pdf",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_types_by_their_complete_signature() {
        for (bytes, image, document) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], Some(FileType::Png), Some(FileType::Png)),
            (b"\xff\xd8\xff\xe0...", Some(FileType::Jpeg), Some(FileType::Jpeg)),
            (b"GIF89a...", Some(FileType::Gif), Some(FileType::Gif)),
            (b"GIF87a...", Some(FileType::Gif), Some(FileType::Gif)),
            (b"RIFF\x10\0\0\0WEBPVP8 ...", Some(FileType::WebP), Some(FileType::WebP)),
            (b"%PDF-1.7 ...", None, Some(FileType::Pdf)),
            (b"GIFT CARDS and their conditions", None, None),
            (b"\x89PNGhello", None, None),
            (b"\xff\xd8\xffhello", None, None),
            (b"<html>..WEBP<script>", None, None),
            (b"RIFF....WEBPhello", None, None),
            (b"\xef\xbb\xbf\r\n%PDF-1.7 ...", None, Some(FileType::Pdf)),
            (&[&[b' '; 1023][..], b"%PDF-"].concat(), None, Some(FileType::Pdf)),
            (&[&[b' '; 1024][..], b"%PDF-"].concat(), None, None),
            (b"%PDF", None, None),
            (b"", None, None),
        ] {
            let detected = (FileType::of_image(bytes), FileType::of_document(bytes));
            assert_eq!(detected, (image, document), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
