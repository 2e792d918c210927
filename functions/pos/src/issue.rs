//! `POST /api/bff/pos/issue`: sell a gift card at a till.
//!
//! The request is validated completely before anything is written. Then [`shared::operations`] creates the order, issues
//! the card at the network and records the outcome.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::card_network::{DeliveryDetails, IssueRequest, NetworkError, Outcome, pass_through};
use shared::domain::ids::{MerchantId, NetworkMerchantId, OfferId, OrderId, Reference};
use shared::domain::merchant::Merchant;
use shared::domain::money::{Currency, Decimal, Money};
use shared::domain::offer::{
    Offer, OfferSelection, OfferType, SaleCurrencyError, SelectionError, sale_currency,
};
use shared::domain::order::{DeliveryType, Order, OrderItem, OrderStatus, PaymentStatus};
use shared::domain::till::{Operator, Till};
use shared::http::access::{MaybeAtTill, network_account};
use shared::http::body::{Object, RawBody, Scalar};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::idempotency_key::{Intent, IntentHeaders, KEY_HEADER, MADE_AT_HEADER, MADE_AT_TEXT};
use shared::http::money_moved::{Certain, Certainty};
use shared::http::network_objects::NetworkValue;
use shared::http::reply::{Data, Replayable};
use shared::invocation::Invocation;
use shared::mail::is_address;
use shared::operations::{CardOperation, EarlierRequest, Execution, OperationKind, OperationStatus, Subject};
use utoipa::ToSchema;

use crate::idempotency::{Attempt, KEY_TEXT, replayed};
use crate::refund::{Return, refund_reason};
use crate::selling_merchant::{require_merchant_or_admin, selling_merchant};
use crate::store_of_till::store_id;
use crate::unknown::{Unknown, details};

const MAX_REFERENCE_LENGTH: usize = 80;
/// Longer offer names are truncated in orders: they could exceed DynamoDB's 400 KB item limit.
const MAX_NAME_LENGTH: usize = 1000;

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IssueRequest)]
struct Body {
    /// Currency units, greater than 0, with no more decimals than the currency has.
    #[schema(required = true, nullable = false)]
    value: Option<Decimal>,
    /// Default: the merchant's default offer of the type, or another one that can be sold now.
    gift_card_offer_id: Option<Scalar>,
    /// `REFUND_DIGITAL` if it contains `REFUND` in any case, otherwise `GIFTCARD_DIGITAL`. Ignored with
    /// `giftCardOfferId`.
    gift_card_offer_type: Option<String>,
    /// Must be the currency of the offer.
    currency: Option<String>,
    /// The id of the store that sells the card. A paired till can only name its own, which is the default.
    retail_store_id: Option<Scalar>,
    /// The id of the till, for the card network.
    device_id: Option<String>,
    /// Used if there is no `deviceId`.
    terminal_id: Option<String>,
    /// The reference of the payment at the till, for the order. Default: a generated one.
    #[schema(max_length = 80)]
    payment_reference: Option<String>,
    /// Used if there is no `paymentReference`.
    external_reference: Option<String>,
    /// Only for platform administrators: the merchant to issue for.
    #[expect(dead_code, reason = "read before the other fields; here for its type and its description")]
    merchant_id: Option<String>,
    /// How the card is sent. Default: by e-mail, to `email`.
    #[schema(value_type = Option<BodyDelivery>)]
    delivery_details: Option<Object<BodyDelivery>>,
    /// Used if there is no `deliveryDetails.email`.
    email: Option<String>,
    /// The id of a redemption whose purchase is returned: the card gives back the value, or a part of it. Its offer is of the
    /// type `REFUND_DIGITAL`, which is then the default.
    refund_of: Option<String>,
    /// Why it is given back, for the order.
    #[schema(max_length = 200)]
    refund_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryDetails)]
struct BodyDelivery {
    /// `EMAIL` (the default), `SMS` or `QR`, in any case.
    delivery_type: Option<String>,
    /// Required for `EMAIL`.
    email: Option<String>,
    /// Required for `SMS`.
    phone_number: Option<String>,
}

