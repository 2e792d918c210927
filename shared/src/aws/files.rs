//! Files in S3: uploads and their keys.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::config::Config;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::operation::get_object::builders::GetObjectFluentBuilder;
use aws_sdk_s3::operation::put_object::builders::PutObjectFluentBuilder;
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::types::{ChecksumAlgorithm, CompletedMultipartUpload, CompletedPart};
use bytes::Bytes;
use deunicode::deunicode_with_tofu;
use jiff::Timestamp;
use percent_encoding::{percent_decode_str, utf8_percent_encode};
use thiserror::Error;
use uuid::Uuid;

use crate::aws::sdk_error::{describe_without_message, messages};
use crate::base::outbound::RESERVED;
use crate::projections::model::export::UploadedPart;
pub use crate::values::FileType;
use crate::values::{MerchantId, PayoutId};

/// Contains no URL, header or body: its message is logged.
#[derive(Debug, Error)]
pub enum FileError {
    #[error("{operation} failed: {cause}")]
    Call { operation: &'static str, cause: String },
    /// Every response of S3 has an `ETag`, so this one comes from another server, such as a proxy.
    #[error("{operation} failed: the response has no ETag")]
    MissingETag { operation: &'static str },
    #[error("CreateMultipartUpload failed: the response has no upload id")]
    MissingUploadId,
    #[error("the URL cannot be presigned: {0}")]
    Presigning(String),
}

const MAX_NAME_LENGTH: usize = 60;

/// Returns a name that is safe in a key and in a URL: without folders, of ASCII letters, digits, dots, dashes and
/// underscores, and at most 60 characters long. Transliterates other letters and keeps the extension.
pub fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    remove_unsafe_characters(&deunicode_with_tofu(last, ""))
}

fn remove_unsafe_characters(name: &str) -> String {
    let safe: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')).collect();
    let safe = safe.trim_end_matches('.');
    let (stem, extension) = safe.rsplit_once('.').map_or((safe, String::new()), |(stem, end)| (stem, format!(".{end}")));
    let stem = match stem.trim_start_matches('.') {
        "" => "file",
        stem => stem,
    };
    let extension: String = extension.chars().take(MAX_NAME_LENGTH / 2).collect();
    let stem: String = stem.chars().take(MAX_NAME_LENGTH - extension.len()).collect();
    format!("{stem}{extension}")
}

/// Folder of the public images of offers.
pub const DESIGNS: &str = "public/gift-cards/designs/";

/// The CSV file of a payout, in the bucket of documents.
pub fn payout_file(id: &PayoutId) -> String {
    format!("payouts/{id}.csv")
}

/// The name of a new file, unique in its folder: `<uuid>-<safe name>`.
pub fn design_name(id: Uuid, name: &str) -> String {
    format!("{id}-{}", safe_name(name))
}

/// The id of the image in [`DESIGNS`] with this key. It names what is stored: no key is ever written to again. Other keys are never
/// served.
pub fn design_id(key: &str) -> Option<&str> {
    let name = key.strip_prefix(DESIGNS).filter(|name| is_file_name(name))?;
    name.get(..ID_LENGTH)
}

/// Characters of a UUID.
const ID_LENGTH: usize = 36;

/// Whether [`design_name`] can return this name.
pub fn is_file_name(name: &str) -> bool {
    let Some((id, name)) = name.split_at_checked(ID_LENGTH) else { return false };
    let is_id = Uuid::try_parse(id).is_ok_and(|uuid| uuid.to_string() == id);
    is_id && name.strip_prefix('-').is_some_and(|name| remove_unsafe_characters(name) == name)
}

#[derive(Debug, Clone)]
pub struct StoredFile {
    pub bytes: Bytes,
    pub content_type: String,
}

/// The minimum size of a part of a multipart upload, except the last one, by S3's rules.
pub const MIN_PART_BYTES: usize = 5 * 1024 * 1024;
/// For uploads and parts, which are larger than what else is sent.
const LARGE_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);
const LARGE_TIMEOUT: Duration = Duration::from_secs(8);

/// The headers of a file that browsers save instead of showing it.
#[derive(Debug, Clone, Copy)]
pub struct Download<'a> {
    pub content_type: &'a str,
    /// A [safe name](safe_name).
    pub file_name: &'a str,
}

/// The objects of one bucket.
#[derive(Debug)]
pub struct Files {
    client: Client,
    bucket: String,
}

