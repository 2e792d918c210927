//! `GET /api/bff/widget/config`: returns the appearance of the widget, the same for every merchant.

use serde::Serialize;
use serde_json::json;
use shared::http::{Data, Description, Public};
use shared::values::Currency;
use utoipa::ToSchema;

use crate::card_image;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WidgetConfig)]
pub(crate) struct Config {
    /// The brand to show: a placeholder for every merchant.
    merchant: Brand,
    /// The colors of the widget.
    theme: Theme,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WidgetBrand)]
struct Brand {
    /// The name that buyers see.
    name: &'static str,
    /// The address of the logo: a `data:` URL.
    logo_url: String,
    /// ISO 4217 code: `EUR` for every merchant.
    currency: Currency,
    /// The merchant's website. Null if there is none.
    website: Option<&'static str>,
}

/// Colors as `#rrggbb`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WidgetTheme)]
struct Theme {
    /// The main color of the brand, as `#rrggbb`.
    #[serde(rename = "primaryColor")]
    primary: &'static str,
    /// The color of texts, as `#rrggbb`.
    #[serde(rename = "textColor")]
    text: &'static str,
    /// The color of highlights, as `#rrggbb`.
    #[serde(rename = "accentColor")]
    accent: &'static str,
}

const THEME: Theme = Theme { primary: "#1f3a5f", text: "#1b1b1f", accent: "#e4572e" };

pub(crate) fn describe() -> Description {
    Description::new(
        "getWidgetConfig",
        "Get the widget configuration",
        "Returns the appearance of the widget, the same for every merchant. Allows cross-origin requests.",
    )
    .success(
        "The brand and the theme.",
        json!({
            "merchant": {"name": "Your brand", "logoUrl": "data:image/svg+xml,…", "currency": "EUR", "website": null},
            "theme": {"primaryColor": "#1f3a5f", "textColor": "#1b1b1f", "accentColor": "#e4572e"},
        }),
    )
}

pub(crate) async fn get_config(_: Public) -> Data<Config> {
    let merchant =
        Brand { name: "Your brand", logo_url: card_image::data_url(THEME.primary), currency: Currency::EUR, website: None };
    Data(Config { merchant, theme: THEME })
}
