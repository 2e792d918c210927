//! `GET /api/bff/pos/operations/{reference}`: what became of an issue or a redeem.

use std::borrow::Cow;

use axum::extract::State;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::Outcome;
use shared::db::Stored;
use shared::endpoint_error;
use shared::http::schemas::{always_true, described, null};
use shared::http::{AboutOperation, AtTill, Data, Description, EndpointError, ErrorFormat, General, PathIds, examples};
use shared::operations::{MoneyMoved, Operation, OperationKind, OperationStatus, Subject, key_is_closed, recover};
use shared::values::{OrderId, RedemptionId, Reference};
use utoipa::openapi::schema::{Object, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::issue::Issued;
use crate::redeem::Redeemed;
use crate::{issue, redeem};

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "UPPERCASE")]
enum Status {
    Open,
    Succeeded,
    Failed,
}

/// One of the ids is present.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown {
    reference: Reference,
    kind: OperationKind,
    status: Status,
    /// Of an issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    order_id: Option<OrderId>,
    /// Of a redeem.
    #[serde(skip_serializing_if = "Option::is_none")]
    redemption_id: Option<RedemptionId>,
    /// The body of the response to the issue or the redeem, with null for codes of cards a week after it. Null while the outcome
    /// is unknown, and 90 days after it became known.
    result: Option<Box<RawValue>>,
}

endpoint_error! {
    pub(crate) enum OperationError {
        /// There is no such operation, or it was started more than two years ago, or without a key and was closed a week ago.
        NoSuchOperation => 404 NOT_FOUND "There is no such operation.",
    }
}

/// Returns the operation with this reference, and looks its outcome up at the network if it is unknown.
pub(crate) async fn operation(
    caller: AtTill,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<AboutOperation<Data<Shown>>, OperationError> {
    let reference = Reference::new(path.get("reference").ok_or(OperationError::NoSuchOperation)?);
    let operation = app.store.operation(&reference, app.clock.now()).await?;
    let operation = operation.filter(|operation| operation.merchant_id == caller.merchant.id);
    Ok(show(&app, &invocation, operation.ok_or(OperationError::NoSuchOperation)?).await?)
}

/// The operation, and what is certain about its money.
pub(crate) async fn show(
    app: &App,
    invocation: &Invocation,
    operation: Stored<Operation>,
) -> Result<AboutOperation<Data<Shown>>, General> {
    let read = operation.value.clone();
    // While another request works on it, its outcome is unknown here.
    let status = recover(app, invocation, operation).await?.unwrap_or(OperationStatus::Unknown);
    let moved = match MoneyMoved::by(&status, read.idempotency_key.is_some()) {
        MoneyMoved::NotYet if key_is_closed(&app.store, &read).await? => MoneyMoved::No,
        moved => moved,
    };
    let has_result = read.answers_repeats(app.clock.now());
    let Operation { reference, merchant_id, subject, .. } = read;
    let kind = subject.kind();
    let shown = match subject {
        Subject::Issue(id) => {
            let order = issue::order_of(app, &merchant_id, &id).await?;
            let result = result(&status, issue::respond(&order, &reference, &status), ErrorFormat::Nested)?;
            let status = Status::of(&status);
            Shown { reference, kind, status, order_id: Some(id), redemption_id: None, result }
        }
        Subject::Redeem(id) => {
            let result = result(&status, redeem::respond(&id, &reference, &status), ErrorFormat::Bare)?;
            let status = Status::of(&status);
            Shown { reference, kind, status, order_id: None, redemption_id: Some(id), result }
        }
    };
    let result = shown.result.filter(|_| has_result);
    Ok(AboutOperation::new(moved, Data(Shown { result, ..shown })))
}

impl Status {
    fn of(status: &OperationStatus) -> Self {
        match status {
            OperationStatus::Closed(Outcome::Succeeded(_)) => Self::Succeeded,
            OperationStatus::Closed(Outcome::Failed(_)) => Self::Failed,
            OperationStatus::Unknown => Self::Open,
        }
    }
}

/// The body of the response to the issue or the redeem, once it is final. The network's values keep every digit.
fn result(
    status: &OperationStatus,
    response: Result<impl Serialize, impl EndpointError>,
    error_format: ErrorFormat,
) -> Result<Option<Box<RawValue>>, General> {
    if matches!(status, OperationStatus::Unknown) {
        return Ok(None);
    }
    let body = match response {
        Ok(body) => to_raw_value(&body),
        Err(error) => to_raw_value(&error_format.body(&error.into())),
    };
    body.map(Some).map_err(|error| General::internal(error.to_string()))
}

/// One schema for each kind and status, so that these two tell a program what the result is.
impl PartialSchema for Shown {
    fn schema() -> RefOr<Schema> {
        let issued = ObjectBuilder::new()
            .property("ok", always_true())
            .required("ok")
            .property("data", described(Ref::from_schema_name(Issued::name()).into(), "The card and its sale."))
            .required("data");
        let redeemed = Ref::from_schema_name(Redeemed::name());
        let of_kind = |kind, succeeded: RefOr<Schema>, error_format: ErrorFormat| {
            [
                variant(kind, Status::Open, null().into()),
                variant(kind, Status::Succeeded, or_null(succeeded)),
                variant(kind, Status::Failed, or_null(error_format.card_network_error())),
            ]
        };
        let issues = of_kind(OperationKind::Issue, issued.into(), ErrorFormat::Nested);
        let redeems = of_kind(OperationKind::Redeem, redeemed.into(), ErrorFormat::Bare);
        let variants = issues.into_iter().chain(redeems).fold(OneOfBuilder::new(), OneOfBuilder::item);
        let text = "The outcome of an issue or a redeem. `result` is the body of the response to it, and null while the outcome \
                    is unknown.";
        RefOr::T(variants.description(Some(text)).build().into())
    }
}

impl ToSchema for Shown {
    fn name() -> Cow<'static, str> {
        "Operation".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Issued::schemas(schemas);
        Redeemed::schemas(schemas);
        schemas.push((Issued::name().into_owned(), Issued::schema()));
        schemas.push((Redeemed::name().into_owned(), Redeemed::schema()));
    }
}

