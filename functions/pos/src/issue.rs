//! `POST /api/bff/pos/issue`: sell a gift card at a till.
//!
//! The request is validated completely before anything is written. Then [`shared::operations`] creates the order, issues
//! the card at the network and records the outcome.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::aws::mail::is_address;
use shared::base::invocation::Invocation;
use shared::card_network::{DeliveryDetails, IssueRequest, NetworkError, Outcome, Refusal, pass_through};
use shared::cards::model::order::{DeliveryType, Order, OrderItem, OrderStatus, PaymentStatus};
use shared::endpoint_error;
use shared::http::bounded::MaxChars;
use shared::http::{
    Certain, Data, Description, General, Intent, IntentHeaders, Invalid, KEY_HEADER, KeyError, MADE_AT_HEADER, MADE_AT_TEXT,
    MaybeAtTill, NetworkValue, Object, RawBody, Replayable, Replayed, Scalar, UnknownOutcome, network_account,
};
use shared::merchants::model::merchant::Merchant;
use shared::offers::model::offer::{NotForSale, Offer, OfferSelection, OfferType, OnSale, SelectionError, Seller};
use shared::operations::{
    CardOperation, Certainty, EarlierRequest, Execution, ExecutionError, OperationKind, OperationStatus, Subject, WebhookContext,
};
use shared::team::model::till::{NamedOperator, Till};
use shared::values::{Currency, Decimal, MerchantId, Money, NetworkMerchantId, OfferId, OrderId, Reference, non_blank};
use utoipa::ToSchema;

use crate::idempotency::{Attempt, AttemptError, KEY_TEXT, TimeError, replayed, require_key};
use crate::refund::{RefundError, RefundReason, Return};
use crate::selling_merchant::{SellingMerchantError, require_merchant_or_admin, selling_merchant};
use crate::store_of_till::{StoreOfTillError, store_id};
use crate::unknown::{Unknown, details};

type PaymentReference = MaxChars<80>;
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
    /// The id of the till, which is passed on to the card network.
    device_id: Option<String>,
    /// Used if there is no `deviceId`.
    terminal_id: Option<String>,
    /// The reference of the payment at the till, for the order. Default: a generated one.
    #[schema(value_type = Option<PaymentReference>)]
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
    /// The id of a redemption whose purchase is returned: the card gives back the amount, or a part of it. Its offer must be of
    /// the type `REFUND_DIGITAL`, which is then the default.
    refund_of: Option<String>,
    /// The reason for the return, for the order.
    #[schema(value_type = Option<RefundReason>)]
    refund_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryDetails)]
struct BodyDelivery {
    /// `EMAIL` (the default), `SMS` or `QR`; case-insensitive.
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
    /// The one in the request, or a new one.
    payment_reference: String,
}

/// An operation with an unknown outcome.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct UnknownIssue<'a> {
    #[schema(inline)]
    outcome: Unknown,
    /// Identifies the operation, in `getOperation`.
    #[schema(value_type = String)]
    reference: &'a Reference,
    /// The order that was created for the sale.
    #[schema(value_type = String)]
    order_id: &'a OrderId,
    /// The one in the request, or a new one.
    #[schema(value_type = String)]
    payment_reference: Option<&'a str>,
}

