//! Random histories of two merchants: sales, redemptions and returns at tills, cards of each other and of neither, outcomes that become
//! known later, imports, other time zones, ends of months, and a restore, after which the card network tells what became of open calls, and
//! what was lost is imported. Whenever nothing is left to do, what is outstanding follows from the orders and redemptions, one by one.

use std::collections::BTreeMap;

use admin::restore::{complete, prepare};
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde_json::{Value, json};
use shared::cards::model::order::{GiftCardStatus, Order, OrderStatus};
use shared::cards::model::redemption::Redemption;
use shared::db::Write;
use shared::db::model::restore::{RestoreStep, Restores};
use shared::projections::compare::{compare, rebuild};
use shared::values::{MerchantId, Money, OrderId, time_zone};
use world::shop::{ISSUE, REDEEM, card, member, merchant, offer, order, payment, redemption, sale, with};
use world::{ApiResponse, Counts, Histories, ManualClock, SeededRandom, System};

use crate::all_rows::AllRows;
use crate::giving_back::giving_back;

/// It lies in the future: the embedded DynamoDB deletes expired rows by the system's time.
const START: &str = "2050-01-10T12:00:00Z";
/// Two hours that are not whole, both ends of the day, summer time in either half of the year, and one that is unknown.
const ZONES: [&str; 9] = [
    "UTC",
    "Europe/Stockholm",
    "America/New_York",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "UTC-03:07",
    "Nowhere/Else",
];
const CURRENCIES: [&str; 4] = ["SEK", "EUR", "JPY", "KWD"];
/// Codes of cards that are imported, by whichever merchant comes first. Redemptions name them before and after.
const IMPORTED_CODES: i64 = 24;

struct Shop {
    id: String,
    user: String,
    time_zone: String,
    currency: &'static str,
}

/// The table at some moment.
struct Copy {
    moment: Timestamp,
    rows: Vec<Value>,
}

/// Orders and redemptions, as they are imported, by their ids.
#[derive(Default)]
struct Books {
    orders: BTreeMap<String, Value>,
    redemptions: BTreeMap<String, Value>,
}

struct History {
    system: System,
    clock: ManualClock,
    random: SeededRandom,
    shops: Vec<Shop>,
    /// The codes that a till can be shown, each with the number of the shop whose card it is.
    codes: Vec<(usize, String)>,
    redeemed: Vec<String>,
    /// The merchants and ids of orders that were imported.
    imported: Vec<(String, String)>,
    next_id: usize,
    next_imported_code: i64,
    copy: Option<Copy>,
    is_restored: bool,
    /// All that there was before the restore.
    known: Books,
    counts: Counts,
}

impl History {
    async fn new(seed: u64) -> Self {
        let clock = ManualClock::at(START);
        let mut random = SeededRandom::new(seed);
        let shops: Vec<Shop> = (1..=2)
            .map(|number| Shop {
                id: format!("m-{number}"),
                user: format!("u-{number}"),
                time_zone: (*random.pick(&ZONES)).to_owned(),
                currency: random.pick::<&str>(&CURRENCIES),
            })
            .collect();
        let system = System::empty(clock.clock()).await;
        system.load_fixtures(&fixtures(&shops, &mut random)).await;
        Self {
            system,
            clock,
            random,
            shops,
            codes: [(0, "OWN-1"), (1, "OWN-2"), (0, "DOLLARS-1"), (1, "DOLLARS-2"), (0, "OF-NOBODY"), (1, "OF-NOBODY")]
                .map(|(shop, code)| (shop, code.to_owned()))
                .into(),
            redeemed: Vec::new(),
            imported: Vec::new(),
            next_id: 0,
            next_imported_code: 0,
            copy: None,
            is_restored: false,
            known: Books::default(),
            counts: Counts::default(),
        }
    }

    async fn run(mut self) -> Result<Counts, String> {
        for _ in 0..15 + self.random.below(20) {
            self.act().await;
            if self.random.percent(20) {
                self.check().await?;
            }
        }
        self.check().await?;
        self.move_to_end_of_month();
        self.check().await?;
        self.reconcile(100).await;
        self.check().await?;
        self.check_that_all_is_back().await?;
        Ok(self.counts)
    }

