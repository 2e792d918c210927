//! Lists and reports made of all rows: they are read, then filtered, sorted, counted and summed one by one, without entries,
//! tallies and search segments.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};
use shared::base::clock::iso_8601;
use shared::cards::model::order::{FraudStatus, Order, OrderEntry, OrderStatus};
use shared::cards::model::redemption::{Redemption, RedemptionEntry, RedemptionStatus};
use shared::db::keys::{Listed, at_and_id, listed_rows};
use shared::db::{Cursor, Entity};
use shared::merchants::model::merchant::Merchant;
use shared::projections::model::reports::fraud::{action_label, reason_text};
use shared::projections::model::reports::humanize::{humanize, label};
use shared::projections::model::reports::kpi::{Kpi, PercentageKpi, percentage};
use shared::projections::model::reports::ranking::Ranking;
use shared::projections::model::reports::redemptions::{source_label, store_label};
use shared::projections::model::reports::total::Total;
use shared::projections::model::visit::Visit;
use shared::settlements::model::fees::FeeSnapshot;
use shared::settlements::model::settlement::{Settlement, SettlementStatus};
use shared::values::{Currency, Minor, Money, PeriodSlot, ReportPeriod, date_of, time_zone};
use world::shop::with;
use world::{System, outstanding};

const MAX_SHARES: usize = 8;
const MAX_STATUSES: usize = 10;
const MAX_RECENT: usize = 10;
const MAX_EVENTS: usize = 8;

/// All rows of a merchant, newest first.
pub(crate) struct AllRows {
    merchant: Merchant,
    now: Timestamp,
    pub(crate) orders: Vec<Order>,
    pub(crate) redemptions: Vec<Redemption>,
    settlements: Vec<Settlement>,
    visits: Vec<Visit>,
}

impl AllRows {
    pub(crate) async fn read(system: &System, merchant: &str) -> Self {
        let merchant = system.merchant(merchant).await.value;
        let mut orders: Vec<Order> = rows(system, &merchant, Listed::Orders).await;
        orders.sort_by(|one, other| (other.created_at, &other.id).cmp(&(one.created_at, &one.id)));
        let mut redemptions: Vec<Redemption> = rows(system, &merchant, Listed::Redemptions).await;
        redemptions.sort_by(|one, other| (other.occurred_at, &other.id).cmp(&(one.occurred_at, &one.id)));
        let mut settlements: Vec<Settlement> = rows(system, &merchant, Listed::Settlements).await;
        settlements.retain(|settlement| settlement.status != SettlementStatus::Void);
        settlements.sort_by(|one, other| (other.eligible_at, &other.id).cmp(&(one.eligible_at, &one.id)));
        let visits = rows(system, &merchant, Listed::Visits).await;
        Self { now: system.local.app().clock.now(), merchant, orders, redemptions, settlements, visits }
    }

    /// The body of the response to a `GET` of this path.
    pub(crate) fn response(&self, path: &str) -> Value {
        let (route, query) = path.split_once('?').unwrap_or((path, ""));
        let query: BTreeMap<&str, &str> = query.split('&').filter_map(|parameter| parameter.split_once('=')).collect();
        let number = |name: &str| query[name].parse::<usize>().unwrap();
        let data = |data: Value| json!({"ok": true, "data": data});
        match route {
            "/api/bff/merchant-orders" => data(self.orders_page(&query, number("page"), number("pageSize"))),
            "/api/bff/settlements" => self.settlements_page(&query, number("skip"), number("take")),
            "/api/bff/settlements/summary" => self.summary(),
            "/api/bff/settlements/outstanding" => {
                let months = query["months"].parse().unwrap();
                let currencies = outstanding(&self.merchant, &self.orders, &self.redemptions, months, self.now);
                json!({"ok": true, "currencies": currencies, "asOf": iso_8601(self.now)})
            }
            _ => {
                let zone = time_zone(&self.merchant.time_zone);
                let period = ReportPeriod::ending_at(self.now, &zone, query["days"].parse().unwrap());
                data(match route {
                    "/api/bff/analytics/overview" => self.overview(&period),
                    "/api/bff/analytics/sales" => self.sales(&period),
                    "/api/bff/analytics/redemptions" => self.redemptions(&period),
                    "/api/bff/analytics/fraud" => self.fraud(&period),
                    other => panic!("not made of all rows: {other}"),
                })
            }
        }
    }

