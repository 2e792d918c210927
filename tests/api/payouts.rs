//! Payouts: runs, batches of settlements, the decision about them, their files, and holds of settlements.

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};
use shared::base::clock::{Clock, iso_8601};
use shared::merchants::model::merchant::MerchantStatus;
use shared::values::{MerchantId, later};
use world::shop::{self, ISSUE, sale, with};
use world::{ApiResponse, Caller, ManualClock, System, client, error_code, refusal};

const PAYOUTS: &str = "/api/admin/payouts";
const MERCHANT: &str = "/api/admin/merchants/m-aurora";
/// A second before noon of the day on which the settlements below are eligible.
pub(crate) const NOW: &str = "2026-11-05T11:59:59Z";

/// A system with administrators of the platform and these settlements, most of them of `m-aurora`, which is settled on
/// redemption.
pub(crate) struct Office {
    pub(crate) system: System,
    pub(crate) clock: ManualClock,
}

impl Office {
    pub(crate) async fn open(settlements: Value) -> Self {
        Self::open_at(ManualClock::at(NOW), settlements).await
    }

    pub(crate) async fn open_at(clock: ManualClock, settlements: Value) -> Self {
        let system = System::with_clock(clock.clock()).await;
        let linked = with(shop::platform_administrator("u-linked"), &json!({"merchantId": "m-aurora"}));
        let users = json!([shop::platform_administrator("u-second"), linked]);
        system.load_fixtures(&json!({"users": users, "settlements": settlements})).await;
        Self { system, clock }
    }

    pub(crate) async fn first(&self) -> Caller {
        self.system.sign_in("u-root").await
    }

    pub(crate) async fn second(&self) -> Caller {
        self.system.sign_in("u-second").await
    }

    /// Starts a run and lets it make its payouts.
    pub(crate) async fn run(&self, key: &str, body: &Value) -> Vec<Value> {
        let started = start(&self.first().await, key, body).await.ok();
        self.drain().await;
        self.payouts_of(&started).await
    }

    /// What a run has left out, by merchant, currency and reason, once it is done.
    async fn left_out(&self, run: &str) -> Value {
        let shown = self.first().await.get(&format!("{PAYOUTS}/runs/{run}")).await;
        assert_eq!((shown.status, shown.at("/data/status")), (200, &json!("DONE")), "{shown:?}");
        rows_of(shown.at("/data/leftOut"))
    }

    pub(crate) async fn set_status(&self, merchant: &str, status: &str) {
        let body = json!({"status": status, "reason": "A test"});
        self.first().await.patch(&format!("/api/admin/merchants/{merchant}"), &body).await.ok();
    }

    pub(crate) async fn drain(&self) {
        self.system.finish_work().await;
    }

    /// The payouts of a run, by merchant and currency.
    async fn payouts_of(&self, started: &ApiResponse) -> Vec<Value> {
        let listed = self.first().await.get(&format!("{PAYOUTS}?runId={}", started.text("/data/runId"))).await;
        let mut payouts = listed.list("/data/payouts").to_vec();
        payouts.sort_by_key(|payout| (payout["merchantId"].to_string(), payout["currency"].to_string()));
        payouts
    }

    async fn payout(&self, id: &str) -> Value {
        self.first().await.get(PAYOUTS).await.row("/data/payouts", "id", id)
    }

    /// The id, status and payout of each of the merchant's settlements, as the merchant sees them.
    async fn settlements(&self, user: &str) -> Value {
        let listed = self.system.sign_in(user).await.get("/api/bff/settlements").await;
        let rows = listed.list("/rows").iter();
        let mut rows: Vec<Value> = rows.map(|row| json!([row["id"], row["status"], row["payoutBatchId"]])).collect();
        rows.sort_by_key(ToString::to_string);
        json!(rows)
    }

    async fn audit(&self, merchant: &str) -> Vec<Value> {
        let entries = self.system.store().latest_audit_entries(&MerchantId::new(merchant), 50).await;
        let entries = entries.unwrap().into_iter().rev();
        entries.map(|entry| json!([entry.action, entry.by, entry.subject, entry.changes, entry.reason])).collect()
    }
}

async fn start(caller: &Caller, key: &str, body: &Value) -> ApiResponse {
    let request = caller.request(Method::POST, PAYOUTS).header("idempotency-key", key);
    Caller::send_request(request.header("content-type", "application/json").body(body.to_string())).await
}

pub(crate) async fn decide(caller: &Caller, id: &str, body: &Value) -> ApiResponse {
    caller.patch(&format!("{PAYOUTS}/{id}"), body).await
}

pub(crate) fn paid(reference: &str) -> Value {
    json!({"status": "PAID", "reference": reference})
}

pub(crate) fn cancelled(reason: &str) -> Value {
    json!({"status": "CANCELLED", "reason": reason})
}

pub(crate) fn settlement(id: &str, net: i64, fields: &Value) -> Value {
    let terms = json!({"grossAmountMinor": net + 50, "feeAmountMinor": 50, "createdAt": "2026-10-29T10:00:00Z"});
    with(shop::settlement(id, "2026-11-05T10:00:00Z", net, &terms), fields)
}

/// Merchant, name, currency, count, net amount and reason.
fn rows_of(left_out: &Value) -> Value {
    let fields = ["merchantId", "merchantName", "currency", "count", "netAmountMinor", "reason"];
    let row = |row: &Value| json!(fields.map(|field| row[field].clone()));
    let mut rows: Vec<Value> = left_out.as_array().unwrap().iter().map(row).collect();
    rows.sort_by_key(ToString::to_string);
    json!(rows)
}

pub(crate) fn id_of(payout: &Value) -> &str {
    payout["id"].as_str().unwrap()
}

