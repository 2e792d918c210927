//! S3 over files: one for each object, named by the hash of its key, so that any key will do. Signatures are
//! checked, also those of signed links and their expiry.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::TryStreamExt;
use http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use percent_encoding::percent_decode_str;
use s3s::auth::SimpleAuth;
use s3s::crypto::{Checksum, Md5};
use s3s::dto::{
    CreateBucketInput, CreateBucketOutput, DeleteObjectInput, DeleteObjectOutput, ETag, GetObjectInput,
    GetObjectOutput, HeadBucketInput, HeadBucketOutput, HeadObjectInput, HeadObjectOutput,
    ListObjectsV2Input, ListObjectsV2Output, Object, PutObjectInput, PutObjectOutput, StreamingBlob,
};
use s3s::host::{S3Host, VirtualHost};
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result, s3_error};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::{NamedTempFile, TempDir};

use super::{ACCESS_KEY_ID, Errors, REGION, SECRET_ACCESS_KEY, StartError, Watch, listen, permissions};
use crate::faults::{Call, Target};
use crate::server::{Reply, Server};

/// Where an upload is written before it takes its place; no bucket can have this name.
const INCOMING: &str = ".incoming";
const MAX_KEYS: i32 = 1000;

const ERRORS: Errors = Errors {
    reply: |status, code, message| {
        let xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>"
        );
        Reply::bytes(status, "application/xml", xml)
    },
    internal: "InternalError",
    throttled: (StatusCode::SERVICE_UNAVAILABLE, "SlowDown"),
};

/// The S3 endpoint.
#[derive(Debug)]
pub struct S3 {
    server: Server,
    files: Files,
    /// Holds the files when they are not to be kept.
    _temporary: Option<TempDir>,
}

impl S3 {
    pub(super) async fn start(port: u16, root: Option<PathBuf>, watch: Watch) -> Result<Self, StartError> {
        let in_temp_dir = |source| StartError::State { path: std::env::temp_dir(), source };
        let temporary = root.is_none().then(TempDir::new).transpose().map_err(in_temp_dir)?;
        let root = root.or_else(|| temporary.as_ref().map(|dir| dir.path().to_owned())).unwrap_or_default();
        let files = Files::open(root.clone()).map_err(|source| StartError::State { path: root, source })?;
        let mut service = S3ServiceBuilder::new(files.clone());
        service.set_auth(SimpleAuth::from_single(ACCESS_KEY_ID, SECRET_ACCESS_KEY));
        service.set_host(LocalHost);
        let service = service.build();
        let handler = move |request: Request<Bytes>| {
            let service = service.clone();
            let watch = watch.clone();
            async move { answer(&service, &watch, request).await }
        };
        Ok(Self { server: listen(port, handler).await?, files, _temporary: temporary })
    }

    /// Base URL without a slash at the end.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Creates a bucket, or leaves it as it is.
    pub fn create_bucket(&self, name: &str) -> io::Result<()> {
        if !s3s::path::check_bucket_name(name) {
            return Err(io::Error::other(format!("not a bucket name: {name}")));
        }
        std::fs::create_dir_all(self.files.0.join(name))
    }
}

async fn answer(service: &S3Service, watch: &Watch, request: Request<Bytes>) -> Reply {
    let (operation, headers) = (operation(&request), request.headers().clone());
    let (bucket, key) = bucket_and_key(&request);
    let fault = watch.faults.take(Call { target: Target::S3, operation, headers: &headers });
    let reply = ERRORS.with_fault(fault, carry_out(service, request)).await;
    if !key.is_empty() {
        let is_missing = matches!(&reply, Reply::Send(sent) if sent.status() == StatusCode::NOT_FOUND);
        watch.permissions.need(&headers, permissions::of_s3(operation, &bucket, &key, is_missing));
    }
    reply
}