/// The identifiers of the card at the network, and those of the sale.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Issued {
    /// The network's id of the reservation.
    #[schema(value_type = NetworkValue)]
    reservation_code: Box<RawValue>,
    /// The network's id of its own order.
    #[schema(value_type = NetworkValue)]
    order_hash: Box<RawValue>,
    /// The network's id of the card.
    #[schema(value_type = NetworkValue)]
    gift_card_id: Box<RawValue>,
    /// The number that is printed on the card.
    #[schema(value_type = NetworkValue)]
    card_no: Box<RawValue>,
    /// The code that a till scans. Null only if the network has lost its first response.
    #[schema(value_type = NetworkValue)]
    qr_code: Box<RawValue>,
    /// The order that was created for the sale.
    #[schema(value_type = String)]
    order_id: OrderId,
    /// The one of the request, or a new one.
    payment_reference: String,
}

/// What was begun and is not known to have happened.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct UnknownIssue<'a> {
    #[schema(inline)]
    outcome: Unknown,
    /// Ask for the operation with it.
    #[schema(value_type = String)]
    reference: &'a Reference,
    /// The order that was created for the sale.
    #[schema(value_type = String)]
    order_id: &'a OrderId,
    /// The one of the request, or a new one.
    #[schema(value_type = String)]
    payment_reference: Option<&'a str>,
}

pub(crate) fn describe() -> Description {
    Description::new("issueGiftCard", 
        "Issue a gift card",
        "Sells a card at a till. The order is created before the card network is called, and shows the outcome. Send an \
         `Idempotency-Key` to be able to repeat the request.",
    )
    .header(KEY_HEADER, KEY_TEXT)
    .header(MADE_AT_HEADER, MADE_AT_TEXT)
    .body::<Body>(json!({
        "value": "250.50",
        "deliveryDetails": {"deliveryType": "EMAIL", "email": "bo@example.com"},
        "paymentReference": "receipt-20260106-0417",
    }))
    .success(
        "The card was issued.",
        json!({
            "reservationCode": "7JS7ZEUFRSFB",
            "orderHash": "f2655b19153d3a3f56bc09cb91215785d99773382dd301c8a91afa5c7623c4dd",
            "giftCardId": "6a0f5a2e-93c1-4d8b-a7e4-58b1f0c92d37", "cardNo": "6704418825039916",
            "qrCode": "7YNT4K2VFR7XEX5QAFCWDD49", "orderId": "019b93a0-12e0-72dc-9221-c4e03f9931ee",
            "paymentReference": "receipt-20260106-0417",
        }),
    )
    .coded_error(
        400,
        &[
            "INVALID_REQUEST",
            "SALE_LIMIT",
            "OFFER_NOT_FOUND",
            "OFFER_NOT_AVAILABLE",
            "NO_OFFER_TO_SELL",
            "NO_SUCH_REDEMPTION",
            "REFUND_TOO_LARGE",
        ],
        "The value, offer, currency or delivery is invalid, the merchant has no card network account, there is no redemption to \
         give back (`NO_SUCH_REDEMPTION`), or all that is given back would be more than was redeemed (`REFUND_TOO_LARGE`).",
    )
    .message("value: must be greater than 0.")
    .not_active_error()
    .error(403, "The merchant is not your own, or the store not that of the till.")
    .error(404, "The merchant does not exist.")
    .message("There is no such merchant.")
    .key_errors()
    .error(504, "Too little time was left, and nothing was done (`TOO_LITTLE_TIME`).")
    .unknown_outcome::<UnknownIssue>(
        "UnknownIssue",
        "It is not known yet whether the card was issued (`UNKNOWN_OUTCOME`): ask for the operation until it is.",
    )
    .passes_on_card_network_errors()
    .card_network_message("The card network did not issue the card.")
}

/// Returns the identifiers of the card and the order.
///
/// 403 if the merchant is not active; 400 for an invalid value, offer, currency or delivery; the network's status, with
/// its response in `error.details`, if it refuses; 504 with `details.outcome: "unknown"` while it is not known whether the
/// card was issued.
pub(crate) async fn issue(
    caller: MaybeAtTill,
    State(app): State<App>,
    invocation: Invocation,
    intent: Intent,
    body: Result<RawBody, Fault>,
) -> Certain<Replayable<Data<Issued>>> {
    let mut certainty = Certainty::new(intent.has_key);
    let response = try_to_issue(caller, &app, &invocation, intent.headers, body, &mut certainty);
    let response = Box::pin(response).await;
    certainty.of(response)
}