#[tokio::test]
async fn settlements_are_paid_together() {
    let office = Office::open(json!([
        settlement("s-1", 1000, &json!({})),
        settlement("s-2", 500, &json!({"eligibleAt": "2026-11-05T11:59:58.999Z"})),
        settlement("s-debt", -200, &json!({})),
        settlement("s-later", 70, &json!({"eligibleAt": "2026-11-05T11:59:59Z"})),
        settlement("s-held", 71, &json!({"held": true})),
        settlement("s-void", 72, &json!({"status": "VOID"})),
        settlement("s-paid", 73, &json!({"status": "PAID", "payoutBatchId": "old"})),
        settlement("s-sale", 74, &json!({"sourceType": "ORDER", "orderId": "o-1"})),
        settlement("s-euro", 90, &json!({"currency": "EUR"})),
        settlement("s-rival", 80, &json!({"merchantId": "m-rival"})),
    ]))
    .await;
    let summary = async || office.system.sign_in("u-admin").await.get("/api/bff/settlements/summary").await;
    office.drain().await;
    let before = summary().await;

    let payouts = office.run("run-1", &json!({"merchantId": "m-aurora", "currency": "SEK"})).await;
    let [payout] = &payouts[..] else { panic!("{payouts:?}") };
    let id = id_of(payout);
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    let expected = json!({
        "id": id, "runId": payout["runId"], "merchantId": "m-aurora", "merchantName": "Aurora Coffee",
        "merchantStatus": "ACTIVE", "currency": "SEK", "netAmountMinor": 1300, "count": 3, "status": "IN_BATCH", "createdBy": "u-root", "createdAt": "2026-11-05T11:59:59.000Z",
        "closedBy": null, "closedAt": null, "reference": null,
    });
    assert_eq!(*payout, expected, "{payouts:?}");
    let others = [json!(["s-held", "PENDING", null]), json!(["s-later", "PENDING", null]), json!(["s-paid", "PAID", "old"])];
    let settlements = office.settlements("u-admin").await;
    let of_payout = |status: &str| ["s-1", "s-2", "s-debt"].map(|settlement| json!([settlement, status, id]));
    for row in of_payout("IN_BATCH").iter().chain(&others).chain([&json!(["s-euro", "PENDING", null])]) {
        assert!(settlements.as_array().unwrap().contains(row), "{row} in {settlements}");
    }
    assert_eq!(settlements.as_array().unwrap().len(), 7, "{settlements}");
    assert_eq!(summary().await.body, before.body, "a settlement in a batch is still owed");

    let (first, second) = (office.first().await, office.second().await);
    let one = async || {
        let one = first.get(&format!("{PAYOUTS}/{id}")).await.ok();
        (one.at("/data/payout").clone(), one.each("/data/people", "id"), one.at("/data/needsSecondPerson").clone())
    };
    assert_eq!(one().await, (expected, vec![json!("u-root")], json!(true)));
    assert_eq!(error_code(&decide(&first, id, &paid("SEPA 1")).await), (403, "SECOND_PERSON"));
    office.clock.advance(60);
    for _first_and_repeated in 0..2 {
        let decided = decide(&second, id, &paid("SEPA 1")).await.ok();
        let closed = ["closedBy", "closedAt", "reference", "count"].map(|field| decided.at(&format!("/data/{field}")));
        assert_eq!(json!(closed), json!(["u-second", "2026-11-05T12:00:59.000Z", "SEPA 1", 3]));
        office.drain().await;
    }
    assert_eq!(office.payout(id).await["status"], "PAID");
    assert_eq!(one().await.1, ["u-root", "u-second"]);
    let settlements = office.settlements("u-admin").await;
    for row in of_payout("PAID").iter().chain(&others) {
        assert!(settlements.as_array().unwrap().contains(row), "{row} in {settlements}");
    }
    assert_eq!(error_code(&decide(&second, id, &paid("SEPA 2")).await), (409, "BATCH_CLOSED"));
    assert_eq!(error_code(&decide(&second, id, &cancelled("No")).await), (409, "BATCH_CLOSED"));
    let change = |field: &str, from: Option<&str>, to: &str| json!({"field": field, "from": from, "to": to});
    let start = [change("currency", None, "SEK"), change("eligibleBefore", None, "2026-11-05T11:59:59.000Z")];
    let payment = [change("status", Some("IN_BATCH"), "PAYING"), change("reference", None, "SEPA 1")];
    let audit =
        json!([["PAYOUT_RUN_STARTED", "u-root", payout["runId"], start, null], ["PAYOUT_PAID", "u-second", id, payment, null],]);
    assert_eq!(json!(office.audit("m-aurora").await), audit);
}

#[tokio::test]
async fn of_two_decisions_at_once_one_holds() {
    for _attempt in 0..4 {
        let office = Office::open(json!([settlement("s-1", 1000, &json!({}))])).await;
        let payouts = office.run("run-1", &json!({"merchantId": "m-aurora", "currency": "SEK"})).await;
        let id = id_of(&payouts[0]);
        let (first, second) = (office.first().await, office.second().await);
        // Both have read the payout before either writes.
        let slow = json!({"target": "dynamodb", "match": "TransactWriteItems", "kind": "delay", "value": 300, "times": 2});
        office.system.set_faults(json!([slow])).await;
        let (pay, cancel) = (paid("SEPA 1"), cancelled("No"));
        let (paying, cancelling) = tokio::join!(decide(&second, id, &pay), decide(&first, id, &cancel));
        let (winner, loser, status) = match paying.status {
            200 => (&paying, &cancelling, "PAID"),
            _ => (&cancelling, &paying, "CANCELLED"),
        };
        assert_eq!(winner.status, 200, "{paying:?} {cancelling:?}");
        assert_eq!(error_code(loser), (409, "BATCH_CLOSED"), "{paying:?} {cancelling:?}");
        office.drain().await;
        assert_eq!(office.payout(id).await["status"], status);
        let expected = if status == "PAID" { json!(["s-1", "PAID", id]) } else { json!(["s-1", "PENDING", null]) };
        assert_eq!(office.settlements("u-admin").await, json!([expected]));
    }
}

