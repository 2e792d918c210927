//! File uploads: one `file` field of a multipart form.

use std::convert::Infallible;

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, header};

use super::body;
use super::endpoint_error::General;
use super::fault::Fault;
use crate::app::App;
use crate::aws::files::FileType;

/// The maximum size of a file, in bytes. A Lambda request is at most 6 MB, with the file encoded in base64.
pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;
/// With the boundaries and the headers of the parts.
const MAX_FORM_BYTES: usize = MAX_FILE_BYTES + 64 * 1024;
/// Of one part.
const MAX_HEADER_BYTES: usize = 8 * 1024;

/// An uploaded file.
#[derive(Debug)]
pub struct Upload {
    /// The client's file name; empty if it sent none, or one that is not UTF-8. Not safe as a path.
    pub name: String,
    pub bytes: Bytes,
}

impl FromRequest<App> for Upload {
    type Rejection = General;

    async fn from_request(request: Request, _: &App) -> Result<Self, General> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = content_type.and_then(boundary);
        let Some(boundary) = boundary else { return Err(General::rejected(not_a_form(request).await)) };
        let form = body::read_bytes(request, MAX_FORM_BYTES).await.map_err(General::rejected)?;
        find_file(form, boundary).await.map_err(General::rejected)
    }
}

/// Some clients send characters such as `=` without quotes, which `multer` does not read.
fn boundary(content_type: &str) -> Option<String> {
    let mut parameters = content_type.split(';').map(str::trim);
    let is_form = parameters.next()?.eq_ignore_ascii_case("multipart/form-data");
    let boundary =
        parameters.filter_map(|parameter| parameter.split_once('=')).find(|(name, _)| name.eq_ignore_ascii_case("boundary"));
    let boundary = boundary?.1.trim_matches('"');
    (is_form && (1..=70).contains(&boundary.len())).then(|| boundary.to_owned())
}

/// The error for a request that is not a multipart form.
async fn not_a_form(request: Request) -> Fault {
    const MESSAGE: &str = "file: send it as multipart/form-data.";
    let is_accepted = !body::needs_content_type(&request) || body::is_json(&request);
    match body::read_bytes(request, MAX_FORM_BYTES).await {
        Ok(body) if !is_accepted && !body.is_empty() => Fault::unsupported_type(MESSAGE),
        Ok(_) => Fault::invalid(MESSAGE),
        Err(too_large) => too_large,
    }
}

async fn find_file(form: Bytes, boundary: String) -> Result<Upload, Fault> {
    let invalid = |_| Fault::invalid("The body is not a valid multipart form.");
    let mut form = multer::Multipart::new(stream::iter([Ok::<_, Infallible>(form)]), boundary);
    while let Some(field) = form.next_field().await.map_err(invalid)? {
        if header_bytes(field.headers()) > MAX_HEADER_BYTES {
            let message = format!("The headers of a part of the form are longer than {MAX_HEADER_BYTES} bytes.");
            return Err(Fault::invalid(message));
        }
        if field.name() != Some("file") {
            continue;
        }
        let name = field.file_name().map(str::to_owned);
        let bytes = field.bytes().await.map_err(invalid)?;
        // Without a file name, only the content distinguishes a file from a text field.
        if name.is_none() && FileType::of_document(&bytes).is_none() {
            continue;
        }
        if bytes.len() > MAX_FILE_BYTES {
            return Err(Fault::too_large(format!("file: is larger than {MAX_FILE_BYTES} bytes.")));
        }
        if bytes.is_empty() {
            return Err(Fault::invalid("file: is empty."));
        }
        return Ok(Upload { name: name.unwrap_or_default(), bytes });
    }
    Err(Fault::invalid("file: is missing."))
}

/// The size of the headers as they are sent, with a separator and a line end each.
fn header_bytes(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len()).sum()
}
