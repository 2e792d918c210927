//! Writes a golden file with the current code.

use std::path::Path;
use std::time::Duration;

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use reqwest::Method;
use serde_json::{Value, json};
use shared::cards::model::card_tag::{CardTag, TaggedCard};
use shared::cards::model::order::{GiftCard, GiftCardStatus, Order, OrderStatus, PaymentStatus, Refund};
use shared::cards::rows::card_history::count_cards;
use shared::cards::rows::given_back::give_back;
use shared::cards::rows::orders::card_writes;
use shared::db::counters::{Member, Reservation, Who};
use shared::db::keys::{Listed, listed_rows};
use shared::db::model::restore::{RestoreStep, Restores};
use shared::db::{Job, MirroredField, News, SignInNews, Task, Write};
use shared::keys::model::key::{ApiKey, KeyMaker, KeySecret, Rotation, days};
use shared::keys::model::text::KeyText;
use shared::limits::model::SEARCHES;
use shared::merchants::model::activity::Actor;
use shared::merchants::model::audit::{AuditAction, AuditEntry, AuditedChange};
use shared::merchants::model::merchant::MerchantStatus;
use shared::merchants::model::take_down::TakeDown;
use shared::payouts::{LeftOut, LeftOutReason, PayoutRun, PayoutSettlement, create_payout};
use shared::projections::calendars::FollowedRelease;
use shared::projections::model::export::{
    Days, Export, ExportFormat, ExportKind, ExportProgress, ExportState, ExportedOrders, Position, SelectedBy, UploadedPart,
};
use shared::projections::model::tally::Family;
use shared::projections::rows::exports;
use shared::settlements::model::settlement::{HeldBecause, Settlement, SettlementHold, SettlementStatus};
use shared::team::model::passkey::{Enrolment, EnrolmentCode, Passkey, PasskeyHandle, PasskeyOwner};
use shared::team::model::team::{AdministratorsBy, Permission, SignInMethod, User};
use shared::team::model::till::{NamedOperator, Operator};
use shared::team::rows::passkeys::PasskeyRegistration;
use shared::team::rows::sessions::{SignedIn, Token};
use shared::values::{
    ApiKeyId, ChallengeId, Currency, ExportId, GiftCardId, Language, MerchantId, Minor, Minute, Money, OfferId, OrderId,
    PasskeyId, PayoutId, PayoutRunId, QrCode, RedemptionId, Reference, SessionId, SettlementId, TillId, UserId,
    WebhookEndpointId, later, release,
};
use shared::webhooks::SigningSecret;
use shared::webhooks::model::{self as webhook, Endpoint, EndpointSettings, Event, EventType, Hosts, WebhookUrl};

use crate::golden::{
    self, DRAFT_SESSION_TOKEN, FAILED_REDEEM_BODY, FAILED_REDEEM_KEY, ISSUE_BODY, ISSUE_KEY, OPEN_ISSUE_KEY, REDEEM_BODY,
    REDEEM_KEY, SESSION_SECRET, SESSION_TOKEN, TILL_BODY, TILL_KEY,
};
use crate::support::System;

const FIXTURES: &str = include_str!("golden/fixtures.json");
const ISSUE: &str = "/api/bff/pos/issue";
const REDEEM: &str = "/api/bff/pos/redeem";
const TILLS: &str = "/api/auth/tills";

#[tokio::test]
#[ignore = "writes a golden file: see main.rs"]
async fn writes_golden_rows() {
    let file = std::env::var("GOLDEN_FILE").expect("GOLDEN_FILE is set");
    let system = System::empty().await;
    let mut fixtures: Value = serde_json::from_str(FIXTURES).unwrap();
    fixtures["cardNetwork"] = golden::card_network();
    system.load_fixtures(&fixtures).await;
    sign_in(&system).await;
    add_endpoint(&system).await;
    fill(&system).await;
    add_accounts(&system).await;
    add_key(&system).await;
    add_passkey(&system).await;
    add_payouts(&system).await;
    add_return(&system).await;
    add_open_issue(&system).await;
    add_closed_key(&system).await;
    add_changed_order(&system).await;
    add_audit_entry(&system).await;
    add_guesses_and_take_down(&system).await;
    add_jobs(&system).await;
    add_rows_of_the_table(&system).await;

    system.local.send_due_webhooks().await;
    // The faults of the jobs would stand in the way.
    system.set_faults(&json!([])).await;
    let work = async {
        add_recorded_messages(&system).await;
        system.all_rows().await
    };
    let rows = system.local.pause(work).await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("rows").join(file);
    std::fs::write(path, text_of(&rows)).unwrap();
}

