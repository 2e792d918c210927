//! The OpenAPI 3.1 description, generated from the route tables and from the request and response types.

use shared::http::openapi::{self, BEARER, COOKIE, KEY};
use shared::http::{Routes, SESSION_COOKIE};
use shared::webhooks::view::{self as webhook_message, DescribedWebhook};
use utoipa::openapi::path::{HttpMethod, PathsBuilder};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, PathItem, ServerBuilder};

use crate::components;

const DESCRIPTION: &str = include_str!("openapi_overview.md");

/// Name and description of each route group.
const GROUPS: [(&str, &str); 13] = [
    ("merchant", "Profile, team and retail stores"),
    ("offers", "Gift card offers"),
    ("analytics", "Overview, sales, redemptions and fraud"),
    ("settlements", "Payouts owed to the merchant"),
    ("orders", "Orders and gift card balances"),
    ("pos", "Issue, redeem and look up gift cards at a till"),
    ("widget", "Configuration and gift cards of the embeddable widget"),
    ("storefront", "Public data of a merchant's online shop"),
    ("onboarding", "Merchant application and identity verification"),
    ("accounts", "Sign-in, sessions, teams and tills"),
    ("administration", "Administration of the platform: merchants, payouts, settlements and published images"),
    ("exports", "CSV files and workbooks of orders, redemptions and settlements"),
    ("webhooks", "Messages to the merchant's own systems about events"),
];

fn document(tables: &[Routes]) -> OpenApi {
    let mut operations = Vec::new();
    let mut components = ComponentsBuilder::new();
    for table in tables {
        for route in table.routes() {
            let Some((operation, schemas)) = openapi::operation(route, table.group()) else { continue };
            for (name, schema) in schemas {
                components = components.schema(name, schema);
            }
            operations.push((route, operation));
        }
    }
    let mut messages = Vec::new();
    for DescribedWebhook { name, operation, schemas } in webhook_message::describe() {
        for (name, schema) in schemas {
            components = components.schema(name, schema);
        }
        messages.push((name, operation));
    }
    let mut components = with_security_schemes(components).build();
    let all = operations.iter_mut().map(|(_, operation)| operation).chain(messages.iter_mut().map(|(_, operation)| operation));
    components::share(&mut components, all.collect());
    let mut paths = PathsBuilder::new();
    for (route, operation) in operations {
        paths = paths.path(route.path, PathItem::new(method(&route.method), operation));
    }
    let mut webhooks = PathsBuilder::new();
    for (name, operation) in messages {
        webhooks = webhooks.path(name, PathItem::new(HttpMethod::Post, operation));
    }
    let info = InfoBuilder::new()
        .title("Merchant portal API")
        .description(Some(DESCRIPTION))
        .version(env!("CARGO_PKG_VERSION"))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()));
    let tags = GROUPS.map(|(name, description)| TagBuilder::new().name(name).description(Some(description)).build());
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some([ServerBuilder::new().url("/").build()]))
        .tags(Some(tags))
        .paths(paths)
        .webhooks(Some(webhooks))
        .components(Some(components))
        .build()
}

/// Returns the description as pretty-printed JSON, the content of `openapi.json`.
pub fn json(tables: &[Routes]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&document(tables)).map(|json| json + "\n")
}

fn with_security_schemes(components: ComponentsBuilder) -> ComponentsBuilder {
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("Session token.")).build();
    let cookie = ApiKeyValue::with_description(SESSION_COOKIE, "Session token, for browsers on the portal's site.");
    let key = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("gcpk_…");
    let key = key.description(Some("Key of a merchant's own program, sent by a server and never by a browser.")).build();
    components
        .security_scheme(KEY, SecurityScheme::Http(key))
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