    async fn act(&mut self) {
        let shop = usize::try_from(self.random.below(2)).unwrap();
        match self.random.below(22) {
            0..4 => self.sell(shop).await,
            4..8 => self.redeem(shop).await,
            8 | 9 => self.give_back(shop).await,
            10..13 => self.import(shop).await,
            13 => self.change_imported_order().await,
            14 => self.change_time_zone(shop).await,
            15 => self.lose_outcomes().await,
            16 => self.move_to_end_of_month(),
            17 => self.clock.advance(self.random.below(200)),
            18 => self.clock.advance(self.random.below(40 * 86_400)),
            19 => self.reconcile(50).await,
            _ => self.copy_or_restore().await,
        }
    }

    fn new_id(&mut self) -> usize {
        self.next_id += 1;
        self.next_id
    }

    async fn post(&mut self, what: &str, shop: usize, path: &str, body: &Value) -> ApiResponse {
        let response = self.system.sign_in(&self.shops[shop].user).await.post(path, body).await;
        self.counts.add(format!("{what}: {}", response.status), 1);
        response
    }

    async fn sell(&mut self, shop: usize) {
        let value = 500 + self.random.below(4_000);
        let sold = self.post("sale", shop, ISSUE, &sale(value)).await;
        let code = sold.body.pointer("/data/qrCode").and_then(Value::as_str);
        self.codes.extend(code.map(|code| (shop, code.to_owned())));
    }

    /// Sometimes a card of the other merchant.
    async fn redeem(&mut self, shop: usize) {
        let of_other = self.random.percent(15);
        let codes: Vec<&String> =
            self.codes.iter().filter(|(owner, _)| (*owner == shop) != of_other).map(|(_, code)| code).collect();
        let (code, amount) = (self.random.pick(&codes).to_owned().clone(), 1 + self.random.below(200));
        let redeemed = self.post("redemption", shop, REDEEM, &payment(code, amount)).await;
        self.redeemed.extend(redeemed.body["redemptionId"].as_str().map(str::to_owned));
    }

    async fn give_back(&mut self, shop: usize) {
        if !self.redeemed.is_empty() {
            let redemption = self.random.pick(&self.redeemed).clone();
            let value = 1 + self.random.below(50);
            self.post("return", shop, ISSUE, &giving_back(&redemption, value)).await;
        }
    }

    /// A time of the last months, or seconds around the beginning of one of them for some merchant.
    fn time(&mut self) -> String {
        let now = self.clock.clock().now();
        let back = self.random.below(14);
        let zone = time_zone(&self.random.pick(&self.shops).time_zone);
        let month = now.to_zoned(zone.clone()).date().first_of_month().saturating_sub(back.months());
        let begins = month.to_zoned(zone).unwrap().timestamp();
        let seconds = if self.random.percent(60) { self.random.below(5) - 2 } else { self.random.below(27 * 86_400) };
        let time = begins.checked_add(SignedDuration::from_secs(seconds)).unwrap();
        time.min(now).to_string()
    }

    /// An order, redemptions, or both at once, whose cards and redemptions can be of an earlier or a later import.
    async fn import(&mut self, shop: usize) {
        let merchant = self.shops[shop].id.clone();
        let (mut orders, mut redemptions) = (Vec::new(), Vec::new());
        if self.random.percent(60) {
            let order = self.imported_order(&merchant, self.shops[shop].currency);
            self.imported.push((merchant.clone(), order["id"].as_str().unwrap().to_owned()));
            orders.push(order);
        }
        if orders.is_empty() || self.random.percent(50) {
            redemptions.extend((0..=self.random.below(3)).map(|_| self.imported_redemption(&merchant)));
        }
        self.counts.add("imported orders", orders.len());
        self.counts.add("imported redemptions", redemptions.len());
        self.system.load_fixtures(&json!({"orders": orders, "redemptions": redemptions})).await;
    }