    fn orders_page(&self, query: &BTreeMap<&str, &str>, page: usize, size: usize) -> Value {
        let (page, size) = (page.max(1), size.max(1));
        let zone = time_zone(&self.merchant.time_zone);
        let matches = |order: &&Order| {
            let day = date_of(order.created_at, &zone).to_string();
            query.get("from").is_none_or(|from| day.as_str() >= *from)
                && query.get("to").is_none_or(|to| day.as_str() <= *to)
                && query.get("status").is_none_or(|status| order.status.to_string() == *status)
                && query.get("paymentStatus").is_none_or(|status| order.payment_status.to_string() == *status)
                && query.get("q").is_none_or(|text| contains(order, text))
        };
        let matching: Vec<&Order> = self.orders.iter().filter(matches).collect();
        let key = |order: &&Order| at_and_id(order.created_at, order.id.as_str());
        let (rows, next) = page_of(&matching, query, (page - 1) * size, size, key);
        let rows: Vec<Value> = rows.into_iter().map(|order| order_summary(order)).collect();
        json!({"orders": rows, "total": matching.len(), "page": page, "pageSize": size, "nextCursor": next})
    }

    /// For a merchant without a settlement mode, which sees settlements of all source types.
    fn settlements_page(&self, query: &BTreeMap<&str, &str>, skip: usize, take: usize) -> Value {
        assert_eq!(self.merchant.settlement_mode, None);
        let key = |settlement: &Settlement| at_and_id(settlement.eligible_at, settlement.id.as_str());
        let (rows, next) = page_of(&self.settlements, query, skip, take, key);
        let rows: Vec<Value> = rows.into_iter().map(settlement).collect();
        json!({"ok": true, "rows": rows, "total": self.settlements.len(), "nextCursor": next})
    }

    fn summary(&self) -> Value {
        let currency = self.merchant.currency.unwrap_or(Currency::EUR);
        let is_open = |settlement: &&Settlement| {
            [SettlementStatus::Pending, SettlementStatus::InBatch].iter().any(|status| settlement.status == *status)
        };
        let month = |at: Timestamp| at.strftime("%Y-%m").to_string();
        let is_paid_this_month = |settlement: &&Settlement| {
            settlement.status == SettlementStatus::Paid && month(settlement.eligible_at) >= month(self.now)
        };
        let net = |settlements: Vec<&Settlement>| {
            let in_currency = settlements.iter().filter(|settlement| settlement.currency == currency);
            in_currency.map(|settlement| settlement.net.get()).sum::<i64>()
        };
        json!({
            "ok": true,
            "pendingNetMinor": net(self.settlements.iter().filter(is_open).collect()),
            "paidThisPeriodNetMinor": net(self.settlements.iter().filter(is_paid_this_month).collect()),
            "unsettledCount": self.settlements.iter().filter(is_open).count(),
            "currency": currency,
        })
    }

