//! File uploads: one `file` field of a multipart form.

use std::convert::Infallible;

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use futures_util::stream;
use http::header;

use super::body;
use super::fault::Fault;
use crate::app::App;

/// The maximum size of a file, in bytes. A Lambda request is at most 6 MB, with the file encoded in base64.
pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;
/// With the boundaries and the headers of the parts.
const MAX_FORM_BYTES: usize = MAX_FILE_BYTES + 64 * 1024;

/// An uploaded file.
#[derive(Debug)]
pub struct Upload {
    /// The client's file name. Not safe as a path.
    pub name: String,
    pub bytes: Bytes,
}

impl FromRequest<App> for Upload {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &App) -> Result<Self, Fault> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = content_type.and_then(|value| multer::parse_boundary(value).ok());
        let boundary = boundary.ok_or_else(|| Fault::invalid("file: send it as multipart/form-data."))?;
        let form = body::read_bytes(request, MAX_FORM_BYTES).await?;
        find_file(form, boundary).await
    }
}

async fn find_file(form: Bytes, boundary: String) -> Result<Upload, Fault> {
    let invalid = |_| Fault::invalid("The body is not a valid multipart form.");
    let mut form = multer::Multipart::new(stream::iter([Ok::<_, Infallible>(form)]), boundary);
    while let Some(field) = form.next_field().await.map_err(invalid)? {
        if field.name() != Some("file") {
            continue;
        }
        let Some(name) = field.file_name().map(str::to_owned) else { continue };
        let bytes = field.bytes().await.map_err(invalid)?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(Fault::too_large(format!("file: is larger than {MAX_FILE_BYTES} bytes.")));
        }
        if bytes.is_empty() {
            return Err(Fault::invalid("file: is empty."));
        }
        return Ok(Upload { name, bytes });
    }
    Err(Fault::invalid("file: is missing."))
}