/// The name of the metadata with the id of the merchant that published an image, percent-encoded.
const OWNER: &str = "merchant";

/// In the form of a query string. The rule `IdentityDocuments` of the bucket in `template.yaml` names it.
const DOCUMENT_TAG: &str = "kind=identity-document";

const PUT_OBJECT: &str = "PutObject";
const GET_OBJECT: &str = "GetObject";

impl Files {
    pub fn new(client: Client, bucket: impl Into<String>) -> Self {
        Self { client, bucket: bucket.into() }
    }

    /// Stores an identity document. The tag is what S3 deletes it by.
    pub async fn put_document(&self, key: &str, bytes: Bytes, file_type: FileType) -> Result<(), FileError> {
        let put = self.client.put_object().bucket(&self.bucket).key(key).body(bytes.into());
        stored(put.content_type(file_type.content_type()).tagging(DOCUMENT_TAG)).await
    }

    /// Stores a public image of a merchant.
    pub async fn put_image(&self, key: &str, bytes: Bytes, file_type: FileType, owner: &MerchantId) -> Result<(), FileError> {
        let put = self.client.put_object().bucket(&self.bucket).key(key).body(bytes.into());
        // Metadata is ASCII.
        let owner = utf8_percent_encode(owner.as_str(), RESERVED).to_string();
        stored(put.content_type(file_type.content_type()).metadata(OWNER, owner)).await
    }

    pub async fn put_as(&self, key: &str, bytes: Bytes, content_type: &str) -> Result<(), FileError> {
        let put = self.client.put_object().bucket(&self.bucket).key(key);
        stored(put.content_type(content_type).body(bytes.into())).await
    }

    /// Stores a file that browsers save instead of showing it.
    pub async fn put_download(&self, key: &str, bytes: Bytes, download: Download<'_>) -> Result<(), FileError> {
        let put = self.client.put_object().bucket(&self.bucket).key(key).content_type(download.content_type);
        let put = put.content_disposition(attachment(download.file_name)).cache_control("no-store");
        stored(put.body(bytes.into())).await
    }

    /// Returns the whole file, or `None` if there is no object with this key.
    pub async fn get(&self, key: &str) -> Result<Option<StoredFile>, FileError> {
        let get = self.client.get_object().bucket(&self.bucket).key(key);
        let output = match get.send().await {
            Ok(output) => output,
            Err(SdkError::ServiceError(error)) if error.err().is_no_such_key() => return Ok(None),
            Err(error) => return Err(call_error(GET_OBJECT, describe_without_message(&error))),
        };
        output.e_tag.ok_or(FileError::MissingETag { operation: GET_OBJECT })?;
        let content_type = output.content_type.unwrap_or_else(|| "application/octet-stream".to_owned());
        let body = output.body.collect().await;
        let body = body.map_err(|error| call_error(GET_OBJECT, messages(&error)))?;
        Ok(Some(StoredFile { bytes: body.into_bytes(), content_type }))
    }

    /// Returns the owner of a public image, which one that somebody has copied within S3 may lack, or `None` if there is no object with
    /// this key.
    pub async fn image_owner(&self, key: &str) -> Result<Option<Option<MerchantId>>, FileError> {
        match self.client.head_object().bucket(&self.bucket).key(key).send().await {
            Ok(output) => Ok(Some(owner(output.metadata.as_ref()))),
            Err(SdkError::ServiceError(error)) if error.err().is_not_found() => Ok(None),
            Err(error) => Err(call_error("HeadObject", describe_without_message(&error))),
        }
    }

    /// Deletes all versions of an object, so that it cannot be restored. Does nothing if there are none.
    pub async fn delete_all_versions(&self, key: &str) -> Result<(), FileError> {
        const OPERATION: &str = "ListObjectVersions";
        loop {
            let list = self.client.list_object_versions().bucket(&self.bucket).prefix(key).send().await;
            let list = list.map_err(|error| call_error(OPERATION, describe_without_message(&error)))?;
            let versions = list.versions().iter().map(|version| (version.key(), version.version_id()));
            let markers = list.delete_markers().iter().map(|marker| (marker.key(), marker.version_id()));
            // The key can be the beginning of another one.
            let ids: Vec<&str> = versions.chain(markers).filter(|(of, _)| *of == Some(key)).filter_map(|(_, id)| id).collect();
            for id in &ids {
                let delete = self.client.delete_object().bucket(&self.bucket).key(key).version_id(*id).send().await;
                delete.map_err(|error| call_error("DeleteObject", describe_without_message(&error)))?;
            }
            // Keys are listed in order: those after a page of others are not this one.
            if ids.is_empty() {
                return Ok(());
            }
        }
    }