async fn carry_out(service: &S3Service, request: Request<Bytes>) -> Reply {
    let answer = async {
        let (head, body) = service.call(request.map(s3s::Body::from)).await.ok()?.into_parts();
        Some(http::Response::from_parts(head, body.collect().await.ok()?.to_bytes()))
    };
    answer.await.map_or(Reply::HangUp, Reply::Send)
}

/// `http://bucket.localhost:port/key` besides `http://localhost:port/bucket/key`.
struct LocalHost;

impl S3Host for LocalHost {
    fn parse_host_header<'a>(&'a self, host: &'a str) -> S3Result<VirtualHost<'a>> {
        Ok(match bucket_in(host) {
            Some(bucket) => VirtualHost::new("localhost").with_bucket(bucket),
            None => VirtualHost::new(host),
        })
    }
}

fn bucket_in(host: &str) -> Option<&str> {
    host.split_once(':').map_or(host, |(name, _)| name).strip_suffix(".localhost")
}

/// Which bucket and object a request is about.
fn bucket_and_key(request: &Request<Bytes>) -> (String, String) {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let path = percent_decode_str(request.uri().path().trim_start_matches('/')).decode_utf8_lossy();
    let in_path = || path.split_once('/').unwrap_or((&path, ""));
    let (bucket, key) = bucket_in(host).map_or_else(in_path, |bucket| (bucket, &path));
    (bucket.to_owned(), key.to_owned())
}

/// The name of the operation that a request asks for, empty when it is none of those here.
fn operation(request: &Request<Bytes>) -> &'static str {
    let (_, key) = bucket_and_key(request);
    match (request.method(), key.is_empty()) {
        (&Method::PUT, true) => "CreateBucket",
        (&Method::HEAD, true) => "HeadBucket",
        (&Method::GET, true) => "ListObjectsV2",
        (&Method::PUT, false) => "PutObject",
        (&Method::GET, false) => "GetObject",
        (&Method::HEAD, false) => "HeadObject",
        (&Method::DELETE, false) => "DeleteObject",
        _ => "",
    }
}

/// What an object's file starts with, as one line of JSON. Its bytes follow.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    key: String,
    md5: String,
    content_type: Option<String>,
    cache_control: Option<String>,
    content_disposition: Option<String>,
    content_encoding: Option<String>,
    metadata: Option<HashMap<String, String>>,
}

impl Head {
    fn e_tag(&self) -> ETag {
        ETag::Strong(self.md5.clone())
    }
}

/// An object's file with its head read.
struct Stored {
    head: Head,
    modified: SystemTime,
    size: u64,
    /// Where the object's own bytes start.
    start: u64,
    file: BufReader<File>,
}

impl Stored {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        let mut file = BufReader::new(file);
        let mut line = String::new();
        file.read_line(&mut line)?;
        let start = line.len() as u64;
        let head = serde_json::from_str(&line)?;
        Ok(Self { head, modified: about.modified()?, size: about.len().saturating_sub(start), start, file })
    }

    fn read(&mut self, range: &Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.start + range.start))?;
        self.file.by_ref().take(range.end - range.start).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// A directory for each bucket and in it a file for each object.
#[derive(Debug, Clone)]
struct Files(PathBuf);

impl Files {
    fn open(root: PathBuf) -> io::Result<Self> {
        let incoming = root.join(INCOMING);
        std::fs::create_dir_all(&incoming)?;
        // What a kill left half written.
        for entry in std::fs::read_dir(&incoming)? {
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

    fn stored(&self, bucket: &str, key: &str) -> S3Result<Stored> {
        Stored::open(&self.object(bucket, key)?).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => s3_error!(NoSuchKey),
            _ => S3Error::internal_error(error),
        })
    }