async fn try_to_issue(
    caller: MaybeAtTill,
    app: &App,
    invocation: &Invocation,
    headers: Result<IntentHeaders, Fault>,
    body: Result<RawBody, Fault>,
    certainty: &mut Certainty,
) -> Result<Replayable<Data<Issued>>, Fault> {
    require_merchant_or_admin(&caller)?;
    let body = body?;
    let (requested_by, till) = (caller.operator(), caller.till().cloned());
    let merchant = selling_merchant(app, caller, requested_merchant(&body).as_deref()).await?;
    let attempt =
        Attempt::of(app, invocation, &merchant, OperationKind::Issue, headers, &body, certainty).await?;
    let key = match attempt {
        Attempt::First(key) => key,
        Attempt::Repeat(earlier) => return replay(app, &earlier, certainty).await,
    };

    let sale = Sale::check(app, invocation, &merchant, till.as_ref(), body.parse()?);
    // The history of the card needs the key as soon as the card is issued.
    let (sale, card_tags) = tokio::join!(sale, app.code_key());
    let (sale, _) = (sale?, card_tags?);
    let order = sale.order(app, merchant.id.clone(), &requested_by);
    let refund = sale.refund.as_ref().map(|refund| refund.counts.clone());
    let request = sale.into_request();
    let operation = CardOperation::Issue { order: &order, refund: refund.as_ref(), request: &request };
    let execution = operation.execute(app, invocation, &requested_by, key.as_ref()).await;
    certainty.executed(&execution);
    match execution? {
        Execution::Executed { reference, status } => {
            respond(&order, &reference, &status).map(Replayable::First)
        }
        Execution::Earlier(earlier) => replay(app, &earlier, certainty).await,
    }
}

/// The `merchantId` of the body. The merchant has to be known before the rest of the body is looked at: a key that was used
/// before is answered first.
fn requested_merchant(body: &RawBody) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Requested {
        merchant_id: Option<String>,
    }
    serde_json::from_slice::<Requested>(&body.0).ok()?.merchant_id
}

/// A validated sale.
#[derive(Debug)]
struct Sale {
    account: NetworkMerchantId,
    offer: Offer,
    value: Money,
    retail_store_id: String,
    device_id: Option<String>,
    payment_reference: String,
    delivery: DeliveryDetails,
    /// The name of the till's store.
    store_name: Option<String>,
    refund: Option<Return>,
    refund_reason: Option<String>,
}

impl Sale {
    async fn check(
        app: &App,
        invocation: &Invocation,
        merchant: &Merchant,
        till: Option<&Till>,
        body: Body,
    ) -> Result<Self, Fault> {
        let store = store_id(till, body.retail_store_id.and_then(Scalar::into_non_blank))?;
        let account = network_account(merchant)?.clone();
        let value = body.value.ok_or_else(|| Fault::invalid("value: is missing."))?;
        if !value.is_positive() {
            return Err(Fault::invalid("value: must be greater than 0."));
        }
        let delivery = delivery(&body.delivery_details.unwrap_or_default().0, body.email.as_deref())?;
        let payment_reference =
            payment_reference(app, body.payment_reference.as_deref(), body.external_reference.as_deref())?;
        let requested = non_blank(body.currency.as_deref()).map(|code| parse_currency(&code)).transpose()?;
        let refund_reason = refund_reason(non_blank(body.refund_reason.as_deref()))?;
        let selection = match body.gift_card_offer_id.and_then(Scalar::into_non_blank) {
            Some(id) => OfferSelection::Id(OfferId::new(id)),
            None if body.refund_of.is_some() => OfferSelection::Default(OfferType::RefundDigital),
            None => OfferSelection::Default(OfferType::normalise(
                body.gift_card_offer_type.as_deref().unwrap_or_default(),
            )),
        };
        let offer = select_offer(app, invocation, merchant, &account, &selection).await?;
        let currency = sale_currency(&offer, merchant.currency, requested).map_err(currency_fault)?;
        let minor = value.minor(currency).map_err(|error| Fault::invalid(format!("value: {error}.")))?;
        offer.pricing.check(minor, currency).map_err(|error| Fault::invalid(format!("value: {error}.")))?;
        if let Some(limit) = merchant.max_sale_minor.filter(|limit| minor > *limit) {
            let limit = Money::new(limit, currency).decimal();
            let message = format!("value: must be at most {limit}, the merchant's limit for one sale.");
            return Err(Fault::invalid(message).code("SALE_LIMIT"));
        }
        let value = Money::new(minor, currency);
        let refund = match body.refund_of {
            Some(id) => Some(Return::check(app, merchant, &offer, value, &id).await?),
            None => None,
        };
        Ok(Self {
            account,
            offer,
            value,
            retail_store_id: store.unwrap_or_else(|| "0".to_owned()),
            device_id: non_blank(body.device_id.as_deref()).or(non_blank(body.terminal_id.as_deref())),
            payment_reference,
            delivery,
            store_name: till.and_then(|till| till.retail_store_name.clone()),
            refund,
            refund_reason,
        })
    }

