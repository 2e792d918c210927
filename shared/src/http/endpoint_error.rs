//! What an endpoint can answer instead of a success: one enum for each endpoint. The status, the code, the message and the
//! description of each refusal stand there once. Responses and the API description are made of them.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use jiff::SignedDuration;
use serde_json::Value;

use super::described_error::DescribedError;
use super::fault::{Fault, whole_seconds};
use crate::aws::secrets::SecretError;
use crate::card_network::{NetworkError, Refusal};
use crate::db::{CommitError, StoreError};
use crate::limits::model::UsedUp;
use crate::projections::search::SearchError;

/// The error of a handler. [`endpoint_error!`](crate::endpoint_error) implements it.
pub trait EndpointError: Into<Fault> {
    /// The errors in addition to those of every route: of the access check, of a body that is too large, 500 and 503.
    fn describe() -> Vec<DescribedError>;

    /// Whether nothing was done: the request was refused, or the table was busy.
    fn did_nothing(&self) -> bool;
}

/// Declares the enum of the errors of an endpoint, or of a check that several endpoints share.
///
/// ```
/// use shared::endpoint_error;
/// use shared::http::Invalid;
///
/// endpoint_error! {
///     pub enum GivenUp {
///         /// The merchant is not a draft.
/// NotDraft => 409 NOT_DRAFT "Only a draft can be discarded.",
///     }
/// }
///
/// endpoint_error! {
///     pub enum CloseShopError {
///         /// The reason is missing or too long.
///         Invalid(#[from] Invalid) => 400 INVALID_REQUEST "reason: is missing.",
///         GivenUp(#[from] GivenUp),
///     }
/// }
/// ```
///
/// - The text above a variant says when it occurs. It is the description of the response.
/// - After the arrow stand the status, the code and the message. `card_network "message"` instead passes on an error of the card
///   network under this message.
/// - A value in the variant adds what is known only then: see [`Detail`]. The message is an example then. `#[from]` converts the
///   value into the enum.
/// - A variant without an arrow contains the enum of a check.
///
/// `General` is added to each enum: the errors that are described with every route.
#[macro_export]
macro_rules! endpoint_error {
    (
        $(#[$attribute:meta])*
        $visible:vis enum $name:ident {$(
            $(#[doc = $text:literal])*
            $variant:ident $(($(#[$from:ident])? $value:ty))? $(=> $status:tt $($code:ident)? $message:literal)?
        ),* $(,)?}
    ) => {
        $(#[$attribute])*
        #[derive(Debug)]
        $visible enum $name {
            $($(#[doc = $text])* $variant $(($value))?,)*
            General($crate::http::General),
        }

        impl $crate::http::EndpointError for $name {
            fn describe() -> Vec<$crate::http::DescribedError> {
                let errors = [$(
                    $crate::endpoint_error!(
                        @describe [$($status $($code)? $message)?] concat!("" $(, $text)*) $(, $value)?
                    ),
                )*];
                errors.into_iter().flatten().collect()
            }

            fn did_nothing(&self) -> bool {
                match self {
                    $($name::$variant $(($crate::endpoint_error!(@binding value $value)))? => {
                        $crate::endpoint_error!(@did_nothing [$($status $($code)? $message)?] $(value: $value)?)
                    })*
                    $name::General(error) => error.did_nothing(),
                }
            }
        }

        impl From<$name> for $crate::http::Fault {
            fn from(error: $name) -> Self {
                match error {
                    $($name::$variant $(($crate::endpoint_error!(@binding value $value)))? => {
                        $crate::endpoint_error!(@fault [$($status $($code)? $message)?] $(value: $value)?)
                    })*
                    $name::General(error) => error.into(),
                }
            }
        }

        impl ::axum::response::IntoResponse for $name {
            fn into_response(self) -> ::axum::response::Response {
                $crate::http::Fault::from(self).into_response()
            }
        }

        $crate::endpoint_error!(@general $name
            $crate::http::General,
            $crate::db::StoreError,
            $crate::db::CommitError,
            $crate::aws::secrets::SecretError,
            $crate::projections::search::SearchError,
        );

        $($($(
            $crate::endpoint_error!(@$from $name $variant $value);
        )?)?)*
    };

    (@binding $binding:ident $value:ty) => { $binding };

    (@from $name:ident $variant:ident $value:ty) => {
        impl From<$value> for $name {
            fn from(value: $value) -> Self {
                Self::$variant(value)
            }
        }
    };

    (@general $name:ident $($error:ty,)*) => {$(
        impl From<$error> for $name {
            fn from(error: $error) -> Self {
                Self::General(error.into())
            }
        }
    )*};

    (@fault [card_network $message:literal] $value:ident: $type:ty) => {
        $crate::http::OfCardNetwork::into_fault($value, $message)
    };
    (@fault [$status:literal $code:ident $message:literal]) => {
        $crate::http::Fault::refused($status, stringify!($code), $message)
    };
    (@fault [$status:literal $code:ident $message:literal] $value:ident: $type:ty) => {
        $crate::http::Detail::add_to(
            $value,
            $crate::http::Fault::refused($status, stringify!($code), $message),
        )
    };
    (@fault [] $value:ident: $type:ty) => { $value.into() };

    (@did_nothing [card_network $message:literal] $value:ident: $type:ty) => {{
        let _ = $value;
        false
    }};
    (@did_nothing [$status:literal $code:ident $message:literal] $($value:ident: $type:ty)?) => {{
        $(let _ = $value;)?
        true
    }};
    (@did_nothing [] $value:ident: $type:ty) => { $crate::http::EndpointError::did_nothing($value) };

    (@describe [card_network $message:literal] $text:expr, $type:ty) => {
        $crate::http::DescribedError::of_card_network([$message, $message])
    };
    (@describe [$status:literal $code:ident $message:literal] $text:expr $(, $type:ty)?) => {
        vec![$crate::http::DescribedError::of_endpoint(
            $status,
            stringify!($code),
            $text,
            $message,
            $crate::endpoint_error!(@by_access_check $($type)?),
        )]
    };
    (@by_access_check) => { false };
    (@by_access_check $type:ty) => { <$type as $crate::http::Detail>::BY_ACCESS_CHECK };
    (@describe [] $text:expr, $type:ty) => {
        <$type as $crate::http::EndpointError>::describe()
    };
}

/// An error that the description of every route has already: an internal one (500), a busy database (503), or one of the access check
/// or of reading the request.
#[derive(Debug)]
pub struct General(Fault);

impl General {
    /// 500. The cause is only logged.
    pub fn internal(cause: impl Into<String>) -> Self {
        Self(Fault::internal(cause))
    }

    /// 500 with a message of its own.
    pub fn failed(message: impl Into<Cow<'static, str>>, cause: impl Into<String>) -> Self {
        Self(Fault::failed(message, cause))
    }

    /// Of the access check, or of reading the request. Only here: a function could return an error that is not described.
    pub(super) fn rejected(rejection: impl Into<Fault>) -> Self {
        Self(rejection.into())
    }
}

impl From<General> for Fault {
    fn from(General(fault): General) -> Self {
        fault
    }
}

/// For a handler that refuses nothing.
impl EndpointError for General {
    fn describe() -> Vec<DescribedError> {
        Vec::new()
    }

    fn did_nothing(&self) -> bool {
        !self.0.status().is_server_error() || self.0.status() == StatusCode::SERVICE_UNAVAILABLE
    }
}

impl IntoResponse for General {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl From<StoreError> for General {
    fn from(error: StoreError) -> Self {
        Self(error.into())
    }
}

impl From<CommitError> for General {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Store(error) => error.into(),
            CommitError::Conflict(_) => Self::internal(error.to_string()),
        }
    }
}

impl From<SearchError> for General {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Store(error) => error.into(),
            error => Self::internal(error.to_string()),
        }
    }
}

impl From<SecretError> for General {
    fn from(error: SecretError) -> Self {
        Self::internal(error.to_string())
    }
}

/// What is known of an error only when it occurs.
pub trait Detail {
    /// Whether the error is one of the access check, which some formats render differently.
    const BY_ACCESS_CHECK: bool = false;

    /// Adds it to the response, which has its status, its code and the general message.
    fn add_to(self, fault: Fault) -> Fault;
}

/// That the error is one of the access check.
#[derive(Debug)]
pub struct ByAccessCheck;

impl Detail for ByAccessCheck {
    const BY_ACCESS_CHECK: bool = true;

    fn add_to(self, fault: Fault) -> Fault {
        fault.by_access_check()
    }
}

/// The seconds after which the request can be repeated.
#[derive(Debug)]
pub struct RetryAfter(pub u32);

impl Detail for RetryAfter {
    fn add_to(self, fault: Fault) -> Fault {
        fault.retry_after(Some(self.0))
    }
}

/// The message.
impl Detail for String {
    fn add_to(self, fault: Fault) -> Fault {
        fault.with_message(self)
    }
}

/// Only for the log.
impl Detail for NetworkError {
    fn add_to(self, fault: Fault) -> Fault {
        fault.caused_by(self.to_string())
    }
}

/// What is wrong with a request: the name of a field, and how its value has to be.
#[derive(Debug)]
pub struct Invalid(Cow<'static, str>);

impl Invalid {
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self(message.into())
    }

    pub fn message(&self) -> &str {
        &self.0
    }
}

impl Detail for Invalid {
    fn add_to(self, fault: Fault) -> Fault {
        fault.with_message(self.0)
    }
}

/// The time after which there is room again, and what was used up, if members share it.
impl Detail for UsedUp {
    fn add_to(self, fault: Fault) -> Fault {
        let fault = match self.sentence() {
            Some(sentence) => fault.with_message(format!("{sentence} Please try again in {}.", in_words(self.wait))),
            None => fault,
        };
        fault.retry_after_wait(self.wait)
    }
}

/// A time to wait, rounded up: people do not count the seconds of an hour.
fn in_words(wait: SignedDuration) -> String {
    let seconds = whole_seconds(wait);
    let (number, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..=7_200 => (seconds.div_ceil(60), "minute"),
        _ => (seconds.div_ceil(3_600), "hour"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

/// An error of the card network, which is passed on with its status and its details.
pub trait OfCardNetwork {
    fn into_fault(self, message: &'static str) -> Fault;
}

impl OfCardNetwork for NetworkError {
    fn into_fault(self, message: &'static str) -> Fault {
        Fault::card_network(&self, message)
    }
}

impl OfCardNetwork for Refusal {
    fn into_fault(self, message: &'static str) -> Fault {
        Fault::refusal(message, &self)
    }
}

/// The error with which the first request with the same idempotency key was answered. It is described with the others.
#[derive(Debug)]
pub struct Replayed(Fault);

impl Replayed {
    pub fn new(error: impl EndpointError) -> Self {
        Self(error.into().replayed())
    }
}

impl From<Replayed> for Fault {
    fn from(Replayed(fault): Replayed) -> Self {
        fault
    }
}

impl EndpointError for Replayed {
    fn describe() -> Vec<DescribedError> {
        Vec::new()
    }

    fn did_nothing(&self) -> bool {
        false
    }
}

/// It is not known yet whether money moved. [`Description::unknown_outcome`](super::description::Description::unknown_outcome)
/// describes it, with its details.
#[derive(Debug)]
pub struct UnknownOutcome {
    pub message: &'static str,
    /// What was begun.
    pub details: Value,
}

impl From<UnknownOutcome> for Fault {
    fn from(UnknownOutcome { message, details }: UnknownOutcome) -> Self {
        Self::unknown_outcome(message, details)
    }
}

impl EndpointError for UnknownOutcome {
    fn describe() -> Vec<DescribedError> {
        Vec::new()
    }

    fn did_nothing(&self) -> bool {
        false
    }
}

impl From<Invalid> for Fault {
    fn from(Invalid(message): Invalid) -> Self {
        Self::invalid(message)
    }
}