/// A line for each attribute.
fn text_of(rows: &[Value]) -> String {
    let attributes = |row: &Value| {
        let lines = row.as_object().unwrap().iter().map(|(name, value)| format!("{}: {value}", json!(name)));
        lines.collect::<Vec<_>>().join(",\n ")
    };
    let rows: Vec<String> = rows.iter().map(|row| format!("{{{}}}", attributes(row))).collect();
    format!("[{}]\n", rows.join(",\n"))
}

async fn sign_in(system: &System) {
    let app = system.local.app();
    for (user, expected) in [("u-golden", SESSION_TOKEN), ("u-draft", DRAFT_SESSION_TOKEN)] {
        let user = app.store.user(&UserId::new(user)).await.unwrap().unwrap();
        let token = app.store.open_session(&user, SESSION_SECRET, SignInMethod::Passkey, app.clock.now()).await.unwrap();
        assert_eq!(token.expose(), expected);
    }
}

/// Makes the requests whose work is done in the end.
async fn fill(system: &System) {
    let role = json!({"targetUserId": "u-full", "merchantTeamRole": "FULL"});
    let email = json!({"email": "admin@golden.example"});
    for (method, path, body) in [
        (Method::PATCH, "/api/bff/merchant/users", role),
        (Method::POST, "/api/public/merchant/onboarding-check", email),
        (Method::GET, "/api/bff/widget/giftcards?merchantId=m-golden&embed=Widget", Value::Null),
    ] {
        let response = system.send_json(method, path, &body).await;
        assert_eq!(response.status, 200, "{path}: {response:?}");
    }
    for (path, key, body, status) in [
        (ISSUE, ISSUE_KEY, ISSUE_BODY, 200),
        (REDEEM, REDEEM_KEY, REDEEM_BODY, 200),
        (REDEEM, FAILED_REDEEM_KEY, FAILED_REDEEM_BODY, 0),
    ] {
        let response = system.send_with_key(path, key, body).await;
        let expected = if status == 0 { 400..500 } else { status..status + 1 };
        assert!(expected.contains(&response.status), "{path} {key}: {response:?}");
    }
    submit_application(system).await;
    assert_eq!(system.drain().await["dead"], 0);
}

/// Submits the application of `m-draft`, which opens a verification session.
/// Nothing answers at its address, so that its messages wait.
async fn add_endpoint(system: &System) {
    let (app, merchant) = (system.local.app(), MerchantId::new("m-golden"));
    let id = WebhookEndpointId::new("e-golden");
    let secret = SigningSecret::new(&app.random);
    let key = app.code_key().await.unwrap();
    let sealed = |secret: &SigningSecret| secret.seal(&key, &merchant, &id, &app.random).unwrap();
    let settings = EndpointSettings {
        url: WebhookUrl::parse("http://127.0.0.1:9/", &Hosts::Local).unwrap(),
        events: EventType::ALL.map(Into::into).into(),
        description: Some("Loyalty".to_owned()),
        secret: sealed(&secret),
    };
    let now = app.clock.now();
    let endpoint = Endpoint::new(id.clone(), merchant.clone(), settings, UserId::new("u-golden"), now);
    let secrets = endpoint.secrets.rotated(sealed(&secret), false, now);
    let readable = webhook::Readable::new(|permission| permission == Permission::Orders);
    let moves = vec![webhook::Move { at: later(now, SignedDuration::from_hours(-24)), readable }];
    let endpoint = Endpoint { secrets, rotated_at: Some(now), last_success_at: Some(now), moves, ..endpoint };
    let webhooks = app.store.webhooks(&merchant).await.unwrap().unwrap();
    app.store.commit(vec![Write::create(&endpoint).unwrap(), webhooks.with(&endpoint).unwrap()]).await.unwrap();
}