    fn overview(&self, period: &ReportPeriod) -> Value {
        let orders = Slots::of(period, &self.orders, |order| order.created_at);
        let redemptions = Slots::of(period, &self.redemptions, |redemption| redemption.occurred_at);
        let visits = Slots::of(period, &self.visits, |visit| visit.started_at);
        let rate = |orders: u64, visits: u64| percentage(orders, visits);
        let is_completed = |order: &&Order| order.status == OrderStatus::Completed;
        let succeeded = |redemption: &&Redemption| redemption.status == RedemptionStatus::Succeeded;
        let sold = |orders: Vec<&Order>| orders.into_iter().filter(is_completed).map(|order| order.total).collect::<Vec<_>>();
        let redeemed = |redemptions: Vec<&Redemption>| {
            redemptions.into_iter().filter(succeeded).map(|redemption| redemption.amount).collect::<Vec<_>>()
        };
        let series: Vec<Value> = period
            .iter()
            .enumerate()
            .map(|(day, labels)| with_day(labels, json!({"sessions": visits.days[day].len(), "orders": orders.days[day].len()})))
            .collect();
        let embeds = visits.total().map(|visit| named(visit.embed.as_deref(), "Direct"));
        let entries = visits.total().map(|visit| named(visit.entry.as_deref(), "Unknown"));
        json!({
            "periodDays": series.len(),
            "kpis": {
                "uniqueSessions": kpi(visits.count(), visits.count_before()),
                "ordersPlaced": kpi(orders.count(), orders.count_before()),
                "redemptionAttempts": kpi(redemptions.count(), redemptions.count_before()),
                "visitToOrderPct": PercentageKpi::new(
                    rate(orders.count(), visits.count()),
                    rate(orders.count_before(), visits.count_before()),
                ),
            },
            "sold": self.turnover(&sold(orders.total().collect()), &sold(orders.before().collect())),
            "redeemed": self.turnover(&redeemed(redemptions.total().collect()), &redeemed(redemptions.before().collect())),
            "series": series,
            "embedSplit": shares(embeds),
            "entrySplit": shares(entries),
            "fraudBreakdown": fraud_slices(&orders.within),
        })
    }

    fn turnover(&self, of_period: &[Money], of_before: &[Money]) -> Value {
        let (total, before) = (amounts(of_period.iter().copied()), amounts(of_before.iter().copied()));
        let currency = total.shown_currency(self.merchant.currency);
        json!({
            "currency": currency,
            "amountMinor": Kpi::new(total.sum(currency), before.sum(currency)),
            "count": kpi(total.count(), before.count()),
            "countInCurrency": of_period.iter().filter(|amount| amount.currency == currency).count(),
        })
    }

    fn sales(&self, period: &ReportPeriod) -> Value {
        let orders = Slots::of(period, &self.orders, |order| order.created_at);
        let is_completed = |order: &&Order| order.status == OrderStatus::Completed;
        let total = |orders: Vec<&Order>| amounts(orders.iter().map(|order| order.total));
        let currency = total(orders.total().collect()).shown_currency(self.merchant.currency);
        let (completed, completed_before) =
            (total(orders.total().filter(is_completed).collect()), total(orders.before().filter(is_completed).collect()));
        let series: Vec<Value> = period
            .iter()
            .enumerate()
            .map(|(day, labels)| {
                let completed = total(orders.days[day].iter().copied().filter(is_completed).collect());
                let revenue = completed.sum(currency);
                let figures = json!({
                    "total": orders.days[day].len(), "completed": completed.count(), "revenueMinor": revenue,
                });
                with_day(labels, figures)
            })
            .collect();
        let by_status = orders.total().map(|order| (humanize(&order.status), order.total));
        let by_payment = orders.total().map(|order| (humanize(&order.payment_status), order.total));
        let recent = orders.total().take(MAX_RECENT).map(|order| {
            json!({
                "id": order.id, "occurredAt": iso_8601(order.created_at), "orderRef": order.id.reference(),
                "status": order.status, "paymentLabel": label(&order.payment_status),
                "amountMinor": order.total.minor, "currency": order.total.currency,
            })
        });
        json!({
            "periodDays": series.len(),
            "currency": currency,
            "kpis": {
                "ordersPlaced": kpi(orders.count(), orders.count_before()),
                "completed": kpi(completed.count(), completed_before.count()),
                "grossRevenueMinor": Kpi::new(completed.sum(currency), completed_before.sum(currency)),
                "avgCompletedMinor": Kpi::new(completed.average(currency), completed_before.average(currency)),
                "completedInCurrency":
                    orders.total().filter(is_completed).filter(|order| order.total.currency == currency).count(),
            },
            "series": series,
            "statusBreakdown": valued_shares(by_status, currency, MAX_STATUSES, Total::count),
            "paymentBreakdown": valued_shares(by_payment, currency, MAX_STATUSES, Total::count),
            "recent": recent.collect::<Vec<_>>(),
        })
    }

