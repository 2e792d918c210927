//! The first use of a secret and a rotation at the same moment: one of them is held at a call to the table while the other happens.

use futures_util::future::join_all;
use serde_json::{Value, json};
use upstreams::faults::{FaultKind, Hold, HoldHandle};
use world::{Caller, ManualClock, System};

use crate::keys::{KEYS, ORDERS, listed, program, rotate, started};

const ROTATIONS: &str = "accounts";
/// The function of the route by which keys are used here.
const USES: &str = "orders";
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
const START: &str = "2026-05-28T20:26:40.000Z";
const AN_HOUR_LATER: &str = "2026-05-28T21:26:40.000Z";
const A_DAY_AFTER_THE_START: &str = "2026-05-29T20:26:40.000Z";
const A_DAY_AFTER_THAT_HOUR: &str = "2026-05-29T21:26:40.000Z";

/// Where a call is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Arrival,
    Reply,
}

/// Holds the next call of a function to DynamoDB.
fn hold(system: &System, function: &'static str, operation: &'static str, at: At) -> HoldHandle {
    let (hold, handle) = Hold::new();
    let mut next = Some(hold);
    system.local.faults().decide(move |call| {
        let is_it = call.application() == Some(function) && call.operation == operation;
        let kind = FaultKind::Hold(next.take_if(|_| is_it)?);
        Some(if at == At::Reply { FaultKind::OnReply(Box::new(kind)) } else { kind })
    });
    handle
}

/// Runs `first` until its call is held, then `second` to its end, then the rest of `first`.
async fn held_while<A, B>(mut handle: HoldHandle, first: impl Future<Output = A>, second: impl Future<Output = B>) -> (A, B) {
    let second = async {
        handle.reached().await;
        let done = second.await;
        handle.release();
        done
    };
    tokio::join!(first, second)
}

async fn use_key(program: &Caller) -> u16 {
    let used = program.get(ORDERS).await;
    assert!([200, 401].contains(&used.status), "{used:?}");
    used.status
}

async fn works(program: &Caller) -> bool {
    use_key(program).await == 200
}

/// A key whose first secret was used, and whose second one was not.
struct Rotated {
    system: System,
    clock: ManualClock,
    admin: Caller,
    id: String,
    first: Caller,
    second: Caller,
}

impl Rotated {
    /// An hour after the first rotation.
    async fn new() -> Self {
        let (system, clock, admin) = started().await;
        let (id, first) = program(&system, &admin, &["portal.orders"], &json!({})).await;
        assert!(works(&first).await);
        let second = rotate(&system, &admin, &id, &json!({})).await;
        clock.advance(HOUR);
        Self { system, clock, admin, id, first, second }
    }

    async fn rotate(&self) -> Caller {
        rotate(&self.system, &self.admin, &self.id, &json!({})).await
    }

    /// Until when the secret of before is good, and the last use.
    async fn shown(&self) -> [Value; 2] {
        let key = listed(&self.admin, &self.id).await;
        ["previousUntil", "lastUsedAt"].map(|field| key[field].clone())
    }

    /// The second secret was used, so it stays good for a day, and the first one is not any more.
    async fn check_that_the_second_was_used(&self, third: &Caller) {
        assert_eq!(self.shown().await, [A_DAY_AFTER_THAT_HOUR, AN_HOUR_LATER]);
        assert!(!works(&self.first).await && works(&self.second).await && works(third).await);
        self.clock.advance(DAY - 1);
        assert!(works(&self.second).await);
        self.clock.advance(1);
        assert!(!works(&self.second).await && works(third).await);
    }
}

#[tokio::test]
async fn a_rotation_sees_a_use_that_comes_after_its_reading() {
    let key = Rotated::new().await;
    let read = hold(&key.system, ROTATIONS, "GetItem", At::Reply);
    let (third, used) = held_while(read, key.rotate(), use_key(&key.second)).await;
    assert_eq!(used, 200);
    key.check_that_the_second_was_used(&third).await;
}

