//! `GET /api/public/gift-card-image`: an image that was uploaded for an offer.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use shared::app::App;
use shared::files::{self, StoredFile};
use shared::http::access::Public;
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;

/// What is stored under a key never changes.
const FOR_A_YEAR: &str = "public, max-age=31536000, immutable";
pub(crate) fn describe() -> Description {
    Description::new(
        "An image of a gift card",
        "What was uploaded for an offer. It never changes, may be kept for a year, and has an `ETag`.",
    )
    .query::<String>("key", "As the upload answered it.", true)
    .bytes("The image.", &["image/png", "image/jpeg", "image/gif", "image/webp"])
    .refuses(404, "There is no image of this key.")
}

/// The bytes of the image with this `key`, in their stored type; 304 for a caller who has them.
///
/// 404 for a key that no upload can have made, and where nothing is stored under it.
pub(crate) async fn image(
    _: Public,
    State(app): State<App>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let missing = || Fault::not_found("There is no such image.");
    let key = query.text("key").filter(|key| files::is_design(key)).ok_or_else(missing)?;
    let image = app.files().get(key).await.map_err(|error| Fault::internal(error.to_string()))?;
    Ok(answer(image.ok_or_else(missing)?, &headers))
}

fn answer(image: StoredFile, asked: &HeaderMap) -> Response {
    let StoredFile { bytes, content_type, e_tag } = image;
    let is_known = is_known(asked, &e_tag);
    let caching = [(header::ETAG, e_tag), (header::CACHE_CONTROL, FOR_A_YEAR.to_owned())];
    if is_known {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let no_guessing = [(header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (caching, no_guessing, [(header::CONTENT_TYPE, content_type)], bytes).into_response()
}

/// Whether the caller says that they have it: one of a list of tags, weak or not, or any.
fn is_known(asked: &HeaderMap, e_tag: &str) -> bool {
    let lists = asked.get_all(header::IF_NONE_MATCH).into_iter().filter_map(|list| list.to_str().ok());
    let mut tags = lists.flat_map(|list| list.split(',')).map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == e_tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_who_has_the_image_says_so_by_its_tag() {
        for (tags, expected) in [
            (&["\"a\""][..], true),
            (&["W/\"a\""], true),
            (&["\"b\", \"a\""], true),
            (&["\"b\"", "\"a\""], true),
            (&["*"], true),
            (&["\"b\""], false),
            (&["a"], false),
            (&[""], false),
            (&[], false),
        ] {
            let mut asked = HeaderMap::new();
            for tag in tags {
                asked.append(header::IF_NONE_MATCH, tag.parse().unwrap());
            }
            assert_eq!(is_known(&asked, "\"a\""), expected, "{tags:?}");
        }
    }
}