    fn redemptions(&self, period: &ReportPeriod) -> Value {
        let redemptions = Slots::of(period, &self.redemptions, |redemption| redemption.occurred_at);
        let succeeded = |redemption: &&Redemption| redemption.status == RedemptionStatus::Succeeded;
        let failed = |redemption: &&Redemption| redemption.status == RedemptionStatus::Failed;
        let total = |redemptions: Vec<&Redemption>| amounts(redemptions.iter().map(|redemption| redemption.amount));
        let currency = total(redemptions.total().collect()).shown_currency(self.merchant.currency);
        let (redeemed, redeemed_before) =
            (total(redemptions.total().filter(succeeded).collect()), total(redemptions.before().filter(succeeded).collect()));
        let count = |number: usize| u64::try_from(number).unwrap();
        let series: Vec<Value> = period
            .iter()
            .enumerate()
            .map(|(day, labels)| {
                let succeeded = total(redemptions.days[day].iter().copied().filter(succeeded).collect());
                let figures = json!({
                    "total": redemptions.days[day].len(), "succeeded": succeeded.count(),
                    "amountSucceededMinor": succeeded.sum(currency),
                });
                with_day(labels, figures)
            })
            .collect();
        let by_store = redemptions
            .total()
            .filter(succeeded)
            .map(|redemption| (store_label(redemption.store_name.as_deref()).to_owned(), redemption.amount));
        let source = |redemption: &Redemption| redemption.source.as_ref().map(ToString::to_string);
        let by_source = redemptions
            .total()
            .filter(succeeded)
            .map(|redemption| (source_label(source(redemption).as_deref()).to_owned(), redemption.amount));
        let by_value = |total: &Total| total.sum(currency);
        let recent = redemptions.total().take(MAX_RECENT).map(|redemption| {
            json!({
                "id": redemption.id, "occurredAt": iso_8601(redemption.occurred_at), "status": redemption.status,
                "sourceLabel": source_label(source(redemption).as_deref()),
                "storeLabel": store_label(redemption.store_name.as_deref()),
                "amountMinor": redemption.amount.minor, "currency": redemption.amount.currency,
                "cardRef": RedemptionEntry::from(redemption).card_reference,
            })
        });
        json!({
            "periodDays": series.len(),
            "currency": currency,
            "kpis": {
                "totalAttempts": kpi(redemptions.count(), redemptions.count_before()),
                "succeeded": kpi(redeemed.count(), redeemed_before.count()),
                "failed": kpi(
                    count(redemptions.total().filter(failed).count()),
                    count(redemptions.before().filter(failed).count()),
                ),
                "totalRedeemedMinor": Kpi::new(redeemed.sum(currency), redeemed_before.sum(currency)),
                "avgRedeemMinor": Kpi::new(redeemed.average(currency), redeemed_before.average(currency)),
                "succeededInCurrency":
                    redemptions.total().filter(succeeded).filter(|redemption| redemption.amount.currency == currency).count(),
            },
            "series": series,
            "topStores": valued_shares(by_store, currency, MAX_SHARES, by_value),
            "sourceSplit": valued_shares(by_source, currency, MAX_SHARES, by_value),
            "recent": recent.collect::<Vec<_>>(),
        })
    }

