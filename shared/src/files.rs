//! Files in S3: what is uploaded, under keys that are made in one place.

use aws_sdk_s3::Client;
use aws_sdk_s3::error::DisplayErrorContext;
use aws_sdk_s3::primitives::ByteStream;
use bytes::Bytes;
use thiserror::Error;
use uuid::Uuid;

#[derive(Debug, Error)]
#[error("{operation} failed: {message}")]
pub struct FileError {
    operation: &'static str,
    message: String,
}

/// The kinds of file that are taken, told by their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    Png,
    Jpeg,
    Gif,
    WebP,
    Pdf,
}

impl FileType {
    /// An image for everybody to see.
    pub fn of_image(bytes: &[u8]) -> Option<Self> {
        match infer::get(bytes)?.mime_type() {
            "image/png" => Some(Self::Png),
            "image/jpeg" => Some(Self::Jpeg),
            "image/gif" => Some(Self::Gif),
            "image/webp" => Some(Self::WebP),
            _ => None,
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

/// The longest file name that is kept of an uploaded one.
const MOST_NAME: usize = 60;

/// A name that is safe in a key and in a URL: letters, digits, dot, dash and underscore, at most 60 of them, the
/// extension kept, and no folder to leave.
pub fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String =
        last.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')).collect();
    let kept = kept.trim_start_matches('.');
    if kept.is_empty() {
        return "file".to_owned();
    }
    let (stem, extension) =
        kept.rsplit_once('.').map_or((kept, String::new()), |(s, e)| (s, format!(".{e}")));
    let extension: String = extension.chars().take(MOST_NAME / 2).collect();
    let stem: String = stem.chars().take(MOST_NAME - extension.len()).collect();
    format!("{stem}{extension}")
}

/// Folder of the images of offers, which everybody may see.
pub const DESIGNS: &str = "public/gift-cards/designs/";

/// Name of a new image of an offer, below [`DESIGNS`].
pub fn design_name(id: Uuid, name: &str) -> String {
    format!("{id}-{}", safe_name(name))
}

/// The bucket.
#[derive(Debug)]
pub struct Files {
    client: Client,
    bucket: String,
}

impl Files {
    pub fn new(client: Client, bucket: impl Into<String>) -> Self {
        Self { client, bucket: bucket.into() }
    }

    pub async fn put(&self, key: &str, bytes: Bytes, file_type: FileType) -> Result<(), FileError> {
        let put = self.client.put_object().bucket(&self.bucket).key(key);
        let put = put.content_type(file_type.content_type()).body(ByteStream::from(bytes));
        let failed =
            |error| FileError { operation: "PutObject", message: DisplayErrorContext(error).to_string() };
        put.send().await.map(|_| ()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_what_is_safe_and_stay_in_their_folder() {
        for (name, expected) in [
            ("logo.png", "logo.png"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("sommar kort (1).png", "sommarkort1.png"),
            (".htaccess", "htaccess"),
            ("äö", "file"),
            ("", "file"),
            ("..", "file"),
        ] {
            assert_eq!(safe_name(name), expected, "{name}");
        }
        let long = safe_name(&format!("{}.png", "a".repeat(300)));
        assert_eq!(long, format!("{}.png", "a".repeat(56)));
    }
}