pub(crate) fn describe() -> Description {
    Description::new(
        "issueGiftCard",
        "Issue a gift card",
        "Sells a card at a till. The order is created before the card network is called, and shows the outcome. Send an \
         `Idempotency-Key` so that you can repeat the request safely.",
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
    .unknown_outcome::<UnknownIssue>(
        "UnknownIssue",
        "It is not known yet whether the card was issued (`UNKNOWN_OUTCOME`): call `getOperation` until it is.",
    )
}

endpoint_error! {
    pub(crate) enum IssueError {
        /// The value, offer, currency or delivery is invalid, or the merchant has no card network account.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "value: must be greater than 0.",
        /// The value is above the merchant's limit for one sale.
        SaleLimit(String) => 400 SALE_LIMIT "value: must be at most 10000, the merchant's limit for one sale.",
        /// There is no such offer.
        OfferNotFound => 400 OFFER_NOT_FOUND "giftCardOfferId: there is no such offer.",
        /// The offer is not available, or cannot be sold at this time.
        OfferNotAvailable(String) => 400 OFFER_NOT_AVAILABLE "giftCardOfferId: the offer is not available.",
        /// The price, the bounds, the denominations, a purchase time or the currency of the offer cannot be read, or leaves no
        /// valid price: the message names the field.
        OfferUnreadable(String) => 400 OFFER_UNREADABLE
            "giftCardOfferId: the offer cannot be sold. defaultPrice: must be a decimal number.",
        /// No offer can be sold now.
        NothingToSell(String) => 400 NO_OFFER_TO_SELL "The merchant has no gift card offer that can be sold now.",
        Refund(#[from] RefundError),
        Merchant(#[from] SellingMerchantError),
        Attempt(#[from] AttemptError),
        Store(#[from] StoreOfTillError),
        Time(#[from] TimeError),
        Refused(Refusal) => card_network "The card network did not issue the card.",
        UnreadableOffers(NetworkError) => card_network "The offers of the card network could not be read.",
        Unknown(UnknownOutcome),
        Replayed(#[from] Replayed),
    }
}

impl From<ExecutionError> for IssueError {
    fn from(error: ExecutionError) -> Self {
        match error {
            ExecutionError::TooLittleTime => TimeError::TooLittle.into(),
            ExecutionError::Idempotency(error) => Self::Attempt(KeyError::from(error).into()),
            ExecutionError::RefundTooLarge => Self::Refund(RefundError::TooLarge),
            ExecutionError::Store(error) => error.into(),
        }
    }
}

/// Returns the identifiers of the card and the order.
pub(crate) async fn issue(
    caller: MaybeAtTill,
    State(app): State<App>,
    invocation: Invocation,
    intent: Intent,
    body: Result<RawBody, General>,
) -> Certain<Replayable<Data<Issued>>, IssueError> {
    let mut certainty = Certainty::new(intent.has_key);
    let response = try_to_issue(caller, &app, &invocation, intent.headers, body, &mut certainty);
    let response = Box::pin(response).await;
    Certain::new(&certainty, response)
}

async fn try_to_issue(
    caller: MaybeAtTill,
    app: &App,
    invocation: &Invocation,
    headers: Result<IntentHeaders, Invalid>,
    body: Result<RawBody, General>,
    certainty: &mut Certainty,
) -> Result<Replayable<Data<Issued>>, IssueError> {
    require_merchant_or_admin(&caller)?;
    let body = body?;
    let requested = requested_merchant(&body);
    let (requested_by, till) = (caller.named_operator(requested.as_deref()), caller.till().cloned());
    let merchant = selling_merchant(app, caller, requested.as_deref()).await?;
    require_key(&requested_by.operator, &headers).map_err(AttemptError::from)?;
    let attempt = Attempt::of(app, invocation, &merchant, OperationKind::Issue, headers, &body, certainty).await?;
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
    let webhook = WebhookContext::of(&merchant, Some(sale.offer.id.clone()), sale.retail_store_id.clone());
    let request = sale.into_request();
    let operation = CardOperation::Issue { order: &order, refund: refund.as_ref(), request: &request };
    let execution = operation.execute(app, invocation, &requested_by.operator, key.as_ref(), webhook, certainty).await;
    match execution? {
        Execution::Executed { reference, status } => respond(&order, &reference, &status).map(Replayable::First),
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
    let requested: Requested = serde_json::from_slice(body.json()).ok()?;
    non_blank(requested.merchant_id.as_deref()).map(str::to_owned)
}

/// A validated sale.
#[derive(Debug)]
struct Sale {
    account: NetworkMerchantId,
    offer: Offer,
    value: Money,
    retail_store_id: Option<String>,
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
    ) -> Result<Self, IssueError> {
        let store = store_id(till, body.retail_store_id.and_then(Scalar::into_non_blank))?;
        let account = network_account(merchant)?.clone();
        let value = body.value.ok_or(Invalid::new("value: is missing."))?;
        if !value.is_positive() {
            return Err(Invalid::new("value: must be greater than 0.").into());
        }
        let delivery = delivery(&body.delivery_details.unwrap_or_default().0, body.email.as_deref())?;
        let payment_reference = payment_reference(app, body.payment_reference.as_deref(), body.external_reference.as_deref())?;
        let requested = non_blank(body.currency.as_deref()).map(parse_currency).transpose()?;
        let refund_reason = non_blank(body.refund_reason.as_deref()).map(str::to_owned);
        refund_reason.iter().try_for_each(|reason| RefundReason::check("refundReason", reason))?;
        let selection = match body.gift_card_offer_id.and_then(Scalar::into_non_blank) {
            Some(id) => OfferSelection::Id(OfferId::new(id)),
            None if body.refund_of.is_some() => OfferSelection::Default(OfferType::RefundDigital),
            None => OfferSelection::Default(OfferType::normalise(body.gift_card_offer_type.as_deref().unwrap_or_default())),
        };
        // The last resort: neither the offer nor the merchant has a currency.
        let seller = Seller { currency: merchant.currency.or(requested), ..Seller::from(merchant) };
        let sale = select_offer(app, invocation, merchant, &seller, &account, &selection).await?;
        let OnSale { offer, currency, prices } = sale;
        if requested.is_some_and(|requested| requested != currency) {
            return Err(Invalid::new("currency: the offer is sold in another currency.").into());
        }
        let minor = value.minor(currency).map_err(|error| Invalid::new(format!("value: {error}.")))?;
        prices.check(minor, currency).map_err(|error| Invalid::new(format!("value: {error}.")))?;
        if let Some(limit) = merchant.max_sale_minor.filter(|limit| minor > *limit) {
            let limit = Money::new(limit, currency).decimal();
            let message = format!("value: must be at most {limit}, the merchant's limit for one sale.");
            return Err(IssueError::SaleLimit(message));
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
            retail_store_id: store,
            device_id: non_blank(body.device_id.as_deref()).or(non_blank(body.terminal_id.as_deref())).map(str::to_owned),
            payment_reference,
            delivery,
            store_name: till.and_then(|till| till.retail_store_name.clone()),
            refund,
            refund_reason,
        })
    }

    /// The order before the card is issued. The till has received the payment.
    fn order(&self, app: &App, merchant_id: MerchantId, by: &NamedOperator) -> Order {
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
            retail_store_id: self.retail_store_id.unwrap_or_else(|| "0".to_owned()),
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
    seller: &Seller,
    account: &NetworkMerchantId,
    selection: &OfferSelection,
) -> Result<OnSale, IssueError> {
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
            Err(error) => return Err(IssueError::UnreadableOffers(error)),
        }
    }
    let selected = match selection.select(own, configured, seller, now) {
        Err(SelectionError::NothingToSell) => {
            let list = network.offers(invocation, account).await.map_err(IssueError::UnreadableOffers)?;
            selection.select(list.of(account), configured, seller, now)
        }
        selected => selected,
    };
    selected.map_err(|error| not_selected(error, selection))
}

fn not_selected(error: SelectionError, selection: &OfferSelection) -> IssueError {
    match error {
        SelectionError::NotFound => IssueError::OfferNotFound,
        SelectionError::NotForSale(NotForSale::NotAvailable) => {
            IssueError::OfferNotAvailable("giftCardOfferId: the offer is not available.".to_owned())
        }
        SelectionError::NotForSale(NotForSale::OutsidePurchaseTimes) => {
            IssueError::OfferNotAvailable("giftCardOfferId: the offer cannot be sold at this time.".to_owned())
        }
        SelectionError::NotForSale(NotForSale::Unreadable(problem)) => {
            IssueError::OfferUnreadable(format!("giftCardOfferId: the offer cannot be sold. {problem}"))
        }
        SelectionError::NothingToSell => {
            let kind = match selection {
                OfferSelection::Default(OfferType::RefundDigital) => "refund card",
                _ => "gift card",
            };
            IssueError::NothingToSell(format!("The merchant has no {kind} offer that can be sold now."))
        }
    }
}

fn parse_currency(code: &str) -> Result<Currency, Invalid> {
    code.parse().map_err(|error| Invalid::new(format!("currency: {error}.")))
}

fn delivery(details: &BodyDelivery, legacy_email: Option<&str>) -> Result<DeliveryDetails, Invalid> {
    let delivery_type = match non_blank(details.delivery_type.as_deref()).map(str::to_uppercase).as_deref() {
        None | Some("EMAIL") => DeliveryType::Email,
        Some("SMS") => DeliveryType::Sms,
        Some("QR") => DeliveryType::Qr,
        Some(_) => return Err(Invalid::new("deliveryDetails.deliveryType: must be EMAIL, SMS or QR.")),
    };
    let email = non_blank(details.email.as_deref()).or(non_blank(legacy_email));
    let phone_number = non_blank(details.phone_number.as_deref());
    if delivery_type == DeliveryType::Email && email.is_none() {
        return Err(Invalid::new("deliveryDetails.email: is required for delivery by e-mail."));
    }
    if email.is_some_and(|email| !is_address(email)) {
        return Err(Invalid::new("deliveryDetails.email: must be a valid e-mail address."));
    }
    if delivery_type == DeliveryType::Sms && phone_number.is_none() {
        return Err(Invalid::new("deliveryDetails.phoneNumber: is required for delivery by SMS."));
    }
    Ok(DeliveryDetails { delivery_type, email: email.map(str::to_owned), phone_number: phone_number.map(str::to_owned) })
}

fn payment_reference(app: &App, own: Option<&str>, external: Option<&str>) -> Result<String, Invalid> {
    let own = non_blank(own).map(|reference| ("paymentReference", reference));
    let reference = own.or(non_blank(external).map(|reference| ("externalReference", reference)));
    match reference {
        None => {
            let timestamp = app.clock.now().as_millisecond();
            Ok(format!("POS-{timestamp}-{}", hex::encode(app.random.bytes::<4>())))
        }
        Some((field, reference)) => PaymentReference::check(field, reference).map(|()| reference.to_owned()),
    }
}

/// The response to the first request.
async fn replay(app: &App, earlier: &EarlierRequest, certainty: &mut Certainty) -> Result<Replayable<Data<Issued>>, IssueError> {
    let operation = &earlier.operation;
    let Subject::Issue(id) = &operation.subject else {
        let cause = "an idempotency key of the issue route belongs to another operation";
        return Err(General::internal(cause).into());
    };
    let order = order_of(app, &operation.merchant_id, id).await?;
    replayed(earlier.status(certainty), |status| respond(&order, &operation.reference, status))
}

/// The order of an operation.
pub(crate) async fn order_of(app: &App, merchant: &MerchantId, id: &OrderId) -> Result<Order, General> {
    let order = app.store.order(merchant, id).await?;
    order.map(|order| order.value).ok_or_else(|| General::internal("an issue operation has no order"))
}

pub(crate) fn respond(order: &Order, reference: &Reference, status: &OperationStatus) -> Result<Data<Issued>, IssueError> {
    match status {
        OperationStatus::Closed(Outcome::Succeeded(response)) => Ok(Data(issued(order, response))),
        OperationStatus::Closed(Outcome::Failed(refusal)) => Err(IssueError::Refused(refusal.clone())),
        OperationStatus::Unknown => Err(IssueError::Unknown(UnknownOutcome {
            message: "It is not known yet whether the card was issued. Do not repeat the sale without the same Idempotency-Key.",
            details: details(&UnknownIssue {
                outcome: Unknown::Unknown,
                reference,
                order_id: &order.id,
                payment_reference: order.payment_transaction_id.as_deref(),
            }),
        })),
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