    fn imported_order(&mut self, merchant: &str, currency: &str) -> Value {
        let (id, at) = (format!("o-{}", self.new_id()), self.time());
        let cards: Vec<Value> = (0..self.random.below(4))
            .map(|card| {
                let code = (self.next_imported_code < IMPORTED_CODES && self.random.percent(80)).then(|| {
                    self.next_imported_code += 1;
                    format!("IMPORTED-{}", self.next_imported_code)
                });
                json!({
                    "id": format!("g-{id}-{card}"), "qrCode": code, "valueMinor": self.random.below(50_000),
                    "status": self.random.pick(&["ISSUED", "ISSUED", "ISSUED", "CANCELLED", "PENDING"]),
                    "currency": self.random.pick(&[currency, currency, "EUR"]),
                })
            })
            .collect();
        let statuses = ["COMPLETED", "COMPLETED", "REFUNDED", "CANCELLED", "ISSUE_FAILED", "PAID"];
        let fields = json!({"merchantId": merchant, "currency": currency, "status": self.random.pick(&statuses),
                            "totalAmountMinor": self.random.below(100_000), "giftCards": cards});
        order(&id, &at, &fields)
    }

    fn imported_redemption(&mut self, merchant: &str) -> Value {
        let (id, at, minor) = (format!("r-{}", self.new_id()), self.time(), self.random.below(20_000));
        let code = match self.random.below(4) {
            0 => json!(self.random.pick(&self.codes).1),
            1 if self.random.percent(30) => Value::Null,
            _ => json!(format!("IMPORTED-{}", 1 + self.random.below(IMPORTED_CODES))),
        };
        let currency = *self.random.pick(&[self.shops[0].currency, self.shops[1].currency, "EUR"]);
        let status = self.random.pick(&["SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "FAILED", "PENDING"]);
        redemption(&id, &at, minor, &json!({"merchantId": merchant, "currency": currency, "qrCode": code, "status": status}))
    }

    async fn change_imported_order(&mut self) {
        if self.imported.is_empty() {
            return;
        }
        let (merchant, id) = self.random.pick(&self.imported).clone();
        let read = self.system.store().order(&MerchantId::new(merchant), &OrderId::new(id)).await.unwrap();
        // A restore may have lost it.
        let Some(order) = read else { return };
        let mut changed = order.value.clone();
        changed.status = (*self.random.pick(&[OrderStatus::Completed, OrderStatus::Refunded, OrderStatus::IssueFailed])).into();
        for card in &mut changed.gift_cards {
            card.status = self.random.pick(&[GiftCardStatus::Issued, GiftCardStatus::Cancelled]).to_owned().into();
        }
        self.system.store().commit(vec![Write::replace(&order, &changed).unwrap()]).await.unwrap();
        self.counts.add("changed orders", 1);
    }

    async fn change_time_zone(&mut self, shop: usize) {
        let time_zone = *self.random.pick(&ZONES[..8]);
        let body = json!({"company": {"timeZone": time_zone}});
        self.system.sign_in(&self.shops[shop].user).await.put("/api/bff/merchant", &body).await.ok();
        time_zone.clone_into(&mut self.shops[shop].time_zone);
        self.counts.add("changed time zones", 1);
    }

    /// From now on, answers of the card network are lost, and so is what it says about them afterwards.
    async fn lose_outcomes(&mut self) {
        let kind = *self.random.pick(&["after", "drop"]);
        self.system.lose_outcomes(kind).await;
        self.counts.add("times of lost outcomes", 1);
    }

    /// Moves to some seconds before or after the next month of a merchant begins.
    fn move_to_end_of_month(&mut self) {
        let now = self.clock.clock().now();
        let zone = time_zone(&self.random.pick(&self.shops).time_zone);
        let month = now.to_zoned(zone.clone()).date().first_of_month().saturating_add(1.month());
        let begins = month.to_zoned(zone).unwrap().timestamp();
        let seconds = begins.duration_since(now).as_secs() + self.random.below(240) - 120;
        self.clock.advance(seconds.max(0));
    }

    async fn copy_or_restore(&mut self) {
        match self.copy.take() {
            Some(copy) => self.restore(&copy).await,
            None if self.is_restored => {}
            None => self.copy().await,
        }
    }

    /// The table after a sale that the tallies have not followed yet, and whose outcome can be open.
    async fn copy(&mut self) {
        if self.random.percent(50) {
            self.lose_outcomes().await;
            self.counts.add("copies with an open call", 1);
        }
        let caller = self.system.sign_in(&self.shops[0].user).await;
        let sold_then = async {
            caller.post(ISSUE, &sale(700)).await;
            self.system.rows().await
        };
        let rows = self.system.local.pause(sold_then).await;
        self.copy = Some(Copy { moment: self.clock.clock().now(), rows });
    }

    /// Puts back all rows as they were, which loses what has happened since. The stream of a restored table is empty: its tallies are
    /// those of the moment, which have not followed the last changes, until they are rebuilt.
    async fn restore(&mut self, copy: &Copy) {
        self.is_restored = true;
        self.counts.add("restores", 1);
        self.settle().await;
        self.known = self.books().await;
        self.put_back(copy, |_| true).await;
        let store = self.system.store();
        let now = self.clock.clock().now();
        prepare(store, None, copy.moment, now).await.unwrap();
        let read = store.restores().await.unwrap().unwrap();
        let used = Restores { step: RestoreStep::InUse, ..read.value.clone() };
        store.commit(vec![Write::replace(&read, &used).unwrap()]).await.unwrap();
        complete(store, now).await.unwrap();
        while self.system.drain().await["pending"] != 0 {}
        self.put_back(copy, |row| row["pk"]["S"].as_str().unwrap().starts_with("TALLIES#")).await;
        for shop in &self.shops {
            let stored = self.system.merchant(&shop.id).await;
            let calendars: Vec<_> = stored.calendars.all().cloned().collect();
            let drift = compare(store, &stored.id, &calendars, now).await.unwrap();
            self.counts.add("restores with other tallies", usize::from(!drift.is_empty()));
            rebuild(store, &stored.id, &drift, |_| ()).await.unwrap();
        }
    }

    async fn put_back(&self, copy: &Copy, is_meant: impl Fn(&Value) -> bool) {
        let by_key = |rows: Vec<Value>| -> BTreeMap<String, Value> {
            let meant = rows.into_iter().filter(&is_meant);
            meant.map(|row| (json!([row["pk"], row["sk"]]).to_string(), row)).collect()
        };
        let (wanted, present) = (by_key(copy.rows.clone()), by_key(self.system.rows().await));
        for (key, row) in &present {
            if !wanted.contains_key(key) {
                self.system.dynamodb("DeleteItem", json!({"Key": {"pk": row["pk"], "sk": row["sk"]}})).await;
            }
        }
        for (key, row) in wanted {
            if present.get(&key) != Some(&row) {
                self.system.dynamodb("PutItem", json!({"Item": row})).await;
            }
        }
    }

    /// All that the merchants have.
    async fn books(&self) -> Books {
        let mut books = Books::default();
        for shop in &self.shops {
            let AllRows { orders, redemptions, .. } = AllRows::read(&self.system, &shop.id).await;
            books.orders.extend(orders.iter().map(|row| (row.id.to_string(), order_again(row))));
            books.redemptions.extend(redemptions.iter().map(|row| (row.id.to_string(), redemption_again(row))));
        }
        books
    }

    /// Imports some of what there was before the restore. What is there is left as it is.
    async fn reconcile(&mut self, percent: u64) {
        let mut some = |rows: &BTreeMap<String, Value>| -> Vec<Value> {
            rows.values().filter(|_| self.random.percent(percent)).cloned().collect()
        };
        let (orders, redemptions) = (some(&self.known.orders), some(&self.known.redemptions));
        self.counts.add("known and imported again", orders.len() + redemptions.len());
        self.system.load_fixtures(&json!({"orders": orders, "redemptions": redemptions})).await;
    }

    /// Also of the calls that were open at the moment. Imported orders may have been changed since.
    async fn check_that_all_is_back(&self) -> Result<(), String> {
        let (known, now) = (&self.known, self.books().await);
        let is_imported = |id: &String| self.imported.iter().any(|(_, imported)| imported == id);
        let orders = known.orders.iter().filter(|(id, order)| !is_imported(id) && now.orders.get(*id) != Some(order));
        let redemptions = known.redemptions.iter().filter(|(id, redemption)| now.redemptions.get(*id) != Some(redemption));
        let differ: Vec<_> = orders.chain(redemptions).map(|(_, row)| row).collect();
        if differ.is_empty() { Ok(()) } else { Err(format!("not as before the restore: {differ:?}")) }
    }

    /// Lets the card network answer, until nothing is left to do.
    async fn settle(&self) {
        self.system.set_faults(json!([])).await;
        while self.system.drain().await["pending"] != 0 {}
    }

    async fn check(&mut self) -> Result<(), String> {
        self.settle().await;
        self.counts.add("checks", 1);
        for shop in &self.shops {
            let caller = self.system.sign_in(&shop.user).await;
            let all_rows = AllRows::read(&self.system, &shop.id).await;
            for months in [1, 3, 36] {
                let path = format!("/api/bff/settlements/outstanding?months={months}");
                let (shown, expected) = (caller.get(&path).await.ok().body, all_rows.response(&path));
                if shown != expected {
                    return Err(format!("{}, {}, {path}: {shown} instead of {expected}", shop.id, shop.time_zone));
                }
            }
        }
        Ok(())
    }
}

fn order_again(order: &Order) -> Value {
    let cards: Vec<Value> = order
        .gift_cards
        .iter()
        .map(|card| {
            let Money { minor, currency } = card.value;
            json!({"id": card.id, "qrCode": card.qr_code, "valueMinor": minor, "currency": currency, "status": card.status})
        })
        .collect();
    let Money { minor, currency } = order.total;
    let fields = json!({"merchantId": order.merchant_id, "currency": currency, "status": order.status, "totalAmountMinor": minor,
                        "giftCards": cards});
    world::shop::order(order.id.as_str(), &order.created_at.to_string(), &fields)
}

fn redemption_again(redemption: &Redemption) -> Value {
    let Money { minor, currency } = redemption.amount;
    let fields = json!({"merchantId": redemption.merchant_id, "currency": currency, "qrCode": redemption.qr_code,
                        "status": redemption.status});
    world::shop::redemption(redemption.id.as_str(), &redemption.occurred_at.to_string(), minor.get(), &fields)
}

fn fixtures(shops: &[Shop], random: &mut SeededRandom) -> Value {
    let (mut merchants, mut users, mut offers, mut cards) = (vec![], vec![], vec![], vec![]);
    for (number, shop) in (1_u64..).zip(shops) {
        let account = format!("100{number}");
        // A merchant without a currency sells in that of its offers.
        let currency = if random.percent(80) { json!(shop.currency) } else { Value::Null };
        let fields =
            json!({"timeZone": shop.time_zone, "currency": currency, "brand": {"logoUrl": "https://shop.example/logo.png"}});
        merchants.push(merchant(&shop.id, &account, shop.currency, &fields));
        users.push(member(&shop.user, &shop.id, &json!({})));
        let prices = json!({"currency": shop.currency, "minPrice": 1, "maxPrice": 100_000});
        offers.push(offer(&account, number * 100 + 1, &prices));
        offers.push(offer(&account, number * 100 + 2, &with(prices, &json!({"giftCardOfferType": "REFUND_DIGITAL"}))));
        cards.push(card(&account, &format!("OWN-{number}"), 5_000, shop.currency));
        cards.push(card(&account, &format!("DOLLARS-{number}"), 5_000, "USD"));
    }
    cards.push(with(card("1001", "OF-NOBODY", 5_000, "SEK"), &json!({"merchantId": null})));
    json!({"merchants": merchants, "users": users, "cardNetwork": {"offers": offers, "cards": cards}})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_outstanding_follows_from_orders_and_redemptions_after_random_histories() {
    Histories::new("--test api outstanding_histories::", 6)
        .run(6, 1_000, || Box::pin(async {}), |(), seed| Box::pin(async move { Box::pin(History::new(seed).await.run()).await }))
        .await;
}
