//! `POST /api/bff/exports`: starts an export. A job writes its file.

use axum::extract::State;
use jiff::civil::Date;
use percent_encoding::utf8_percent_encode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::base::outbound::RESERVED;
use shared::cards::model::order::{OrderFilter, OrderStatus, PaymentStatus};
use shared::db::CommitError;
use shared::endpoint_error;
use shared::http::{
    Accepted, CREATION_KEY_TEXT, CreationKey, CreationKeyError, CreationRequest, Description, Invalid, KEY_HEADER, Made, MayRead,
    Once, non_null_enum,
};
use shared::limits;
use shared::limits::model::{EXPORTS, UsedUp};
use shared::merchants::model::activity::{ActivityAction, Deed};
use shared::merchants::model::merchant::Merchant;
use shared::projections::exports::least_rows;
use shared::projections::model::export::{
    Days, Export, ExportFormat, ExportKind, ExportProgress, ExportState, ExportedOrders, MAX_WORKBOOK_ROWS, SelectedBy,
};
use shared::projections::model::tally::{Family, SettlementKind};
use shared::projections::rows::exports;
use shared::values::{ExportId, MerchantId, OpenEnum, parse_date};
use utoipa::ToSchema;

use crate::export::{AnyExport, ExportStatus};

const MAX_DAYS: i32 = 366;