/// A message of each event whose body is still to be made.
async fn add_recorded_messages(system: &System) {
    let app = system.local.app();
    let merchant = app.store.merchant(&MerchantId::new("m-golden")).await.unwrap().unwrap();
    let (order, redemption) = (OrderId::new("o-golden-1"), RedemptionId::new("r-golden-1"));
    let settlement = SettlementId::new("s-golden-1");
    let reference = Reference::new("golden-reference");
    for event in [
        Event::GiftCardIssued { order_id: order.clone(), offer_id: Some(OfferId::new("7")), store_id: Some("main".to_owned()) },
        Event::GiftCardRedeemed {
            redemption_id: redemption.clone(),
            store_id: None,
            remaining: Some(Minor::new(5)),
            settlement_id: Some(settlement.clone()),
        },
        Event::OperationUnknown { reference: reference.clone(), operation: webhook::Operation::Issue(order) },
        Event::OperationResolved { reference, operation: webhook::Operation::Redeem(redemption), succeeded: true },
        Event::SettlementCreated { settlement_id: settlement.clone() },
        Event::SettlementHeld { settlement_id: settlement },
        Event::PayoutPaid { payout_id: PayoutId::new("p-golden") },
        Event::MerchantStatusChanged { from: MerchantStatus::Suspended.into(), to: MerchantStatus::Active.into() },
    ] {
        let write = app.store.webhook_message(&merchant, event, app.clock.now()).unwrap().unwrap();
        app.store.commit(vec![write]).await.unwrap();
    }
}

async fn submit_application(system: &System) {
    let application = json!({
        "registrationNumber": "556677-0000", "vatNumber": "SE556677000001", "tradingName": "Draft Books",
        "currency": "SEK", "numberOfLocations": "1",
        "legalAddress": {"line1": "Bokgatan 2", "city": "Lund", "state": "", "postalCode": "222 22", "country": "SE"},
        "directors": [{"name": "Dan Ek", "role": "CEO"}],
        "documents": [{"type": "REGISTRATION", "url": "https://portal-files.s3.eu-west-1.amazonaws.com/m-draft/onboarding/documents/doc.pdf", "name": "doc.pdf"}],
        "termsAccepted": true, "privacyAccepted": true,
    });
    let request = system.anonymous(Method::POST, "/api/onboarding/submit").bearer_auth(DRAFT_SESSION_TOKEN);
    let response = system.send(request.header("content-type", "application/json").body(application.to_string())).await;
    assert_eq!(response.status, 200, "{response:?}");
}

/// A card that a paired till has issued for what it gives back.
async fn add_return(system: &System) {
    let (app, merchant) = (system.local.app(), MerchantId::new("m-golden"));
    let redemption = app.store.redemption(&merchant, &RedemptionId::new("r-golden-1")).await.unwrap().unwrap();
    let value = Money::new(Minor::new(1), redemption.amount.currency);
    let code = QrCode::new("QR-RETURN");
    let tag = CardTag::new(&app.code_key().await.unwrap(), &merchant, &code);
    let card = GiftCard {
        id: GiftCardId::new("g-return"),
        qr_code: Some(code),
        network_code: Some("NC-RETURN".to_owned()),
        status: GiftCardStatus::Issued.into(),
        value,
    };
    let order = Order {
        status: OrderStatus::Completed.into(),
        payment_status: PaymentStatus::PaymentCaptureSucceeded.into(),
        sold_at_till: true,
        sold_by: Some(NamedOperator { operator: Operator::Till(TillId::new("t-golden")), name: Some("Counter".to_owned()) }),
        store_name: Some("Main street".to_owned()),
        refund: Some(Refund { of: redemption.id.clone(), is_counted: true }),
        refund_reason: Some("Wrong size".to_owned()),
        gift_cards: vec![card],
        tagged_cards: vec![TaggedCard { tag, value }],
        ..Order::new(OrderId::new("o-return"), merchant, app.clock.now(), value)
    };
    let mut writes = vec![Write::create(&order).unwrap()];
    writes.extend(card_writes(&order).unwrap());
    writes.extend(count_cards(&order, &order.tagged_cards).unwrap());
    writes.extend(give_back(&redemption, value.minor).unwrap());
    app.store.commit(writes).await.unwrap();
}

