//! `POST /api/bff/pos/issue`: sell a gift card at a till.
//!
//! Whatever can be refused is refused before anything is written. Then the order and the intent to issue its card
//! are written, and [`shared::operations`] does the rest.

use std::str::FromStr;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::card_network::{DeliveryDetails, IssueRequest, MoneyCall, passed_through};
use shared::domain::ids::{MerchantId, NetworkMerchantId, OfferId, OrderId, Reference};
use shared::domain::merchant::Merchant;
use shared::domain::money::{Currency, Decimal, Money};
use shared::domain::offer::{Offer, OfferType};
use shared::domain::operation::{Outcome, Subject};
use shared::domain::order::{DeliveryType, FraudCheck, Order, OrderItem, OrderStatus, PaymentStatus};
use shared::http::access::{MaybeAuthorized, network_account, permission};
use shared::http::body::{Object, RawBody, Scalar};
use shared::http::description::{AsTheNetworkHasIt, Description};
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::reply::Data;
use shared::mail::is_address;
use shared::operations::Standing;
use shared::store::Write;
use shared::store::idempotency::KeyedRoute;
use utoipa::ToSchema;

use crate::idempotency::{Earlier, KEY_HEADER, KEY_TEXT, KeyHeader, Keyed, replayed};
use crate::intent::{Execution, Intent, refused};

const MAX_REFERENCE_LENGTH: usize = 80;
/// What an order keeps of an offer's name at most: it must grow no row beyond its bounds.
const MAX_NAME_LENGTH: usize = 1000;

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IssueRequest)]
struct Body {
    /// Currency units, greater than 0, with no more decimals than the currency has.
    #[schema(required = true, nullable = false)]
    value: Option<Decimal>,
    /// Without it, the merchant's default offer of the type is sold.
    gift_card_offer_id: Option<Scalar>,
    /// Whatever speaks of a refund is `REFUND_DIGITAL`, all else `GIFTCARD_DIGITAL`.
    gift_card_offer_type: Option<String>,
    /// Must be the offer's.
    currency: Option<String>,
    retail_store_id: Option<Scalar>,
    device_id: Option<String>,
    /// Another name of `deviceId`, which wins.
    terminal_id: Option<String>,
    #[schema(max_length = 80)]
    payment_reference: Option<String>,
    /// Stands in for `paymentReference`.
    external_reference: Option<String>,
    /// For platform administrators: the merchant to issue for.
    merchant_id: Option<String>,
    #[schema(value_type = Option<BodyDelivery>)]
    delivery_details: Option<Object<BodyDelivery>>,
    /// Older tills send the address here.
    email: Option<String>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryDetails)]
struct BodyDelivery {
    /// `EMAIL` (the default), `SMS` or `QR`, in any case.
    delivery_type: Option<String>,
    /// Needed for `EMAIL`.
    email: Option<String>,
    /// Needed for `SMS`.
    phone_number: Option<String>,
}

/// The card as the network names it, and where to find the sale.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Issued {
    #[schema(value_type = AsTheNetworkHasIt)]
    reservation_code: Box<RawValue>,
    #[schema(value_type = AsTheNetworkHasIt)]
    order_hash: Box<RawValue>,
    #[schema(value_type = AsTheNetworkHasIt)]
    gift_card_id: Box<RawValue>,
    #[schema(value_type = AsTheNetworkHasIt)]
    card_no: Box<RawValue>,
    #[schema(value_type = AsTheNetworkHasIt)]
    qr_code: Box<RawValue>,
    #[schema(value_type = String)]
    order_id: OrderId,
    payment_reference: String,
}
pub(crate) fn describe() -> Description {
    Description::new(
        "Issue a gift card",
        "Sells a card at a till. An order is written before the card network is asked, and shows what came of it. \
         Send an `Idempotency-Key` to be able to repeat the request.",
    )
    .header(KEY_HEADER, KEY_TEXT)
    .body::<Body>(json!({
        "value": "250.50",
        "deliveryDetails": {"deliveryType": "EMAIL", "email": "bo@example.com"},
        "paymentReference": "receipt-7",
    }))
    .data::<Issued>(
        "The card was issued.",
        json!({
            "reservationCode": "R-1", "orderHash": "5f2c", "giftCardId": 7001, "cardNo": "9752000011112222",
            "qrCode": "QR-1", "orderId": "0199-order", "paymentReference": "receipt-7",
        }),
    )
    .refuses(400, "A value, offer, currency or delivery that cannot be, or no card network account.")
    .refuses(404, "The merchant does not exist.")
    .refuses(409, "The first request with this key is still at work.")
    .refuses(422, "The key was used with another request.")
    .refuses(504, "Too little time was left, or it is not known yet whether the card was issued.")
    .passes_on_the_network()
}