#[tokio::test]
async fn a_first_use_that_is_written_before_a_rotation_is_let_in_after_it() {
    let key = Rotated::new().await;
    let written = hold(&key.system, USES, "TransactWriteItems", At::Reply);
    let (used, third) = held_while(written, use_key(&key.second), key.rotate()).await;
    assert_eq!(used, 200);
    key.check_that_the_second_was_used(&third).await;
}

/// It was good when it was read. The rotation, which knew of no use, has replaced it meanwhile.
#[tokio::test]
async fn a_first_use_that_is_written_after_a_rotation_is_refused() {
    let key = Rotated::new().await;
    let not_written = hold(&key.system, USES, "TransactWriteItems", At::Arrival);
    let (used, third) = held_while(not_written, use_key(&key.second), key.rotate()).await;
    assert_eq!(used, 401);
    assert_eq!(key.shown().await[0], A_DAY_AFTER_THE_START);
    assert!(!works(&key.second).await && works(&key.first).await);
    // Nor was the third one used by it.
    let fourth = key.rotate().await;
    assert_eq!(key.shown().await[0], A_DAY_AFTER_THE_START);
    assert!(!works(&third).await && works(&key.first).await && works(&fourth).await);
}

#[tokio::test]
async fn the_very_first_use_of_a_key_and_its_first_rotation_exclude_each_other() {
    for rotation_is_first in [true, false] {
        let (system, clock, admin) = started().await;
        let (id, first) = program(&system, &admin, &["portal.orders"], &json!({})).await;
        // Neither has a row of uses to begin with.
        let (second, used) = if rotation_is_first {
            let read = hold(&system, ROTATIONS, "GetItem", At::Reply);
            held_while(read, rotate(&system, &admin, &id, &json!({})), use_key(&first)).await
        } else {
            let not_written = hold(&system, USES, "TransactWriteItems", At::Arrival);
            let (used, second) = held_while(not_written, use_key(&first), rotate(&system, &admin, &id, &json!({}))).await;
            (second, used)
        };
        assert_eq!(used, 200, "a first rotation ends no secret");
        clock.advance(HOUR);
        // The second one was never used, and is the one that is replaced.
        let third = rotate(&system, &admin, &id, &json!({})).await;
        let key = listed(&admin, &id).await;
        assert_eq!([&key["previousUntil"], &key["lastUsedAt"]], [A_DAY_AFTER_THE_START, START]);
        assert!(works(&first).await && !works(&second).await && works(&third).await);
    }
}

/// Uses are written once an hour, by whichever secret comes first.
#[tokio::test]
async fn a_later_use_of_the_first_secret_does_not_undo_that_of_the_second() {
    let key = Rotated::new().await;
    assert!(works(&key.second).await);
    key.clock.advance(HOUR);
    assert!(works(&key.first).await);
    let third = key.rotate().await;
    assert!(!works(&key.first).await && works(&key.second).await && works(&third).await);
}

/// Its use is written late, when the second one has been used.
#[tokio::test]
async fn a_use_of_the_first_secret_does_not_undo_that_of_the_second() {
    let key = Rotated::new().await;
    let not_written = hold(&key.system, USES, "TransactWriteItems", At::Arrival);
    let used = held_while(not_written, use_key(&key.first), use_key(&key.second)).await;
    assert_eq!(used, (200, 200));
    let third = key.rotate().await;
    key.check_that_the_second_was_used(&third).await;
}

#[tokio::test]
async fn many_first_uses_at_once_are_all_let_in_and_so_is_one_beside_a_rotation_and_a_revocation() {
    let key = Rotated::new().await;
    let used = join_all((0..8).map(|_| use_key(&key.second))).await;
    assert_eq!(used, [200; 8]);
    let third = key.rotate().await;
    key.check_that_the_second_was_used(&third).await;
    // A revocation while the first use is written counts at once.
    let key = Rotated::new().await;
    let path = format!("{KEYS}/{}", key.id);
    let written = hold(&key.system, USES, "TransactWriteItems", At::Reply);
    let (used, revoked) = held_while(written, use_key(&key.second), key.admin.delete(&path)).await;
    assert_eq!((used, revoked.status), (401, 200));
}