#[tokio::test]
async fn settlements_of_a_cancelled_payout_wait_for_the_next_one() {
    let office = Office::open(json!([settlement("s-1", 1000, &json!({})), settlement("s-2", 1, &json!({}))])).await;
    let payouts = office.run("run-1", &json!({})).await;
    let id = id_of(&payouts[0]);
    // Only the payment needs a second person.
    let first = office.first().await;
    for _first_and_repeated in 0..2 {
        decide(&first, id, &cancelled("Wrong account")).await.ok();
        office.drain().await;
    }
    let sums = |payout: &Value| json!([payout["status"], payout["count"], payout["netAmountMinor"]]);
    assert_eq!(sums(&office.payout(id).await), json!(["CANCELLED", 2, 1001]));
    assert_eq!(office.settlements("u-admin").await, json!([["s-1", "PENDING", null], ["s-2", "PENDING", null]]));
    assert_eq!(error_code(&decide(&first, id, &cancelled("Another reason")).await), (409, "BATCH_CLOSED"));
    assert_eq!(error_code(&decide(&office.second().await, id, &paid("A")).await), (409, "BATCH_CLOSED"));

    let again = office.run("run-2", &json!({})).await;
    assert_eq!((again.len(), sums(&again[0])), (1, json!(["IN_BATCH", 2, 1001])));
    assert_eq!(office.audit("m-aurora").await.last().unwrap()[4], "Wrong account");
}

#[tokio::test]
async fn a_payout_of_nothing_or_of_a_debt_is_cancelled() {
    let office = Office::open(json!([settlement("s-1", 100, &json!({})), settlement("s-debt", -100, &json!({})),])).await;
    let payouts = office.run("run-1", &json!({})).await;
    let payout = &payouts[0];
    let closed = ["status", "count", "netAmountMinor", "closedBy", "closedAt"].map(|field| &payout[field]);
    assert_eq!(json!(closed), json!(["CANCELLED", 2, 0, null, "2026-11-05T11:59:59.000Z"]));
    assert_eq!(office.settlements("u-admin").await, json!([["s-1", "PENDING", null], ["s-debt", "PENDING", null]]));
    let second = office.second().await;
    for decision in [paid("A"), cancelled("A")] {
        assert_eq!(error_code(&decide(&second, id_of(payout), &decision).await), (409, "BATCH_CLOSED"));
    }
}

