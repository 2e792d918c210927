//! S3 with one file for each object. The file name is the SHA-256 hash of the key, so every key is a valid file name.
//! Signatures are verified, including those of presigned URLs and their expiry. An upload in parts is a directory with one
//! file for each part, until it is completed. A versioned bucket keeps replaced and deleted objects in a directory of its own.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::TryStreamExt;
use http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use percent_encoding::percent_decode_str;
use s3s::auth::SimpleAuth;
use s3s::crypto::{Checksum, Md5};
use s3s::dto::{
    CompleteMultipartUploadInput, CompleteMultipartUploadOutput, CompletedPart, CreateBucketInput, CreateBucketOutput,
    CreateMultipartUploadInput, CreateMultipartUploadOutput, DeleteMarkerEntry, DeleteObjectInput, DeleteObjectOutput, ETag,
    GetObjectInput, GetObjectOutput, HeadBucketInput, HeadBucketOutput, HeadObjectInput, HeadObjectOutput,
    ListObjectVersionsInput, ListObjectVersionsOutput, ListObjectsV2Input, ListObjectsV2Output, Object, ObjectVersion,
    PutObjectInput, PutObjectOutput, StreamingBlob, UploadPartInput, UploadPartOutput,
};
use s3s::host::{S3Host, VirtualHost};
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result, s3_error};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::{NamedTempFile, TempDir};

use super::usage::{MeteredCall, Units};
use super::{ACCESS_KEY_ID, ErrorFormat, Instrumentation, REGION, SECRET_ACCESS_KEY, StartError, listen, permissions};
use crate::clock;
use crate::faults::{Call, Target, application};
use crate::server::{Reply, Server};

/// The directory for uploads in progress. The leading dot makes it an invalid bucket name.
const UPLOAD_DIR: &str = ".incoming";
/// The directory for uploads in parts.
const MULTIPART_DIR: &str = ".multipart";
/// The file of such a directory with the header of the object.
const HEADER_FILE: &str = "header";
/// The directory with one for each versioned bucket, which has a file for each version of an object that is not the current
/// one. Their names are those of the object's file and the version's id; ids sort by age.
const VERSIONS_DIR: &str = ".versions";
/// The id of a version that was stored before its bucket was versioned.
const NULL_VERSION: &str = "null";
/// The minimum size of a part, except the last one.
const MIN_PART_BYTES: u64 = 5 * 1024 * 1024;
const MAX_KEYS: i32 = 1000;

const ERROR_FORMAT: ErrorFormat = ErrorFormat {
    reply: |status, code, message| {
        let xml =
            format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>");
        Reply::bytes(status, "application/xml", xml)
    },
    internal: "InternalError",
    throttled: (StatusCode::SERVICE_UNAVAILABLE, "SlowDown"),
};

/// The S3 endpoint.
#[derive(Debug)]
pub struct S3 {
    server: Server,
    files: FileStore,
    /// The storage directory if no data directory is set. Dropping it deletes the files.
    _temp_dir: Option<TempDir>,
}

