//! What several targets need.

use std::sync::LazyLock;

use shared::app::App;
use shared::base::clock::Clock;
use shared::base::random::Random;
use shared::base::settings::Settings;

/// An app whose settings lead nowhere. Only for what calls nobody.
pub(crate) static APP: LazyLock<App> = LazyLock::new(|| {
    let settings = Settings::read(|name| {
        let value = match name {
            "AWS_REGION" => "eu-west-1",
            "BUCKET_NAME" => "images",
            "DOCUMENTS_BUCKET_NAME" => "documents",
            name if name.ends_with("_URL") && !name.starts_with("AWS_") => "https://portal.example",
            "AWS_ACCESS_KEY_ID"
            | "AWS_SECRET_ACCESS_KEY"
            | "AWS_LAMBDA_FUNCTION_NAME"
            | "TABLE_NAME"
            | "SEARCH_BUCKET_NAME"
            | "CARD_NETWORK_SECRET_ID"
            | "VERIFIER_SECRET_ID"
            | "CODE_SECRET_ID"
            | "MAIL_FROM" => "value",
            _ => return None,
        };
        Some(value.to_owned())
    });
    App::new(settings.unwrap(), Clock::new(|| "2026-01-01T12:00:00Z".parse().unwrap()), Random::new(|bytes| bytes.fill(7)))
});

/// The input as text. What is not UTF-8 is replaced.
pub(crate) fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// The input as `N` texts, which zero bytes separate.
pub(crate) fn texts<const N: usize>(data: &[u8]) -> [String; N] {
    let mut parts = data.splitn(N, |byte| *byte == 0);
    std::array::from_fn(|_| text(parts.next().unwrap_or_default()))
}
