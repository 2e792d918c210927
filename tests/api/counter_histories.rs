//! Random histories of counters: members reserve at the same moment, give back, or die before they can. No bound is ever exceeded, and
//! what was never given back ends with its window.
//!
//! `HISTORIES` is their number.

use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use shared::db::counters::{Member, Reservation, Who};
use shared::limits::model::{EXPORTS, RateLimit};
use shared::team::model::till::Operator;
use shared::values::{MerchantId, TillId, UserId, later};
use world::{Histories, SeededRandom, System};

/// Small ones, whose buckets are exact, and one whose buckets are of half a minute.
const MAXIMA: [u32; 4] = [1, 4, 12, 240];
const WINDOW: SignedDuration = SignedDuration::from_mins(10);
/// By which what is counted can end late, in a limit of many.
const BUCKET: SignedDuration = SignedDuration::from_secs(30);

/// What counts, by the rules.
struct Counted {
    member: usize,
    cost: u32,
    ends: Timestamp,
    reservation: Option<Reservation>,
}

#[tokio::test]
async fn no_bound_is_exceeded_and_nothing_counts_for_ever() {
    let mut system = System::start().await;
    for (number, history) in Histories::new("--test api counter_histories::", 4).all().enumerate() {
        if number % 500 == 499 {
            println!("{} histories", number + 1);
            // A database slows down as it fills.
            system = System::start().await;
        }
        shares(&system, history.seed).await;
        guesses(&system, history.seed).await;
    }
}

/// Members of one merchant, each with half of what it has.
async fn shares(system: &System, seed: u64) {
    let (mut random, store) = (SeededRandom::new(seed), system.store());
    let limit = RateLimit { action: "history", max: *random.pick(&MAXIMA) * 2, window: WINDOW, ..EXPORTS };
    let merchant = MerchantId::new(format!("m-{seed}"));
    let users: Vec<UserId> = (0..3).map(|number| UserId::new(format!("u-{seed}-{number}"))).collect();
    let member = |user: usize| Member { merchant: &merchant, who: Who::User(&users[user]) };
    let share = limit.share().max;
    let mut now: Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
    let mut counted: Vec<Counted> = Vec::new();
    for _ in 0..8 {
        counted.retain(|one| now < one.ends);
        let cost = 1 + u32::try_from(random.below(i64::from(share.div_ceil(8)))).unwrap();
        let asking: Vec<usize> = (0..=random.below(6)).map(|_| usize::try_from(random.below(3)).unwrap()).collect();
        let is_single = asking.len() == 1;
        let asked = asking.iter().map(async |user| store.reserve(&member(*user).within(limit), cost, now).await);
        for (user, reserved) in asking.iter().copied().zip(join_all(asked).await) {
            let sum = |of: Option<usize>| -> u32 {
                counted.iter().filter(|one| of.is_none_or(|user| one.member == user)).map(|one| one.cost).sum()
            };
            match reserved.unwrap() {
                Ok(reservation) => {
                    let ends = later(now, WINDOW);
                    counted.push(Counted { member: user, cost, ends, reservation: Some(reservation) });
                }
                Err(refused) if is_single => {
                    let is_full = sum(Some(user)) + cost > share || sum(None) + cost > limit.max;
                    // A bucket of many ends up to its length late.
                    assert!(is_full || limit.max > 200, "{seed}: {refused:?} with {} of all", sum(None));
                    assert!(refused.wait.is_positive() && refused.wait <= WINDOW + BUCKET, "{seed}: {refused:?}");
                }
                Err(_) => {}
            }
        }
        let sum: u32 = counted.iter().map(|one| one.cost).sum();
        assert!(sum <= limit.max, "{seed}: {sum} of {}", limit.max);
        for user in 0..3 {
            let sum: u32 = counted.iter().filter(|one| one.member == user).map(|one| one.cost).sum();
            assert!(sum <= share, "{seed}: member {user} has {sum} of {share}");
        }
        // Some are given back, all at once. Others die before they could.
        let mut given_back = Vec::new();
        for one in &mut counted {
            if random.percent(33) {
                given_back.extend(one.reservation.take());
            }
        }
        counted.retain(|one| one.reservation.is_some());
        join_all(given_back.into_iter().map(|reservation| store.give_back(reservation))).await;
        now = later(now, SignedDuration::from_secs(random.below(300)));
    }
    // Whatever has died in between.
    now = later(now, WINDOW + BUCKET);
    for user in 0..2 {
        assert!(store.reserve(&member(user).within(limit), share, now).await.unwrap().is_ok(), "{seed}: member {user}");
        assert!(store.reserve(&member(user).within(limit), 1, now).await.unwrap().is_err(), "{seed}: member {user}");
    }
    assert!(store.reserve(&member(2).within(limit), 1, now).await.unwrap().is_err(), "{seed}: the merchant");
}

/// A till that guesses codes, looks up known ones, and dies.
async fn guesses(system: &System, seed: u64) {
    let (mut random, store) = (SeededRandom::new(seed), system.store());
    let (merchant, till) = (MerchantId::new(format!("m-{seed}")), Operator::Till(TillId::new(format!("t-{seed}"))));
    let mut now: Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
    let mut asked: Vec<Timestamp> = Vec::new();
    for _ in 0..random.below(60) {
        let reservation = store.reserve_guess(&merchant, &till, now).await.unwrap().unwrap();
        store.count_guess(&merchant, &till, &reservation, now).await.unwrap();
        asked.push(now);
    }
    for _ in 0..6 {
        let attempts = (0..=random.below(16)).map(|_| store.reserve_guess(&merchant, &till, now));
        let admitted: Vec<Reservation> = join_all(attempts).await.into_iter().filter_map(|result| result.unwrap().ok()).collect();
        let guesses = asked.iter().filter(|at| now.duration_since(**at) < WINDOW).count();
        assert!(guesses + admitted.len() <= 60, "{seed}: {guesses} guesses and {} attempts", admitted.len());
        let outcomes: Vec<i64> = admitted.iter().map(|_| random.below(4)).collect();
        asked.extend(outcomes.iter().filter(|outcome| **outcome < 2).map(|_| now));
        let ended = admitted.into_iter().zip(outcomes).map(async |(reservation, outcome)| match outcome {
            0 | 1 => store.count_guess(&merchant, &till, &reservation, now).await.unwrap(),
            2 => store.give_back(reservation).await,
            _ => {}
        });
        join_all(ended).await;
        now = later(now, SignedDuration::from_secs(random.below(60)));
    }
    now = later(now, WINDOW);
    for attempt in 0..60 {
        let reserved = store.reserve_guess(&merchant, &till, now).await.unwrap();
        assert!(reserved.is_ok(), "{seed}: attempt {attempt}: something counts for ever");
    }
}
