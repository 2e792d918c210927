//! `GET /api/bff/cards/{qr}/history`: the sale and the redemptions of a gift card, latest first.

use std::collections::{BTreeMap, HashMap};

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::card_network::{CardRecord, NetworkError};
use shared::cards::model::card_history::{CardEvent, CardEventKind, CardSums, expected_balance};
use shared::cards::model::card_tag::CardTag;
use shared::cards::model::redemption::{Redemption, card_reference};
use shared::cards::view::{FindCardError, card_code, look_up};
use shared::http::{AtTill, Description, Invalid, examples, permission};
use shared::values::{Currency, MerchantId, Minor, Money, OpenEnum, OrderId, QrCode, RedemptionId};

use shared::base::invocation::Invocation;
use shared::db::{Cursor, StoreError, keys};
use shared::http::{Data, PathIds, Query, UtcTime};
use utoipa::ToSchema;

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 100;
/// Open redemptions that are read. A card has more only if the card network has been failing for long.
const MAX_OPEN: usize = 100;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardHistory {
    /// The last four characters of the card's code.
    card_ref: String,
    /// What was done with the card at this merchant, newest first.
    events: Vec<CardHistoryEvent>,
    /// The `after` of the next page. Null on the last page.
    next_cursor: Option<String>,
    /// The balance of the card. Null if the card network does not report it now.
    balance: Option<CardBalance>,
    /// Whether all events, including those on other pages, add up to the balance. Null if this cannot be determined: the balance
    /// or the outcome of a redemption is unknown, or the card was not sold here or was sold before histories were kept.
    adds_up: Option<bool>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardHistoryEvent {
    /// When it began.
    at: UtcTime,
    /// `ISSUED` and `GIVEN_BACK` tell how the card was created: sold, or given back for the return of a purchase. `UNKNOWN` is a
    /// redemption with an outcome that is not known yet.
    #[schema(value_type = CardEventKind)]
    kind: OpenEnum<CardEventKind>,
    /// In minor units of `currency`.
    amount_minor: Minor,
    /// For a redemption: the amount that has been given back, including sales in progress, in minor units of `currency`. Null for
    /// others.
    refunded_minor: Option<Minor>,
    /// ISO 4217 code of the amount.
    currency: Currency,
    /// The name of the store. Null if it is unknown.
    store_name: Option<String>,
    /// The name of the member or the till that did it. Null if it is unknown, and always null if the caller is a till.
    by: Option<String>,
    /// The order of the sale. Null for redemptions.
    #[schema(value_type = Option<String>)]
    order_id: Option<OrderId>,
    /// The redemption; for `GIVEN_BACK`, the one whose purchase was returned. Null for a card that was sold.
    #[schema(value_type = Option<String>)]
    redemption_id: Option<RedemptionId>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CardHistoryBalance)]
struct CardBalance {
    /// In minor units of `currency`.
    remaining_value_minor: Minor,
    /// ISO 4217 code of the card.
    currency: Currency,
    /// The status at the card network. Null if there is none.
    status: Option<String>,
}

/// Responds as the look-up if the card is unknown, or another merchant's. If the card network fails, the events are shown
/// without a balance.
pub(crate) async fn get_card_history(
    caller: AtTill<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
    query: Query,
) -> Result<Data<CardHistory>, FindCardError> {
    let mut code = card_code(path.get("qr").ok_or(Invalid::new("qr: is missing."))?);
    let limit = query.limit(DEFAULT_LIMIT, MAX_LIMIT);
    let after = query.text("after").and_then(Cursor::parse);
    let Found { tag, sums, card } = loop {
        let found = find(&caller, &app, &invocation, &code).await?;
        match (&found.card, code.plain()) {
            (Err(error), Some(plain)) if error.is_not_found() => code = plain,
            _ => break found,
        }
    };
    let card = match card {
        Err(error) if error.is_not_found() || sums.is_empty() => return Err(error.into()),
        card => card,
    };
    let rows = CardRows { app: &app, merchant: &caller.merchant.id, tag: &tag };
    let balance = best_effort("the balance of a card's history", card).as_ref().and_then(CardBalance::of);
    let open = rows.open(&sums).await?;
    let (events, next) = rows.page(&open, after.as_ref(), limit).await?;
    let adds_up = rows.add_up(&sums, &open, balance.as_ref()).await?;
    let refunded = rows.refunded(&events).await?;
    let view = |event| CardHistoryEvent::new(event, &refunded, caller.till().is_none());
    Ok(Data(CardHistory {
        card_ref: card_reference(None, Some(&code)).to_owned(),
        events: events.into_iter().map(view).collect(),
        next_cursor: next.map(|next| next.to_string()),
        balance,
        adds_up,
    }))
}

/// What the rows and the card network say of a card.
struct Found {
    tag: CardTag,
    sums: Vec<CardSums>,
    card: Result<CardRecord, NetworkError>,
}

async fn find(
    caller: &AtTill<permission::GiftCards>,
    app: &App,
    invocation: &Invocation,
    code: &QrCode,
) -> Result<Found, FindCardError> {
    let merchant = &caller.merchant;
    let tag = CardTag::new(&*app.code_key().await?, &merchant.id, code);
    // Before the balance: what is redeemed in between is noticed.
    let sums = app.store.card_sums(&merchant.id, &tag).await?;
    let card = look_up(app, invocation, merchant, &caller.operator(), code).await?;
    Ok(Found { tag, sums, card })
}

