//! `GET /api/admin/settlements`: settlements of a payout, of a merchant or of all merchants.

pub(crate) mod hold;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::app::App;
use shared::db::StoreError;
use shared::endpoint_error;
use shared::http::{CursorError, Data, Description, General, OwnMerchant, PlatformAdministrator, Query, examples};
use shared::settlements::model::settlement::Settlement;
use shared::settlements::rows::SettlementList;
use shared::settlements::view::SettlementRow;
use shared::values::{MerchantId, PayoutId, SettlementId};
use utoipa::ToSchema;

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 200;
const ROWS_PER_READ: u16 = 200;
/// Calls for one page. If so many rows contain too few that match, the page is shorter than requested.
const MAX_READS: usize = 60;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdministeredSettlement)]
struct SettlementView {
    #[serde(flatten)]
    row: SettlementRow,
    /// The administrator's reason for holding it or lifting the hold, and for what else it is held. Null otherwise.
    held_reason: Option<String>,
}

impl From<Settlement> for SettlementView {
    fn from(settlement: Settlement) -> Self {
        Self { held_reason: settlement.held_reason().map(ToOwned::to_owned), row: SettlementRow::new(settlement) }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AdministeredSettlementPage)]
pub(crate) struct PageView {
    /// Those of a payout in the order of their ids, others by merchant and kind, latest `eligibleAt` first.
    settlements: Vec<SettlementView>,
    /// The `cursor` of the next page; null on the last one. A page can be shorter than `limit` although more follow.
    next: Option<String>,
}

/// Where the next page begins, as an opaque text.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Cursor {
    /// After this settlement of the payout.
    InPayout(SettlementId),
    InLists(Position),
}

/// A place in the lists of a merchant.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Position {
    merchant_id: MerchantId,
    list: usize,
    /// The sort key of the row before.
    after: Option<String>,
}

impl Cursor {
    fn parse(text: &str) -> Option<Self> {
        serde_json::from_slice(&hex::decode(text).ok()?).ok()
    }

    fn text(&self) -> Result<String, General> {
        let json = serde_json::to_vec(self).map_err(|error| General::internal(error.to_string()))?;
        Ok(hex::encode(json))
    }
}

struct Filter {
    merchant_id: Option<MerchantId>,
    held: Option<bool>,
}

impl Filter {
    fn lists(&self) -> &'static [SettlementList] {
        if self.held == Some(true) { &[SettlementList::Held] } else { &SettlementList::BY_KIND }
    }

    fn admits(&self, settlement: &Settlement) -> bool {
        self.held.is_none_or(|held| held == settlement.is_held())
            && self.merchant_id.as_ref().is_none_or(|merchant| *merchant == settlement.merchant_id)
    }
}

