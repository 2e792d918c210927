//! `POST /api/bff/pos/operations/cancellation`: nothing will begin under an idempotency key.

use std::borrow::Cow;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::endpoint_error;
use shared::http::{
    AboutOperation, Data, Description, Invalid, KeyText, MADE_AT_HEADER, MADE_AT_TEXT, MadeAt, MaybeAtTill, RawBody,
    RestoredError, is_key,
};
use shared::limits::model::UsedUp;
use shared::operations::{CancelError, ClosedKey, MoneyMoved, OperationKind, ScopedKey};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::operation::{Shown, show};
use crate::selling_merchant::{SellingMerchantError, require_merchant_or_admin, selling_merchant};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CancellationRequest)]
struct Body {
    #[schema(required = true, schema_with = kind_schema)]
    kind: Option<String>,
    /// The `Idempotency-Key` of the issue or the redeem.
    #[schema(required = true, nullable = false, value_type = KeyText)]
    idempotency_key: Option<String>,
    /// Only for platform administrators: the merchant of the operation.
    merchant_id: Option<String>,
}

/// What has become of the intent.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Cancellation {
    Cancelled { status: Cancelled, kind: OperationKind },
    Operation(Box<Shown>),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Cancelled {
    Cancelled,
}

pub(crate) fn describe() -> Description {
    Description::new(
        "cancelOperation",
        "Cancel an issue or a redeem",
        "Closes an `Idempotency-Key`, so that no request with it can start anything, even one that is still on its way. This \
         only queries the card network and never moves money. If nothing has started, every later request with the key is \
         rejected with 409 (`CANCELLED`). If something has, the response is that of the operation, and no further attempt starts \
         under the key. Repeating the call is harmless.",
    )
    .header(MADE_AT_HEADER, MADE_AT_TEXT)
    .body::<Body>(json!({"kind": "REDEEM", "idempotencyKey": "5f8a7a52-4f0e-4b53-9d0c-2b8a6f1f9f0e"}))
    .success("The key is closed.", json!({"status": "CANCELLED", "kind": "REDEEM"}))
}

endpoint_error! {
    pub(crate) enum CancellationError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "kind: must be ISSUE or REDEEM.",
        Merchant(#[from] SellingMerchantError),
        Restored(#[from] RestoredError),
        /// The till or member has closed 200 unused keys within an hour.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS "Too many requests were cancelled. Please try again later.",
    }
}

impl From<CancelError> for CancellationError {
    fn from(error: CancelError) -> Self {
        match error {
            CancelError::UsedUp(used_up) => used_up.into(),
            CancelError::Restored => RestoredError::Restored.into(),
            CancelError::Store(error) => error.into(),
        }
    }
}

/// Closes the key, and returns what has become of it.
pub(crate) async fn cancellation(
    caller: MaybeAtTill,
    State(app): State<App>,
    invocation: Invocation,
    MadeAt(made_at): MadeAt,
    body: RawBody,
) -> Result<AboutOperation<Data<Cancellation>>, CancellationError> {
    require_merchant_or_admin(&caller)?;
    let body: Body = body.parse()?;
    let by = caller.operator();
    let merchant = selling_merchant(&app, caller, body.merchant_id.as_deref()).await?;
    let kind = kind(body.kind.as_deref())?;
    let key = body.idempotency_key.ok_or(Invalid::new("idempotencyKey: is missing."))?;
    if !is_key(&key) {
        return Err(Invalid::new("idempotencyKey: must be 1 to 255 visible ASCII characters without a comma.").into());
    }
    match ScopedKey::new(&merchant.id, kind, &key, made_at).close(&app, &by).await {
        Ok(ClosedKey::Unused) => {
            let cancelled = Cancellation::Cancelled { status: Cancelled::Cancelled, kind };
            Ok(AboutOperation::new(MoneyMoved::No, Data(cancelled)))
        }
        Ok(ClosedKey::Used(operation)) => {
            let shown = show(&app, &invocation, *operation).await?;
            Ok(shown.map(|Data(shown)| Data(Cancellation::Operation(Box::new(shown)))))
        }
        Err(error) => Ok(AboutOperation::refused(MoneyMoved::from(&error), CancellationError::from(error))),
    }
}

fn kind(text: Option<&str>) -> Result<OperationKind, Invalid> {
    match text {
        None => Err(Invalid::new("kind: is missing.")),
        Some("ISSUE") => Ok(OperationKind::Issue),
        Some("REDEEM") => Ok(OperationKind::Redeem),
        Some(_) => Err(Invalid::new("kind: must be ISSUE or REDEEM.")),
    }
}

fn kind_schema() -> ObjectBuilder {
    let kind = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["ISSUE", "REDEEM"]));
    kind.description(Some("The operation: issuing or redeeming a card."))
}

impl PartialSchema for Cancellation {
    fn schema() -> RefOr<Schema> {
        let status = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("Nothing was done, and nothing will be."))
            .enum_values(Some(["CANCELLED"]));
        let cancelled =
            ObjectBuilder::new().property("status", status).property("kind", kind_schema()).required("status").required("kind");
        let operation = Ref::from_schema_name(Shown::name());
        let either = OneOfBuilder::new().item(cancelled).item(operation);
        let text = "Either nothing was done, or the operation with its outcome.";
        RefOr::T(either.description(Some(text)).build().into())
    }
}

impl ToSchema for Cancellation {
    fn name() -> Cow<'static, str> {
        "Cancellation".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Shown::schemas(schemas);
        schemas.push((Shown::name().into_owned(), Shown::schema()));
    }
}