/// What the required permission depends on.
#[derive(Debug, Deserialize)]
struct RequestedKind {
    kind: ExportKind,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewExport {
    /// What to export. Each kind requires its own permission.
    kind: ExportKind,
    /// The first day, in the merchant's time zone.
    #[schema(value_type = Date)]
    from: String,
    /// The last day, inclusive. An export covers at most 366 days. The day can be in the future, when settlements become
    /// eligible.
    #[schema(value_type = Date)]
    to: String,
    /// The time by which settlements are selected. Default: `eligibleAt`. `createdAt` selects those that were created on these
    /// days, whenever they become eligible.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false, value_type = SelectedBy)]
    by: Option<SelectedBy>,
    /// The type of the file. Default: `csv`. A workbook (`xlsx`) has at most 200,000 rows.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false, value_type = ExportFormat)]
    format: Option<ExportFormat>,
    /// Only orders with this status.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false, value_type = OrderStatus)]
    status: Option<OrderStatus>,
    /// Only orders with this payment status.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false, value_type = PaymentStatus)]
    payment_status: Option<PaymentStatus>,
    /// Only orders that contain this text, as in the list of orders.
    #[schema(required = false, nullable = false)]
    q: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StartedExport {
    /// The id of the export, with which to poll it until it is ready.
    id: ExportId,
    /// `RUNNING`: poll the export until it is `READY` or has `FAILED`.
    status: ExportStatus,
}

impl NewExport {
    fn days(&self, merchant: &Merchant) -> Result<Days, Invalid> {
        let (from, to) = first_and_last(&self.from, &self.to)?;
        Ok(Days { from, to, time_zone: merchant.time_zone.clone() })
    }

    fn selected_by(&self) -> Result<SelectedBy, Invalid> {
        if self.by.is_some() && self.kind != ExportKind::Settlements {
            return Err(Invalid::new("by: is only for exports of settlements."));
        }
        Ok(self.by.unwrap_or_default())
    }

    fn orders(&self) -> Result<ExportedOrders, Invalid> {
        let orders = ExportedOrders {
            status: self.status,
            payment_status: self.payment_status,
            text: OrderFilter::text(self.q.as_deref().unwrap_or_default()),
        };
        if self.kind != ExportKind::Orders && orders != ExportedOrders::default() {
            return Err(Invalid::new("kind: only orders can be selected by `status`, `paymentStatus` or `q`."));
        }
        Ok(orders)
    }
}

fn first_and_last(from: &str, to: &str) -> Result<(Date, Date), Invalid> {
    let (from, to) = (day("from", from)?, day("to", to)?);
    if to < from {
        return Err(Invalid::new("to: must not be before `from`."));
    }
    if (to - from).get_days() >= MAX_DAYS {
        return Err(Invalid::new(format!("to: must be within {MAX_DAYS} days of `from`.")));
    }
    Ok((from, to))
}

fn day(field: &'static str, text: &str) -> Result<Date, Invalid> {
    parse_date(text).ok_or_else(|| Invalid::new(format!("{field}: must be a day such as 2026-01-31.")))
}

endpoint_error! {
    pub(crate) enum CreateExportError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "to: must not be before `from`.",
        /// A workbook would have more than 200,000 rows. If this shows later, the export fails with this code.
        TooManyRows => 400 TOO_MANY_ROWS "format: a workbook has at most 200,000 rows. Please export fewer days or choose CSV.",
        /// Another export of the merchant is running.
        Running => 409 EXPORT_RUNNING "Another export is running. Please wait until it is ready.",
        /// The caller has made 10 exports within a day, or all members of the merchant together 20.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 10 exports a day. Please try again in 12 hours.",
        Key(#[from] CreationKeyError),
    }
}

/// Starts an export of the merchant's orders, redemptions or settlements.
pub(crate) async fn create(
    caller: MayRead<AnyExport>,
    State(app): State<App>,
    request: CreationRequest,
) -> Result<Once<Accepted<StartedExport>>, CreateExportError> {
    let requested: RequestedKind = request.read_for_access_check()?;
    caller.require(requested.kind.permission())?;
    request.once(&app, "export", caller.member(), |request, key| start(&app, &caller, request, key)).await
}

async fn start(
    app: &App,
    caller: &MayRead<AnyExport>,
    request: NewExport,
    key: CreationKey,
) -> Result<Made<Accepted<StartedExport>>, CreateExportError> {
    let days = request.days(&caller.merchant)?;
    let format = request.format.unwrap_or_default();
    let now = app.clock.now();
    if app.store.running_export(&caller.merchant.id, now).await?.is_some() {
        return Err(CreateExportError::Running);
    }
    let export = Export {
        id: ExportId::new(app.random.uuid(now).to_string()),
        merchant_id: caller.merchant.id.clone(),
        kind: request.kind,
        days,
        by: request.selected_by()?,
        format,
        families: families(request.kind, &caller.merchant),
        orders: request.orders()?,
        object_key: object_key(&caller.merchant.id, &app.random.bytes(), format),
        created_at: now,
        state: ExportState::Running(ExportProgress::new(now)),
    };
    if format == ExportFormat::Xlsx && least_rows(&app.store, &export, &caller.merchant).await? > MAX_WORKBOOK_ROWS {
        return Err(CreateExportError::TooManyRows);
    }
    let started = StartedExport { id: export.id.clone(), status: ExportStatus::Running };
    let deed = Deed::new(ActivityAction::ExportRequested)
        .to_target(&export.id, request.kind.name())
        .with("from", &request.from)
        .with("to", &request.to);
    let merchant = &caller.merchant.id;
    let mut writes = exports::start(&export, &app.random)?;
    writes.push(app.store.record(caller.by.actor(), merchant, deed, now)?);
    // Only exports that start count.
    let reserved = limits::reserve::<CreateExportError>(app, &caller.member().within(EXPORTS)).await?;
    let made = match key.commit(&app.store, writes, started).await {
        Err(CommitError::Conflict(_)) => Err(CreateExportError::Running),
        made => made.map(|made| made.map(Accepted)).map_err(CreateExportError::from),
    };
    limits::give_back_refused(app, Some(reserved), made).await
}

/// Settlements are those that the merchant's list shows.
fn families(kind: ExportKind, merchant: &Merchant) -> Vec<Family> {
    let settlements = SettlementKind::listed(merchant.settlement_mode.as_ref().and_then(OpenEnum::known));
    kind.families(settlements)
}

/// The folder of a merchant is inside no other one's, whatever its id contains.
fn object_key(merchant: &MerchantId, random: &[u8; 16], format: ExportFormat) -> String {
    let folder = utf8_percent_encode(merchant.as_str(), RESERVED);
    format!("exports/{folder}/{}.{}", hex::encode(random), format.extension())
}

pub(crate) fn describe() -> Description {
    Description::new(
        "createExport",
        "Start an export",
        "Starts an export of the merchant's orders, redemptions or settlements as a CSV file or a workbook, oldest first. \
         Orders are selected by `createdAt`, and by `status`, `paymentStatus` and `q` as in their list; redemptions by \
         `occurredAt`, settlements by `eligibleAt`, as in their lists, or by `createdAt` if `by` says so, which includes those \
         that become eligible later. Settlements of a merchant without a settlement mode are grouped by source type. Void \
         settlements are excluded. Exporting orders requires `portal.orders`, redemptions `portal.analytics`, and settlements \
         `portal.reports`, for reading.\n\n\
         A CSV file is UTF-8 as in RFC 4180, with a header row. Columns of orders: `id`, `reference`, `date`, `createdAt`, \
         `status`, `paymentStatus`, `fulfilmentStatus`, `totalMinor`, `total`, `currency`, `itemCount`, `buyerName`, \
         `buyerEmail`, `paymentTransactionId`, `processorTransactionId`. Columns of redemptions: `id`, `date`, `occurredAt`, \
         `status`, `amountMinor`, `amount`, `currency`, `cardRef`, `source`, `storeName`. Columns of settlements: `id`, `date`, \
         `eligibleAt`, `createdAt`, `updatedAt`, `sourceType`, `sourceId`, `orderId`, `giftCardId`, `redemptionId`, `status`, \
         `held`, `payoutBatchId`, `grossAmountMinor`, `grossAmount`, `feeAmountMinor`, `feeAmount`, `netAmountMinor`, \
         `netAmount`, `currency`. `date` is the day in the merchant's time zone by which the row was selected. Amounts are in \
         minor units and in currency units. Text cells are quoted. Text that a spreadsheet could read as a formula is preceded \
         by an apostrophe: at the beginning of a cell, and after each `;`, tab and line break within it.\n\n\
         A workbook (`format`) has the same columns. Texts have no apostrophes and at most 32,767 characters. Amounts are \
         numbers, or texts if they have more than 15 digits. Times are in the merchant's time zone.",
    )
    .header(KEY_HEADER, CREATION_KEY_TEXT)
    .body::<NewExport>(json!({"kind": "orders", "from": "2026-01-01", "to": "2026-01-31"}))
    .success("The export has started.", json!({"id": "019c18a5-1d00-78f6-994e-3bf91a61dbe2", "status": "RUNNING"}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_merchants_folder_is_inside_another_ones() {
        let key = |merchant: &str| object_key(&MerchantId::new(merchant), &[0xab; 16], ExportFormat::Csv);
        assert_eq!(key("m-aurora"), format!("exports/m-aurora/{}.csv", "ab".repeat(16)));
        assert_eq!(key("a/b"), format!("exports/a%2Fb/{}.csv", "ab".repeat(16)));
    }

    #[test]
    fn describes_every_column() {
        let text = include_str!("create_export.rs").replace("\\\n         ", "");
        for kind in ExportKind::ALL {
            let columns = shared::projections::exports::columns(kind);
            let listed: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
            let sentence = format!("Columns of {}: {}.", kind.name(), listed.join(", "));
            assert!(text.contains(&sentence), "{sentence}");
        }
    }
}
