//! `GET /api/bff/pos/operations/{reference}`: what became of an issue or a redeem.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use shared::app::App;
use shared::card_network::Outcome;
use shared::domain::ids::{OrderId, RedemptionId, Reference};
use shared::http::access::AtTill;
use shared::http::description::{Anything, Description};
use shared::http::fault::{ErrorFormat, Fault};
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::invocation::Invocation;
use shared::operations::{Operation, OperationStatus, Subject, recover};
use shared::store::Stored;
use utoipa::ToSchema;

use crate::{issue, redeem};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = OperationKind)]
enum Kind {
    Issue,
    Redeem,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = OperationStatus)]
enum Status {
    Open,
    Succeeded,
    Failed,
}

/// One of the ids is present.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Operation)]
struct Shown {
    #[schema(value_type = String)]
    reference: Reference,
    kind: Kind,
    status: Status,
    /// Of an issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, nullable = false)]
    order_id: Option<OrderId>,
    /// Of a redeem.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, nullable = false)]
    redemption_id: Option<RedemptionId>,
    /// The body of the response to the issue or the redeem. Null while the outcome is unknown.
    #[schema(value_type = Anything)]
    result: Option<Box<RawValue>>,
}

/// Returns the operation with this reference, and looks its outcome up at the network if it is unknown.
///
/// 404 if the merchant has no such operation, and a week after it was closed.
pub(crate) async fn operation(
    caller: AtTill,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Response, Fault> {
    let not_found = || Fault::not_found("There is no such operation.");
    let reference = Reference::new(path.get("reference").ok_or_else(not_found)?);
    let operation = app.store.operation(&reference).await?;
    let is_shown = |operation: &Stored<Operation>| {
        let has_expired = operation.expires_at().is_some_and(|at| at <= app.clock.now());
        operation.merchant_id == caller.merchant.id && !has_expired
    };
    let operation = operation.filter(is_shown);
    let operation = operation.ok_or_else(not_found)?;
    let subject = operation.subject.clone();
    // While another request works on it, its outcome is unknown here.
    let status = recover(&app, &invocation, operation).await?.unwrap_or(OperationStatus::Unknown);
    let shown = match subject {
        Subject::Issue(id) => {
            let order = issue::order_of(&app, &caller.merchant.id, &id).await?;
            let result = result(&status, issue::respond(&order, &reference, &status), ErrorFormat::Nested)?;
            let (kind, status) = (Kind::Issue, Status::of(&status));
            Shown { reference, kind, status, order_id: Some(id), redemption_id: None, result }
        }
        Subject::Redeem(id) => {
            let result = result(&status, redeem::respond(&id, &reference, &status), ErrorFormat::Bare)?;
            let (kind, status) = (Kind::Redeem, Status::of(&status));
            Shown { reference, kind, status, order_id: None, redemption_id: Some(id), result }
        }
    };
    Ok(Data(shown).into_response())
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
    response: Result<impl Serialize, Fault>,
    error_format: ErrorFormat,
) -> Result<Option<Box<RawValue>>, Fault> {
    if matches!(status, OperationStatus::Unknown) {
        return Ok(None);
    }
    let body = match response {
        Ok(body) => to_raw_value(&body),
        Err(fault) => to_raw_value(&error_format.body(&fault)),
    };
    body.map(Some).map_err(|error| Fault::internal(error.to_string()))
}

pub(crate) fn describe() -> Description {
    Description::new("getOperation", 
        "Get an issue or a redeem",
        "Returns what became of an issue or a redeem whose outcome was unknown. The reference is in the details of that \
         response. If the outcome is still unknown, the card network is asked again.",
    )
    .data::<Shown>(
        "The operation.",
        json!({
            "reference": "5f2c9a", "kind": "REDEEM", "status": "SUCCEEDED", "redemptionId": "0199-redemption",
            "result": {
                "ok": true,
                "data": {"transactionId": "t-1", "amount": 100, "currency": "SEK", "valueRemains": 150.5},
                "redemptionId": "0199-redemption",
            },
        }),
    )
    .error(404, "There is no such operation, or it was closed more than a week ago.")
}