/// 90 days after the outcome became known, only the order or the redemption tells of it.
fn or_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    RefOr::T(OneOfBuilder::new().item(schema).item(null()).build().into())
}

fn variant(kind: OperationKind, status: Status, result: RefOr<Schema>) -> Object {
    let text = |text: &str| ObjectBuilder::new().schema_type(Type::String).description(Some(text));
    let only = |value: Value, description: &str| text(description).enum_values(Some([value]));
    let (kind_text, id, id_text) = match kind {
        OperationKind::Issue => ("A card was to be issued.", "orderId", "The order of the sale."),
        OperationKind::Redeem => ("A card was to be redeemed.", "redemptionId", "The redemption."),
    };
    let (status_text, result_text) = match status {
        Status::Open => ("It is not known yet whether money moved.", "Null until the outcome is known."),
        Status::Succeeded => ("Money moved.", "The body of the success response to the request."),
        Status::Failed => ("No money moved.", "The body of the error response to the request."),
    };
    ObjectBuilder::new()
        .property("reference", text("The reference in the request."))
        .property("kind", only(json!(kind), kind_text))
        .property("status", only(json!(status), status_text))
        .property(id, text(id_text))
        .property("result", described(result, result_text))
        .required("reference")
        .required("kind")
        .required("status")
        .required(id)
        .required("result")
        .build()
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getOperation",
        "Get an issue or a redeem",
        "Returns the outcome of an issue or a redeem that was unknown at first. The reference is in the details of that \
         response. If the outcome is still unknown, the card network is queried again.",
    )
    .success(
        "The operation.",
        json!({
            "reference": examples::REFERENCE, "kind": "REDEEM", "status": "SUCCEEDED",
            "redemptionId": examples::REDEMPTION,
            "result": {
                "ok": true,
                "data": {
                    "transactionId": examples::REDEMPTION_AT_NETWORK, "qrCode": examples::QR_CODE, "amount": 100,
                    "currency": "SEK", "valueRemains": 400, "status": "ACTIVE", "networkCode": examples::NETWORK_CODE,
                },
                "redemptionId": examples::REDEMPTION,
            },
        }),
    )
    .with_schemas(ErrorFormat::Nested.card_network_schemas())
    .with_schemas(ErrorFormat::Bare.card_network_schemas())
}
