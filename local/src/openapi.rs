//! The description of the API as OpenAPI 3.1, made from the route tables and the types that serve the requests.

use shared::http::access::SESSION_COOKIE;
use shared::http::description::{self, BEARER, COOKIE};
use shared::http::routes::Routes;
use utoipa::openapi::path::{HttpMethod, PathsBuilder};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, PathItem, ServerBuilder,
};

const TEXT: &str = "The merchant side of a gift card service. Amounts whose name ends in `Minor` are integers in minor \
                    units of their currency; times are ISO 8601 in UTC.";

/// What each group of routes is about.
const GROUPS: [(&str, &str); 9] = [
    ("merchant", "Profile, team and retail stores"),
    ("offers", "Gift card offers at the card network"),
    ("analytics", "Overview, sales, redemptions and fraud"),
    ("settlements", "Payouts owed to the merchant"),
    ("orders", "Orders and the balance of their cards"),
    ("pos", "Issue, redeem and look up gift cards at a till"),
    ("widget", "What the embedded widget shows"),
    ("storefront", "What a merchant's public shop shows"),
    ("onboarding", "From a draft to a verified merchant"),
];

/// The whole description.
pub fn document(tables: &[Routes]) -> OpenApi {
    let mut paths = PathsBuilder::new();
    let mut components = ComponentsBuilder::new();
    for (name, schema) in description::error_schemas() {
        components = components.schema(name, schema);
    }
    for table in tables {
        for route in table.listed() {
            let Some((operation, schemas)) = description::operation(route, table.group()) else { continue };
            for (name, schema) in schemas {
                components = components.schema(name, schema);
            }
            paths = paths.path(route.path, PathItem::new(method(&route.method), operation));
        }
    }
    let info = InfoBuilder::new()
        .title("Merchant portal API")
        .description(Some(TEXT))
        .version(env!("CARGO_PKG_VERSION"))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()));
    let tags = GROUPS.map(|(name, text)| TagBuilder::new().name(name).description(Some(text)).build());
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some([ServerBuilder::new().url("/").build()]))
        .tags(Some(tags))
        .paths(paths)
        .components(Some(with_sessions(components).build()))
        .build()
}

/// The description as it is served and committed.
pub fn json(tables: &[Routes]) -> serde_json::Result<String> {
    document(tables).to_pretty_json().map(|json| json + "\n")
}

fn with_sessions(components: ComponentsBuilder) -> ComponentsBuilder {
    let bearer =
        HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("A session's token.")).build();
    let cookie = ApiKeyValue::with_description(
        SESSION_COOKIE,
        "A session's token, for browsers on the portal's site.",
    );
    components
        .security_scheme(BEARER, SecurityScheme::Http(bearer))
        .security_scheme(COOKIE, SecurityScheme::ApiKey(ApiKey::Cookie(cookie)))
}

fn method(method: &http::Method) -> HttpMethod {
    match method.as_str() {
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "PATCH" => HttpMethod::Patch,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}