impl S3 {
    pub(super) async fn start(port: u16, root: Option<PathBuf>, instrumentation: Instrumentation) -> Result<Self, StartError> {
        let temp_dir_error = |source| StartError::State { path: std::env::temp_dir(), source };
        let temp_dir = root.is_none().then(TempDir::new).transpose().map_err(temp_dir_error)?;
        let root = root.or_else(|| temp_dir.as_ref().map(|dir| dir.path().to_owned())).unwrap_or_default();
        let files = FileStore::open(root.clone()).map_err(|source| StartError::State { path: root, source })?;
        let mut service = S3ServiceBuilder::new(files.clone());
        service.set_auth(SimpleAuth::from_single(ACCESS_KEY_ID, SECRET_ACCESS_KEY));
        service.set_host(LocalHost);
        let service = service.build();
        let guard = instrumentation.guard.clone();
        let handler = move |request: Request<Bytes>| {
            let service = service.clone();
            let instrumentation = instrumentation.clone();
            async move { handle(&service, &instrumentation, request).await }
        };
        Ok(Self { server: listen(port, guard, handler).await?, files, _temp_dir: temp_dir })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Creates a bucket. Does nothing if it exists.
    pub fn create_bucket(&self, name: &str) -> io::Result<()> {
        if !s3s::path::check_bucket_name(name) {
            return Err(io::Error::other(format!("invalid bucket name: {name}")));
        }
        std::fs::create_dir_all(self.files.0.join(name))
    }

    /// Creates a bucket that keeps replaced and deleted objects. An existing bucket keeps them from now on.
    pub fn create_versioned_bucket(&self, name: &str) -> io::Result<()> {
        self.create_bucket(name)?;
        std::fs::create_dir_all(self.files.0.join(VERSIONS_DIR).join(name))
    }
}

async fn handle(service: &S3Service, instrumentation: &Instrumentation, request: Request<Bytes>) -> Reply {
    let started = Instant::now();
    let (operation, headers) = (operation(&request), request.headers().clone());
    let (bucket, key) = bucket_and_key(&request);
    let fault = instrumentation.faults.take(Call { target: Target::S3, operation, headers: &headers });
    let call = MeteredCall {
        function: application(&headers).unwrap_or("other"),
        operation: format!("S3.{operation}"),
        units: Units::default(),
        started,
    };
    let execution = Box::pin(async {
        let reply = execute(service, request).await;
        instrumentation.usage.add(call);
        reply
    });
    let reply = ERROR_FORMAT.with_fault(fault, execution).await;
    if !key.is_empty() || operation == "ListObjectVersions" {
        let is_missing = matches!(operation, "GetObject" | "HeadObject")
            && matches!(&reply, Reply::Send(response) if response.status() == StatusCode::NOT_FOUND);
        let has_tags = headers.contains_key("x-amz-tagging");
        instrumentation.permissions.record(&headers, permissions::for_s3(operation, (&bucket, &key), is_missing, has_tags));
        if is_missing && !instrumentation.permissions.may_list(&headers, &bucket) {
            return (ERROR_FORMAT.reply)(StatusCode::FORBIDDEN, "AccessDenied", "Access Denied");
        }
    }
    reply
}

async fn execute(service: &S3Service, request: Request<Bytes>) -> Reply {
    let response = async {
        let (head, body) = service.call(request.map(s3s::Body::from)).await.ok()?.into_parts();
        Some(http::Response::from_parts(head, body.collect().await.ok()?.to_bytes()))
    };
    response.await.map_or(Reply::Drop, Reply::Send)
}

/// Accepts virtual-hosted-style URLs (`http://bucket.localhost:port/key`) in addition to path-style URLs
/// (`http://localhost:port/bucket/key`).
struct LocalHost;

impl S3Host for LocalHost {
    fn parse_host_header<'a>(&'a self, host: &'a str) -> S3Result<VirtualHost<'a>> {
        Ok(match bucket_from_host(host) {
            Some(bucket) => VirtualHost::new("localhost").with_bucket(bucket),
            None => VirtualHost::new(host),
        })
    }
}

fn bucket_from_host(host: &str) -> Option<&str> {
    host.split_once(':').map_or(host, |(name, _)| name).strip_suffix(".localhost")
}

/// Returns the bucket and the key of a request. The key is empty for a bucket operation.
fn bucket_and_key(request: &Request<Bytes>) -> (String, String) {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let path = percent_decode_str(request.uri().path().trim_start_matches('/')).decode_utf8_lossy();
    let from_path = || path.split_once('/').unwrap_or((&path, ""));
    let (bucket, key) = bucket_from_host(host).map_or_else(from_path, |bucket| (bucket, &path));
    (bucket.to_owned(), key.to_owned())
}

/// The name of the requested operation, or an empty string if it is not supported.
fn operation(request: &Request<Bytes>) -> &'static str {
    let (_, key) = bucket_and_key(request);
    let query = request.uri().query().unwrap_or_default();
    let has = |name: &str| query.split('&').any(|pair| pair.split('=').next() == Some(name));
    match (request.method(), key.is_empty()) {
        (&Method::POST, false) if has("uploads") => "CreateMultipartUpload",
        (&Method::PUT, false) if has("uploadId") => "UploadPart",
        (&Method::POST, false) if has("uploadId") => "CompleteMultipartUpload",
        (&Method::PUT, true) => "CreateBucket",
        (&Method::HEAD, true) => "HeadBucket",
        (&Method::GET, true) if has("versions") => "ListObjectVersions",
        (&Method::GET, true) => "ListObjectsV2",
        (&Method::PUT, false) => "PutObject",
        (&Method::GET, false) => "GetObject",
        (&Method::HEAD, false) => "HeadObject",
        (&Method::DELETE, false) if has("versionId") => "DeleteObjectVersion",
        (&Method::DELETE, false) => "DeleteObject",
        _ => "",
    }
}

/// The first line of an object's file, as JSON. The content of the object follows.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ObjectHeader {
    key: String,
    md5: String,
    content_type: Option<String>,
    cache_control: Option<String>,
    content_disposition: Option<String>,
    content_encoding: Option<String>,
    metadata: Option<HashMap<String, String>>,
    /// In a versioned bucket.
    #[serde(default)]
    version: Option<String>,
    /// The object was deleted. There is no content.
    #[serde(default)]
    is_delete_marker: bool,
}

impl ObjectHeader {
    fn version(&self) -> &str {
        self.version.as_deref().unwrap_or(NULL_VERSION)
    }

    fn e_tag(&self) -> ETag {
        ETag::Strong(self.md5.clone())
    }
}

/// The header of an object in a request to store one.
macro_rules! object_header {
    ($input:ident, $md5:expr) => {
        ObjectHeader {
            key: $input.key.clone(),
            md5: $md5,
            content_type: $input.content_type,
            cache_control: $input.cache_control,
            content_disposition: $input.content_disposition,
            content_encoding: $input.content_encoding,
            metadata: $input.metadata,
            ..ObjectHeader::default()
        }
    };
}

/// An upload in parts.
#[derive(Debug, Serialize, Deserialize)]
struct Upload {
    bucket: String,
    header: ObjectHeader,
    has_checksums: bool,
}

/// An object's file, with its header parsed.
struct StoredObject {
    header: ObjectHeader,
    modified: SystemTime,
    size: u64,
    /// The offset of the content in the file.
    content_offset: u64,
    file: BufReader<File>,
}

impl StoredObject {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let attributes = file.metadata()?;
        let mut file = BufReader::new(file);
        let mut line = String::new();
        file.read_line(&mut line)?;
        let content_offset = line.len() as u64;
        let header = serde_json::from_str(&line)?;
        Ok(Self {
            header,
            modified: attributes.modified()?,
            size: attributes.len().saturating_sub(content_offset),
            content_offset,
            file,
        })
    }

    fn read(&mut self, range: &Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.content_offset + range.start))?;
        self.file.by_ref().take(range.end - range.start).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// A directory for each bucket, with a file for each object.
#[derive(Debug, Clone)]
struct FileStore(PathBuf);

impl FileStore {
    fn open(root: PathBuf) -> io::Result<Self> {
        let uploads = root.join(UPLOAD_DIR);
        std::fs::create_dir_all(&uploads)?;
        std::fs::create_dir_all(root.join(MULTIPART_DIR))?;
        // Removes incomplete uploads that a killed process left behind.
        for entry in std::fs::read_dir(&uploads)? {
            std::fs::remove_file(entry?.path())?;
        }
        Ok(Self(root))
    }

