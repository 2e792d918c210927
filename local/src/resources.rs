//! What the resources of AWS are called that the functions use, and the secrets that they share with the simulators.

/// The bucket for public images.
pub(crate) const BUCKET: &str = "portal-images";
/// The bucket for identity documents.
pub(crate) const DOCUMENTS_BUCKET: &str = "portal-files";
/// The bucket for search segments.
pub(crate) const SEARCH_BUCKET: &str = "portal-search";
pub(crate) const TABLE: &str = "portal";
pub(crate) const MAIL_CONFIGURATION_SET: &str = "portal";
/// IDs in Secrets Manager.
pub(crate) const CARD_NETWORK_SECRET_ID: &str = "portal/card-network";
pub(crate) const VERIFIER_SECRET_ID: &str = "portal/verifier";
pub(crate) const CODE_SECRET_ID: &str = "portal/codes";
/// The sender of mails, unless the command line names another.
pub(crate) const DEFAULT_MAIL_FROM: &str = "portal@example.com";

/// What the functions call the resources of AWS.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) table: String,
    pub(crate) images: String,
    pub(crate) documents: String,
    pub(crate) search: String,
    pub(crate) card_network_secret: String,
    pub(crate) verifier_secret: String,
    pub(crate) code_secret: String,
    pub(crate) mail_configuration_set: String,
}

impl Names {
    pub(crate) fn new(prefix: Option<&str>) -> Self {
        let name = |name: &str| prefix.map_or_else(|| name.to_owned(), |prefix| format!("{prefix}-{name}"));
        Self {
            table: name(TABLE),
            images: name(BUCKET),
            documents: name(DOCUMENTS_BUCKET),
            search: name(SEARCH_BUCKET),
            card_network_secret: name(CARD_NETWORK_SECRET_ID),
            verifier_secret: name(VERIFIER_SECRET_ID),
            code_secret: name(CODE_SECRET_ID),
            mail_configuration_set: name(MAIL_CONFIGURATION_SET),
        }
    }
}

/// The keys that the functions and the simulators share.
#[derive(Debug, Clone)]
#[expect(clippy::struct_field_names, reason = "the secrets in Secrets Manager have these names")]
pub(crate) struct Secrets {
    pub(crate) card_network_api_key: String,
    pub(crate) verifier_api_key: String,
    pub(crate) verifier_signing_key: String,
}