/// Issues a card and answers with its codes and the order.
///
/// 400 for a value, offer, currency or delivery that cannot be; the network's own status, with its answer in
/// `error.details`, where it refuses; 504 with `details.outcome: "unknown"` where it cannot be known yet whether the
/// card was issued.
pub(crate) async fn issue(
    caller: MaybeAuthorized<permission::Pos>,
    State(app): State<App>,
    invocation: Invocation,
    key: Result<KeyHeader, Fault>,
    body: Result<RawBody, Fault>,
) -> Result<Response, Fault> {
    if matches!(&caller, MaybeAuthorized::NoMerchant(user) if !user.is_admin) {
        return Err(no_merchant());
    }
    let (key, body) = (key?, body?);
    let request: Body = body.parse()?;
    let merchant = selling_merchant(&app, caller, request.merchant_id.as_deref()).await?;
    let keyed = Keyed::new(key, &body, &merchant.id, KeyedRoute::Issue);
    if let Some(keyed) = &keyed
        && let Some(earlier) = keyed.earlier(&app, &invocation).await?
    {
        return answer_again(&app, earlier).await;
    }

    let sale = Sale::check(&app, &invocation, &merchant, request).await?;
    let order = sale.order(&app, merchant.id.clone());
    let intent = Intent {
        merchant: merchant.id.clone(),
        subject: Subject::Issue(order.id.clone()),
        about: Write::create(&order)?,
        call: MoneyCall::Issue(sale.into_request()),
    };
    match intent.meet(&app, &invocation, keyed.as_ref()).await? {
        Execution::Now { reference, standing } => Ok(answer(&order, &reference, &standing).into_response()),
        Execution::Earlier(earlier) => answer_again(&app, earlier).await,
    }
}

/// The caller's merchant, or the one that a platform administrator names.
async fn selling_merchant(
    app: &App,
    caller: MaybeAuthorized<permission::Pos>,
    named: Option<&str>,
) -> Result<Merchant, Fault> {
    let (user, own) = match caller {
        MaybeAuthorized::Authorized(caller) => (caller.user, Some(caller.merchant.value)),
        MaybeAuthorized::NoMerchant(user) => (user, None),
    };
    let named = named.map(str::trim).filter(|named| !named.is_empty());
    match (named, own) {
        (None, Some(own)) => Ok(own),
        (Some(named), Some(own)) if named == own.id.as_str() => Ok(own),
        (Some(named), _) if user.is_admin => {
            let merchant = app.store.merchant(&MerchantId::new(named)).await?;
            merchant.map(|merchant| merchant.value).ok_or_else(no_merchant)
        }
        (Some(_), _) => Err(Fault::forbidden("merchantId: you can only issue for your own merchant.")),
        (None, None) => Err(no_merchant()),
    }
}

fn no_merchant() -> Fault {
    Fault::not_found("There is no such merchant.")
}

/// A sale that nothing speaks against.
#[derive(Debug)]
struct Sale {
    account: NetworkMerchantId,
    offer: Offer,
    value: Money,
    retail_store_id: String,
    device_id: Option<String>,
    payment_reference: String,
    delivery: DeliveryDetails,
}

