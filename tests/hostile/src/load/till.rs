//! A till, which repeats each request under its idempotency key until it knows whether money has moved.

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use world::shop::{ISSUE, REDEEM, payment, sale, with};
use world::{ApiResponse, SeededRandom};

use super::fixtures::Merchant;
use super::shift::{Session, Shift, code};

/// The longest pause between two requests.
const MAX_PAUSE_MILLISECONDS: i64 = 800;
const RETRY_PAUSE: Duration = Duration::from_millis(200);
/// Far more attempts than a network that is up again needs.
const MAX_LAST_ATTEMPTS: usize = 300;
/// How many of the cards that it has sold a till remembers.
const MAX_SOLD_CARDS: usize = 20;

/// A sale or a redemption.
#[derive(Debug, Clone)]
pub(super) struct Intent {
    pub(super) kind: Kind,
    /// The idempotency key, which is the payment reference of a sale as well.
    pub(super) key: String,
    /// Of a redemption.
    pub(super) card: Option<String>,
    pub(super) amount_minor: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sale,
    Redemption,
}

/// An intent with what its till was told.
#[derive(Debug, Clone)]
pub(super) struct Completed {
    pub(super) merchant: Merchant,
    pub(super) intent: Intent,
    pub(super) moved: bool,
    /// The order or the redemption.
    pub(super) id: Option<String>,
    /// The card that was sold or redeemed.
    pub(super) card: Option<String>,
}

pub(super) struct Till {
    shift: Shift,
    session: Session,
    merchant: Merchant,
    number: usize,
    random: SeededRandom,
    sold_cards: VecDeque<String>,
    /// Intents of which it is not known whether they were carried out.
    open: VecDeque<Intent>,
    completed: Vec<Completed>,
}

impl Till {
    pub(super) async fn open(shift: &Shift, merchant: Merchant, number: usize, random: SeededRandom) -> Self {
        let session = shift.signed_in(&merchant.administrator()).await;
        let (sold_cards, open, completed) = (VecDeque::new(), VecDeque::new(), Vec::new());
        Self { shift: shift.clone(), session, merchant, number, random, sold_cards, open, completed }
    }

    /// Sells and redeems until the shift ends, then finds out what is not known yet.
    pub(super) async fn run(mut self) -> Vec<Completed> {
        while !self.shift.has_ended() {
            let intent = self.next_intent();
            self.attempt(intent).await;
            if self.random.percent(30) {
                self.retry_oldest().await;
            }
            tokio::time::sleep(Duration::from_millis(self.random.below(MAX_PAUSE_MILLISECONDS).unsigned_abs())).await;
        }
        for _ in 0..MAX_LAST_ATTEMPTS {
            if self.open.is_empty() {
                break;
            }
            self.retry_oldest().await;
            tokio::time::sleep(RETRY_PAUSE).await;
        }
        for intent in &self.open {
            self.shift.unexplained_error(format!("the outcome is never known of {intent:?}"));
        }
        self.completed
    }

    fn next_intent(&mut self) -> Intent {
        let key = format!("{}-{}-{}", self.merchant.id, self.number, self.completed.len() + self.open.len());
        if self.random.percent(40) {
            return Intent { kind: Kind::Sale, key, card: None, amount_minor: 100 + self.random.below(50_000) };
        }
        // Several tills redeem the cards of the fixtures; those that were sold here can run out of money.
        let known: Vec<String> = self.merchant.cards().into_iter().chain(self.sold_cards.iter().cloned()).collect();
        let card = Some(self.random.pick(&known).clone());
        Intent { kind: Kind::Redemption, key, card, amount_minor: 1 + self.random.below(5_000) }
    }

    async fn retry_oldest(&mut self) {
        if let Some(intent) = self.open.pop_front() {
            self.attempt(intent).await;
        }
    }

    async fn attempt(&mut self, intent: Intent) {
        let answer = self.send(&intent).await;
        let moved = answer.as_ref().and_then(|answer| answer.header("money-moved"));
        let (Some(answer), Some(moved @ ("yes" | "no"))) = (&answer, moved) else { return self.open.push_back(intent) };
        let moved = moved == "yes";
        let text = |pointer: &str| answer.at(pointer).as_str().map(str::to_owned);
        let (id, card) = match intent.kind {
            Kind::Sale => (text("/data/orderId"), text("/data/qrCode")),
            Kind::Redemption => (text("/redemptionId"), intent.card.clone()),
        };
        if moved && intent.kind == Kind::Sale {
            self.sold_cards.extend(card.clone());
            if self.sold_cards.len() > MAX_SOLD_CARDS {
                self.sold_cards.pop_front();
            }
        }
        self.completed.push(Completed { merchant: self.merchant, intent, moved, id: id.filter(|_| moved), card });
    }

    async fn send(&self, intent: &Intent) -> Option<ApiResponse> {
        let amount = decimal(intent.amount_minor);
        let (what, path, body) = match intent.kind {
            Kind::Sale => ("sales", ISSUE, with(sale(amount), &json!({"paymentReference": intent.key}))),
            Kind::Redemption => {
                let amount: Value = serde_json::from_str(&amount).unwrap();
                ("redemptions", REDEEM, payment(intent.card.as_ref().unwrap(), amount))
            }
        };
        let answer = self.session.request(what, Method::POST, path, Some(&intent.key), Some(&body)).await?;
        let is_explained = match answer.status {
            200 | 409 => true,
            // A card without enough money.
            422 => intent.kind == Kind::Redemption,
            // Of the card network, or about it.
            500 | 502 | 503 | 504 => code(&answer) != Some("INTERNAL_ERROR"),
            _ => false,
        };
        if !is_explained {
            self.shift.unexplained_error(format!("{intent:?}: {answer:?}"));
        }
        Some(answer)
    }
}

/// Minor units as a decimal with two fraction digits.
fn decimal(minor: i64) -> String {
    format!("{}.{:02}", minor / 100, minor % 100)
}