    /// Starts the upload of a file in parts, and returns its id. The file exists once the upload is
    /// [completed](Self::complete_upload). An upload that never is has no file and expires by a rule of the bucket.
    pub async fn start_upload(&self, key: &str, download: Download<'_>) -> Result<String, FileError> {
        const OPERATION: &str = "CreateMultipartUpload";
        let create = self.client.create_multipart_upload().bucket(&self.bucket).key(key);
        let create = create
            .content_type(download.content_type)
            .content_disposition(attachment(download.file_name))
            .cache_control("no-store")
            // S3 refuses parts with a checksum if the upload has none. The SDK adds one to each part.
            .checksum_algorithm(ChecksumAlgorithm::Crc32);
        let output = create.send().await.map_err(|error| call_error(OPERATION, describe_without_message(&error)))?;
        output.upload_id.ok_or(FileError::MissingUploadId)
    }

    /// Uploads a part, or replaces the one with this number. Parts are numbered from 1. `None` if the upload is gone.
    pub async fn upload_part(
        &self,
        key: &str,
        upload_id: &str,
        number: usize,
        bytes: Bytes,
    ) -> Result<Option<UploadedPart>, FileError> {
        const OPERATION: &str = "UploadPart";
        let upload = self.client.upload_part().bucket(&self.bucket).key(key).upload_id(upload_id);
        let upload = upload.part_number(part_number(number)).body(bytes.into());
        let upload = upload.checksum_algorithm(ChecksumAlgorithm::Crc32);
        match upload.customize().config_override(with_time_for_megabytes()).send().await {
            Ok(output) => {
                let e_tag = output.e_tag.ok_or(FileError::MissingETag { operation: OPERATION })?;
                Ok(Some(UploadedPart { e_tag, crc32: output.checksum_crc32 }))
            }
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(call_error(OPERATION, describe_without_message(&error))),
        }
    }

    /// Makes the parts a file. `false` if the upload is gone, or if a part has been replaced by another one.
    pub async fn complete_upload(&self, key: &str, upload_id: &str, parts: &[UploadedPart]) -> Result<bool, FileError> {
        let parts = parts.iter().zip(1..).map(|(part, number)| {
            let checksum = part.crc32.clone();
            CompletedPart::builder().part_number(part_number(number)).e_tag(&part.e_tag).set_checksum_crc32(checksum).build()
        });
        let parts = CompletedMultipartUpload::builder().set_parts(Some(parts.collect())).build();
        let complete = self.client.complete_multipart_upload().bucket(&self.bucket).key(key);
        let complete = complete.upload_id(upload_id).multipart_upload(parts);
        match complete.customize().config_override(with_time_for_megabytes()).send().await {
            Ok(_) => Ok(true),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(call_error("CompleteMultipartUpload", describe_without_message(&error))),
        }
    }

    /// Does nothing if there is no object with this key.
    pub async fn delete(&self, key: &str) -> Result<(), FileError> {
        let delete = self.client.delete_object().bucket(&self.bucket).key(key).send().await;
        delete.map(|_| ()).map_err(|error| call_error("DeleteObject", describe_without_message(&error)))
    }

    /// Returns a URL that opens this object, and no other, with a plain GET from `now` until `expires_in` later. It
    /// expires sooner if the credentials do.
    pub async fn presigned_url(&self, key: &str, now: Timestamp, expires_in: Duration) -> Result<String, FileError> {
        presigned(self.client.get_object().bucket(&self.bucket).key(key), now, expires_in).await
    }

    /// As [`Self::presigned_url`], for a file that came from outside: browsers save it under its [safe name](safe_name) instead of
    /// showing it. The link also names its type, by its extension.
    pub async fn presigned_download(
        &self,
        key: &str,
        file_name: &str,
        now: Timestamp,
        expires_in: Duration,
    ) -> Result<String, FileError> {
        let get = self.client.get_object().bucket(&self.bucket).key(key);
        let get = get.response_content_disposition(attachment(file_name));
        presigned(get.set_response_content_type(content_type(file_name)), now, expires_in).await
    }
}

