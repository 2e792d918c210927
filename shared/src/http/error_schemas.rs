//! The schemas of error responses: one for each format and code, so that a program can tell errors apart by their type.

use http::StatusCode;
use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{AnyOfBuilder, Object, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::fault::{ErrorFormat, general_code};
use super::network_objects::CardNetworkRefusal;
use super::schemas::{NamedSchema, always_false, described, null};

/// What makes an error, which decides its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorKind {
    /// The access check, with this code.
    Access(&'static str),
    /// The endpoint or the body, with this code.
    Own(&'static str),
    /// The card network. There is no code of ours.
    CardNetwork,
    /// It is not known whether money moved. The `details` have the schema of this name.
    UnknownOutcome(&'static str),
}

pub(super) const UNKNOWN_OUTCOME: &str = "UNKNOWN_OUTCOME";
/// The invitation is for another address, which the error has masked.
const OTHER_ADDRESS: &str = "OTHER_ADDRESS";

/// The code of an error that has no code of its own.
pub(super) fn code_of(status: &str) -> &'static str {
    let status = status.parse().ok().and_then(|status| StatusCode::from_u16(status).ok());
    general_code(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
}

/// The form of an error's body.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// `{ok: false, error: {message, code?, details?}}`.
    Nested,
    /// `{error: <message>, code?, details?}`.
    Bare,
    /// `{error: <message>}`.
    Plain,
    /// `{ok: false, error: <message>}`.
    Flat,
    /// `{ok: false, error: <message>, code}`.
    FlatWithCode,
}

impl ErrorFormat {
    fn form(self, kind: ErrorKind, status: &str) -> Form {
        match (self, kind) {
            (Self::Flat | Self::Page, _) => Form::Flat,
            (Self::FlatWithCode, _) => Form::FlatWithCode,
            (Self::Nested, _) | (_, ErrorKind::Access(_)) => Form::Nested,
            (Self::Coded, _) if status == "400" => Form::Plain,
            (Self::Bare | Self::Coded, _) => Form::Bare,
        }
    }

    /// The schema of an error of the card network. It refers to [`Self::card_network_schemas`].
    pub fn card_network_error(self) -> RefOr<Schema> {
        let (name, _) = error_schema(self.form(ErrorKind::CardNetwork, ""), ErrorKind::CardNetwork);
        Ref::from_schema_name(name).into()
    }

    pub fn card_network_schemas(self) -> Vec<NamedSchema> {
        self.schemas("", &[ErrorKind::CardNetwork])
    }

    pub(super) fn schema(self, status: &str, kinds: &[ErrorKind]) -> RefOr<Schema> {
        let mut names: Vec<String> = Vec::new();
        for kind in kinds {
            let (name, _) = error_schema(self.form(*kind, status), *kind);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        match &names[..] {
            [name] => Ref::from_schema_name(name).into(),
            _ => {
                let refs = names.iter().map(Ref::from_schema_name);
                RefOr::T(refs.fold(AnyOfBuilder::new(), AnyOfBuilder::item).build().into())
            }
        }
    }

    /// The schemas that [`Self::schema`] refers to.
    pub(super) fn schemas(self, status: &str, kinds: &[ErrorKind]) -> Vec<NamedSchema> {
        let of_network = (CardNetworkRefusal::name().into_owned(), CardNetworkRefusal::schema());
        let mut schemas: Vec<_> = kinds.iter().map(|kind| error_schema(self.form(*kind, status), *kind)).collect();
        if kinds.contains(&ErrorKind::CardNetwork) {
            schemas.push(of_network);
        }
        schemas
    }

    /// An example of the error, with its own message or a general one.
    pub(super) fn example(self, kind: ErrorKind, status: &str, own_message: Option<&'static str>) -> Value {
        let (general_message, code, details) = match kind {
            ErrorKind::Access(code) | ErrorKind::Own(code) => (message(code), Some(code), None),
            ErrorKind::CardNetwork => {
                let details = json!({"code": "UNAVAILABLE", "message": "Try again later."});
                ("The card network could not do this.", None, Some(details))
            }
            ErrorKind::UnknownOutcome(_) => (message(UNKNOWN_OUTCOME), Some(UNKNOWN_OUTCOME), None),
        };
        let message = own_message.unwrap_or(general_message);
        let with_message = |name: &str| {
            let mut fields = Map::from_iter([(name.to_owned(), json!(message))]);
            fields.extend(code.map(|code| ("code".to_owned(), json!(code))));
            fields.extend(details.map(|details| ("details".to_owned(), details)));
            if code == Some(OTHER_ADDRESS) {
                fields.insert("invitedAddress".to_owned(), json!("a•••@e•••.com"));
            }
            Value::Object(fields)
        };
        match self.form(kind, status) {
            Form::Flat => json!({"ok": false, "error": message}),
            Form::Plain => json!({"error": message}),
            Form::FlatWithCode => json!({"ok": false, "error": message, "code": code}),
            Form::Bare => with_message("error"),
            Form::Nested => json!({"ok": false, "error": with_message("message")}),
        }
    }
}

fn error_schema(form: Form, kind: ErrorKind) -> NamedSchema {
    let text = |text: &str| ObjectBuilder::new().schema_type(Type::String).description(Some(text)).build();
    let message = || text("What is wrong, in a sentence, for people.");
    let wrapped = |error: Object| {
        let object = ObjectBuilder::new().property("ok", always_false()).required("ok");
        object.property("error", error).required("error")
    };
    match form {
        Form::Flat => return ("FlatError".to_owned(), wrapped(message()).into()),
        Form::Plain => {
            let object = ObjectBuilder::new().property("error", message()).required("error");
            return ("PlainError".to_owned(), object.into());
        }
        Form::Nested | Form::Bare | Form::FlatWithCode => {}
    }
    let mut fields = ObjectBuilder::new();
    let name = match kind {
        ErrorKind::Access(code) | ErrorKind::Own(code) => {
            fields = fields.property("code", only(code)).required("code");
            if code == OTHER_ADDRESS {
                let masked = text("The invited address, masked: `a•••@e•••.com`.");
                fields = fields.property("invitedAddress", masked).required("invitedAddress");
            }
            pascal_case(code)
        }
        ErrorKind::CardNetwork => {
            fields = fields.property("details", refusal_details());
            "CardNetwork".to_owned()
        }
        ErrorKind::UnknownOutcome(details) => {
            fields = fields.property("code", only(UNKNOWN_OUTCOME)).required("code");
            let reference = Ref::from_schema_name(details).into();
            let details_schema = described(reference, "The operation, whose outcome can be requested by its reference.");
            fields = fields.property("details", details_schema).required("details");
            details.to_owned()
        }
    };
    let name = name.strip_suffix("Error").unwrap_or(&name);
    match form {
        Form::Bare => {
            let object = fields.property("error", message()).required("error");
            (format!("Bare{name}Error"), object.into())
        }
        Form::FlatWithCode => {
            let object = fields.property("ok", always_false()).required("ok");
            (format!("Flat{name}Error"), object.property("error", message()).required("error").into())
        }
        _ => {
            let error = fields.property("message", message()).required("message");
            let error = error.description(Some("Why the request failed.")).build();
            (format!("{name}Error"), wrapped(error).into())
        }
    }
}

fn only(code: &str) -> Object {
    let text = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([code]));
    text.description(Some("What is wrong, for programs.")).build()
}

/// The network's response can be anything: usually it is an object with a code, sometimes text, sometimes nothing.
fn refusal_details() -> Schema {
    let text = ObjectBuilder::new().schema_type(Type::String);
    let details = OneOfBuilder::new().item(Ref::from_schema_name(CardNetworkRefusal::name()));
    let details = details.item(text).item(null());
    details.description(Some("The card network's response, unchanged.")).build().into()
}

/// `NOT_FOUND` becomes `NotFound`.
fn pascal_case(code: &str) -> String {
    let words = code.split('_').map(|word| {
        let (first, others) = word.split_at_checked(1).unwrap_or((word, ""));
        first.to_owned() + &others.to_lowercase()
    });
    words.collect()
}

fn message(code: &str) -> &'static str {
    match code {
        "INVALID_REQUEST" => "The body is not valid JSON.",
        "UNAUTHORIZED" => "Sign in to do this.",
        "FORBIDDEN" => "You do not have permission to do this.",
        "MERCHANT_NOT_ACTIVE" => "The merchant is not active: it can neither sell nor redeem cards.",
        "NOT_FOUND" => "There is no such order.",
        "IN_PROGRESS" => "The first request with this Idempotency-Key is still in progress.",
        "TOO_LARGE" => "The body is larger than 1048576 bytes.",
        "UNSUPPORTED_TYPE" => "Content-Type: must be application/json.",
        "IDEMPOTENCY_KEY_REUSED" => "Idempotency-Key: was used with another request.",
        "TOO_MANY_REQUESTS" => "Too many requests. Please try again later.",
        "TOO_LITTLE_TIME" => "There was too little time left. Nothing was done.",
        "UNKNOWN_OUTCOME" => "It is not known yet whether money moved. Look up the operation.",
        "UNAVAILABLE" => "The service is busy. Please try again.",
        "INTERNAL_ERROR" => "Something went wrong. Please try again.",
        "BATCH_BUILDING" => "Settlements are still joining the payout. Try again later.",
        "EXPORT_RUNNING" => "Another export is running. Please wait until it is ready.",
        "IN_BATCH" => "The settlement has joined a payout.",
        "OTHER_MERCHANT" => "X-Expected-Merchant: you are now signed in with another merchant. Nothing was done.",
        "STATUS_CONFLICT" => "A merchant cannot go from status DRAFT to ACTIVE.",
        _ => "This cannot be done now.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_form_and_the_code() {
        for (error_format, kind, status, name) in [
            (ErrorFormat::Nested, ErrorKind::Own("NOT_FOUND"), "404", "NotFoundError"),
            (ErrorFormat::Nested, ErrorKind::Own("INTERNAL_ERROR"), "500", "InternalError"),
            (ErrorFormat::Bare, ErrorKind::Own("NOT_FOUND"), "404", "BareNotFoundError"),
            (ErrorFormat::Bare, ErrorKind::Access("FORBIDDEN"), "403", "ForbiddenError"),
            (ErrorFormat::Bare, ErrorKind::CardNetwork, "4XX", "BareCardNetworkError"),
            (ErrorFormat::Coded, ErrorKind::Own("INVALID_REQUEST"), "400", "PlainError"),
            (ErrorFormat::Flat, ErrorKind::Access("FORBIDDEN"), "403", "FlatError"),
            (ErrorFormat::Nested, ErrorKind::UnknownOutcome("UnknownIssue"), "504", "UnknownIssueError"),
        ] {
            let (actual, _) = error_schema(error_format.form(kind, status), kind);
            assert_eq!(actual, name, "{error_format:?} {kind:?}");
        }
    }
}
