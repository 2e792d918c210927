//! Files in S3: what is uploaded, under keys that are made in one place.

use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::error::DisplayErrorContext;
use aws_sdk_s3::operation::get_object::GetObjectError;
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::primitives::ByteStream;
use bytes::Bytes;
use jiff::Timestamp;
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

    /// A document for few to see: an image or a PDF.
    pub fn of_document(bytes: &[u8]) -> Option<Self> {
        let is_pdf = infer::get(bytes).is_some_and(|kind| kind.mime_type() == "application/pdf");
        if is_pdf { Some(Self::Pdf) } else { Self::of_image(bytes) }
    }

    /// What the name of such a file ends with, without the dot.
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

/// Whether the key is one that [`design_name`] can have made.
pub fn is_design(key: &str) -> bool {
    key.strip_prefix(DESIGNS).is_some_and(is_file_name)
}

/// Whether the name is one that an upload can have got: `<uuid>-<safe name>`.
pub fn is_file_name(name: &str) -> bool {
    let Some((id, name)) = name.split_at_checked(36) else { return false };
    let is_id = Uuid::try_parse(id).is_ok_and(|uuid| uuid.to_string() == id);
    is_id && name.strip_prefix('-').is_some_and(|name| safe_name(name) == name)
}

/// A file as it is stored.
#[derive(Debug, Clone)]
pub struct StoredFile {
    pub bytes: Bytes,
    pub content_type: String,
    /// In its quotes.
    pub e_tag: String,
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

    /// A link that shows this one file to whoever has it, from `now` on for so long. It ends sooner where the
    /// credentials do that signed it.
    pub async fn link(&self, key: &str, now: Timestamp, lifetime: Duration) -> Result<String, FileError> {
        let failed = |message: String| FileError { operation: "signing a link", message };
        let config = PresigningConfig::builder().start_time(now.into()).expires_in(lifetime).build();
        let config = config.map_err(|error| failed(error.to_string()))?;
        let link = self.client.get_object().bucket(&self.bucket).key(key).presigned(config).await;
        link.map(|link| link.uri().to_owned()).map_err(|error| failed(DisplayErrorContext(error).to_string()))
    }

    /// A file as a whole; none where there is none of this key.
    pub async fn get(&self, key: &str) -> Result<Option<StoredFile>, FileError> {
        let failed = |message| FileError { operation: "GetObject", message };
        let output = match self.client.get_object().bucket(&self.bucket).key(key).send().await {
            Ok(output) => output,
            Err(error) if error.as_service_error().is_some_and(GetObjectError::is_no_such_key) => {
                return Ok(None);
            }
            Err(error) => return Err(failed(DisplayErrorContext(error).to_string())),
        };
        let body = output.body.collect().await.map_err(|error| failed(error.to_string()))?;
        Ok(Some(StoredFile {
            bytes: body.into_bytes(),
            content_type: output.content_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
            e_tag: output.e_tag.unwrap_or_default(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn a_key_that_no_upload_can_have_made_is_no_design() {
        let id = "0199c1f2-7a3b-7c4d-8e5f-0123456789ab";
        for (key, expected) in [
            (format!("{DESIGNS}{id}-card.png"), true),
            (format!("{DESIGNS}{id}-file"), true),
            (format!("{DESIGNS}{id}-"), false),
            (format!("{DESIGNS}{id}card.png"), false),
            (format!("{DESIGNS}{id}-../card.png"), false),
            (format!("{DESIGNS}{id}-a/b.png"), false),
            (format!("{DESIGNS}{id}-å.png"), false),
            (format!("{DESIGNS}{}-card.png", id.to_uppercase()), false),
            (format!("{DESIGNS}{}-card.png", "å".repeat(18)), false),
            (format!("{DESIGNS}card.png"), false),
            (format!("/{DESIGNS}{id}-card.png"), false),
            (format!("m-1/onboarding/documents/{id}-card.png"), false),
            (String::new(), false),
        ] {
            assert_eq!(is_design(&key), expected, "{key}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_file_was_called_its_key_is_a_design(name in "\\PC{0,80}", id: u128) {
            let name = design_name(Uuid::from_u128(id), &name);
            prop_assert!(is_design(&format!("{DESIGNS}{name}")), "{name}");
        }
    }
}