    /// The order before the card is issued. The till has received the payment.
    fn order(&self, app: &App, merchant_id: MerchantId, by: &Operator) -> Order {
        let now = app.clock.now();
        let offer_name = self.offer.name.chars().take(MAX_NAME_LENGTH).collect();
        let id = OrderId::new(app.random.uuid(now).to_string());
        Order {
            status: OrderStatus::Paid.into(),
            payment_status: PaymentStatus::PaymentCaptureSucceeded.into(),
            buyer_email: self.delivery.email.clone(),
            recipient_email: self.delivery.email.clone(),
            delivery_type: self.delivery.delivery_type.into(),
            payment_transaction_id: Some(self.payment_reference.clone()),
            items: vec![OrderItem { offer_name, quantity: 1, amount: self.value }],
            sold_at_till: true,
            sold_by: Some(by.clone()),
            store_name: self.store_name.clone(),
            refund: self.refund.as_ref().map(Return::of_order),
            refund_reason: self.refund_reason.clone(),
            ..Order::new(id, merchant_id, now, self.value)
        }
    }

    fn into_request(self) -> IssueRequest {
        IssueRequest {
            merchant_id: self.account,
            gift_card_offer_id: self.offer.id,
            gift_card_offer_type: self.offer.offer_type,
            value: self.value.decimal(),
            currency: self.value.currency,
            retail_store_id: self.retail_store_id,
            device_id: self.device_id,
            payment_reference: self.payment_reference,
            delivery_details: self.delivery,
        }
    }
}

/// The selected offer of the merchant. An offer whose id is known is read alone; all of them are read only to find a default
/// for a merchant that has configured none which can be sold.
async fn select_offer(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    account: &NetworkMerchantId,
    selection: &OfferSelection,
) -> Result<Offer, Fault> {
    let (network, now) = (app.card_network(), app.clock.now());
    let configured = merchant.default_offer_id.as_ref();
    let known = match selection {
        OfferSelection::Id(id) => Some(id),
        OfferSelection::Default(_) => configured,
    };
    let mut own = Vec::new();
    if let Some(id) = known {
        match network.offer(invocation, id).await {
            Ok(raw) => own.extend(raw.read().ok().filter(|offer| offer.belongs_to(account))),
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(unreadable_offers(&error)),
        }
    }
    let selected = match selection.select(own, configured, now) {
        Err(SelectionError::NothingToSell) => {
            let list =
                network.offers(invocation, account).await.map_err(|error| unreadable_offers(&error))?;
            let own = list.offers.iter().filter_map(|raw| raw.read().ok());
            selection.select(own.filter(|offer| offer.belongs_to(account)).collect(), configured, now)
        }
        selected => selected,
    };
    selected.map_err(|error| selection_fault(error, selection))
}

fn unreadable_offers(error: &NetworkError) -> Fault {
    Fault::card_network(error, "The offers of the card network could not be read.")
}

fn selection_fault(error: SelectionError, selection: &OfferSelection) -> Fault {
    match error {
        SelectionError::NotFound => {
            Fault::invalid("giftCardOfferId: there is no such offer.").code("OFFER_NOT_FOUND")
        }
        SelectionError::NotAvailable => {
            Fault::invalid("giftCardOfferId: the offer is not available.").code("OFFER_NOT_AVAILABLE")
        }
        SelectionError::OutsidePurchaseTimes => {
            Fault::invalid("giftCardOfferId: the offer cannot be sold at this time.")
                .code("OFFER_NOT_AVAILABLE")
        }
        SelectionError::NothingToSell => {
            let kind = match selection {
                OfferSelection::Default(OfferType::RefundDigital) => "refund card",
                _ => "gift card",
            };
            Fault::invalid(format!("The merchant has no {kind} offer that can be sold now."))
                .code("NO_OFFER_TO_SELL")
        }
    }
}

fn parse_currency(code: &str) -> Result<Currency, Fault> {
    Currency::from_typed(code).map_err(|error| Fault::invalid(format!("currency: {error}.")))
}

fn currency_fault(error: SaleCurrencyError) -> Fault {
    match error {
        SaleCurrencyError::Missing => Fault::invalid("currency: is missing."),
        SaleCurrencyError::OtherCurrency => {
            Fault::invalid("currency: the offer is sold in another currency.")
        }
        SaleCurrencyError::Unknown(_) => {
            Fault::upstream(502, "The offer has a currency that does not exist.", None)
        }
    }
}