/// The rows of a card's history.
struct CardRows<'a> {
    app: &'a App,
    merchant: &'a MerchantId,
    tag: &'a CardTag,
}

impl CardRows<'_> {
    /// The redemptions that are open by the sums, the latest ones if there are many, as they are now.
    async fn open(&self, sums: &[CardSums]) -> Result<Vec<Redemption>, StoreError> {
        let mut open: Vec<&String> = sums.iter().flat_map(|sums| &sums.open).collect();
        open.sort_unstable_by(|one, other| other.cmp(one));
        let ids = open.into_iter().take(MAX_OPEN).filter_map(|key| keys::parse_entry_of_redemption(key));
        let ids: Vec<RedemptionId> = ids.collect();
        let found = self.app.store.redemptions_by_id(self.merchant, &Vec::from_iter(&ids)).await?;
        Ok(found.into_values().flatten().map(|redemption| redemption.value).collect())
    }

    /// The events of a page, with those of open redemptions among them.
    async fn page(
        &self,
        open: &[Redemption],
        after: Option<&Cursor>,
        limit: u16,
    ) -> Result<(Vec<CardEvent>, Option<Cursor>), StoreError> {
        let closed = self.app.store.card_events(self.merchant, self.tag, after, limit).await?;
        let is_after = |key: &String| after.is_none_or(|after| key.as_str() < after.sort_key());
        let open = open.iter().map(|open| (keys::entry_of_redemption(open), CardEvent::of_redemption(open)));
        let open = open.filter(|(key, _)| is_after(key)).filter_map(|(key, event)| Some((key, event?)));
        let mut events: BTreeMap<String, CardEvent> = open.collect();
        // Closed since, if it is both.
        events.extend(closed.events);
        let others_follow = closed.others_follow || events.len() > usize::from(limit);
        let page: Vec<(String, CardEvent)> = events.into_iter().rev().take(usize::from(limit)).collect();
        let next = page.last().filter(|_| others_follow).map(|(key, _)| Cursor::after(key.as_str()));
        Ok((page.into_iter().map(|(_, event)| event).collect(), next))
    }

    async fn add_up(
        &self,
        sums: &[CardSums],
        open: &[Redemption],
        balance: Option<&CardBalance>,
    ) -> Result<Option<bool>, StoreError> {
        let Some((balance, expected)) = balance.zip(expected_balance(sums, open)) else { return Ok(None) };
        if expected == Money::new(balance.remaining_value_minor, balance.currency) {
            return Ok(Some(true));
        }
        // The card may have been redeemed since the sums were read, and before the network was asked.
        Ok((self.app.store.card_sums(self.merchant, self.tag).await? == sums).then_some(false))
    }

    /// What was given back of the redemptions of a page.
    async fn refunded(&self, events: &[CardEvent]) -> Result<HashMap<RedemptionId, Minor>, StoreError> {
        let redeemed = events.iter().filter(|event| event.kind == CardEventKind::Redeemed);
        let ids: Vec<RedemptionId> = redeemed.filter_map(|event| event.redemption_id.clone()).collect();
        self.app.store.given_back(self.merchant, &ids).await
    }
}

impl CardBalance {
    /// `None` unless the network names an amount of a known currency.
    fn of(card: &CardRecord) -> Option<Self> {
        let currency: Currency = card.currency.as_deref()?.parse().ok()?;
        let remaining_value_minor = card.value_remains.as_ref()?.minor(currency).ok()?;
        Some(Self { remaining_value_minor, currency, status: card.status.clone() })
    }
}

impl CardHistoryEvent {
    fn new(event: CardEvent, refunded: &HashMap<RedemptionId, Minor>, with_names: bool) -> Self {
        let CardEvent { at, kind, amount, store_name, by, order_id, redemption_id } = event;
        let refunded_of = |id: &RedemptionId| refunded.get(id).copied().unwrap_or(Minor::ZERO);
        let redeemed = redemption_id.as_ref().filter(|_| kind == CardEventKind::Redeemed);
        Self {
            at: at.into(),
            refunded_minor: redeemed.map(refunded_of),
            kind,
            amount_minor: amount.minor,
            currency: amount.currency,
            store_name,
            by: by.filter(|_| with_names).and_then(|by| by.name),
            order_id,
            redemption_id,
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getGiftCardHistory",
        "Get the history of a gift card",
        "Returns the sale and the redemptions of a card at this merchant, newest first, and whether they add up to the balance \
         at the card network. Requires the permission to manage gift cards, or a paired till.",
    )
    .query::<i64>("limit", "1 to 100; default 50.", false)
    .query::<String>("after", "The `nextCursor` of the previous page. Any other value starts at the first page.", false)
    .success(
        "A page of the history.",
        json!({
            "cardRef": "UCPB",
            "events": [
                {
                    "at": "2026-01-06T12:30:00.000Z", "kind": "REDEEMED", "amountMinor": 10_000, "refundedMinor": 0,
                    "currency": "SEK", "storeName": "Main street", "by": "Counter", "orderId": null,
                    "redemptionId": examples::REDEMPTION,
                },
                {
                    "at": "2026-01-01T10:00:00.000Z", "kind": "ISSUED", "amountMinor": 50_000, "refundedMinor": null,
                    "currency": "SEK", "storeName": "Main street", "by": "Counter", "orderId": examples::ORDER,
                    "redemptionId": null,
                },
            ],
            "nextCursor": null,
            "balance": {"remainingValueMinor": 40_000, "currency": "SEK", "status": "ACTIVE"},
            "addsUp": true,
        }),
    )
}