impl Sale {
    async fn check(
        app: &App,
        invocation: &Invocation,
        merchant: &Merchant,
        body: Body,
    ) -> Result<Self, Fault> {
        let account = network_account(merchant)?.clone();
        let value = body.value.ok_or_else(|| Fault::invalid("value: is missing."))?;
        if !value.is_positive() {
            return Err(Fault::invalid("value: must be greater than 0."));
        }
        let delivery = delivery(&body.delivery_details.unwrap_or_default().0, body.email.as_deref())?;
        let payment_reference =
            payment_reference(app, body.payment_reference.as_deref(), body.external_reference.as_deref())?;
        let currency = text(body.currency.as_deref()).map(|code| read_currency(&code)).transpose()?;
        let wanted = Wanted {
            id: body.gift_card_offer_id.and_then(Scalar::into_text).map(OfferId::new),
            offer_type: text(body.gift_card_offer_type.as_deref()).map(|text| OfferType::normalise(&text)),
        };
        let offer = wanted.find(app, invocation, merchant, &account).await?;
        let currency = sale_currency(&offer, merchant, currency)?;
        let minor = value.minor(currency).map_err(|error| Fault::invalid(format!("value: {error}.")))?;
        offer.pricing.check(minor, currency).map_err(|error| Fault::invalid(format!("value: {error}.")))?;
        Ok(Self {
            account,
            offer,
            value: Money::new(minor, currency),
            retail_store_id: body
                .retail_store_id
                .and_then(Scalar::into_text)
                .unwrap_or_else(|| "0".to_owned()),
            device_id: text(body.device_id.as_deref()).or(text(body.terminal_id.as_deref())),
            payment_reference,
            delivery,
        })
    }