fn delivery(details: &BodyDelivery, legacy_email: Option<&str>) -> Result<DeliveryDetails, Fault> {
    let delivery_type =
        match non_blank(details.delivery_type.as_deref()).map(|text| text.to_uppercase()).as_deref() {
            None | Some("EMAIL") => DeliveryType::Email,
            Some("SMS") => DeliveryType::Sms,
            Some("QR") => DeliveryType::Qr,
            Some(_) => return Err(Fault::invalid("deliveryDetails.deliveryType: must be EMAIL, SMS or QR.")),
        };
    let email = non_blank(details.email.as_deref()).or(non_blank(legacy_email));
    let phone_number = non_blank(details.phone_number.as_deref());
    if delivery_type == DeliveryType::Email && email.is_none() {
        return Err(Fault::invalid("deliveryDetails.email: is needed for delivery by e-mail."));
    }
    if email.as_ref().is_some_and(|email| !is_address(email)) {
        return Err(Fault::invalid("deliveryDetails.email: must be a valid e-mail address."));
    }
    if delivery_type == DeliveryType::Sms && phone_number.is_none() {
        return Err(Fault::invalid("deliveryDetails.phoneNumber: is needed for delivery by SMS."));
    }
    Ok(DeliveryDetails { delivery_type, email, phone_number })
}

fn payment_reference(app: &App, own: Option<&str>, external: Option<&str>) -> Result<String, Fault> {
    let own = non_blank(own).map(|reference| ("paymentReference", reference));
    let reference = own.or(non_blank(external).map(|reference| ("externalReference", reference)));
    match reference {
        None => {
            let timestamp = app.clock.now().as_millisecond();
            Ok(format!("POS-{timestamp}-{}", hex::encode(app.random.bytes::<4>())))
        }
        Some((field, reference)) if reference.chars().count() > MAX_REFERENCE_LENGTH => {
            Err(Fault::invalid(format!("{field}: must be at most {MAX_REFERENCE_LENGTH} characters.")))
        }
        Some((_, reference)) => Ok(reference),
    }
}

/// Trims; `None` if blank.
fn non_blank(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The response to the first request.
async fn replay(
    app: &App,
    earlier: &EarlierRequest,
    certainty: &mut Certainty,
) -> Result<Replayable<Data<Issued>>, Fault> {
    let EarlierRequest { operation, status, .. } = earlier;
    let Subject::Issue(id) = &operation.subject else {
        return Err(Fault::internal("an idempotency key of the issue route belongs to another operation"));
    };
    let order = order_of(app, &operation.merchant_id, id).await?;
    replayed(respond(&order, &operation.reference, status), earlier, certainty)
}

/// The order of an operation.
pub(crate) async fn order_of(app: &App, merchant: &MerchantId, id: &OrderId) -> Result<Order, Fault> {
    let order = app.store.order(merchant, id).await?;
    order.map(|order| order.value).ok_or_else(|| Fault::internal("an issue operation has no order"))
}

/// The response to an issue with this status.
pub(crate) fn respond(
    order: &Order,
    reference: &Reference,
    status: &OperationStatus,
) -> Result<Data<Issued>, Fault> {
    match status {
        OperationStatus::Closed(Outcome::Succeeded(response)) => Ok(Data(issued(order, response))),
        OperationStatus::Closed(Outcome::Failed(refusal)) => {
            Err(Fault::refusal("The card network did not issue the card.", refusal))
        }
        OperationStatus::Unknown => Err(Fault::unknown_outcome(
            "It is not known yet whether the card was issued. Do not make the sale again without the same \
             Idempotency-Key.",
            details(&UnknownIssue {
                outcome: Unknown::Unknown,
                reference,
                order_id: &order.id,
                payment_reference: order.payment_transaction_id.as_deref(),
            }),
        )),
    }
}

fn issued(order: &Order, response: &str) -> Issued {
    let [reservation_code, order_hash, gift_card_id, card_no, qr_code] =
        pass_through(response, ["reservationCode", "orderHash", "giftCardId", "cardNo", "qrCode"]);
    Issued {
        reservation_code,
        order_hash,
        gift_card_id,
        card_no,
        qr_code,
        order_id: order.id.clone(),
        payment_reference: order.payment_transaction_id.clone().unwrap_or_default(),
    }
}