endpoint_error! {
    pub(crate) enum ListError {
        Cursor(#[from] CursorError),
        OwnMerchant(#[from] OwnMerchant),
    }
}

/// Leaves out the administrator's own merchants, unless one is named.
pub(crate) async fn list(
    administrator: PlatformAdministrator,
    State(app): State<App>,
    query: Query,
) -> Result<Data<PageView>, ListError> {
    let filter = Filter {
        merchant_id: query.non_blank("merchantId").map(MerchantId::new),
        held: query.non_blank("held").and_then(|held| held.parse().ok()),
    };
    let limit = usize::from(query.limit(DEFAULT_LIMIT, MAX_LIMIT));
    let cursor = query.cursor().map(|text| Cursor::parse(text).ok_or(CursorError::Unknown));
    let cursor = cursor.transpose()?;
    if let Some(merchant) = &filter.merchant_id {
        administrator.require_other(&app, merchant).await?;
    }
    let (settlements, next) = match (query.non_blank("payoutId").map(PayoutId::new), cursor) {
        (Some(payout), None) => of_payout(&app, &administrator, &filter, &payout, (None, limit)).await?,
        (Some(payout), Some(Cursor::InPayout(after))) => {
            of_payout(&app, &administrator, &filter, &payout, (Some(after), limit)).await?
        }
        (None, None) => of_merchants(&app, &administrator, &filter, None, limit).await?,
        (None, Some(Cursor::InLists(position))) => of_merchants(&app, &administrator, &filter, Some(position), limit).await?,
        _ => return Err(CursorError::Unknown.into()),
    };
    let next = next.map(|cursor| cursor.text()).transpose()?;
    Ok(Data(PageView { settlements: settlements.into_iter().map(SettlementView::from).collect(), next }))
}

type Page = (Vec<Settlement>, Option<Cursor>);

/// The settlements that have joined a payout, as they are now.
async fn of_payout(
    app: &App,
    administrator: &PlatformAdministrator,
    filter: &Filter,
    id: &PayoutId,
    (after, limit): (Option<SettlementId>, usize),
) -> Result<Page, OwnMerchant> {
    let Some(payout) = app.store.payout(id).await? else { return Ok((Vec::new(), None)) };
    administrator.require_other(app, &payout.merchant_id).await?;
    let rows = u16::try_from(limit).unwrap_or(u16::MAX);
    let joined = app.store.settlements_of_payout(id, after.as_ref().map(SettlementId::as_str), rows).await?;
    let ids: Vec<&SettlementId> = joined.iter().map(|joined| &joined.settlement.id).take(limit).collect();
    let last = ids.last().filter(|_| ids.len() == limit).map(|id| Cursor::InPayout((*id).clone()));
    let settlements = app.store.settlements_by_id(&payout.merchant_id, &ids).await?;
    let mut settlements: Vec<Settlement> =
        settlements.into_iter().map(|settlement| settlement.value).filter(|settlement| filter.admits(settlement)).collect();
    settlements.sort_by(|one, other| one.id.cmp(&other.id));
    Ok((settlements, last))
}

async fn of_merchants(
    app: &App,
    administrator: &PlatformAdministrator,
    filter: &Filter,
    from: Option<Position>,
    limit: usize,
) -> Result<Page, StoreError> {
    let mut found = Vec::new();
    let mut position = match from {
        Some(position) => Some(position),
        None => first_of(app, filter, None).await?,
    };
    let mut admitted: Option<MerchantId> = None;
    for _ in 0..MAX_READS {
        let Some(current) = position else { return Ok((found, None)) };
        let Some(list) = filter.lists().get(current.list) else {
            position = first_of(app, filter, Some(&current.merchant_id)).await?;
            continue;
        };
        // Also where a cursor leads: anybody can write one.
        if admitted.as_ref() != Some(&current.merchant_id) {
            if app.store.has_ever_belonged(&administrator.user.id, &current.merchant_id).await? {
                position = first_of(app, filter, Some(&current.merchant_id)).await?;
                continue;
            }
            admitted = Some(current.merchant_id.clone());
        }
        let after = current.after.as_deref();
        let rows = app.store.settlements_in(&current.merchant_id, *list, after, ROWS_PER_READ).await?;
        let mut next = current;
        let is_last = rows.len() < usize::from(ROWS_PER_READ);
        for (sort_key, settlement) in rows {
            let settlement = settlement.filter(|settlement| filter.admits(settlement));
            if settlement.is_some() && found.len() == limit {
                return Ok((found, Some(Cursor::InLists(next))));
            }
            found.extend(settlement);
            next.after = Some(sort_key);
        }
        position = Some(if is_last { Position { list: next.list + 1, after: None, ..next } } else { next });
    }
    Ok((found, position.map(Cursor::InLists)))
}

/// The beginning of the merchant that follows another one. `None` if the filter admits no other.
async fn first_of(app: &App, filter: &Filter, after: Option<&MerchantId>) -> Result<Option<Position>, StoreError> {
    let merchant_id = match (&filter.merchant_id, after) {
        (Some(_), Some(_)) => None,
        (Some(only), None) => Some(only.clone()),
        (None, _) => app.store.merchant_ids_page(after, 1).await?.0.into_iter().next(),
    };
    Ok(merchant_id.map(|merchant_id| Position { merchant_id, list: 0, after: None }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listAdministeredSettlements",
        "List settlements of merchants",
        "Returns the settlements of a payout, of a merchant or of all merchants, whatever their source. Void settlements and \
         those of the caller's own merchants are excluded.",
    )
    .query::<String>("merchantId", "Only settlements of this merchant.", false)
    .query::<String>("payoutId", "Only settlements that joined this payout, even if it was cancelled.", false)
    .query::<bool>("held", "Only settlements that are held, or only those that are not.", false)
    .query::<String>("cursor", "The `next` of the previous page, with the same filters.", false)
    .query::<i64>("limit", "1 to 200; default 50.", false)
    .success("A page of settlements.", json!({"settlements": [example()], "next": null}))
}

fn example() -> Value {
    let held = json!({"held": true, "heldBecause": "ADMINISTRATOR", "heldReason": "The cardholder disputes the redemption."});
    examples::with(SettlementRow::example(), held)
}