    fn fraud(&self, period: &ReportPeriod) -> Value {
        let orders = Slots::of(period, &self.orders, |order| order.created_at);
        let of_total = |status| fraud_count(orders.total(), status);
        let of_before = |status| fraud_count(orders.before(), status);
        let pass_rate = |count: &dyn Fn(FraudStatus) -> u64| {
            let [passed, review, blocked] = [FraudStatus::Passed, FraudStatus::Review, FraudStatus::Blocked].map(count);
            percentage(passed, passed + review + blocked)
        };
        // The orders of both periods whose decision was in the period.
        let mut flagged: Vec<(Timestamp, &Order)> = orders
            .total()
            .chain(orders.before())
            .filter_map(|order| Some((OrderEntry::from(order).flagged_at()?, order)))
            .filter(|(at, _)| period.contains(*at))
            .collect();
        flagged.sort_by(|(at, one), (other_at, other)| (other_at, &other.id).cmp(&(at, &one.id)));
        let events = flagged.iter().take(MAX_EVENTS).map(|(at, order)| {
            json!({
                "id": order.id, "occurredAt": iso_8601(*at), "orderRef": order.id.reference(),
                "action": order.fraud.status.known().and_then(action_label),
                "reason": reason_text(order.fraud.reason_code.as_deref()), "amountLabel": order.total.label(),
            })
        });
        json!({
            "periodDays": period.iter().len(),
            "kpis": {
                "blocked": kpi(of_total(FraudStatus::Blocked), of_before(FraudStatus::Blocked)),
                "underReview": kpi(of_total(FraudStatus::Review), of_before(FraudStatus::Review)),
                "passRate": PercentageKpi::new(pass_rate(&of_total), pass_rate(&of_before)),
            },
            "breakdown": fraud_slices(&orders.within),
            "recentEvents": events.collect::<Vec<_>>(),
        })
    }
}

/// The rows of a page of a sorted list, and the cursor of the next one.
fn page_of<'a, T>(
    list: &'a [T],
    query: &BTreeMap<&str, &str>,
    offset: usize,
    limit: usize,
    key: impl Fn(&T) -> String,
) -> (Vec<&'a T>, Option<String>) {
    let start = match query.get("after").map(|after| Cursor::parse(after)) {
        Some(Some(cursor)) => list.partition_point(|row| key(row).as_str() >= cursor.sort_key()),
        Some(None) => 0,
        None => offset,
    };
    let rows: Vec<&T> = list.iter().skip(start).take(limit).collect();
    let last = rows.last().filter(|_| start + limit < list.len());
    let next = last.map(|row| Cursor::after(key(row)).to_string());
    (rows, next)
}

async fn rows<T: Entity>(system: &System, merchant: &Merchant, listed: Listed) -> Vec<T> {
    let store = system.store();
    let rows = store.scan_all::<T>(listed_rows(listed, Some(&merchant.id))).await.unwrap();
    rows.into_iter().map(|stored| stored.value).collect()
}

/// Rows by the days of a period, and those of the preceding one. Both keep the order of the rows.
struct Slots<'a, T> {
    days: Vec<Vec<&'a T>>,
    within: Vec<&'a T>,
    preceding: Vec<&'a T>,
}

impl<'a, T> Slots<'a, T> {
    fn of(period: &ReportPeriod, rows: &'a [T], at: impl Fn(&T) -> Timestamp) -> Self {
        let days = period.iter().map(|_| Vec::new()).collect();
        let mut slots = Self { days, within: Vec::new(), preceding: Vec::new() };
        for row in rows {
            match period.slot(at(row)) {
                Some(PeriodSlot::Day(day)) => {
                    slots.days[day].push(row);
                    slots.within.push(row);
                }
                Some(PeriodSlot::Preceding) => slots.preceding.push(row),
                None => {}
            }
        }
        slots
    }

    fn total(&self) -> impl Iterator<Item = &'a T> {
        self.within.iter().copied()
    }

    fn before(&self) -> impl Iterator<Item = &'a T> {
        self.preceding.iter().copied()
    }

    fn count(&self) -> u64 {
        u64::try_from(self.within.len()).unwrap()
    }

    fn count_before(&self) -> u64 {
        u64::try_from(self.preceding.len()).unwrap()
    }
}

fn contains(order: &Order, text: &str) -> bool {
    let searched = [
        Some(order.id.as_str()),
        order.buyer_email.as_deref(),
        order.buyer_name.as_deref(),
        order.payment_transaction_id.as_deref(),
        order.processor_transaction_id.as_deref(),
    ];
    searched.into_iter().flatten().any(|searched| searched.to_lowercase().contains(&text.to_lowercase()))
}