    /// Written aside and renamed, so that an object is there as a whole or not at all.
    fn put(&self, bucket: &str, head: &Head, body: &[u8]) -> S3Result<()> {
        let path = self.object(bucket, &head.key)?;
        let write = || -> io::Result<()> {
            let mut file = NamedTempFile::new_in(self.0.join(INCOMING))?;
            serde_json::to_writer(&mut file, head)?;
            file.write_all(b"\n")?;
            file.write_all(body)?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(S3Error::internal_error)
    }

    fn delete(&self, bucket: &str, key: &str) -> S3Result<()> {
        match std::fs::remove_file(self.object(bucket, key)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(S3Error::internal_error(error)),
            _ => Ok(()),
        }
    }

    /// The objects whose key starts with `prefix` and comes after `after`, in the order of their keys.
    fn list(&self, bucket: &str, prefix: &str, after: &str) -> S3Result<Vec<Object>> {
        let mut objects = Vec::new();
        let entries = std::fs::read_dir(self.bucket(bucket)?).map_err(S3Error::internal_error)?;
        for entry in entries {
            let stored = match Stored::open(&entry.map_err(S3Error::internal_error)?.path()) {
                // Deleted since.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                stored => stored.map_err(S3Error::internal_error)?,
            };
            if stored.head.key.starts_with(prefix) && stored.head.key.as_str() > after {
                objects.push(Object {
                    e_tag: Some(stored.head.e_tag()),
                    last_modified: Some(stored.modified.into()),
                    size: Some(length(stored.size)),
                    key: Some(stored.head.key),
                    ..Object::default()
                });
            }
        }
        objects.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(objects)
    }

    /// Runs file work where it may block.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> S3Result<T> + Send + 'static,
    ) -> S3Result<T> {
        let files = self.clone();
        tokio::task::spawn_blocking(move || work(&files)).await.map_err(S3Error::internal_error)?
    }
}

