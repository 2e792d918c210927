//! HTTP: route tables, access checks, typed requests and responses, and errors.

mod access;
mod body;
pub mod bounded;
mod context;
pub mod cookie;
pub mod cors;
mod creation;
mod described_error;
mod description;
mod endpoint_error;
mod envelope;
mod error_schemas;
pub mod examples;
mod fault;
pub mod html;
mod idempotency_key;
mod money_moved;
mod network_objects;
pub mod openapi;
mod origin;
mod path;
mod query;
mod reply;
mod routes;
pub mod schemas;
mod stage;
mod success;
mod truncated_list;
mod upload;
mod utc_time;
mod web_url;

pub use access::{
    AtTill, Authorized, AuthorizedPerson, HasMerchant, MayRead, MaybeAtTill, MaybeAuthorized, OwnMerchant, PermissionSet,
    PlatformAdministrator, Principal, Public, PublicToPeople, RecentPasskeyError, RecentUser, RecentlySignedIn, Requirement,
    SESSION_COOKIE, cookie_token, network_account, permission, require_recent_passkey, session_tokens,
};
pub use body::{
    JsonBody, Number, Object, RawBody, Scalar, enum_from_string, non_null, non_null_enum, nullable, require_readable,
};
pub use context::{ClientAddress, preferred_language};
pub use creation::{
    CREATION_KEY_TEXT, CreationKey, CreationKeyError, CreationRequest, Made, NetworkCreationKey, Once, OutcomeUnknown,
};
pub use described_error::DescribedError;
pub(crate) use description::parameter;
pub use description::{Anything, Description, NonBlank};
pub use endpoint_error::{
    ByAccessCheck, Detail, EndpointError, General, Invalid, OfCardNetwork, Replayed, RetryAfter, UnknownOutcome,
};
pub use fault::{ErrorFormat, Fault};
pub use idempotency_key::{
    Intent, IntentHeaders, KEY_HEADER, KeyError, KeyHeader, KeyText, MADE_AT_HEADER, MADE_AT_TEXT, MadeAt, RestoredError,
    ReusedError, is_key,
};
pub use money_moved::{AboutOperation, Certain};
pub use network_objects::{
    CardNetworkRefusal, NetworkCard, NetworkOffer, NetworkRedemption, NetworkStore, NetworkValue, NewOffer, OfferDesign,
    Unchanged,
};
pub use path::PathIds;
pub use query::{CursorError, Query};
pub use reply::{Accepted, Created, Data, Flattened, List, NoData, Replayable, WithCookies};
pub use routes::{AS_DECLARED, ONLY_HTTPS, Route, Routes, Throttling};
pub use success::Success;
pub use truncated_list::TruncatedList;
pub use upload::{MAX_FILE_BYTES, Upload};
pub use utc_time::UtcTime;
pub use web_url::{HttpUrl, Link};