/// An issue whose outcome is unknown: neither the request nor the lookup gets a response.
async fn add_open_issue(system: &System) {
    let fault = |r#match: &str, value: u16| json!({"target": "card-network", "match": r#match, "kind": "status", "times": "always", "value": value});
    system.set_faults(&json!([fault("POST *", 503), fault("GET /v1/operations/*", 503)])).await;
    let issued = system.send_with_key(ISSUE, OPEN_ISSUE_KEY, ISSUE_BODY).await;
    assert_eq!(issued.status, 504, "{issued:?}");
}

/// The key of a sale that was cancelled before it was made.
async fn add_closed_key(system: &System) {
    let cancellation = json!({"kind": "ISSUE", "idempotencyKey": "cancelled"});
    let cancelled = system.send_json(Method::POST, "/api/bff/pos/operations/cancellation", &cancellation).await;
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
}

/// A restore, the heartbeat, and the time zone data that calendars follow.
async fn add_rows_of_the_table(system: &System) {
    let app = system.local.app();
    let to = app.clock.now();
    let from = later(to, -SignedDuration::from_hours(1));
    let used = Restores { step: RestoreStep::InUse, ..Restores::default().preparing("golden", from).unwrap() };
    let restores = used.completed("golden", to).unwrap().unwrap();
    app.store.commit(vec![Write::create(&restores).unwrap()]).await.unwrap();
    app.store.write_heartbeat(to).await.unwrap();
    let after = Some(MerchantId::new("m-golden"));
    let followed = FollowedRelease { release: release().to_owned(), alone_since: from, after, finished_at: Some(to) };
    app.store.commit(vec![Write::put(&followed).unwrap()]).await.unwrap();
}

/// What a platform administrator did.
async fn add_audit_entry(system: &System) {
    let app = system.local.app();
    let entry = AuditEntry {
        id: "audit-1".to_owned(),
        merchant_id: Some(MerchantId::new("m-golden")),
        at: app.clock.now(),
        by: UserId::new("u-root"),
        actor: Some(Actor::key(&ApiKeyId::new("kgolden"), "ERP")),
        action: AuditAction::MerchantChanged.into(),
        subject: None,
        changes: vec![AuditedChange { field: "networkMerchantId".to_owned(), from: None, to: Some("1001".to_owned()) }],
        reason: Some("The account is open".to_owned()),
    };
    app.store.commit(vec![Write::create(&entry).unwrap()]).await.unwrap();
}

/// Guessed card codes of a member and of a till, a search, and an image that was taken down.
async fn add_guesses_and_take_down(system: &System) {
    let app = system.local.app();
    let (merchant, now) = (MerchantId::new("m-golden"), app.clock.now());
    for by in [Operator::User(UserId::new("u-golden")), Operator::Till(TillId::new("t-golden"))] {
        let reserved = app.store.reserve_guess(&merchant, &by, now).await.unwrap().unwrap();
        app.store.count_guess(&merchant, &by, &reserved, now).await.unwrap();
    }
    let (merchant_id, user) = (&merchant, &UserId::new("u-golden"));
    app.store.use_up(&Member { merchant: merchant_id, who: Who::User(user) }.within(SEARCHES), 1, now).await.unwrap().unwrap();
    let taken_down = TakeDown {
        object_key: "public/gift-cards/designs/0199c1f2-7a3b-7c4d-8e5f-0123456789ab-card.png".to_owned(),
        merchant_id: Some(merchant),
        taken_down_at: now,
        taken_down_by: UserId::new("u-root"),
    };
    app.store.commit(vec![Write::create(&taken_down).unwrap()]).await.unwrap();
}