fn order_summary(order: &Order) -> Value {
    json!({
        "id": order.id, "createdAt": iso_8601(order.created_at), "status": order.status,
        "paymentStatus": order.payment_status, "fulfilmentStatus": order.fulfilment_status,
        "currency": order.total.currency, "totalAmountMinor": order.total.minor,
        "buyerEmail": order.buyer_email, "buyerName": order.buyer_name,
        "paymentTransactionId": order.payment_transaction_id,
        "processorTransactionId": order.processor_transaction_id, "_count": {"items": order.items.len()},
    })
}

fn settlement(settlement: &Settlement) -> Value {
    json!({
        "id": settlement.id, "merchantId": settlement.merchant_id, "sourceType": settlement.source_type,
        "sourceId": settlement.source_id, "orderId": settlement.order_id,
        "giftCardId": settlement.gift_card_id, "redemptionId": settlement.redemption_id,
        "grossAmountMinor": settlement.gross, "feeAmountMinor": settlement.fee,
        "netAmountMinor": settlement.net, "currency": settlement.currency,
        "feeSnapshot": settlement.fee_snapshot.as_ref().map(fee_snapshot),
        "status": settlement.status, "statusLabel": settlement.status.label(SettlementStatus::label),
        "payoutBatchId": settlement.payout_batch_id, "held": settlement.is_held(), "heldBecause": settlement.held_because(),
        "eligibleAt": iso_8601(settlement.eligible_at), "createdAt": iso_8601(settlement.created_at),
        "updatedAt": iso_8601(settlement.updated_at),
    })
}

fn fee_snapshot(fees: &FeeSnapshot) -> Value {
    let FeeSnapshot::Applied(terms) = fees else { panic!("fees were imported") };
    json!({"percentBps": terms.percent_bps, "fixedMinor": terms.fixed_minor})
}

fn kpi(value: u64, preceding: u64) -> Value {
    json!(Kpi::new(value, preceding))
}

/// The labels of a day with its figures.
fn with_day(day: &impl serde::Serialize, figures: Value) -> Value {
    with(figures, &json!(day))
}

fn amounts(amounts: impl Iterator<Item = Money>) -> Total {
    let mut total = Total::default();
    amounts.for_each(|amount| total.add(amount));
    total
}

fn named(name: Option<&str>, default: &str) -> String {
    name.map(str::trim).filter(|name| !name.is_empty()).unwrap_or(default).to_owned()
}

fn shares(names: impl Iterator<Item = String>) -> Value {
    let mut ranking = Ranking::<u64>::default();
    names.for_each(|name| *ranking.entry(&name) += 1);
    let top = ranking.top(MAX_SHARES, |count| *count);
    top.map(|(name, count)| json!({"name": name, "count": count})).collect()
}

fn valued_shares<K: Ord>(
    amounts: impl Iterator<Item = (String, Money)>,
    currency: Currency,
    limit: usize,
    key: impl Fn(&Total) -> K,
) -> Value {
    let mut ranking = Ranking::<Total>::default();
    amounts.for_each(|(name, amount)| ranking.entry(&name).add(amount));
    let share = |(name, total): (&str, &Total)| -> Value {
        let value: Minor = total.sum(currency);
        json!({"name": name, "count": total.count(), "valueMinor": value})
    };
    ranking.top(limit, key).map(share).collect()
}

fn fraud_count<'a>(orders: impl Iterator<Item = &'a Order>, status: FraudStatus) -> u64 {
    u64::try_from(orders.filter(|order| order.fraud.status == status).count()).unwrap()
}

fn fraud_slices(orders: &[&Order]) -> Value {
    let count = |status| fraud_count(orders.iter().copied(), status);
    json!([
        {"name": "Passed", "value": count(FraudStatus::Passed), "color": "#16a34a"},
        {"name": "Review", "value": count(FraudStatus::Review), "color": "#f59e0b"},
        {"name": "Blocked", "value": count(FraudStatus::Blocked), "color": "#dc2626"},
    ])
}