async fn presigned(get: GetObjectFluentBuilder, now: Timestamp, expires_in: Duration) -> Result<String, FileError> {
    let presigning = PresigningConfig::builder().start_time(now.into()).expires_in(expires_in).build();
    let presigning = presigning.map_err(|error| FileError::Presigning(messages(&error)))?;
    let request = get.presigned(presigning).await;
    let request = request.map_err(|error| FileError::Presigning(messages(&error)))?;
    Ok(request.uri().to_owned())
}

/// The type that the extension of an upload names.
fn content_type(file_name: &str) -> Option<String> {
    let extension = file_name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let extension = if extension == "jpeg" { "jpg" } else { &extension };
    let types = [FileType::Png, FileType::Jpeg, FileType::Gif, FileType::WebP, FileType::Pdf];
    types.into_iter().find(|file_type| file_type.extension() == extension).map(|found| found.content_type().to_owned())
}

/// The `Content-Disposition` of a file with a [safe name](safe_name).
fn attachment(file_name: &str) -> String {
    format!("attachment; filename=\"{file_name}\"")
}

/// Sends an upload.
async fn stored(put: PutObjectFluentBuilder) -> Result<(), FileError> {
    let put = put.customize().config_override(with_time_for_megabytes());
    let output = put.send().await.map_err(|error| call_error(PUT_OBJECT, describe_without_message(&error)))?;
    output.e_tag().map(|_| ()).ok_or(FileError::MissingETag { operation: PUT_OBJECT })
}

fn owner(metadata: Option<&HashMap<String, String>>) -> Option<MerchantId> {
    let owner = metadata?.get(OWNER)?;
    percent_decode_str(owner).decode_utf8().ok().map(|owner| MerchantId::new(&*owner))
}