/// A key that was rotated and is under notice, and its use.
async fn add_key(system: &System) {
    let app = system.local.app();
    let (merchant_id, id, now) = (MerchantId::new("m-golden"), ApiKeyId::new("kgolden"), app.clock.now());
    let text = |secret| KeyText::new([secret; 32], &id, &merchant_id).unwrap();
    let key = ApiKey {
        id: id.clone(),
        merchant_id: merchant_id.clone(),
        name: "ERP".to_owned(),
        permissions: vec![Permission::Orders.into()],
        read_only: true,
        created_at: now,
        created_by: KeyMaker { id: UserId::new("u-golden"), name: "Gil Den".to_owned() },
        lifetime_days: 180,
        expires_at: later(now, days(180)),
        ends_at: None,
        ended: None,
        secret: KeySecret { number: 1, hash: text(8).hash() },
        previous: None,
    };
    let by = key.created_by.clone();
    let rotation = Rotation { hash: text(9).hash(), by, overlap: SignedDuration::from_hours(24), lifetime_days: 180 };
    let key = key.rotated(rotation, true, now).under_notice(now);
    app.store.commit(vec![Write::create(&key).unwrap()]).await.unwrap();
    let signed_in = app.store.signed_in(&Token::new(text(9).expose()), AdministratorsBy::Passkey, now).await.unwrap();
    assert!(matches!(signed_in, Some(SignedIn::Key(_))));
}

/// A passkey of a platform administrator who has turned codes off, one that is to be added, and a challenge that was used up.
async fn add_passkey(system: &System) {
    let app = system.local.app();
    let (now, handle) = (app.clock.now(), PasskeyHandle::new([7; 16]));
    let user = app.store.user(&UserId::new("u-golden")).await.unwrap().unwrap();
    let changed = User {
        passkey_handle: Some(handle.clone()),
        signs_in_by_passkey_alone: true,
        enrolment: Some(Enrolment::new(&EnrolmentCode::new([8; 16]), now)),
        language: Some(Language::Japanese.into()),
        ..user.value.clone()
    };
    let passkey = Passkey {
        id: PasskeyId::new("golden"),
        handle: handle.clone(),
        name: "Phone".to_owned(),
        credential_id: "AQ".to_owned(),
        credential: "{}".to_owned(),
        backed_up: true,
        created_at: now,
        last_used_at: Some(now),
    };
    let registration = PasskeyRegistration {
        id: ChallengeId::new("golden-passkey"),
        session_id: SessionId::new("golden"),
        handle: handle.clone(),
        state: "{}".to_owned(),
        expires_at: later(now, SignedDuration::from_mins(5)),
    };
    let writes = [
        Write::replace(&user, &changed),
        Write::create(&passkey),
        Write::create(&PasskeyOwner { handle, user_id: user.value.id }),
        Write::create(&registration),
    ];
    app.store.commit(writes.into_iter().collect::<Result<_, _>>().unwrap()).await.unwrap();
    assert!(app.store.use_up_challenge(&ChallengeId::new("golden-used"), now).await.unwrap());
}

/// A code that was asked for, an invitation that is not confirmed, and a till that is not paired.
async fn add_accounts(system: &System) {
    let invite = json!({"email": "ida@golden.example", "firstName": "Ida", "lastName": "Holm", "merchantTeamRole": "VIEWER"});
    for (path, body, status) in
        [("/api/auth/code", json!({"email": "admin@golden.example"}), 202), ("/api/auth/invites", invite, 201)]
    {
        let response = system.send_json(Method::POST, path, &body).await;
        assert_eq!(response.status, status, "{path}: {response:?}");
    }
    let till = system.send_with_key(TILLS, TILL_KEY, TILL_BODY).await;
    assert_eq!(till.status, 201, "{till:?}");
    assert_eq!(system.drain().await["dead"], 0);
}