#[tokio::test]
async fn a_run_pays_active_and_inactive_merchants_but_not_the_administrators_own() {
    let merchants = ["m-aurora", "m-rival", "m-yen", "m-dinar"];
    let of = |merchant: &&str| settlement(&format!("s-{merchant}"), 100, &json!({"merchantId": merchant}));
    let office = Office::open(json!(merchants.iter().map(of).collect::<Vec<_>>())).await;
    for (merchant, status) in [("m-rival", "INACTIVE"), ("m-yen", "SUSPENDED")] {
        let status: MerchantStatus = serde_json::from_value(json!(status)).unwrap();
        office.system.change_merchant(merchant, |merchant| merchant.status = status.into()).await;
    }
    let linked = office.system.sign_in("u-linked").await;
    let started = start(&linked, "linked", &json!({})).await.ok();
    office.drain().await;
    let paid_merchants = |payouts: &[Value]| -> Vec<String> {
        payouts.iter().map(|payout| payout["merchantId"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(paid_merchants(&office.payouts_of(&started).await), ["m-dinar", "m-rival"]);
    assert_eq!(paid_merchants(&office.run("root", &json!({})).await), ["m-aurora"]);

    let own = office.run("own", &json!({"merchantId": "m-aurora"})).await;
    assert_eq!(own, Vec::<Value>::new(), "the settlement is in a payout");
    let listed = linked.get(&format!("{PAYOUTS}?merchantId=m-aurora")).await;
    let id = listed.text("/data/payouts/0/id");
    for response in [
        start(&linked, "linked-2", &json!({"merchantId": "m-aurora"})).await,
        decide(&linked, &id, &paid("A")).await,
        decide(&linked, &id, &cancelled("A")).await,
        linked.get(&format!("{PAYOUTS}/{id}/file")).await,
        linked.patch("/api/admin/settlements/m-aurora/s-m-aurora", &json!({"held": true, "reason": "A"})).await,
    ] {
        assert_eq!(error_code(&response), (403, "OWN_MERCHANT"), "{response:?}");
    }
}

#[tokio::test]
async fn the_key_of_a_run_belongs_to_it_for_ever() {
    let office = Office::open(json!([settlement("s-1", 1000, &json!({}))])).await;
    let body = json!({"merchantId": "m-aurora", "currency": "SEK"});
    let started = start(&office.first().await, "key", &body).await;
    assert_eq!((started.status, started.header("idempotent-replayed")), (202, None));
    office.drain().await;
    office.clock.advance(400 * 24 * 3600);
    let second = office.second().await;
    let repeated = start(&second, "key", &json!({"currency": "SEK", "merchantId": "m-aurora"})).await;
    assert_eq!((repeated.status, &repeated.body), (202, &started.body));
    assert_eq!(repeated.header("idempotent-replayed"), Some("true"));
    assert_eq!(error_code(&start(&second, "key", &json!({})).await), (422, "IDEMPOTENCY_KEY_REUSED"));
    office.drain().await;
    assert_eq!(second.get(PAYOUTS).await.list("/data/payouts").len(), 1);
    assert_eq!(office.audit("m-aurora").await.len(), 1);
}

#[tokio::test]
async fn an_invalid_run_is_refused() {
    let office = Office::open(json!([])).await;
    let first = office.first().await;
    assert_eq!(first.post(PAYOUTS, &json!({})).await.at("/error/message"), "Idempotency-Key: is missing.");
    for (body, message) in [
        (json!({"merchantId": "m-none"}), "merchantId: must be the id of a merchant."),
        (json!({"currency": "XXQ"}), "currency: must be an ISO 4217 currency code."),
        (json!({"eligibleBefore": "2026-11-05T11:59:59.001Z"}), "eligibleBefore: must not be later than now."),
        (json!({"eligibleBefore": "today"}), "eligibleBefore: must be a time in ISO 8601, such as 2026-01-05T10:00:00.000Z."),
        (json!({"before": 1}), "before: cannot be given here. The known fields are merchantId, currency and eligibleBefore."),
        (json!([]), "The body is not a JSON object."),
    ] {
        assert_eq!(start(&first, "key", &body).await.reply(), refusal(400, message), "{body}");
    }
    let key = "k".repeat(256);
    assert_eq!(start(&first, &key, &json!({})).await.status, 400);
    office.clock.advance(15 * 60 + 1);
    assert_eq!(error_code(&start(&first, "key", &json!({})).await), (403, "SIGN_IN_AGAIN"));
    assert_eq!(first.get(PAYOUTS).await.status, 200, "reading needs no recent sign-in");
    assert_eq!(office.audit("m-aurora").await, Vec::<Value>::new());
}

#[tokio::test]
async fn payouts_are_listed_page_by_page() {
    let currencies = ["EUR", "SEK", "USD", "NOK", "DKK"];
    let of = |currency: &&str| settlement(&format!("s-{currency}"), 100, &json!({"currency": currency}));
    let mut settlements: Vec<Value> = currencies.iter().map(of).collect();
    settlements.push(settlement("s-rival", 5, &json!({"merchantId": "m-rival", "currency": "EUR"})));
    let office = Office::open(json!(settlements)).await;
    let run = office.run("run", &json!({})).await;
    assert_eq!(run.len(), 6);
    let id = id_of(&run[0]).to_owned();
    assert_eq!(decide(&office.first().await, &id, &cancelled("A")).await.status, 200);
    office.drain().await;
    let first = office.first().await;
    for (filter, expected) in [
        ("", 6),
        ("merchantId=m-aurora", 5),
        ("merchantId=m-rival&status=IN_BATCH", 1),
        ("status=IN_BATCH", 5),
        ("status=CANCELLED", 1),
        ("status=UNKNOWN", 6),
        ("runId=none", 0),
        (&format!("runId={}&merchantId=m-rival", run[0]["runId"].as_str().unwrap()), 1),
    ] {
        for limit in [1, 2, 5, 200] {
            let payouts = first.walk(&format!("{PAYOUTS}?{filter}"), "payouts", limit).await;
            let ids: std::collections::BTreeSet<_> = payouts.iter().map(id_of).collect();
            assert_eq!((payouts.len(), ids.len()), (expected, expected), "{filter} {limit}");
        }
    }
    assert_eq!(first.get(&format!("{PAYOUTS}?cursor=none")).await.status, 400);
}

#[tokio::test]
async fn the_file_of_a_payout_has_its_settlements() {
    // The local S3 checks the signature of a link by the system's time.
    let clock = ManualClock::new(Clock::system().now());
    let times = json!({"createdAt": "2020-10-29T10:00:00Z", "eligibleAt": "2020-11-05T10:00:00Z"});
    let quoted = with(times.clone(), &json!({"giftCardId": "g-1", "orderId": "o-\"1\""}));
    let settlements = json!([settlement("=s-1", 1000, &quoted), settlement("s-debt", -50, &times)]);
    let office = Office::open_at(clock.clone(), settlements).await;
    let payouts = office.run("run", &json!({})).await;
    let id = id_of(&payouts[0]);
    let link = office.second().await.get(&format!("{PAYOUTS}/{id}/file")).await;
    let expires_at = iso_8601(later(clock.clock().now(), SignedDuration::from_mins(10)));
    assert_eq!((link.status, link.at("/data/expiresAt")), (200, &json!(expires_at)));
    let file = client().get(link.text("/data/url")).send().await.unwrap();
    assert_eq!(file.headers()["content-type"], "text/csv; charset=utf-8");
    let expected = format!(
        "\"payoutId\",\"settlementId\",\"merchantId\",\"sourceType\",\"sourceId\",\"orderId\",\"giftCardId\",\"redemptionId\",\
         \"createdAt\",\"eligibleAt\",\"currency\",\"grossAmountMinor\",\"feeAmountMinor\",\"netAmountMinor\",\"grossAmount\",\
         \"feeAmount\",\"netAmount\"\r\n\
         \"{id}\",\"'=s-1\",\"m-aurora\",\"REDEMPTION\",\"r-=s-1\",\"o-\"\"1\"\"\",\"g-1\",\"r-=s-1\",\
         \"2020-10-29T10:00:00.000Z\",\"2020-11-05T10:00:00.000Z\",\"SEK\",1050,50,1000,10.50,0.50,10.00\r\n\
         \"{id}\",\"s-debt\",\"m-aurora\",\"REDEMPTION\",\"r-s-debt\",\"\",\"\",\"r-s-debt\",\
         \"2020-10-29T10:00:00.000Z\",\"2020-11-05T10:00:00.000Z\",\"SEK\",0,50,-50,0.00,0.50,-0.50\r\n"
    );
    assert_eq!(file.text().await.unwrap(), expected);
    let read = json!(["PAYOUT_FILE_READ", "u-second", id, [], null]);
    assert_eq!(office.audit("m-aurora").await.last(), Some(&read));
    assert_eq!(office.first().await.get(&format!("{PAYOUTS}/none/file")).await.status, 404);
}

#[tokio::test]
async fn a_payout_that_is_not_complete_can_neither_be_decided_nor_downloaded() {
    let office = Office::open(json!([settlement("s-1", 1000, &json!({}))])).await;
    // The file cannot be written, so that the payout is not complete.
    office.system.set_fault("s3", "*", "status", 500).await;
    let started = start(&office.first().await, "run", &json!({})).await;
    office.system.drain().await;
    let payout = &office.payouts_of(&started).await[0];
    assert_eq!(json!([payout["status"], payout["count"], payout["netAmountMinor"]]), json!(["BUILDING", null, null]));
    let (id, second) = (id_of(payout), office.second().await);
    for response in [
        decide(&second, id, &paid("A")).await,
        decide(&second, id, &cancelled("A")).await,
        second.get(&format!("{PAYOUTS}/{id}/file")).await,
    ] {
        assert_eq!(error_code(&response), (409, "BATCH_BUILDING"), "{response:?}");
    }
    let skipped = start(&office.first().await, "another", &json!({})).await;
    office.system.drain().await;
    office.system.set_faults(json!([])).await;
    office.drain().await;
    assert_eq!(office.payout(id).await["status"], "IN_BATCH");
    assert_eq!(office.payouts_of(&skipped).await, Vec::<Value>::new(), "one payout at a time");
}

#[tokio::test]
async fn a_settlement_is_held_and_released() {
    let office = Office::open(json!([
        settlement("s-1", 1000, &json!({})),
        settlement("s-held", 10, &json!({"held": true})),
        settlement("s-paid", 10, &json!({"status": "PAID"})),
        settlement("s-void", 10, &json!({"status": "VOID"})),
    ]))
    .await;
    let first = office.first().await;
    let hold = async |id: &str, held: bool| {
        let body = json!({"held": held, "reason": "Looked at it"});
        first.patch(&format!("/api/admin/settlements/m-aurora/{id}"), &body).await
    };
    for (id, held) in [("s-1", true), ("s-1", true), ("s-held", false)] {
        office.clock.advance(1);
        let expected = json!({"ok": true, "data": {
            "id": id, "merchantId": "m-aurora", "status": "PENDING", "held": held,
            "netAmountMinor": if id == "s-1" { 1000 } else { 10 }, "currency": "SEK", "eligibleAt": "2026-11-05T10:00:00.000Z",
        }});
        assert_eq!(hold(id, held).await.reply(), (200, expected));
    }
    let payouts = office.run("run", &json!({})).await;
    assert_eq!((&payouts[0]["count"], &payouts[0]["netAmountMinor"]), (&json!(1), &json!(10)));
    assert_eq!(error_code(&hold("s-held", true).await), (409, "IN_BATCH"));
    assert_eq!(error_code(&hold("s-paid", true).await), (409, "SETTLEMENT_CLOSED"));
    assert_eq!(error_code(&hold("s-void", true).await), (409, "SETTLEMENT_CLOSED"));
    assert_eq!(hold("s-none", true).await.status, 404);
    let body = json!({"held": true, "reason": "A"});
    assert_eq!(first.patch("/api/admin/settlements/m-rival/s-1", &body).await.status, 404);
    for (body, message) in [
        (json!({"held": true}), "reason: is missing."),
        (json!({"reason": "A"}), "held: is missing."),
        (json!({"held": true, "reason": " "}), "reason: must have 1 to 500 characters on one line."),
        (json!({"held": "yes", "reason": "A"}), "held: must be true or false."),
    ] {
        let refused = first.patch("/api/admin/settlements/m-aurora/s-1", &body).await;
        assert_eq!(refused.reply(), refusal(400, message), "{body}");
    }
    let change = |from: &str, to: &str| json!([{"field": "held", "from": from, "to": to}]);
    let holds = json!([
        ["SETTLEMENT_HELD", "u-root", "s-1", change("false", "true"), "Looked at it"],
        ["SETTLEMENT_RELEASED", "u-root", "s-held", change("true", "false"), "Looked at it"],
    ]);
    assert_eq!(json!(office.audit("m-aurora").await), holds);
}

/// The redemption of a card whose sale at the own till was not yet known to have succeeded makes a settlement without a hold.
#[tokio::test]
async fn a_settlement_of_a_card_of_the_own_till_is_held_when_it_would_join() {
    let redemption =
        |id: &str, code: &str| shop::redemption(id, "2026-10-29T10:00:00Z", 100, &json!({"currency": "SEK", "qrCode": code}));
    let office = Office::open(json!([
        settlement("s-own", 10, &json!({"redemptionId": "r-own"})),
        settlement("s-released", 20, &json!({"redemptionId": "r-released", "held": true})),
        settlement("s-other", 40, &json!({"redemptionId": "r-other"})),
    ]))
    .await;
    let till = office.system.sign_in("u-till").await;
    let code = till.sell(100).await.text("/data/qrCode");
    let redemptions = [redemption("r-own", &code), redemption("r-released", &code), redemption("r-other", "QR-500")];
    office.system.load_fixtures(&json!({"redemptions": redemptions})).await;
    let released = json!({"held": false, "reason": "The till's money has been paid back"});
    office.first().await.patch("/api/admin/settlements/m-aurora/s-released", &released).await.ok();

    let payouts = office.run("run", &json!({})).await;
    assert_eq!((&payouts[0]["count"], &payouts[0]["netAmountMinor"]), (&json!(2), &json!(60)));
    let own = office.system.sign_in("u-admin").await.get("/api/bff/settlements").await.row("/rows", "id", "s-own");
    assert_eq!((&own["status"], &own["held"]), (&json!("PENDING"), &json!(true)));
}

#[tokio::test]
async fn a_payout_of_many_settlements_adds_up() {
    let settlements: Vec<Value> = (0..150).map(|number| settlement(&format!("s-{number}"), 100 + number, &json!({}))).collect();
    let office = Office::open(json!(settlements)).await;
    let payouts = office.run("run", &json!({})).await;
    let sum = 150 * 100 + 149 * 150 / 2;
    let payout = &payouts[0];
    assert_eq!((&payout["count"], &payout["netAmountMinor"], &payout["status"]), (&json!(150), &json!(sum), &json!("IN_BATCH")));
    assert_eq!(decide(&office.second().await, id_of(payout), &paid("A")).await.status, 200);
    office.drain().await;
    assert_eq!(office.payout(id_of(payout)).await["status"], "PAID");
    let listed = office.system.sign_in("u-admin").await.get("/api/bff/settlements?take=200").await;
    let rows = listed.list("/rows");
    assert!(rows.len() == 150 && rows.iter().all(|row| row["status"] == "PAID"));
}

/// More rows than one transaction has room for, of merchants that are looked at together.
#[tokio::test]
async fn a_run_tells_all_that_it_leaves_out_however_much_it_is() {
    let currencies = "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF ILS INR ISK \
                      JPY KES KRW KWD MAD MXN NOK NZD PEN PHP PLN RON SAR SEK SGD THB TRY USD VND ZAR";
    let merchants = ["m-rival", "m-yen"];
    let settlements = currencies.split(' ').flat_map(|currency| {
        let of = move |merchant: &str, kind: &str| {
            let fields = json!({"merchantId": merchant, "currency": currency, "sourceType": kind, "orderId": "o-1"});
            settlement(&format!("s-{merchant}-{currency}-{kind}"), 100, &fields)
        };
        merchants.into_iter().flat_map(move |merchant| [of(merchant, "ORDER"), of(merchant, "REDEMPTION")])
    });
    let office = Office::open(settlements.collect()).await;
    for merchant in merchants {
        office.set_status(merchant, "SUSPENDED").await;
    }
    let run = start(&office.first().await, "run", &json!({})).await.ok().text("/data/runId");
    office.drain().await;
    let left_out = office.left_out(&run).await;
    // Orders and redemptions of the one that is settled on sale are told apart.
    assert_eq!(left_out.as_array().unwrap().len(), 40 * 2 + 40, "{left_out}");
}

#[tokio::test]
async fn a_run_and_its_preview_say_whom_they_leave_out_and_why() {
    let of =
        |id: &str, merchant: &str, net: i64, fields: Value| settlement(id, net, &with(fields, &json!({"merchantId": merchant})));
    let office = Office::open(json!([
        of("s-1", "m-aurora", 1000, json!({})),
        of("s-2", "m-aurora", 500, json!({})),
        of("s-later", "m-aurora", 70, json!({"eligibleAt": "2026-11-05T11:59:59Z"})),
        of("s-sale", "m-aurora", 74, json!({"sourceType": "ORDER", "orderId": "o-1"})),
        of("s-held", "m-aurora", 30, json!({"currency": "EUR", "held": true})),
        of("s-debt", "m-aurora", -5, json!({"currency": "USD"})),
        of("s-nothing", "m-aurora", 0, json!({"currency": "GBP"})),
        of("s-rival", "m-rival", 80, json!({})),
        of("s-rival-held", "m-rival", 81, json!({"held": true})),
        of("s-yen", "m-yen", 90, json!({"currency": "JPY", "sourceType": "ORDER", "orderId": "o-2"})),
        of("s-dinar", "m-dinar", 100, json!({"currency": "KWD"})),
    ]))
    .await;
    office.set_status("m-rival", "SUSPENDED").await;
    let admin = office.system.sign_in("u-yen").await;
    admin.put("/api/bff/merchant", &json!({"company": {"legalName": "Another company"}})).await.ok();
    let own = with(shop::platform_administrator("u-former"), &json!({"merchantId": "m-dinar"}));
    office.system.load_fixtures(&json!({"users": [own]})).await;
    let former = office.system.sign_in("u-former").await;

    let left_out = json!([
        ["m-aurora", "Aurora Coffee", "EUR", 1, 30, "ALL_HELD"],
        ["m-aurora", "Aurora Coffee", "GBP", 1, 0, "NOT_POSITIVE"],
        ["m-aurora", "Aurora Coffee", "SEK", 1, 74, "OTHER_KIND"],
        ["m-aurora", "Aurora Coffee", "USD", 1, -5, "NOT_POSITIVE"],
        ["m-dinar", "Souk", "KWD", 1, 100, "OWN_MERCHANT"],
        ["m-rival", "Rival Tea", "SEK", 1, 80, "STATUS"],
        ["m-yen", "Another company", "JPY", 1, 90, "IDENTITY_CHANGED"],
    ]);
    let preview = former.get(&format!("{PAYOUTS}/preview")).await.ok();
    assert_eq!(rows_of(preview.at("/data/leftOut")), left_out);
    let payable = json!([{"merchantId": "m-aurora", "merchantName": "Aurora Coffee", "currency": "SEK", "count": 2,
        "netAmountMinor": 1500}]);
    assert_eq!((preview.at("/data/payouts"), preview.at("/data/next")), (&payable, &Value::Null));
    assert_eq!(former.get(PAYOUTS).await.at("/data/payouts"), &json!([]), "a preview writes nothing");

    let started = start(&former, "run", &json!({})).await.ok();
    let run = started.text("/data/runId");
    let running = former.get(&format!("{PAYOUTS}/runs/{run}")).await;
    assert!(["RUNNING", "DONE"].contains(&running.text("/data/status").as_str()), "{running:?}");
    office.drain().await;
    let shown = office.first().await.get(&format!("{PAYOUTS}/runs/{run}")).await;
    let expected = json!({
        "runId": run, "status": "DONE", "createdBy": "u-former", "people": shown.at("/data/people"), "createdAt": "2026-11-05T11:59:59.000Z",
        "eligibleBefore": "2026-11-05T11:59:59.000Z", "payouts": 3, "leftOut": shown.at("/data/leftOut"), "next": null,
    });
    assert_eq!(shown.at("/data"), &expected);
    assert_eq!(shown.at("/data/people/0/id"), "u-former");
    assert_eq!(office.left_out(&run).await, left_out);
    assert_eq!(office.first().await.get(&format!("{PAYOUTS}/runs/none")).await.status, 404);

    for (query, status) in [
        ("merchantId=m-aurora&currency=SEK&eligibleBefore=2026-11-05T11:00:00Z", 200),
        ("merchantId=m-dinar", 403),
        ("merchantId=m-none", 400),
        ("currency=none", 400),
        ("eligibleBefore=2026-11-06T00:00:00Z", 400),
    ] {
        assert_eq!(former.get(&format!("{PAYOUTS}/preview?{query}")).await.status, status, "{query}");
    }
}

#[tokio::test]
async fn a_run_names_what_another_run_takes() {
    let late = settlement("s-2", 10, &json!({"eligibleAt": "2026-11-05T11:30:00Z"}));
    let office = Office::open(json!([settlement("s-1", 1000, &json!({})), late])).await;
    office.system.set_fault("s3", "*", "status", 500).await;
    assert_eq!(start(&office.first().await, "one", &json!({"eligibleBefore": "2026-11-05T11:00:00Z"})).await.status, 202);
    office.system.drain().await;
    let left_out = json!([["m-aurora", "Aurora Coffee", "SEK", 1, 10, "ANOTHER_RUN"]]);
    assert_eq!(rows_of(office.first().await.get(&format!("{PAYOUTS}/preview")).await.at("/data/leftOut")), left_out);
    let started = start(&office.first().await, "two", &json!({})).await;
    office.system.drain().await;
    let run = started.text("/data/runId");
    office.system.set_faults(json!([])).await;
    office.drain().await;
    assert_eq!(office.left_out(&run).await, left_out);
}

#[tokio::test]
async fn a_merchant_that_cannot_be_read_is_named() {
    let of_rival = settlement("s-2", 20, &json!({"merchantId": "m-rival"}));
    let office = Office::open(json!([settlement("s-1", 1000, &json!({})), of_rival])).await;
    let unknown = serde_json::from_value(json!("SETTLEMENT_ON_DELIVERY")).unwrap();
    office.system.change_merchant("m-rival", |merchant| merchant.settlement_mode = Some(unknown)).await;
    let payouts = office.run("run", &json!({})).await;
    assert_eq!((payouts.len(), &payouts[0]["merchantId"]), (1, &json!("m-aurora")));
    let run = payouts[0]["runId"].as_str().unwrap().to_owned();
    assert_eq!(office.left_out(&run).await, json!([["m-rival", "Rival Tea", "SEK", 1, 20, "UNREADABLE"]]));
}

#[tokio::test]
async fn only_a_merchant_that_can_be_paid_is_paid() {
    for (status, is_payable) in [("ACTIVE", true), ("INACTIVE", true), ("SUSPENDED", false), ("DECLINED", false)] {
        let office = Office::open(json!([settlement("s-1", 1000, &json!({}))])).await;
        let payouts = office.run("run", &json!({})).await;
        let id = id_of(&payouts[0]);
        let set = serde_json::from_value(json!(status)).unwrap();
        office.system.change_merchant("m-aurora", |merchant| merchant.status = set).await;
        assert_eq!(office.payout(id).await["merchantStatus"], status);
        let second = office.second().await;
        let decided = decide(&second, id, &paid("A")).await;
        if is_payable {
            assert_eq!(decided.status, 200, "{status}: {decided:?}");
            // What was decided stays decided.
            office.set_status("m-aurora", if status == "ACTIVE" { "SUSPENDED" } else { continue }).await;
            assert_eq!(decide(&second, id, &paid("A")).await.status, 200);
            office.drain().await;
            assert_eq!(office.payout(id).await["status"], "PAID");
        } else {
            assert_eq!(error_code(&decided), (409, "MERCHANT_NOT_PAYABLE"), "{status}");
            assert_eq!(office.payout(id).await["status"], "IN_BATCH");
            assert_eq!(decide(&second, id, &cancelled("Not now")).await.status, 200, "{status}");
            assert_eq!(error_code(&decide(&second, id, &paid("A")).await), (409, "BATCH_CLOSED"));
        }
    }
}

/// Both have read the merchant before either writes.
#[tokio::test]
async fn a_changed_identity_waits_for_its_review() {
    let office =
        Office::open(json!([settlement("s-1", 1000, &json!({})), settlement("s-2", 5, &json!({"currency": "EUR"}))])).await;
    let sealed = office.run("before", &json!({"currency": "SEK"})).await;
    let id = id_of(&sealed[0]);
    let (first, second) = (office.first().await, office.second().await);
    let admin = office.system.sign_in("u-admin").await;
    let change = async |company: Value| {
        admin.put("/api/bff/merchant", &json!({"company": company})).await.ok();
    };
    // The names under which it trades are not who it is.
    change(json!({"tradeName": "Aurora Bars", "timeZone": "Europe/Oslo"})).await;
    change(json!({"legalName": "Nova AB"})).await;
    office.clock.advance(1);
    change(json!({"legalName": "Nova Coffee AB", "taxNumber": "SE2"})).await;
    assert_eq!(error_code(&decide(&second, id, &paid("A")).await), (409, "MERCHANT_NOT_PAYABLE"));
    let started = start(&first, "run", &json!({})).await;
    office.drain().await;
    let left_out = office.left_out(&started.text("/data/runId")).await;
    assert_eq!(left_out, json!([["m-aurora", "Nova Coffee AB", "EUR", 1, 5, "IDENTITY_CHANGED"]]));
    assert_eq!(admin.post(ISSUE, &sale(100)).await.status, 200, "nothing else waits");

    let shown = second.get(MERCHANT).await;
    let by_admin = |field: &str, from: &str, to: &str| json!({"field": field, "from": from, "to": to, "at": "2026-11-05T12:00:00.000Z", "by": "u-admin"});
    let legal_name = by_admin("legalName", "Aurora Coffee AB", "Nova Coffee AB");
    assert_eq!(shown.at("/data/identityChanges"), &json!([legal_name, by_admin("vatNumber", "SE556677889901", "SE2")]));
    assert_eq!(shown.at("/data/identityVersion"), 2);
    let change = |field: &str, from: &str, to: &str| json!({"field": field, "from": from, "to": to});
    // The trade name was changed in the same millisecond as the legal name: its entry may come before or after.
    let is_about_identity = |entry: &Value| entry[0] == "IDENTITY_CHANGED" && entry[3][0]["field"] != "tradeName";
    let audited: Vec<Value> = office.audit("m-aurora").await.into_iter().filter(is_about_identity).collect();
    let last = [change("legalName", "Nova AB", "Nova Coffee AB"), change("vatNumber", "SE556677889901", "SE2")];
    let expected = json!([
        ["IDENTITY_CHANGED", "u-admin", null, [change("legalName", "Aurora Coffee AB", "Nova AB")], null],
        ["IDENTITY_CHANGED", "u-admin", null, last, null],
    ]);
    assert_eq!(json!(audited), expected);

    let review = |version: u32| json!({"identityReviewed": version, "reason": "The register agrees"});
    for stale in [1, 3] {
        assert_eq!(error_code(&second.patch(MERCHANT, &review(stale)).await), (409, "IDENTITY_CHANGED"), "{stale}");
    }
    for _first_and_repeated in 0..2 {
        let reviewed = second.patch(MERCHANT, &review(2)).await;
        assert_eq!((reviewed.status, reviewed.at("/data/identityChanges")), (200, &json!([])), "{reviewed:?}");
        assert_eq!(reviewed.at("/data/verification/changedFields/0"), &json!("tradeName"), "the verifier has not seen them");
    }
    assert_eq!(office.audit("m-aurora").await.iter().filter(|entry| entry[0] == "MERCHANT_CHANGED").count(), 2);
    assert_eq!(decide(&second, id, &paid("A")).await.status, 200);
    assert_eq!(office.run("after", &json!({})).await.len(), 1);
}

#[tokio::test]
async fn whoever_has_belonged_to_a_merchant_neither_administers_nor_reads_nor_pays_it() {
    let office =
        Office::open(json!([settlement("s-1", 1000, &json!({})), settlement("s-2", 5, &json!({"currency": "EUR"}))])).await;
    let payouts = office.run("run", &json!({"currency": "SEK"})).await;
    let id = id_of(&payouts[0]);
    let linked = office.system.sign_in("u-linked").await;
    assert_eq!(linked.delete("/api/auth/members/u-linked").await.status, 200);
    let linked = office.system.sign_in("u-linked").await;
    for response in [
        linked.get("/api/admin/merchants/m-aurora").await,
        linked.patch("/api/admin/merchants/m-aurora", &json!({"payoutDelayDays": 1, "reason": "A"})).await,
        start(&linked, "own", &json!({"merchantId": "m-aurora"})).await,
        linked.get(&format!("{PAYOUTS}/preview?merchantId=m-aurora")).await,
        decide(&linked, id, &paid("A")).await,
        linked.get(&format!("{PAYOUTS}/{id}/file")).await,
        linked.get("/api/admin/settlements?merchantId=m-aurora").await,
        linked.get(&format!("/api/admin/settlements?payoutId={id}")).await,
        linked.patch("/api/admin/settlements/m-aurora/s-2", &json!({"held": true, "reason": "A"})).await,
    ] {
        assert_eq!(error_code(&response), (403, "OWN_MERCHANT"), "{response:?}");
    }
    let all = linked.get("/api/admin/settlements").await;
    assert_eq!(all.at("/data/settlements"), &json!([]), "{all:?}");
    let started = start(&linked, "all", &json!({})).await;
    office.drain().await;
    let left_out = office.left_out(&started.text("/data/runId")).await;
    assert_eq!(left_out, json!([["m-aurora", "Aurora Coffee", "EUR", 1, 5, "OWN_MERCHANT"]]));
}

#[tokio::test]
async fn administrators_list_settlements_and_why_they_are_held() {
    let office = Office::open(json!([
        settlement("s-1", 1000, &json!({})),
        settlement("s-2", 500, &json!({"eligibleAt": "2026-11-05T10:00:01Z"})),
        settlement("s-sale", 74, &json!({"sourceType": "ORDER", "orderId": "o-1"})),
        settlement("s-void", 1, &json!({"status": "VOID"})),
        settlement("s-rival", 80, &json!({"merchantId": "m-rival", "held": true})),
    ]))
    .await;
    let first = office.first().await;
    let hold = async |held: bool, reason: &str| {
        let body = json!({"held": held, "reason": reason});
        assert_eq!(first.patch("/api/admin/settlements/m-aurora/s-2", &body).await.status, 200);
    };
    hold(true, "A doubt").await;
    let payouts = office.run("run", &json!({})).await;
    let list = async |query: &str, limit: usize| {
        let rows = first.walk(&format!("/api/admin/settlements?{query}"), "settlements", limit).await;
        let row = |row: &Value| json!([row["id"], row["status"], row["held"], row["heldBecause"], row["heldReason"]]);
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let sale = json!(["s-sale", "PENDING", false, null, null]);
    let held = json!(["s-2", "PENDING", true, "ADMINISTRATOR", "A doubt"]);
    let paid = json!(["s-1", "IN_BATCH", false, null, null]);
    let rival = json!(["s-rival", "PENDING", true, "ADMINISTRATOR", null]);
    let of_payout = format!("payoutId={}", id_of(&payouts[0]));
    for limit in [1, 2, 200] {
        for (query, expected) in [
            ("", json!([sale, held, paid, rival])),
            ("merchantId=m-aurora", json!([sale, held, paid])),
            ("merchantId=m-aurora&held=false", json!([sale, paid])),
            ("held=true", json!([held, rival])),
            ("merchantId=m-none", json!([])),
            (&of_payout, json!([paid])),
            ("payoutId=none", json!([])),
        ] {
            assert_eq!(json!(list(query, limit).await), expected, "{query} {limit}");
        }
    }
    let page = first.get("/api/admin/settlements?merchantId=m-rival").await;
    let row = page.at("/data/settlements/0").as_object().unwrap();
    let listed = office.system.sign_in("u-rival").await.get("/api/bff/settlements").await;
    let of_merchant = listed.at("/rows/0").as_object().unwrap();
    assert!(of_merchant.iter().all(|(name, value)| row.get(name) == Some(value)), "{row:?} {of_merchant:?}");
    assert_eq!(row.len(), of_merchant.len() + 1);

    hold(false, "Cleared").await;
    let lifted = json!(["s-2", "PENDING", false, null, "Cleared"]);
    assert_eq!(list("merchantId=m-aurora", 200).await[1], lifted);
    assert_eq!(list("held=true", 200).await, [rival]);
    assert_eq!(first.get("/api/admin/settlements?cursor=none").await.status, 400);
}