fn part_number(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn with_time_for_megabytes() -> aws_sdk_s3::config::Builder {
    let timeouts =
        TimeoutConfig::builder().operation_attempt_timeout(LARGE_ATTEMPT_TIMEOUT).operation_timeout(LARGE_TIMEOUT).build();
    Config::builder().timeout_config(timeouts)
}

/// Whether an upload has been completed or has expired, or one of its parts is not the one that is named.
fn is_gone<E: ProvideErrorMetadata>(error: &SdkError<E>) -> bool {
    matches!(error.code(), Some("NoSuchUpload" | "InvalidPart"))
}

/// S3's messages contain keys, and keys contain the names of files: `cause` is without them.
fn call_error(operation: &'static str, cause: String) -> FileError {
    FileError::Call { operation, cause }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc::{self, Receiver};
    use std::thread;

    use super::*;
    use crate::aws::Aws;
    use crate::base::settings::AwsSettings;
    use proptest::prelude::*;

    fn files(endpoint: Option<&str>) -> Files {
        let settings = AwsSettings::read(|name| match name {
            "AWS_REGION" => Some("eu-west-1".to_owned()),
            "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" | "AWS_SESSION_TOKEN" => Some(name.to_owned()),
            "AWS_ENDPOINT_URL_S3" => endpoint.map(str::to_owned),
            _ => None,
        });
        Files::new(Aws::new(settings.unwrap()).s3(), "portal-files")
    }

    /// Accepts one connection and answers its first request with `response`. Returns the endpoint's URL and, once it is
    /// received, the request in lower case.
    fn server(response: &'static str) -> (String, Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            let mut buffer = [0; 8192];
            let mut request = String::new();
            while !request.ends_with("\r\n\r\n") && !request.ends_with("content") {
                let length = stream.read(&mut buffer).unwrap();
                request.push_str(str::from_utf8(&buffer[..length]).unwrap());
            }
            let _ = sender.send(request.to_ascii_lowercase());
            stream.write_all(response.as_bytes()).unwrap();
            // Keeps the connection open until the client closes it.
            let _ = stream.read(&mut buffer);
        });
        (url, receiver)
    }

    #[tokio::test]
    async fn upload_sends_length_and_checksum_and_requires_an_etag() {
        for (response, is_stored) in [
            ("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false),
        ] {
            let (url, received) = server(response);
            let content = Bytes::from_static(b"content");
            let result = files(Some(&url)).put_document("a/b.png", content, FileType::Png).await;
            let request = received.recv().unwrap();

            assert!(request.starts_with("put /portal-files/a/b.png?x-id=putobject http/1.1\r\n"), "{request}");
            for header in ["content-length: 7", "content-type: image/png", "x-amz-checksum-crc32: "] {
                assert!(request.contains(&format!("\r\n{header}")), "{header}: {request}");
            }
            assert!(!request.contains("transfer-encoding"), "{request}");
            match result {
                Ok(()) => assert!(is_stored),
                Err(error) => {
                    assert!(!is_stored && matches!(error, FileError::MissingETag { .. }), "{error}");
                }
            }
        }
    }

    #[tokio::test]
    async fn download_fails_if_the_body_stalls() {
        let (url, _) = server("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 100\r\n\r\nhalf");
        let files = files(Some(&url));
        let result = tokio::time::timeout(Duration::from_secs(10), files.get("a/b.png")).await.unwrap();
        assert!(matches!(result, Err(FileError::Call { .. })), "{result:?}");
    }

    #[tokio::test]
    async fn download_returns_none_only_for_an_unknown_key_and_requires_an_etag() {
        let (url, _) = server("HTTP/1.1 404 Not Found\r\nContent-Length: 39\r\n\r\n<Error><Code>NoSuchKey</Code></Error>\r\n");
        assert!(files(Some(&url)).get("a/b.png").await.unwrap().is_none());
        let (url, _) = server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        let result = files(Some(&url)).get("a/b.png").await;
        assert!(matches!(result, Err(FileError::Call { .. })), "{result:?}");
        let (url, _) = server("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfile");
        let result = files(Some(&url)).get("a/b.png").await;
        assert!(matches!(result, Err(FileError::MissingETag { .. })), "{result:?}");
    }

    #[tokio::test]
    async fn error_contains_code_and_request_id() {
        let (url, _) = server(
            "HTTP/1.1 403 Forbidden\r\nx-amz-request-id: 7A\r\nContent-Length: 78\r\n\r\n\
             <Error><Code>AccessDenied</Code><Message>a/b.png is not yours</Message></Error>",
        );
        let error = files(Some(&url)).get("a/b.png").await.unwrap_err();
        assert_eq!(error.to_string(), "GetObject failed: AccessDenied (request id: 7A)");
        let (url, _) = server("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
        let error = files(Some(&url)).get("a/b.png").await.unwrap_err();
        assert_eq!(error.to_string(), "GetObject failed: HTTP 407 (request id: none)");
    }

    #[tokio::test]
    async fn error_without_a_response_contains_no_url() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let error = files(Some(&format!("http://{closed}"))).get("a/b.png").await.unwrap_err().to_string();
        assert!(error.starts_with("GetObject failed: ") && error.contains("refused"), "{error}");
        for part in ["http", "portal-files", "b.png", &closed.port().to_string()] {
            assert!(!error.contains(part), "{part}: {error}");
        }
    }

    #[tokio::test]
    async fn presigned_url_needs_no_headers_and_uses_virtual_host_style_at_aws() {
        let now = "2026-11-05T09:00:00Z".parse().unwrap();
        for (endpoint, origin) in [
            (None, "https://portal-files.s3.eu-west-1.amazonaws.com"),
            (Some("http://localhost:4567"), "http://localhost:4567/portal-files"),
        ] {
            let url = files(endpoint).presigned_url("a%2Fb/å c.png", now, Duration::from_mins(1)).await.unwrap();
            let (address, query) = url.split_once('?').unwrap();
            assert_eq!(address, format!("{origin}/a%252Fb/%C3%A5%20c.png"));
            let mut names: Vec<_> = query.split('&').filter_map(|pair| pair.split('=').next()).collect();
            names.sort_unstable();
            let expected = "X-Amz-Algorithm X-Amz-Credential X-Amz-Date X-Amz-Expires X-Amz-Security-Token X-Amz-Signature \
                            X-Amz-SignedHeaders x-id";
            assert_eq!(names.join(" "), expected);
            for pair in ["X-Amz-Date=20261105T090000Z", "X-Amz-Expires=60", "X-Amz-SignedHeaders=host", "x-id=GetObject"] {
                assert!(query.split('&').any(|actual| actual == pair), "{pair}: {query}");
            }
        }
    }

    proptest! {
        #[test]
        fn accepts_the_key_of_every_upload(name in "\\PC{0,80}", id: u128) {
            let name = design_name(Uuid::from_u128(id), &name);
            prop_assert!(design_id(&format!("{DESIGNS}{name}")).is_some(), "{name}");
        }
    }
}