/// A run of payouts and a payout that settlements join, without the jobs that would go on with them.
async fn add_payouts(system: &System) {
    let app = system.local.app();
    let now = app.clock.now();
    let merchant = app.store.merchant(&MerchantId::new("m-golden")).await.unwrap().unwrap();
    let run = PayoutRun {
        id: PayoutRun::id_of("golden"),
        fingerprint: "golden".to_owned(),
        merchant_id: Some(merchant.id.clone()),
        currency: Some(Currency::EUR),
        eligible_before: now,
        created_by: UserId::new("u-root"),
        created_at: now,
        own_merchant_id: None,
        after: None,
        finished_at: None,
    };
    let payout = run.payout(&merchant, Currency::EUR, now);
    let settlements = app.store.scan_all::<Settlement>(listed_rows(Listed::Settlements, Some(&merchant.id)));
    let settlement = settlements.await.unwrap().swap_remove(0).value;
    let member = PayoutSettlement { payout_id: payout.id.clone(), settlement };
    let held = Settlement {
        id: SettlementId::new("settlement-held"),
        status: SettlementStatus::Pending.into(),
        payout_batch_id: None,
        hold: SettlementHold::Held { because: HeldBecause::Administrator.into(), reason: Some("A doubt".to_owned()) },
        ..member.settlement.clone()
    };
    let left_out = LeftOut {
        run_id: run.id.clone(),
        merchant_id: merchant.id.clone(),
        merchant_name: merchant.name.clone(),
        currency: Currency::USD,
        count: Some(1),
        net: Some(Minor::new(-5)),
        reason: LeftOutReason::NotPositive.into(),
    };
    let mut writes = vec![Write::create(&run).unwrap(), Write::create(&member).unwrap()];
    writes.extend([Write::create(&held).unwrap(), Write::create(&left_out).unwrap()]);
    writes.extend(create_payout(&payout).unwrap());
    app.store.commit(writes).await.unwrap();
}

/// An export that is running, one that is ready and one that failed.
async fn add_exports(system: &System) {
    let app = system.local.app();
    let now = app.clock.now();
    let running = ExportProgress::new(now).with_upload("upload".to_owned());
    let part = UploadedPart { e_tag: "\"1\"".to_owned(), crc32: Some("AAAAAA==".to_owned()) };
    let position = Position { family: 0, after: "2050-01-01T00:00:00.000Z#o-1".to_owned() };
    let running = running.with_part(part, 1, Some(position.clone()), now);
    let running = running.with_piece("exports/m-golden/piece".to_owned(), 1, Some(position.clone()), now);
    let running = running.with_rest("exports/m-golden/rest".to_owned(), 1, Some(position), now);
    for (id, merchant, state) in [
        ("x-running", "m-golden", ExportState::Running(running)),
        ("x-ready", "m-draft", ExportState::Ready { rows: 1 }),
        ("x-failed", "m-draft", ExportState::Failed),
        ("x-too-large", "m-draft", ExportState::TooManyRows),
    ] {
        let day = now.to_zoned(TimeZone::UTC).date();
        let export = Export {
            id: ExportId::new(id),
            merchant_id: MerchantId::new(merchant),
            kind: ExportKind::Orders,
            days: Days { from: day, to: day, time_zone: "UTC".to_owned() },
            by: SelectedBy::EligibleAt,
            format: ExportFormat::Csv,
            orders: ExportedOrders {
                status: Some(OrderStatus::Completed),
                payment_status: Some(PaymentStatus::PaymentCaptureSucceeded),
                text: "anna".to_owned(),
            },
            families: vec![Family::Orders],
            object_key: format!("exports/{merchant}/{id}.csv"),
            created_at: now,
            state: state.clone(),
        };
        match state {
            ExportState::Running(_) => {
                app.store.commit(exports::start(&export, &app.random).unwrap()).await.unwrap();
            }
            ExportState::Ready { .. } | ExportState::Failed | ExportState::TooManyRows => {
                app.store.commit(vec![Write::create(&export).unwrap()]).await.unwrap();
            }
        }
    }
}