    fn bucket(&self, name: &str) -> S3Result<PathBuf> {
        let path = self.0.join(name);
        if path.is_dir() { Ok(path) } else { Err(s3_error!(NoSuchBucket)) }
    }

    fn object(&self, bucket: &str, key: &str) -> S3Result<PathBuf> {
        Ok(self.bucket(bucket)?.join(hex::encode(Sha256::digest(key))))
    }

    fn stored(&self, bucket: &str, key: &str) -> S3Result<StoredObject> {
        StoredObject::open(&self.object(bucket, key)?).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => s3_error!(NoSuchKey),
            _ => S3Error::internal_error(error),
        })
    }

    fn put(&self, bucket: &str, header: ObjectHeader, body: &[u8]) -> S3Result<()> {
        let path = self.object(bucket, &header.key)?;
        let version = self.retire(bucket, &path)?;
        self.write(&path, &ObjectHeader { version, ..header }, body)
    }

    /// Writes the object to a temporary file and renames it, so that readers never see a partial object.
    fn write(&self, path: &Path, header: &ObjectHeader, body: &[u8]) -> S3Result<()> {
        let write = || -> io::Result<()> {
            let mut file = NamedTempFile::new_in(self.0.join(UPLOAD_DIR))?;
            serde_json::to_writer(&mut file, header)?;
            file.write_all(b"\n")?;
            file.write_all(body)?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(S3Error::internal_error)
    }

    /// The directory for the versions of a bucket, if it is versioned.
    fn versions(&self, bucket: &str) -> Option<PathBuf> {
        Some(self.0.join(VERSIONS_DIR).join(bucket)).filter(|path| path.is_dir())
    }

    /// The file of a version that is not the current one. Ids of requests can be anything.
    fn version(versions: &Path, object: &Path, id: &str) -> PathBuf {
        let name = object.file_name().unwrap_or_default().to_string_lossy();
        let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
        versions.join(format!("{name}-{id}"))
    }

    /// Moves the current version, if there is one, to the others. Returns the id of the next one if the bucket is versioned.
    fn retire(&self, bucket: &str, object: &Path) -> S3Result<Option<String>> {
        let Some(versions) = self.versions(bucket) else { return Ok(None) };
        if let Ok(current) = StoredObject::open(object) {
            let path = Self::version(&versions, object, current.header.version());
            std::fs::rename(object, path).map_err(S3Error::internal_error)?;
        }
        Ok(Some(format!("{:032}", clock::now().as_nanosecond())))
    }

    /// Removes a version for good. If it was the current one, the one before it is current again.
    fn delete_version(&self, bucket: &str, key: &str, id: &str) -> S3Result<()> {
        let Some(versions) = self.versions(bucket) else { return Err(s3_error!(NotImplemented, "versions")) };
        let object = self.object(bucket, key)?;
        let is_current = StoredObject::open(&object).is_ok_and(|current| current.header.version() == id);
        let path = if is_current { object.clone() } else { Self::version(&versions, &object, id) };
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(S3Error::internal_error(error));
            }
            _ => {}
        }
        let rest = self.list_versions(bucket, key)?.into_iter().filter(|(version, _)| version.header.key == key);
        let latest = rest.max_by(|(a, _), (b, _)| a.header.version.cmp(&b.header.version));
        if let Some((latest, false)) = latest
            && !latest.header.is_delete_marker
            && !object.exists()
        {
            let path = Self::version(&versions, &object, latest.header.version());
            std::fs::rename(path, object).map_err(S3Error::internal_error)?;
        }
        Ok(())
    }

    /// The objects in a folder whose keys start with `prefix`.
    fn objects_in(folder: &Path, prefix: &str) -> S3Result<Vec<StoredObject>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(S3Error::internal_error)? {
            let object = match StoredObject::open(&entry.map_err(S3Error::internal_error)?.path()) {
                // Moved or removed after the directory was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                object => object.map_err(S3Error::internal_error)?,
            };
            if object.header.key.starts_with(prefix) {
                found.push(object);
            }
        }
        Ok(found)
    }

    /// All versions of the objects whose keys start with `prefix`, each with whether it is the current one.
    fn list_versions(&self, bucket: &str, prefix: &str) -> S3Result<Vec<(StoredObject, bool)>> {
        let current = Self::objects_in(&self.bucket(bucket)?, prefix)?;
        let others = self.versions(bucket).map(|versions| Self::objects_in(&versions, prefix)).transpose()?;
        let others = others.into_iter().flatten().map(|stored| (stored, false));
        Ok(current.into_iter().map(|stored| (stored, true)).chain(others).collect())
    }

    /// Starts an upload in parts, and returns its id.
    fn start_upload(&self, bucket: &str, upload: &Upload) -> S3Result<String> {
        self.bucket(bucket)?;
        let start = || -> io::Result<String> {
            let dir = tempfile::Builder::new().prefix("upload").rand_bytes(16).tempdir_in(self.0.join(MULTIPART_DIR))?;
            std::fs::write(dir.path().join(HEADER_FILE), serde_json::to_vec(upload)?)?;
            let dir = dir.keep();
            Ok(dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
        };
        start().map_err(S3Error::internal_error)
    }

    /// The directory of an upload.
    fn upload(&self, bucket: &str, key: &str, id: &str) -> S3Result<(PathBuf, Upload)> {
        let is_id = id.chars().all(|c| c.is_ascii_alphanumeric());
        let dir = self.0.join(MULTIPART_DIR).join(id);
        let header = std::fs::read(dir.join(HEADER_FILE)).ok().filter(|_| is_id && !id.is_empty());
        let upload: Option<Upload> = header.and_then(|header| serde_json::from_slice(&header).ok());
        let upload = upload.filter(|upload| upload.bucket == bucket && upload.header.key == key);
        Ok((dir, upload.ok_or_else(|| s3_error!(NoSuchUpload))?))
    }

    /// Makes the parts an object. As S3, it requires each part's `ETag`, and its checksum if the upload has an algorithm.
    fn complete_upload(&self, bucket: &str, key: &str, id: &str, parts: &[CompletedPart]) -> S3Result<ETag> {
        let (dir, upload) = self.upload(bucket, key, id)?;
        let (mut body, mut digests) = (Vec::new(), Vec::new());
        for (index, part) in parts.iter().enumerate() {
            let number = part.part_number.unwrap_or_default();
            let bytes = std::fs::read(dir.join(number.to_string())).map_err(|_| s3_error!(InvalidPart))?;
            let md5 = Md5::checksum(&bytes);
            if part.e_tag.as_ref().map(ETag::value) != Some(hex::encode(md5).as_str()) {
                return Err(s3_error!(InvalidPart));
            }
            if i32::try_from(index) != Ok(number - 1) {
                return Err(s3_error!(InvalidPartOrder));
            }
            if upload.has_checksums && part.checksum_crc32.is_none() {
                return Err(s3_error!(InvalidRequest, "The complete request must include the checksum for each part."));
            }
            if (bytes.len() as u64) < MIN_PART_BYTES && index + 1 < parts.len() {
                return Err(s3_error!(EntityTooSmall));
            }
            body.extend(bytes);
            digests.extend(md5);
        }
        if parts.is_empty() {
            return Err(s3_error!(MalformedXML));
        }
        let md5 = format!("{}-{}", hex::encode(Md5::checksum(&digests)), parts.len());
        let header = ObjectHeader { md5, ..upload.header };
        let e_tag = header.e_tag();
        self.put(bucket, header, &body)?;
        std::fs::remove_dir_all(dir).map_err(S3Error::internal_error)?;
        Ok(e_tag)
    }

    fn delete(&self, bucket: &str, key: &str) -> S3Result<()> {
        if let Some(versions) = self.versions(bucket) {
            let object = self.object(bucket, key)?;
            let version = self.retire(bucket, &object)?;
            let marker = ObjectHeader { key: key.to_owned(), version, is_delete_marker: true, ..ObjectHeader::default() };
            return self.write(&Self::version(&versions, &object, marker.version()), &marker, &[]);
        }
        match std::fs::remove_file(self.object(bucket, key)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(S3Error::internal_error(error)),
            _ => Ok(()),
        }
    }

    /// Returns the objects whose keys start with `prefix` and are greater than `after`, sorted by key.
    fn list(&self, bucket: &str, prefix: &str, after: &str) -> S3Result<Vec<Object>> {
        let stored = Self::objects_in(&self.bucket(bucket)?, prefix)?.into_iter();
        let objects = stored.filter(|stored| stored.header.key.as_str() > after).map(|stored| Object {
            e_tag: Some(stored.header.e_tag()),
            last_modified: Some(stored.modified.into()),
            size: Some(length(stored.size)),
            key: Some(stored.header.key),
            ..Object::default()
        });
        let mut objects: Vec<Object> = objects.collect();
        objects.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(objects)
    }

    /// Runs file operations on a thread where they may block.
    async fn run_blocking<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&Self) -> S3Result<T> + Send + 'static,
    ) -> S3Result<T> {
        let files = self.clone();
        tokio::task::spawn_blocking(move || operation(&files)).await.map_err(S3Error::internal_error)?
    }
}

