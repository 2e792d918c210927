use std::collections::BTreeSet;

use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use shared::cards::model::order::{GiftCardStatus, Order, OrderStatus};
use shared::cards::model::redemption::{Redemption, RedemptionStatus};
use shared::merchants::model::merchant::Merchant;
use shared::values::{Currency, Money, time_zone};

/// What is outstanding of a merchant's gift cards, by currency, made of its orders and redemptions one by one. Cards are found by their
/// code, not by what a redemption says.
pub fn outstanding(merchant: &Merchant, orders: &[Order], redemptions: &[Redemption], months: i32, now: Timestamp) -> Value {
    let zone = time_zone(&merchant.time_zone);
    let month = |at: Timestamp| at.to_zoned(zone.clone()).strftime("%Y-%m").to_string();
    let has_issued = |order: &Order| {
        let statuses = [OrderStatus::Completed, OrderStatus::Refunded, OrderStatus::Cancelled];
        order.created_at <= now && statuses.iter().any(|status| order.status == *status)
    };
    let cards = || orders.iter().flat_map(|order| order.gift_cards.iter().map(move |card| (order, card)));
    let issued: Vec<(String, Money, bool)> = cards()
        .filter(|(order, card)| has_issued(order) && card.status == GiftCardStatus::Issued)
        .map(|(order, card)| (month(order.created_at), card.value, order.refund.is_some()))
        .collect();
    let is_own = |redemption: &Redemption| {
        cards().any(|(_, card)| {
            let currencies = (card.value.currency, redemption.amount.currency);
            card.qr_code.is_some() && card.qr_code == redemption.qr_code && currencies.0 == currencies.1
        })
    };
    let redeemed: Vec<(String, Money, bool)> = redemptions
        .iter()
        .filter(|redemption| redemption.occurred_at <= now && redemption.status == RedemptionStatus::Succeeded)
        .map(|redemption| (month(redemption.occurred_at), redemption.amount, is_own(redemption)))
        .collect();

    let last = now.to_zoned(zone.clone()).date().first_of_month();
    let shown = (0..months).rev().map(|back| last.saturating_sub(back.months()).strftime("%Y-%m").to_string());
    let shown: Vec<String> = shown.collect();
    let own = merchant.currency.unwrap_or(Currency::EUR).code();
    let all: BTreeSet<&str> = issued.iter().chain(&redeemed).map(|(_, amount, _)| amount.currency.code()).collect();
    let currencies = std::iter::once(own).chain(all.into_iter().filter(|code| *code != own)).map(|code| {
        let sum = |rows: &[(String, Money, bool)], matches: &dyn Fn(&str, bool) -> bool| -> (i64, usize) {
            let of_currency = rows.iter().filter(|(_, amount, _)| amount.currency.code() == code);
            let amounts: Vec<i64> =
                of_currency.filter(|(month, _, flag)| matches(month, *flag)).map(|(_, amount, _)| amount.minor.get()).collect();
            (amounts.iter().sum(), amounts.len())
        };
        let until =
            |last: &str| sum(&issued, &|month, _| month <= last).0 - sum(&redeemed, &|month, is_own| is_own && month <= last).0;
        let months = shown.iter().map(|shown| {
            let issued_in = sum(&issued, &|month, _| month == shown);
            let redeemed_in = sum(&redeemed, &|month, is_own| is_own && month == shown);
            json!({
                "month": shown, "issuedMinor": issued_in.0, "issuedCount": issued_in.1, "redeemedMinor": redeemed_in.0,
                "redeemedCount": redeemed_in.1, "outstandingMinor": until(shown),
                "givenBackMinor": sum(&issued, &|month, gives_back| gives_back && month == shown).0,
            })
        });
        let of_others = sum(&redeemed, &|month, is_own| !is_own && shown.iter().any(|shown| shown == month)).0;
        json!({
            "currency": code, "months": months.collect::<Vec<_>>(), "redeemedOfOthersMinor": of_others,
            "outstandingMinor": until(&month(now)),
        })
    });
    currencies.collect()
}