fn length(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[async_trait]
impl s3s::S3 for Files {
    async fn create_bucket(
        &self,
        req: S3Request<CreateBucketInput>,
    ) -> S3Result<S3Response<CreateBucketOutput>> {
        let name = req.input.bucket;
        let location = Some(format!("/{name}"));
        self.work(move |files| {
            std::fs::create_dir(files.0.join(&name)).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => s3_error!(BucketAlreadyOwnedByYou),
                _ => S3Error::internal_error(error),
            })
        })
        .await?;
        Ok(S3Response::new(CreateBucketOutput { location }))
    }

    async fn head_bucket(&self, req: S3Request<HeadBucketInput>) -> S3Result<S3Response<HeadBucketOutput>> {
        self.work(move |files| files.bucket(&req.input.bucket)).await?;
        let bucket_region = Some(REGION.to_owned());
        Ok(S3Response::new(HeadBucketOutput { bucket_region, ..HeadBucketOutput::default() }))
    }

    async fn put_object(&self, req: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let input = req.input;
        if input.if_match.is_some() || input.if_none_match.is_some() {
            return Err(s3_error!(NotImplemented, "conditional writes"));
        }
        let cut_off = |error| S3Error::with_source(S3ErrorCode::IncompleteBody, error);
        let body = match input.body {
            Some(body) => body.try_collect::<Vec<Bytes>>().await.map_err(cut_off)?.concat(),
            None => Vec::new(),
        };
        let head = Head {
            key: input.key,
            md5: hex::encode(Md5::checksum(&body)),
            content_type: input.content_type,
            cache_control: input.cache_control,
            content_disposition: input.content_disposition,
            content_encoding: input.content_encoding,
            metadata: input.metadata,
        };
        let e_tag = Some(head.e_tag());
        self.work(move |files| files.put(&input.bucket, &head, &body)).await?;
        Ok(S3Response::new(PutObjectOutput { e_tag, ..PutObjectOutput::default() }))
    }

    async fn get_object(&self, req: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        let input = req.input;
        let asked = input.range;
        let (stored, range, bytes) = self
            .work(move |files| {
                let mut stored = files.stored(&input.bucket, &input.key)?;
                let range = asked.map_or(Ok(0..stored.size), |range| range.check(stored.size))?;
                let bytes = stored.read(&range).map_err(S3Error::internal_error)?;
                Ok((stored, range, bytes))
            })
            .await?;
        // A range of an empty object has no last byte.
        let last = asked.and_then(|_| range.end.checked_sub(1));
        let content_range = last.map(|last| format!("bytes {}-{last}/{}", range.start, stored.size));
        Ok(S3Response::new(GetObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            content_length: Some(length(bytes.len() as u64)),
            content_range,
            body: Some(StreamingBlob::from(s3s::Body::from(bytes))),
            e_tag: Some(stored.head.e_tag()),
            last_modified: Some(stored.modified.into()),
            content_type: stored.head.content_type,
            cache_control: stored.head.cache_control,
            content_disposition: stored.head.content_disposition,
            content_encoding: stored.head.content_encoding,
            metadata: stored.head.metadata,
            ..GetObjectOutput::default()
        }))
    }

    async fn head_object(&self, req: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        let stored = self.work(move |files| files.stored(&req.input.bucket, &req.input.key)).await?;
        Ok(S3Response::new(HeadObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            content_length: Some(length(stored.size)),
            e_tag: Some(stored.head.e_tag()),
            last_modified: Some(stored.modified.into()),
            content_type: stored.head.content_type,
            cache_control: stored.head.cache_control,
            content_disposition: stored.head.content_disposition,
            content_encoding: stored.head.content_encoding,
            metadata: stored.head.metadata,
            ..HeadObjectOutput::default()
        }))
    }

    async fn delete_object(
        &self,
        req: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        self.work(move |files| files.delete(&req.input.bucket, &req.input.key)).await?;
        Ok(S3Response::with_status(DeleteObjectOutput::default(), StatusCode::NO_CONTENT))
    }

    async fn list_objects_v2(
        &self,
        req: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = req.input;
        if input.delimiter.is_some() {
            return Err(s3_error!(NotImplemented, "delimiters"));
        }
        let most = input.max_keys.unwrap_or(MAX_KEYS).clamp(0, MAX_KEYS);
        let bucket = input.bucket.clone();
        let prefix = input.prefix.clone().unwrap_or_default();
        // A page's token is its last key.
        let after = input.continuation_token.clone().or(input.start_after.clone()).unwrap_or_default();
        let mut contents = self.work(move |files| files.list(&bucket, &prefix, &after)).await?;
        let on_page = usize::try_from(most).unwrap_or_default();
        let is_truncated = contents.len() > on_page;
        contents.truncate(on_page);
        Ok(S3Response::new(ListObjectsV2Output {
            name: Some(input.bucket),
            prefix: input.prefix,
            max_keys: Some(most),
            key_count: i32::try_from(contents.len()).ok(),
            is_truncated: Some(is_truncated),
            continuation_token: input.continuation_token,
            next_continuation_token: contents
                .last()
                .filter(|_| is_truncated)
                .and_then(|last| last.key.clone()),
            contents: Some(contents),
            ..ListObjectsV2Output::default()
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aws_sdk_s3::Client;
    use aws_sdk_s3::error::ProvideErrorMetadata;
    use aws_sdk_s3::presigning::PresigningConfig;
    use serde_json::json;

    use super::super::testing::{call, client, faults};
    use super::*;
    use crate::ambient;
    use crate::faults::Faults;

    const BUCKET: &str = "documents";

    async fn start(root: Option<PathBuf>, faults: Faults) -> (S3, Client) {
        let s3 = S3::start(0, root, Watch { faults, ..Watch::default() }).await.unwrap();
        s3.create_bucket(BUCKET).unwrap();
        let client = client!(aws_sdk_s3, s3.url(), force_path_style(true));
        (s3, client)
    }

    async fn put(client: &Client, key: &str, body: &'static str) {
        client
            .put_object()
            .bucket(BUCKET)
            .key(key)
            .body(body.as_bytes().to_vec().into())
            .send()
            .await
            .unwrap();
    }

    async fn get(client: &Client, key: &str) -> Bytes {
        let object = client.get_object().bucket(BUCKET).key(key).send().await.unwrap();
        object.body.collect().await.unwrap().into_bytes()
    }

    /// A link to an object that was signed so long ago, and opens for a minute.
    async fn link(client: &Client, key: &str, age: Duration) -> String {
        let signing = PresigningConfig::builder()
            .start_time(SystemTime::from(ambient::now()) - age)
            .expires_in(Duration::from_mins(1))
            .build()
            .unwrap();
        client.get_object().bucket(BUCKET).key(key).presigned(signing).await.unwrap().uri().to_owned()
    }

    async fn open(link: &str) -> http::Response<Bytes> {
        call(Request::get(link).body(Bytes::new()).unwrap()).await
    }

    #[tokio::test]
    async fn an_object_comes_back_with_all_that_was_said_of_it() {
        let (_s3, client) = start(None, Faults::default()).await;
        let put = client
            .put_object()
            .bucket(BUCKET)
            .key("a/b.txt")
            .body(b"hello world".to_vec().into())
            .content_type("text/plain")
            .cache_control("no-store")
            .content_disposition("attachment")
            .metadata("owner", "m1")
            .send()
            .await
            .unwrap();
        let head = client.head_object().bucket(BUCKET).key("a/b.txt").send().await.unwrap();
        let object = client.get_object().bucket(BUCKET).key("a/b.txt").send().await.unwrap();
        let part = client.get_object().bucket(BUCKET).key("a/b.txt").range("bytes=6-").send().await.unwrap();

        assert_eq!(put.e_tag(), Some("\"5eb63bbbe01eeed093cb22bb8f5acdc3\""));
        assert_eq!((head.e_tag(), head.content_length()), (put.e_tag(), Some(11)));
        assert_eq!((object.e_tag(), object.content_type()), (put.e_tag(), Some("text/plain")));
        assert_eq!(
            (object.cache_control(), object.content_disposition()),
            (Some("no-store"), Some("attachment"))
        );
        assert_eq!(object.metadata().unwrap()["owner"], "m1");
        assert_eq!(object.body.collect().await.unwrap().into_bytes(), "hello world");
        assert_eq!(part.content_range(), Some("bytes 6-10/11"));
        assert_eq!(part.body.collect().await.unwrap().into_bytes(), "world");
    }

    #[tokio::test]
    async fn any_key_will_do() {
        let (s3, client) = start(None, Faults::default()).await;
        s3.create_bucket("other").unwrap();
        let long = "k".repeat(300);
        let keys = ["../other/x", "q", "q/r", "a//b", "ä &+%2F", &long];
        for key in keys {
            put(&client, key, "here").await;
        }
        for key in keys {
            assert_eq!(get(&client, key).await, "here", "{key}");
        }
        let other = client.list_objects_v2().bucket("other").send().await.unwrap();
        assert_eq!(other.key_count(), Some(0));
    }

    #[tokio::test]
    async fn a_list_is_in_the_order_of_keys_and_comes_in_pages() {
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
    async fn what_is_missing_has_its_own_error() {
        let (_s3, client) = start(None, Faults::default()).await;
        let key =
            client.get_object().bucket(BUCKET).key("none").send().await.unwrap_err().into_service_error();
        assert!(key.is_no_such_key(), "{key:?}");
        let head =
            client.head_object().bucket(BUCKET).key("none").send().await.unwrap_err().into_service_error();
        assert!(head.is_not_found(), "{head:?}");
        let bucket = client.get_object().bucket("nowhere").key("k").send().await.unwrap_err();
        assert_eq!(bucket.code(), Some("NoSuchBucket"));
        client.delete_object().bucket(BUCKET).key("none").send().await.unwrap();
    }

    #[tokio::test]
    async fn a_signed_link_opens_for_its_key_and_time_only() {
        let (_s3, client) = start(None, Faults::default()).await;
        put(&client, "mine", "secret").await;
        put(&client, "yours", "secret").await;
        let fresh = link(&client, "mine", Duration::ZERO).await;

        let opened = open(&fresh).await;
        assert_eq!((opened.status(), opened.body().as_ref()), (StatusCode::OK, b"secret".as_slice()));
        assert_eq!(open(&fresh.replace("mine", "yours")).await.status(), StatusCode::FORBIDDEN);
        assert_eq!(open(&fresh.replace("Expires=60", "Expires=600")).await.status(), StatusCode::FORBIDDEN);
        assert_eq!(open(fresh.split_once('?').unwrap().0).await.status(), StatusCode::FORBIDDEN);
        let old = link(&client, "mine", Duration::from_hours(1)).await;
        assert_eq!(open(&old).await.status(), StatusCode::FORBIDDEN);
    }

    #[tokio::test]
    async fn a_bucket_may_be_named_by_the_host() {
        let (s3, client) = start(None, Faults::default()).await;
        put(&client, "k", "here").await;
        let by_host = client!(aws_sdk_s3, s3.url().replace("127.0.0.1", "localhost"));
        let link = link(&by_host, "k", Duration::ZERO).await;

        // Not every machine resolves names below localhost.
        let (host, rest) = link.strip_prefix("http://").unwrap().split_once('/').unwrap();
        assert!(host.starts_with("documents.localhost:"), "{link}");
        let request = Request::get(format!("{}/{rest}", s3.url())).header(header::HOST, host);
        let opened = call(request.body(Bytes::new()).unwrap()).await;
        assert_eq!((opened.status(), opened.body().as_ref()), (StatusCode::OK, b"here".as_slice()));
    }

    #[tokio::test]
    async fn faults_look_like_those_of_s3() {
        let faults = faults(json!([
            {"target": "s3", "match": "PutObject", "kind": "throttle"},
            {"target": "s3", "match": "GetObject", "kind": "status", "value": 500},
        ]));
        let (_s3, client) = start(None, faults).await;
        let throttled = client.put_object().bucket(BUCKET).key("k").send().await.unwrap_err();
        assert_eq!(throttled.code(), Some("SlowDown"));
        put(&client, "k", "x").await;
        let failed = client.get_object().bucket(BUCKET).key("k").send().await.unwrap_err();
        assert_eq!(failed.code(), Some("InternalError"));
        assert_eq!(get(&client, "k").await, "x");
    }

    #[tokio::test]
    async fn objects_are_kept_and_half_written_ones_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("s3");
        let (_first, client) = start(Some(root.clone()), Faults::default()).await;
        put(&client, "k", "kept").await;
        let half = root.join(INCOMING).join("half");
        std::fs::write(&half, "{").unwrap();

        let (_second, client) = start(Some(root), Faults::default()).await;
        assert_eq!(get(&client, "k").await, "kept");
        assert!(!half.exists());
    }

    #[test]
    fn the_operation_is_told_from_the_request() {
        for (method, host, uri, expected) in [
            ("PUT", "127.0.0.1:4567", "/documents", "CreateBucket"),
            ("GET", "127.0.0.1:4567", "/documents/?list-type=2", "ListObjectsV2"),
            ("GET", "127.0.0.1:4567", "/documents/a/b", "GetObject"),
            ("DELETE", "127.0.0.1:4567", "/documents/a", "DeleteObject"),
            ("HEAD", "documents.localhost:4567", "/", "HeadBucket"),
            ("PUT", "documents.localhost:4567", "/a", "PutObject"),
            ("POST", "127.0.0.1:4567", "/documents/a", ""),
        ] {
            let request = Request::builder().method(method).uri(uri).header("host", host).body(Bytes::new());
            assert_eq!(operation(&request.unwrap()), expected, "{method} {host} {uri}");
        }
    }
}
