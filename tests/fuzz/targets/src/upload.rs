//! Uploaded files: a form of any bytes, and a file in a form as clients write it.

use axum::body::Body;
use axum::extract::FromRequest;
use bytes::Bytes;
use futures_util::FutureExt;
use http::{Request, header};
use memchr::memmem;
use shared::http::{MAX_FILE_BYTES, Upload};

use crate::support::{APP, text};

const BOUNDARY: &str = "B";

pub fn upload(data: &[u8]) {
    if let Some(upload) = read(data) {
        assert!(!upload.bytes.is_empty() && upload.bytes.len() <= MAX_FILE_BYTES);
        assert!(memmem::find(data, &upload.bytes).is_some(), "what was not sent");
    }
    // A file of any bytes is read as it was sent.
    let (length, rest) = data.split_first().unwrap_or((&0, data));
    let (name, file) = rest.split_at(usize::from(*length).min(rest.len()));
    let name: String = text(name).chars().filter(|c| !c.is_control() && !"=\"\\".contains(*c)).collect();
    if file.is_empty() || memmem::find(file, b"\r\n--B").is_some() {
        return;
    }
    let before = b"--B\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n";
    let header = format!("--B\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
    let form = [&before[..], header.as_bytes(), file, b"\r\n--B--\r\n"].concat();
    let upload = read(&form).unwrap();
    assert_eq!((upload.name.as_str(), &upload.bytes[..]), (name.as_str(), file));
}

/// The file of a form. Nothing waits: the form is complete.
fn read(form: &[u8]) -> Option<Upload> {
    let request = Request::builder().header(header::CONTENT_TYPE, format!("multipart/form-data; boundary={BOUNDARY}"));
    let request = request.body(Body::from(Bytes::copy_from_slice(form))).unwrap();
    Upload::from_request(request, &APP).now_or_never().unwrap().ok()
}
