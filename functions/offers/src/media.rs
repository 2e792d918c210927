//! `POST /api/bff/offers/media`: uploads a publicly readable image for an offer.

use axum::extract::State;
use http::uri::{Authority, Scheme};
use http::{HeaderMap, header};
use percent_encoding::utf8_percent_encode;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::aws::files::{DESIGNS, FileType, design_name};
use shared::base::outbound::RESERVED;
use shared::endpoint_error;
use shared::http::{Authorized, ByAccessCheck, Data, Description, General, Invalid, Upload, permission};
use shared::limits;
use shared::limits::model::{IMAGES, UsedUp};
use shared::merchants::model::merchant::MerchantStatus;
use shared::offers::model::image::without_metadata;
use shared::values::public_url;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OfferImage)]
pub(crate) struct Media {
    /// The image URL on the portal's host. Same as `urlImage`.
    url_resource: String,
    /// Same as `urlResource`.
    url_image: String,
    /// The image URL on the host of this request.
    preview_url: String,
    /// `public/gift-cards/designs/<uuid>-<filename>`.
    key: String,
    /// `<uuid>-<filename>`.
    file_name: String,
}

impl Media {
    fn new(file_name: String, portal_origin: &str, request_origin: &str) -> Self {
        let key = format!("{DESIGNS}{file_name}");
        let url = image_url(portal_origin, &key);
        Self { url_resource: url.clone(), url_image: url, preview_url: image_url(request_origin, &key), key, file_name }
    }
}

endpoint_error! {
    pub(crate) enum UploadImageError {
        /// The merchant is not active.
        NotActive(ByAccessCheck) => 403 MERCHANT_NOT_ACTIVE
            "The merchant cannot publish images: its application was not submitted or was declined, or its account is closed.",
        /// The file is missing, is damaged, or has too many pixels.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "file: is missing.",
        /// The file is not a PNG, JPEG, GIF or WebP image.
        UnsupportedType => 415 UNSUPPORTED_TYPE "file: must be a PNG, JPEG, GIF or WebP image.",
        /// The caller has uploaded 100 images within a day, or all members of the merchant together 200.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 100 image uploads a day. Please try again in 12 hours.",
    }
}

/// Stores the image without its metadata and returns its URLs.
pub(crate) async fn upload_image(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    headers: HeaderMap,
    file: Result<Upload, General>,
) -> Result<Data<Media>, UploadImageError> {
    let merchant = &caller.merchant;
    if !merchant.status.known().is_some_and(MerchantStatus::can_publish) {
        return Err(UploadImageError::NotActive(ByAccessCheck));
    }
    let file = file?;
    let file_type = FileType::of_image(&file.bytes).ok_or(UploadImageError::UnsupportedType)?;
    let image = without_metadata(&file.bytes, file_type).map_err(|error| Invalid::new(format!("file: {error}.")))?;
    limits::count::<UploadImageError>(&app, &caller.member().within(IMAGES)).await?;
    let file_name = design_name(app.random.uuid(app.clock.now()), &file.name);
    let portal_origin = &app.settings.portal_base_url;
    let request_origin = request_origin(&headers).unwrap_or_else(|| portal_origin.clone());
    let media = Media::new(file_name, portal_origin, &request_origin);
    let stored = app.files().put_image(&media.key, image.into(), file_type, &merchant.id).await;
    stored.map_err(|error| General::failed("The image could not be stored.", error.to_string()))?;
    Ok(Data(media))
}

fn image_url(origin: &str, key: &str) -> String {
    format!("{origin}/api/public/gift-card-image?key={}", utf8_percent_encode(key, RESERVED))
}

/// Returns the scheme and host that the client used; `None` if the `Host` header is missing or invalid.
fn request_origin(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
    let host: Authority = text(header::HOST)?.parse().ok()?;
    // Each proxy appends its scheme; the first one is the client's.
    let forwarded = text(header::HeaderName::from_static("x-forwarded-proto")).and_then(|list| list.split(',').next());
    let is_plain = forwarded.is_some_and(|scheme| scheme.trim().eq_ignore_ascii_case("http"));
    let scheme = if is_plain { Scheme::HTTP } else { Scheme::HTTPS };
    public_url(&format!("{scheme}://{host}"))
}

pub(crate) fn describe() -> Description {
    let name = "019a6d6c-3780-7658-8389-8d19f9ebdacc-design.png";
    let url = format!("https://portal.example/api/public/gift-card-image?key=public%2Fgift-cards%2Fdesigns%2F{name}");
    Description::new(
        "uploadOfferImage",
        "Upload an offer image",
        "Accepts a PNG, JPEG, GIF or WebP image of at most 4 MiB, 50 megapixels and 20,000 pixels a side. The type is detected \
         from the content. Metadata such as the location of a photo is removed; the pixels are not changed. Damaged or truncated \
         images are rejected. The image is public. A merchant that has not submitted its application, was declined or is closed \
         cannot publish images.",
    )
    .upload()
    .success(
        "The URLs of the image.",
        json!({
            "urlResource": url, "urlImage": url, "previewUrl": url,
            "key": format!("public/gift-cards/designs/{name}"), "fileName": name,
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_the_request_origin_from_the_headers() {
        for (host, proto, origin) in [
            (Some("api.example"), None, Some("https://api.example")),
            (Some("127.0.0.1:3000"), Some("http"), Some("http://127.0.0.1:3000")),
            (Some("api.example"), Some("https, http"), Some("https://api.example")),
            (Some("api.example"), Some("gopher"), Some("https://api.example")),
            (Some("no host/at all"), Some("http"), None),
            (None, Some("http"), None),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [("host", host), ("x-forwarded-proto", proto)] {
                if let Some(value) = value {
                    headers.insert(name, value.parse().unwrap());
                }
            }
            assert_eq!(request_origin(&headers).as_deref(), origin, "{host:?} {proto:?}");
        }
    }
}
