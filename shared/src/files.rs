//! Files in S3: what is uploaded, under keys that are made in one place.
//!
//! Two operations and a signature are all that is needed of S3. Its SDK would be a quarter of a function that uses it,
//! and so requests are signed by a small crate and sent as all others are.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, StatusCode, header};
use jiff::Timestamp;
use reqwest::{Client, RequestBuilder, Response};
use rusty_s3::actions::{GetObject, PutObject, S3Action};
use rusty_s3::{Bucket, Credentials};
use thiserror::Error;
use uuid::Uuid;

use crate::settings::AwsCredentials;

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
    /// An image for everybody to see. The whole of a format's signature has to be there, at its place: what only
    /// resembles an image may be something else as well.
    pub fn of_image(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, 0xc0..=0xfe, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', b'V', b'P', b'8', ..] => {
                Some(Self::WebP)
            }
            _ => None,
        }
    }

    /// A document for few to see: an image or a PDF.
    pub fn of_document(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"%PDF-") { Some(Self::Pdf) } else { Self::of_image(bytes) }
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
const MAX_NAME_LENGTH: usize = 60;

/// A name that is safe in a key and in a URL: letters, digits, dot, dash and underscore, at most 60 of them, the
/// extension kept, and no folder to leave.
pub fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String =
        last.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')).collect();
    let kept = kept.trim_end_matches('.');
    let (stem, extension) =
        kept.rsplit_once('.').map_or((kept, String::new()), |(stem, end)| (stem, format!(".{end}")));
    let stem = match stem.trim_start_matches('.') {
        "" => "file",
        stem => stem,
    };
    let extension: String = extension.chars().take(MAX_NAME_LENGTH / 2).collect();
    let stem: String = stem.chars().take(MAX_NAME_LENGTH - extension.len()).collect();
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
    bucket: Bucket,
    credentials: Credentials,
    user_agent: String,
}

const MAX_ATTEMPTS: u32 = 3;
/// Before the second try; twice as long before the third.
const INITIAL_BACKOFF: Duration = Duration::from_millis(25);
/// A try that takes longer is given up, and so is its signature.
const TRY_TIMEOUT: Duration = Duration::from_secs(2);
const EXPIRES_IN: Duration = Duration::from_mins(1);

impl Files {
    /// `function` names the caller to S3.
    pub(crate) fn new(client: Client, bucket: Bucket, keys: &AwsCredentials, function: &str) -> Self {
        let (id, secret) = (&keys.access_key_id, keys.secret_access_key.expose());
        let credentials = match &keys.session_token {
            Some(token) => Credentials::new_with_token(id, secret, token.expose()),
            None => Credentials::new(id, secret),
        };
        Self { client, bucket, credentials, user_agent: format!("app/{function}") }
    }

    pub async fn put(&self, key: &str, bytes: Bytes, file_type: FileType) -> Result<(), FileError> {
        let mut put = PutObject::new(&self.bucket, Some(&self.credentials), key);
        put.headers_mut().insert("content-type", file_type.content_type());
        let request = || {
            let put = self.client.put(put.sign(EXPIRES_IN));
            put.header(header::CONTENT_TYPE, file_type.content_type()).body(bytes.clone())
        };
        let response = self.send(request).await.map_err(failed("PutObject"))?;
        let status = response.status();
        if status != StatusCode::OK {
            return Err(refused("PutObject", status, &code(response).await));
        }
        e_tag(&response, "PutObject").map(|_| ())
    }

    /// A link that shows this one file to whoever has it, from `now` on for so long. It ends sooner where the
    /// credentials do that signed it.
    pub fn presigned_url(&self, key: &str, now: Timestamp, lifetime: Duration) -> String {
        let get = GetObject::new(&self.bucket, Some(&self.credentials), key);
        get.sign_with_time(lifetime, &now).into()
    }

    /// A file as a whole; none where there is none of this key.
    pub async fn get(&self, key: &str) -> Result<Option<StoredFile>, FileError> {
        let get = GetObject::new(&self.bucket, Some(&self.credentials), key);
        let response = self.send(|| self.client.get(get.sign(EXPIRES_IN))).await;
        let response = response.map_err(failed("GetObject"))?;
        let status = response.status();
        if status != StatusCode::OK {
            return match code(response).await.as_str() {
                "NoSuchKey" => Ok(None),
                code => Err(refused("GetObject", status, code)),
            };
        }
        let content_type = text(response.headers(), header::CONTENT_TYPE);
        let content_type = content_type.unwrap_or_else(|| "application/octet-stream".to_owned());
        let e_tag = e_tag(&response, "GetObject")?;
        let bytes = response.bytes().await.map_err(failed("GetObject"))?;
        Ok(Some(StoredFile { bytes, content_type, e_tag }))
    }

    /// Sends it again where no answer comes or S3 has a failure of its own, each time with a fresh signature.
    async fn send(&self, request: impl Fn() -> RequestBuilder) -> Result<Response, reqwest::Error> {
        let mut tries = 1;
        loop {
            let request = request().header(header::USER_AGENT, &self.user_agent).timeout(TRY_TIMEOUT);
            let answer = request.send().await;
            let is_final = answer.as_ref().is_ok_and(|response| !response.status().is_server_error());
            if is_final || tries == MAX_ATTEMPTS {
                return answer;
            }
            tokio::time::sleep(INITIAL_BACKOFF * tries).await;
            tries += 1;
        }
    }
}

fn failed(operation: &'static str) -> impl Fn(reqwest::Error) -> FileError {
    // The URL holds the signature.
    move |error| FileError { operation, message: error.without_url().to_string() }
}

fn refused(operation: &'static str, status: StatusCode, code: &str) -> FileError {
    FileError { operation, message: format!("S3 answered {status} {code}") }
}

/// What S3 calls the error that it answered with; nothing where it does not say.
async fn code(response: Response) -> String {
    let body = response.text().await.unwrap_or_default();
    let code = body.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    code.map(|(code, _)| code.to_owned()).unwrap_or_default()
}

/// Whoever answers without one is not S3.
fn e_tag(response: &Response, operation: &'static str) -> Result<String, FileError> {
    let e_tag = text(response.headers(), header::ETAG);
    e_tag.ok_or_else(|| refused(operation, response.status(), "without an ETag"))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
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
            (".htaccess", "file.htaccess"),
            ("åäö.png", "file.png"),
            ("äö", "file"),
            ("card..", "card"),
            ("", "file"),
            ("..", "file"),
        ] {
            assert_eq!(safe_name(name), expected, "{name}");
        }
        let long = safe_name(&format!("{}.png", "a".repeat(300)));
        assert_eq!(long, format!("{}.png", "a".repeat(56)));
    }

    #[test]
    fn a_type_is_told_by_its_whole_signature() {
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
            (b"<html>%PDF-1.7</html>", None, None),
            (b"%PDF", None, None),
            (b"", None, None),
        ] {
            let told = (FileType::of_image(bytes), FileType::of_document(bytes));
            assert_eq!(told, (image, document), "{}", String::from_utf8_lossy(bytes));
        }
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