    /// The order as it stands before the card is issued: the till has the money.
    fn order(&self, app: &App, merchant_id: MerchantId) -> Order {
        let now = app.clock.now();
        let offer_name = self.offer.name.chars().take(MAX_NAME_LENGTH).collect();
        Order {
            id: OrderId::new(app.random.uuid(now).to_string()),
            merchant_id,
            created_at: now,
            updated_at: now,
            status: OrderStatus::Paid,
            payment_status: PaymentStatus::PaymentCaptureSucceeded,
            fulfilment_status: None,
            total: self.value,
            buyer_email: self.delivery.email.clone(),
            buyer_name: None,
            recipient_email: self.delivery.email.clone(),
            recipient_name: None,
            delivery_type: self.delivery.delivery_type,
            payment_transaction_id: Some(self.payment_reference.clone()),
            processor_transaction_id: None,
            fraud: FraudCheck::default(),
            items: vec![OrderItem { offer_name, quantity: 1, amount: self.value }],
            gift_cards: Vec::new(),
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

/// The offer that a till asks for: by its id, or the default one of a type.
struct Wanted {
    id: Option<OfferId>,
    offer_type: Option<OfferType>,
}

impl Wanted {
    async fn find(
        &self,
        app: &App,
        invocation: &Invocation,
        merchant: &Merchant,
        account: &NetworkMerchantId,
    ) -> Result<Offer, Fault> {
        let offers = app.card_network().offers(invocation, account).await;
        let offers =
            offers.map_err(|error| error.into_fault("The offers of the card network could not be read."))?;
        let own = offers.iter().filter_map(|raw| raw.read().ok()).filter(|offer| offer.belongs_to(account));
        let offer = match &self.id {
            Some(id) => {
                by_id(own, id).ok_or_else(|| Fault::invalid("giftCardOfferId: there is no such offer."))?
            }
            None => self.default(own.collect(), merchant)?,
        };
        if self.offer_type.is_some_and(|wanted| wanted != offer.offer_type) {
            return Err(Fault::invalid("giftCardOfferType: the offer is of another type."));
        }
        if !offer.is_available() {
            return Err(Fault::invalid("giftCardOfferId: the offer is not available."));
        }
        Ok(offer)
    }

    /// The merchant's configured offer where its type fits, else the available one with the lowest number.
    fn default(&self, own: Vec<Offer>, merchant: &Merchant) -> Result<Offer, Fault> {
        let wanted = self.offer_type.unwrap_or(OfferType::GiftcardDigital);
        let number = |offer: &Offer| offer.id.as_str().parse::<u64>().unwrap_or(u64::MAX);
        let mut fitting: Vec<Offer> = own.into_iter().filter(|offer| offer.offer_type == wanted).collect();
        fitting.sort_by_key(number);
        let configured = merchant.default_offer_id.as_ref();
        let position = fitting.iter().position(|offer| Some(&offer.id) == configured);
        let position = position.or_else(|| fitting.iter().position(Offer::is_available));
        let missing =
            || Fault::invalid("giftCardOfferId: is missing, and there is no offer to fall back on.");
        position.map(|position| fitting.swap_remove(position)).ok_or_else(missing)
    }
}

fn by_id(mut offers: impl Iterator<Item = Offer>, id: &OfferId) -> Option<Offer> {
    offers.find(|offer| offer.id == *id)
}

fn read_currency(code: &str) -> Result<Currency, Fault> {
    Currency::from_str(&code.to_uppercase()).map_err(|error| Fault::invalid(format!("currency: {error}.")))
}

/// The offer's currency; where it has none, the one that was asked for, else the merchant's.
fn sale_currency(offer: &Offer, merchant: &Merchant, wanted: Option<Currency>) -> Result<Currency, Fault> {
    let Some(code) = &offer.currency else {
        return wanted.or(merchant.currency).ok_or_else(|| Fault::invalid("currency: is missing."));
    };
    let unreadable = |_| Fault::upstream(502, "The offer has a currency that does not exist.", None);
    let currency = Currency::from_str(code).map_err(unreadable)?;
    if wanted.is_some_and(|wanted| wanted != currency) {
        return Err(Fault::invalid("currency: the offer is sold in another currency."));
    }
    Ok(currency)
}

fn delivery(details: &BodyDelivery, legacy_email: Option<&str>) -> Result<DeliveryDetails, Fault> {
    let delivery_type =
        match text(details.delivery_type.as_deref()).map(|text| text.to_uppercase()).as_deref() {
            None | Some("EMAIL") => DeliveryType::Email,
            Some("SMS") => DeliveryType::Sms,
            Some("QR") => DeliveryType::Qr,
            Some(_) => return Err(Fault::invalid("deliveryDetails.deliveryType: must be EMAIL, SMS or QR.")),
        };
    let email = text(details.email.as_deref()).or(text(legacy_email));
    let phone_number = text(details.phone_number.as_deref());
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
    let own = text(own).map(|reference| ("paymentReference", reference));
    let given = own.or(text(external).map(|reference| ("externalReference", reference)));
    match given {
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

/// A text without the space around it; none where nothing is left.
fn text(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The answer that the first request got, or would have got.
async fn answer_again(app: &App, Earlier { operation, standing }: Earlier) -> Result<Response, Fault> {
    let Subject::Issue(id) = &operation.subject else {
        return Err(Fault::internal("a key of the issue route stands for another operation"));
    };
    let order = app.store.order(&operation.merchant_id, id).await?;
    let order = order.ok_or_else(|| Fault::internal("an issue operation has no order"))?;
    Ok(replayed(answer(&order, &operation.reference, &standing), &standing))
}

fn answer(order: &Order, reference: &Reference, standing: &Standing) -> Result<Data<Issued>, Fault> {
    match standing {
        Standing::Closed(Outcome::Succeeded(reply)) => Ok(Data(issued(order, reply))),
        Standing::Closed(Outcome::Failed(refusal)) => {
            Err(refused("The card network did not issue the card.", refusal))
        }
        Standing::Unknown => Err(Fault::upstream(
            504,
            "It is not known yet whether the card was issued. The order will show it.",
            Some(json!({"reference": reference, "outcome": "unknown"})),
        )),
    }
}

fn issued(order: &Order, reply: &str) -> Issued {
    let [reservation_code, order_hash, gift_card_id, card_no, qr_code] =
        passed_through(reply, ["reservationCode", "orderHash", "giftCardId", "cardNo", "qrCode"]);
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
