//! `GET /api/public/gift-card-image`: returns an uploaded offer image.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use serde_json::Value;
use shared::app::App;
use shared::aws::files::{self, StoredFile};
use shared::endpoint_error;
use shared::http::schemas::Schemas;
use shared::http::{Description, General, Public, Query, Success};
use utoipa::openapi::{Content, ResponseBuilder};

/// A browser keeps an image for an hour, so that one that is taken down disappears soon. CloudFront keeps it as well, but asks for each
/// viewer whether it is still there, and shows nothing else if it gets no answer.
const CACHING: &str = "public, max-age=3600, s-maxage=0, stale-if-error=0";

/// Keeps a file that a browser takes for a document from loading anything or running scripts.
const ISOLATED: &str = "default-src 'none'; sandbox";

/// Those that an upload can have.
const CONTENT_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

#[derive(Debug)]
pub(crate) struct ImageResponse {
    id: String,
    /// `None` if the client has it already.
    image: Option<StoredFile>,
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getGiftCardImage",
        "Get a gift card image",
        "Returns an image that was uploaded for an offer. Images never change, but can be taken down: they have an \
         `ETag` and can be cached for an hour.",
    )
    .query::<String>("key", "The `key` of the upload response.", true)
    .header("If-None-Match", "The `ETag` of the image that the client has.")
    .ok("The image.")
    .not_modified(&[
        ("ETag", "Identifies the image."),
        ("Cache-Control", "An hour."),
        ("X-Content-Type-Options", "`nosniff`."),
        ("Content-Security-Policy", "The image can neither run scripts nor load anything."),
    ])
}

endpoint_error! {
    pub(crate) enum ImageError {
        /// There is no image with this key.
        NoSuchImage => 404 NOT_FOUND "There is no such image.",
    }
}

/// Returns the image with its stored content type, or 304 if `If-None-Match` has its entity tag, for which the file is not read: a key
/// always has the same image. One that was taken down is none.
pub(crate) async fn get_image(
    _: Public,
    State(app): State<App>,
    query: Query,
    headers: HeaderMap,
) -> Result<ImageResponse, ImageError> {
    let key = query.text("key").unwrap_or_default();
    let id = files::design_id(key).ok_or(ImageError::NoSuchImage)?.to_owned();
    let file = async { if has_entity_tag(&headers, &entity_tag(&id)) { Ok(None) } else { app.files().get(key).await.map(Some) } };
    let (taken_down, file) = tokio::join!(app.store.take_down(key), file);
    if taken_down?.is_some() {
        return Err(ImageError::NoSuchImage);
    }
    let file = file.map_err(|error| General::internal(error.to_string()))?;
    let image = file.map(|file| file.ok_or(ImageError::NoSuchImage)).transpose()?;
    // Any image that exists.
    let image = image.filter(|_| !has_entity_tag(&headers, "*"));
    Ok(ImageResponse { id, image })
}

fn entity_tag(id: &str) -> String {
    format!("\"{id}\"")
}

impl IntoResponse for ImageResponse {
    fn into_response(self) -> Response {
        let caching = [(header::ETAG, entity_tag(&self.id)), (header::CACHE_CONTROL, CACHING.to_owned())];
        let security = [(header::X_CONTENT_TYPE_OPTIONS, "nosniff"), (header::CONTENT_SECURITY_POLICY, ISOLATED)];
        match self.image {
            None => (StatusCode::NOT_MODIFIED, caching, security).into_response(),
            Some(StoredFile { bytes, content_type }) => {
                (caching, security, [(header::CONTENT_TYPE, content_type)], bytes).into_response()
            }
        }
    }
}

impl Success for ImageResponse {
    fn describe(response: ResponseBuilder, _: Value, _: &mut Schemas) -> ResponseBuilder {
        let with_type = |response: ResponseBuilder, content_type: &str| response.content(content_type, Content::default());
        CONTENT_TYPES.into_iter().fold(response, with_type)
    }
}

/// Whether `If-None-Match` has the entity tag (weak comparison, RFC 9110, section 13.1.2).
fn has_entity_tag(request_headers: &HeaderMap, e_tag: &str) -> bool {
    let lists = request_headers.get_all(header::IF_NONE_MATCH).into_iter().filter_map(|list| list.to_str().ok());
    let mut tags = lists.flat_map(|list| list.split(',')).map(str::trim);
    tags.any(|tag| tag.strip_prefix("W/").unwrap_or(tag) == e_tag)
}