/// A waiting job of every task, and a dead one. None of them can read its merchant.
async fn add_jobs(system: &System) {
    let reads = json!([
        {"target": "dynamodb", "match": "GetItem", "kind": "status", "times": "always", "value": 500},
        {"target": "card-network", "match": "*", "kind": "status", "times": "always", "value": 503},
        {"target": "s3", "match": "ListObjectVersions", "kind": "status", "times": "always", "value": 400},
    ]);
    system.set_faults(&reads).await;
    add_exports(system).await;
    let app = system.local.app();
    let now = app.clock.now();
    let job = |merchant: &str, task| Job::new(MerchantId::new(merchant), task, now, &app.random);
    let draft = || UserId::new("u-draft");
    let mut jobs = vec![
        job("m-golden", Task::AccountChangeMail { user_id: UserId::new("u-golden") }),
        job("m-golden", Task::MirrorMerchant { fields: MirroredField::ALL.to_vec() }),
        job("m-draft", Task::FetchLogo),
        job("m-draft", Task::VerifyMerchant { user_id: draft() }),
        job("m-draft", Task::VerificationMail { user_id: draft() }),
        job("m-golden", Task::StatusMail { user_id: UserId::new("u-golden") }),
        job("m-golden", Task::SettleRedemption { redemption_id: RedemptionId::new("r-golden-1") }),
        job("m-golden", Task::Recount { family: Family::Orders, minutes: [Minute::of(now)].into() }),
        job("m-golden", Task::CodeMail { challenge_id: ChallengeId::new("none") }),
        job("m-golden", Task::InviteMail { challenge_id: ChallengeId::new("none"), counted: Reservation::default() }),
        job("m-golden", Task::TeamNews { news: News::MemberRemoved { user_id: UserId::new("none") } }),
        job(
            "m-golden",
            Task::TeamNewsMail {
                recipient: UserId::new("none"),
                news: News::TillPaired { till_id: TillId::new("none") },
                at: now,
            },
        ),
        job("m-golden", Task::WriteExport { export_id: ExportId::new("none") }),
        job("m-golden", Task::DeleteImage { object_key: "public/gift-cards/designs/none".to_owned() }),
        job(
            "m-golden",
            Task::TakeDownMail { user_id: UserId::new("u-golden"), object_key: "public/gift-cards/designs/none".to_owned() },
        ),
        job("m-golden", Task::RunPayouts { run_id: PayoutRunId::new("none") }),
        job("m-golden", Task::AdvancePayout { payout_id: PayoutId::new("none") }),
        Job::new(
            None,
            Task::NewDeviceMail { user_id: UserId::new("none"), browser: Some("Firefox, Linux".to_owned()) },
            now,
            &app.random,
        ),
        Job::new(
            None,
            Task::SignInNewsMail { user_id: UserId::new("none"), news: SignInNews::PasskeyAdded { name: "Phone".to_owned() } },
            now,
            &app.random,
        ),
        job("m-golden", Task::BuildCalendar),
        job("m-golden", Task::RemoveCalendar { generation: 7 }),
    ];
    let mut dead = job("m-draft", Task::AccountChangeMail { user_id: draft() });
    while !dead.is_dead() {
        dead = dead.claim(later(now, SignedDuration::from_hours(-1)));
    }
    jobs.push(dead);
    let writes = jobs.iter().map(|job| Write::create(job).unwrap()).collect();
    app.store.commit(writes).await.unwrap();
    // Until the stream's worker has attempted each of them.
    while !all_attempted(&system.all_rows().await) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Changes an order. The first change is written to the segments, the second one a moment later is not.
async fn add_changed_order(system: &System) {
    let (store, merchant) = (&system.local.app().store, MerchantId::new("m-golden"));
    for _ in 0..2 {
        let order = store.order(&merchant, &OrderId::new("o-golden-1")).await.unwrap().unwrap();
        store.commit(vec![Write::replace(&order, &order.value).unwrap()]).await.unwrap();
        system.drain().await;
    }
}

fn all_attempted(rows: &[Value]) -> bool {
    let jobs = rows.iter().filter(|row| golden::key(row).0.starts_with("JOB#"));
    let waiting = jobs.map(|row| &row["state"]["M"]["Waiting"]["M"]).filter(|state| !state.is_null());
    waiting.into_iter().all(|state| {
        // A claimed job is due after a minute, a failed one after ten seconds.
        let next = state["next_attempt_at"]["S"].as_str().unwrap();
        state["attempts"]["N"] != "0" && next < "2050-03-10T12:00:59"
    })
}
