//! Redemptions: payments with a gift card.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::card_tag::CardTag;
use crate::projections::model::reports::outstanding::{REDEEMED, REDEEMED_OF_OTHERS};
use crate::projections::model::tally::{Countable, Series, Tally};
use crate::settlements::model::fees::SettlementTerms;
use crate::team::model::till::NamedOperator;
use crate::values::{Currency, GiftCardId, MerchantId, Money, OpenEnum, OrderId, QrCode, RedemptionId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum RedemptionStatus {
    /// Sent to the card network; the outcome is not known yet.
    Pending,
    Succeeded,
    Failed,
}

/// The channel of a redemption. Imported redemptions have others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RedemptionSource {
    /// A till.
    Pos,
}

impl RedemptionSource {
    /// The name that the portal shows.
    pub fn label(self) -> &'static str {
        match self {
            Self::Pos => "POS",
        }
    }
}

/// The order and the card that a redemption was charged to, if the card was sold by the same merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardLink {
    pub order_id: OrderId,
    pub gift_card_id: GiftCardId,
    /// Whether the merchant took the money for the card at its own till.
    #[serde(default)]
    pub sold_at_till: bool,
    /// That of the card's value.
    pub currency: Currency,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redemption {
    pub id: RedemptionId,
    pub merchant_id: MerchantId,
    pub occurred_at: Timestamp,
    pub status: OpenEnum<RedemptionStatus>,
    pub source: Option<OpenEnum<RedemptionSource>>,
    pub store_name: Option<String>,
    pub amount: Money,
    pub qr_code: Option<QrCode>,
    pub network_code: Option<String>,
    pub card: Option<CardLink>,
    /// Whether its currency was not the merchant's when it began. The network's reply has to confirm it then.
    #[serde(default)]
    pub foreign_currency: bool,
    /// Whether the network's reply names something else than was asked for.
    #[serde(default)]
    pub reply_disagrees: bool,
    /// The card in its history. `None` in fixtures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_tag: Option<CardTag>,
    /// Who redeemed the card. `None` in fixtures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<NamedOperator>,
    /// The terms of its settlement, fixed when the redemption began. `None` if the merchant is paid on sale. Required in a
    /// row, also if null: without terms, the merchant would not be paid.
    #[serde(deserialize_with = "Option::deserialize")]
    pub terms: Option<SettlementTerms>,
}

/// What reports show of a redemption. Stored beside the redemption, so that a report reads nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedemptionEntry {
    pub id: RedemptionId,
    pub occurred_at: Timestamp,
    pub status: OpenEnum<RedemptionStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<OpenEnum<RedemptionSource>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_name: Option<String>,
    pub amount: Money,
    /// The last characters of the card's code, which cannot be redeemed.
    pub card_reference: String,
    /// Whether the merchant issued the card, in the currency of the amount.
    #[serde(default)]
    pub is_of_own_card: bool,
}

impl From<&Redemption> for RedemptionEntry {
    fn from(redemption: &Redemption) -> Self {
        Self {
            id: redemption.id.clone(),
            occurred_at: redemption.occurred_at,
            status: redemption.status.clone(),
            source: redemption.source.clone(),
            store_name: redemption.store_name.clone(),
            amount: redemption.amount,
            card_reference: card_reference(redemption.network_code.as_deref(), redemption.qr_code.as_ref()).to_owned(),
            is_of_own_card: redemption.card.as_ref().is_some_and(|card| card.currency == redemption.amount.currency),
        }
    }
}

/// The first labels of names in tallies.
pub const STORE: &str = "store";
pub const SOURCE: &str = "source";

impl RedemptionEntry {
    pub fn source_text(&self) -> Option<&str> {
        self.source.as_ref().map(|source| source.label(RedemptionSource::label))
    }
}

impl Countable for RedemptionEntry {
    fn counted_at(&self) -> Timestamp {
        self.occurred_at
    }

    fn count(&self, series: Series, tally: &mut Tally) {
        let Money { minor, currency } = self.amount;
        match series {
            Series::Redemptions if self.status == RedemptionStatus::Succeeded => {
                let kind = if self.is_of_own_card { REDEEMED } else { REDEEMED_OF_OTHERS };
                tally.add([&self.status.to_string(), currency.code(), kind], minor);
            }
            Series::Redemptions => tally.add([&self.status.to_string(), currency.code()], minor),
            Series::RedemptionNames if self.status == RedemptionStatus::Succeeded => {
                tally.add([STORE, trimmed(self.store_name.as_deref()), currency.code()], minor);
                tally.add([SOURCE, trimmed(self.source_text()), currency.code()], minor);
            }
            _ => {}
        }
    }
}

/// Empty if missing or blank.
pub(crate) fn trimmed(text: Option<&str>) -> &str {
    text.map(str::trim).unwrap_or_default()
}

/// A display reference that cannot be redeemed: the last four characters of the card network's code, else of the QR code. Codes
/// of up to four characters are masked completely.
pub fn card_reference<'a>(network_code: Option<&'a str>, qr_code: Option<&'a QrCode>) -> &'a str {
    let non_blank = |text: &'_ &str| !text.trim().is_empty();
    let qr_code = || qr_code.map(QrCode::as_str).filter(non_blank);
    let code = network_code.filter(non_blank).or_else(qr_code).unwrap_or_default();
    last_four(code.trim()).unwrap_or("••••")
}

/// Returns the last four characters, or `None` if the text has no more than four.
fn last_four(text: &str) -> Option<&str> {
    let (start, _) = text.char_indices().rev().nth(3)?;
    text.get(start..).filter(|_| start > 0)
}

#[cfg(test)]
impl Redemption {
    /// One euro, and nothing else that is known.
    pub(crate) fn example() -> Self {
        Self {
            id: RedemptionId::new("r"),
            merchant_id: MerchantId::new("m"),
            occurred_at: Timestamp::UNIX_EPOCH,
            status: RedemptionStatus::Succeeded.into(),
            source: None,
            store_name: None,
            amount: Money::new(crate::values::Minor::new(100), Currency::EUR),
            qr_code: None,
            network_code: None,
            card: None,
            foreign_currency: false,
            reply_disagrees: false,
            card_tag: None,
            requested_by: None,
            terms: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_only_the_last_four_characters_of_a_card_code() {
        for (network_code, qr_code, reference) in [
            (Some("NC-12345"), Some("QR-9876"), "2345"),
            (None, Some("QR-9876"), "9876"),
            (Some(" "), Some("QR-9876"), "9876"),
            (Some("12345"), None, "2345"),
            (Some("1234"), None, "••••"),
            (Some("1234"), Some("QR-9876"), "••••"),
            (Some("ååäöü"), None, "åäöü"),
            (Some("åäöü"), None, "••••"),
            (None, Some(""), "••••"),
            (None, None, "••••"),
        ] {
            let redemption = Redemption {
                qr_code: qr_code.map(QrCode::new),
                network_code: network_code.map(str::to_owned),
                ..Redemption::example()
            };
            let entry = RedemptionEntry::from(&redemption);
            assert_eq!(entry.card_reference, reference, "{network_code:?} {qr_code:?}");
        }
    }
}