async fn read_body(body: Option<StreamingBlob>) -> S3Result<Vec<u8>> {
    let incomplete_body = |error| S3Error::with_source(S3ErrorCode::IncompleteBody, error);
    match body {
        Some(body) => Ok(body.try_collect::<Vec<Bytes>>().await.map_err(incomplete_body)?.concat()),
        None => Ok(Vec::new()),
    }
}

fn length(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[async_trait]
impl s3s::S3 for FileStore {
    async fn create_bucket(&self, req: S3Request<CreateBucketInput>) -> S3Result<S3Response<CreateBucketOutput>> {
        let name = req.input.bucket;
        let location = Some(format!("/{name}"));
        self.run_blocking(move |files| {
            std::fs::create_dir(files.0.join(&name)).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => s3_error!(BucketAlreadyOwnedByYou),
                _ => S3Error::internal_error(error),
            })
        })
        .await?;
        Ok(S3Response::new(CreateBucketOutput { location }))
    }

    async fn head_bucket(&self, req: S3Request<HeadBucketInput>) -> S3Result<S3Response<HeadBucketOutput>> {
        self.run_blocking(move |files| files.bucket(&req.input.bucket)).await?;
        let bucket_region = Some(REGION.to_owned());
        Ok(S3Response::new(HeadBucketOutput { bucket_region, ..HeadBucketOutput::default() }))
    }

    async fn put_object(&self, req: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let input = req.input;
        if input.if_match.is_some() || input.if_none_match.is_some() {
            return Err(s3_error!(NotImplemented, "conditional writes"));
        }
        let body = read_body(input.body).await?;
        let header = object_header!(input, hex::encode(Md5::checksum(&body)));
        let e_tag = Some(header.e_tag());
        self.run_blocking(move |files| files.put(&input.bucket, header, &body)).await?;
        Ok(S3Response::new(PutObjectOutput { e_tag, ..PutObjectOutput::default() }))
    }

    async fn create_multipart_upload(
        &self,
        req: S3Request<CreateMultipartUploadInput>,
    ) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
        let input = req.input;
        let header = object_header!(input, String::new());
        let has_checksums = input.checksum_algorithm.is_some();
        let upload = Upload { bucket: input.bucket.clone(), header, has_checksums };
        let upload_id = self.run_blocking(move |files| files.start_upload(&upload.bucket, &upload)).await?;
        Ok(S3Response::new(CreateMultipartUploadOutput {
            bucket: Some(input.bucket),
            key: Some(input.key),
            upload_id: Some(upload_id),
            checksum_algorithm: input.checksum_algorithm,
            ..CreateMultipartUploadOutput::default()
        }))
    }

    async fn upload_part(&self, req: S3Request<UploadPartInput>) -> S3Result<S3Response<UploadPartOutput>> {
        let input = req.input;
        let body = read_body(input.body).await?;
        let e_tag = Some(ETag::Strong(hex::encode(Md5::checksum(&body))));
        let checksum_crc32 = input.checksum_crc32.clone();
        self.run_blocking(move |files| {
            let (dir, upload) = files.upload(&input.bucket, &input.key, &input.upload_id)?;
            if input.checksum_crc32.is_some() && !upload.has_checksums {
                return Err(s3_error!(InvalidRequest, "Checksum Type mismatch occurred, expected checksum Type: null"));
            }
            std::fs::write(dir.join(input.part_number.to_string()), body).map_err(S3Error::internal_error)
        })
        .await?;
        Ok(S3Response::new(UploadPartOutput { e_tag, checksum_crc32, ..UploadPartOutput::default() }))
    }

    async fn complete_multipart_upload(
        &self,
        req: S3Request<CompleteMultipartUploadInput>,
    ) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
        let CompleteMultipartUploadInput { bucket, key, upload_id, multipart_upload, .. } = req.input;
        let parts = multipart_upload.and_then(|upload| upload.parts).unwrap_or_default();
        let complete = {
            let (bucket, key) = (bucket.clone(), key.clone());
            move |files: &Self| files.complete_upload(&bucket, &key, &upload_id, &parts)
        };
        let e_tag = Some(self.run_blocking(complete).await?);
        Ok(S3Response::new(CompleteMultipartUploadOutput {
            bucket: Some(bucket),
            key: Some(key),
            e_tag,
            ..CompleteMultipartUploadOutput::default()
        }))
    }

    async fn get_object(&self, req: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        let input = req.input;
        let requested_range = input.range;
        let (stored, range, bytes) = self
            .run_blocking(move |files| {
                let mut stored = files.stored(&input.bucket, &input.key)?;
                let range = requested_range.map_or(Ok(0..stored.size), |range| range.check(stored.size))?;
                let bytes = stored.read(&range).map_err(S3Error::internal_error)?;
                Ok((stored, range, bytes))
            })
            .await?;
        // Only a ranged request has a `Content-Range`. A range of an empty object has no last byte.
        let last = requested_range.and_then(|_| range.end.checked_sub(1));
        let content_range = last.map(|last| format!("bytes {}-{last}/{}", range.start, stored.size));
        Ok(S3Response::new(GetObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            content_length: Some(length(bytes.len() as u64)),
            content_range,
            body: Some(StreamingBlob::from(s3s::Body::from(bytes))),
            e_tag: Some(stored.header.e_tag()),
            last_modified: Some(stored.modified.into()),
            content_type: stored.header.content_type,
            cache_control: stored.header.cache_control,
            content_disposition: input.response_content_disposition.or(stored.header.content_disposition),
            content_encoding: stored.header.content_encoding,
            metadata: stored.header.metadata,
            ..GetObjectOutput::default()
        }))
    }

    async fn head_object(&self, req: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        let stored = self.run_blocking(move |files| files.stored(&req.input.bucket, &req.input.key)).await?;
        Ok(S3Response::new(HeadObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            content_length: Some(length(stored.size)),
            e_tag: Some(stored.header.e_tag()),
            last_modified: Some(stored.modified.into()),
            content_type: stored.header.content_type,
            cache_control: stored.header.cache_control,
            content_disposition: stored.header.content_disposition,
            content_encoding: stored.header.content_encoding,
            metadata: stored.header.metadata,
            ..HeadObjectOutput::default()
        }))
    }

    async fn delete_object(&self, req: S3Request<DeleteObjectInput>) -> S3Result<S3Response<DeleteObjectOutput>> {
        let DeleteObjectInput { bucket, key, version_id, .. } = req.input;
        self.run_blocking(move |files| match version_id {
            Some(id) => files.delete_version(&bucket, &key, &id),
            None => files.delete(&bucket, &key),
        })
        .await?;
        Ok(S3Response::with_status(DeleteObjectOutput::default(), StatusCode::NO_CONTENT))
    }

    async fn list_object_versions(
        &self,
        req: S3Request<ListObjectVersionsInput>,
    ) -> S3Result<S3Response<ListObjectVersionsOutput>> {
        let ListObjectVersionsInput { bucket, prefix, delimiter, key_marker, max_keys, .. } = req.input;
        if delimiter.is_some() || key_marker.is_some() || max_keys.is_some() {
            return Err(s3_error!(NotImplemented, "delimiters and pages"));
        }
        let (name, start) = (bucket.clone(), prefix.clone().unwrap_or_default());
        let found = self.run_blocking(move |files| files.list_versions(&name, &start)).await?;
        let (markers, versions): (Vec<_>, Vec<_>) = found.into_iter().partition(|(stored, _)| stored.header.is_delete_marker);
        let versions = versions.into_iter().map(|(stored, is_latest)| ObjectVersion {
            e_tag: Some(stored.header.e_tag()),
            is_latest: Some(is_latest),
            last_modified: Some(stored.modified.into()),
            size: Some(length(stored.size)),
            version_id: Some(stored.header.version().to_owned()),
            key: Some(stored.header.key),
            ..ObjectVersion::default()
        });
        let markers = markers.into_iter().map(|(stored, _)| DeleteMarkerEntry {
            last_modified: Some(stored.modified.into()),
            version_id: Some(stored.header.version().to_owned()),
            key: Some(stored.header.key),
            ..DeleteMarkerEntry::default()
        });
        Ok(S3Response::new(ListObjectVersionsOutput {
            versions: Some(versions.collect()),
            delete_markers: Some(markers.collect()),
            name: Some(bucket),
            prefix,
            is_truncated: Some(false),
            ..ListObjectVersionsOutput::default()
        }))
    }

    async fn list_objects_v2(&self, req: S3Request<ListObjectsV2Input>) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = req.input;
        if input.delimiter.is_some() {
            return Err(s3_error!(NotImplemented, "delimiters"));
        }
        let max_keys = input.max_keys.unwrap_or(MAX_KEYS).clamp(0, MAX_KEYS);
        let bucket = input.bucket.clone();
        let prefix = input.prefix.clone().unwrap_or_default();
        // The continuation token of a page is its last key.
        let after = input.continuation_token.clone().or(input.start_after.clone()).unwrap_or_default();
        let mut contents = self.run_blocking(move |files| files.list(&bucket, &prefix, &after)).await?;
        let page_size = usize::try_from(max_keys).unwrap_or_default();
        let is_truncated = contents.len() > page_size;
        contents.truncate(page_size);
        Ok(S3Response::new(ListObjectsV2Output {
            name: Some(input.bucket),
            prefix: input.prefix,
            max_keys: Some(max_keys),
            key_count: i32::try_from(contents.len()).ok(),
            is_truncated: Some(is_truncated),
            continuation_token: input.continuation_token,
            next_continuation_token: contents.last().filter(|_| is_truncated).and_then(|last| last.key.clone()),
            contents: Some(contents),
            ..ListObjectsV2Output::default()
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aws_sdk_s3::Client;
    use aws_sdk_s3::config::AppName;
    use aws_sdk_s3::error::ProvideErrorMetadata;
    use aws_sdk_s3::presigning::PresigningConfig;
    use aws_sdk_s3::types::{ChecksumAlgorithm, CompletedMultipartUpload, CompletedPart as SdkPart};
    use serde_json::json;

    use super::super::testing::{call, client, faults};
    use super::*;
    use crate::aws::Usage;
    use crate::faults::Faults;

    const BUCKET: &str = "documents";

    async fn start(root: Option<PathBuf>, faults: Faults) -> (S3, Client) {
        let s3 = S3::start(0, root, Instrumentation { faults, ..Instrumentation::default() }).await.unwrap();
        s3.create_bucket(BUCKET).unwrap();
        let client = client!(aws_sdk_s3, s3.url(), force_path_style(true));
        (s3, client)
    }

    async fn put(client: &Client, key: &str, body: &'static str) {
        client.put_object().bucket(BUCKET).key(key).body(body.as_bytes().to_vec().into()).send().await.unwrap();
    }

    async fn get(client: &Client, key: &str) -> Bytes {
        let object = client.get_object().bucket(BUCKET).key(key).send().await.unwrap();
        object.body.collect().await.unwrap().into_bytes()
    }

    /// Returns a presigned URL that was signed `age` ago and expires in one minute.
    async fn presign(client: &Client, key: &str, age: Duration) -> String {
        let signing = PresigningConfig::builder()
            .start_time(SystemTime::from(clock::now()) - age)
            .expires_in(Duration::from_mins(1))
            .build()
            .unwrap();
        client.get_object().bucket(BUCKET).key(key).presigned(signing).await.unwrap().uri().to_owned()
    }

    async fn fetch(url: &str) -> http::Response<Bytes> {
        call(Request::get(url).body(Bytes::new()).unwrap()).await
    }

    #[tokio::test]
    async fn a_versioned_bucket_keeps_objects_until_each_version_is_deleted() {
        let (s3, client) = start(None, Faults::default()).await;
        put(&client, "a", "before it was versioned").await;
        s3.create_versioned_bucket(BUCKET).unwrap();
        put(&client, "a", "second").await;
        put(&client, "a", "third").await;
        put(&client, "ab", "another").await;
        client.delete_object().bucket(BUCKET).key("a").send().await.unwrap();
        let versions = async || {
            let listed = client.list_object_versions().bucket(BUCKET).prefix("a").send().await.unwrap();
            let versions = listed.versions().iter().map(|version| (version.key(), version.version_id()));
            let markers = listed.delete_markers().iter().map(|marker| (marker.key(), marker.version_id()));
            let found = versions.chain(markers).filter(|(key, _)| *key == Some("a"));
            let mut ids: Vec<String> = found.map(|(_, id)| id.unwrap().to_owned()).collect();
            ids.sort_unstable();
            ids
        };
        let is_there = async || client.get_object().bucket(BUCKET).key("a").send().await.is_ok();
        let delete = async |id: &str| {
            client.delete_object().bucket(BUCKET).key("a").version_id(id).send().await.unwrap();
        };
        let ids = versions().await;
        assert_eq!((ids.len(), ids.last().map(String::as_str), is_there().await), (4, Some("null"), false));
        // The last one but the null version is the delete marker.
        delete(&ids[2]).await;
        assert_eq!(get(&client, "a").await, "third");
        delete(&ids[1]).await;
        delete(&ids[1]).await;
        assert_eq!((get(&client, "a").await, versions().await.len()), ("second".into(), 2));
        delete(&ids[0]).await;
        delete("null").await;
        assert_eq!((versions().await.len(), is_there().await), (0, false));
        assert_eq!(get(&client, "ab").await, "another");
    }

    /// Starts an upload of `k`.
    async fn start_upload(client: &Client) -> String {
        let create = client.create_multipart_upload().bucket(BUCKET).key("k").content_type("text/csv");
        let create = create.checksum_algorithm(ChecksumAlgorithm::Crc32);
        create.send().await.unwrap().upload_id.unwrap()
    }

    async fn upload_part(client: &Client, upload: &str, number: i32, body: Vec<u8>) -> SdkPart {
        let part = client.upload_part().bucket(BUCKET).key("k").upload_id(upload).part_number(number);
        let part = part.body(body.into()).send().await.unwrap();
        let e_tag = part.e_tag.unwrap();
        SdkPart::builder().part_number(number).e_tag(e_tag).set_checksum_crc32(part.checksum_crc32).build()
    }

    /// Returns the code of the error, if it fails.
    async fn complete(client: &Client, upload: &str, parts: &[&SdkPart]) -> Option<String> {
        let parts = parts.iter().map(|part| (*part).clone()).collect();
        let parts = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
        let complete = client.complete_multipart_upload().bucket(BUCKET).key("k").upload_id(upload);
        let completed = complete.multipart_upload(parts).send().await;
        completed.err().map(|error| error.code().unwrap_or_default().to_owned())
    }

    #[tokio::test]
    async fn an_upload_in_parts_becomes_an_object_when_it_is_completed() {
        let (_s3, client) = start(None, Faults::default()).await;
        let upload = start_upload(&client).await;
        let large = vec![b'a'; usize::try_from(MIN_PART_BYTES).unwrap()];
        let replaced = upload_part(&client, &upload, 1, b"x".to_vec()).await;
        let first = upload_part(&client, &upload, 1, large.clone()).await;
        let second = upload_part(&client, &upload, 2, b"end".to_vec()).await;

        let missing = client.get_object().bucket(BUCKET).key("k").send().await.unwrap_err();
        assert_eq!(missing.code(), Some("NoSuchKey"));
        assert_eq!(complete(&client, &upload, &[&replaced, &second]).await.as_deref(), Some("InvalidPart"));
        assert_eq!(complete(&client, &upload, &[&second]).await.as_deref(), Some("InvalidPartOrder"));
        assert_eq!(complete(&client, &upload, &[&first, &second]).await, None);
        assert_eq!(get(&client, "k").await, [large, b"end".to_vec()].concat());
        let head = client.head_object().bucket(BUCKET).key("k").send().await.unwrap();
        assert_eq!(head.content_type(), Some("text/csv"));
        assert!(head.e_tag().unwrap().ends_with("-2\""));
        // It is gone once it is completed.
        assert_eq!(complete(&client, &upload, &[&first, &second]).await.as_deref(), Some("NoSuchUpload"));
    }

    #[tokio::test]
    async fn rejects_small_parts_missing_checksums_and_other_uploads() {
        let (_s3, client) = start(None, Faults::default()).await;
        let upload = start_upload(&client).await;
        let first = upload_part(&client, &upload, 1, b"small".to_vec()).await;
        let second = upload_part(&client, &upload, 2, b"end".to_vec()).await;
        let without_checksum = SdkPart::builder().part_number(1).e_tag(first.e_tag().unwrap()).build();

        assert_eq!(complete(&client, &upload, &[&first, &second]).await.as_deref(), Some("EntityTooSmall"));
        assert_eq!(complete(&client, &upload, &[&without_checksum]).await.as_deref(), Some("InvalidRequest"));
        for id in ["unknown", "../multipart"] {
            assert_eq!(complete(&client, id, &[&first]).await.as_deref(), Some("NoSuchUpload"), "{id:?}");
        }
        let other = client.upload_part().bucket(BUCKET).key("other").upload_id(&upload).part_number(1);
        let other = other.body(b"x".to_vec().into()).send().await.unwrap_err();
        assert_eq!(other.code(), Some("NoSuchUpload"));
    }

    #[tokio::test]
    async fn accepts_any_key() {
        let (s3, client) = start(None, Faults::default()).await;
        s3.create_bucket("other").unwrap();
        let long = "k".repeat(300);
        let keys = ["../other/x", "q", "q/r", "a//b", "ä &+%2F", &long];
        for key in keys {
            put(&client, key, "content").await;
        }
        for key in keys {
            assert_eq!(get(&client, key).await, "content", "{key}");
        }
        let other = client.list_objects_v2().bucket("other").send().await.unwrap();
        assert_eq!(other.key_count(), Some(0));
    }

    #[tokio::test]
    async fn lists_objects_in_key_order_and_in_pages() {
        let (_s3, client) = start(None, Faults::default()).await;
        for key in ["a/3", "a/1", "b/1", "a/2"] {
            put(&client, key, "x").await;
        }
        client.delete_object().bucket(BUCKET).key("a/2").send().await.unwrap();

        let list = client.list_objects_v2().bucket(BUCKET).prefix("a/").max_keys(1);
        let first = list.clone().send().await.unwrap();
        let second = list.set_continuation_token(first.next_continuation_token).send().await.unwrap();
        assert_eq!(first.contents.unwrap()[0].key(), Some("a/1"));
        assert_eq!(second.contents.unwrap()[0].key(), Some("a/3"));
        assert_eq!(second.is_truncated, Some(false));
    }

    #[tokio::test]
    async fn returns_no_such_key_and_no_such_bucket() {
        let (_s3, client) = start(None, Faults::default()).await;
        let key = client.get_object().bucket(BUCKET).key("missing").send().await.unwrap_err().into_service_error();
        assert!(key.is_no_such_key(), "{key:?}");
        let head = client.head_object().bucket(BUCKET).key("missing").send().await.unwrap_err().into_service_error();
        assert!(head.is_not_found(), "{head:?}");
        let bucket = client.get_object().bucket("missing").key("k").send().await.unwrap_err();
        assert_eq!(bucket.code(), Some("NoSuchBucket"));
        client.delete_object().bucket(BUCKET).key("missing").send().await.unwrap();
    }

    #[tokio::test]
    async fn accepts_virtual_hosted_style_urls() {
        let (s3, client) = start(None, Faults::default()).await;
        put(&client, "k", "content").await;
        let virtual_hosted = client!(aws_sdk_s3, s3.url().replace("127.0.0.1", "localhost"));
        let url = presign(&virtual_hosted, "k", Duration::ZERO).await;

        // Not every machine resolves subdomains of localhost, so the host is sent as a header.
        let (host, rest) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        assert!(host.starts_with("documents.localhost:"), "{url}");
        let request = Request::get(format!("{}/{rest}", s3.url())).header(header::HOST, host);
        let response = call(request.body(Bytes::new()).unwrap()).await;
        assert_eq!((response.status(), response.body().as_ref()), (StatusCode::OK, b"content".as_slice()));
    }

    #[tokio::test]
    async fn meters_calls_by_function_and_operation() {
        let usage = Usage::default();
        let faults = faults(json!([{"target": "s3", "match": "GetObject", "kind": "throttle"}]));
        let instrumentation = Instrumentation { faults, usage: usage.clone(), ..Instrumentation::default() };
        let s3 = S3::start(0, None, instrumentation).await.unwrap();
        s3.create_bucket(BUCKET).unwrap();
        let name = AppName::new("orders").unwrap();
        let client = client!(aws_sdk_s3, s3.url(), force_path_style(true), app_name(name));

        put(&client, "k", "content").await;
        client.get_object().bucket(BUCKET).key("k").send().await.unwrap_err();
        get(&client, "k").await;
        get(&client, "k").await;
        client.get_object().bucket(BUCKET).key("missing").send().await.unwrap_err();
        fetch(&presign(&client, "k", Duration::ZERO).await).await;

        let calls = |calls: u64| json!({"calls": calls, "readUnits": 0.0, "writeUnits": 0.0});
        assert_eq!(
            usage.to_json(),
            json!({
                "orders": {"S3.GetObject": calls(3), "S3.PutObject": calls(1)},
                "other": {"S3.GetObject": calls(1)},
            })
        );
        assert_eq!(usage.sequential_calls("orders"), 4);
    }

    #[tokio::test]
    async fn a_missing_object_is_forbidden_to_a_caller_that_may_not_list_the_bucket() {
        let instrumentation = Instrumentation::default();
        let permissions = instrumentation.permissions.clone();
        let s3 = S3::start(0, None, instrumentation).await.unwrap();
        s3.create_bucket(BUCKET).unwrap();
        let client = |name: &'static str| {
            let name = AppName::new(name).unwrap();
            client!(aws_sdk_s3, s3.url(), force_path_style(true), app_name(name))
        };
        let (orders, jobs) = (client("orders"), client("jobs"));
        put(&orders, "k", "content").await;
        permissions.restrict_listing([("orders".to_owned(), BUCKET.to_owned())].into());
        for (client, status, code) in [(&orders, 404, "NoSuchKey"), (&jobs, 403, "AccessDenied")] {
            let missing = client.get_object().bucket(BUCKET).key("missing").send().await.unwrap_err();
            assert_eq!(missing.code(), Some(code));
            let missing = client.head_object().bucket(BUCKET).key("missing").send().await.unwrap_err();
            assert_eq!(missing.raw_response().unwrap().status().as_u16(), status);
            assert_eq!(get(client, "k").await, "content");
        }
    }

    #[tokio::test]
    async fn objects_survive_a_restart_and_incomplete_uploads_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("s3");
        let (_first, client) = start(Some(root.clone()), Faults::default()).await;
        put(&client, "k", "kept").await;
        let incomplete = root.join(UPLOAD_DIR).join("incomplete");
        std::fs::write(&incomplete, "{").unwrap();

        let (_second, client) = start(Some(root), Faults::default()).await;
        assert_eq!(get(&client, "k").await, "kept");
        assert!(!incomplete.exists());
    }

    #[test]
    fn derives_the_operation_from_the_request() {
        for (method, host, uri, expected) in [
            ("PUT", "127.0.0.1:4567", "/documents", "CreateBucket"),
            ("GET", "127.0.0.1:4567", "/documents/?list-type=2", "ListObjectsV2"),
            ("GET", "127.0.0.1:4567", "/documents/a/b", "GetObject"),
            ("DELETE", "127.0.0.1:4567", "/documents/a", "DeleteObject"),
            ("HEAD", "documents.localhost:4567", "/", "HeadBucket"),
            ("PUT", "documents.localhost:4567", "/a", "PutObject"),
            ("POST", "127.0.0.1:4567", "/documents/a", ""),
            ("POST", "127.0.0.1:4567", "/documents/a?uploads", "CreateMultipartUpload"),
            ("PUT", "127.0.0.1:4567", "/documents/a?x-id=UploadPart&partNumber=1&uploadId=u", "UploadPart"),
            ("POST", "127.0.0.1:4567", "/documents/a?uploadId=u", "CompleteMultipartUpload"),
        ] {
            let request = Request::builder().method(method).uri(uri).header("host", host).body(Bytes::new());
            assert_eq!(operation(&request.unwrap()), expected, "{method} {host} {uri}");
        }
    }
}
