//! A thousand callers, one idempotency key.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::books::Books;
use crate::world::{Answer, Order, Till, Verdict, World};

const CALLERS: usize = 1_000;
/// How many of them are served at a time: more would only make the database of the test time out.
const AT_ONCE: usize = 50;

#[tokio::test(flavor = "multi_thread")]
async fn of_a_thousand_callers_at_once_one_moves_money_and_all_hear_of_it() {
    let world = World::new().await;
    let shop = world.shop().await;
    let token = world.sign_in(&shop).await;
    for order in [Order::sale("sale", 2_500), Order::payment("payment", &shop.cards[0], 1_234)] {
        let order = order.keyed();
        let mut callers: JoinSet<Answer> = JoinSet::new();
        let served = Arc::new(Semaphore::new(AT_ONCE));
        let tills: Vec<Till> =
            (0..AT_ONCE).map(|till| world.till_with(&format!("till-{till}"), token.clone())).collect();
        for till in tills.iter().cycle().take(CALLERS) {
            let placed = till.place(&order);
            let served = served.clone();
            callers.spawn(async move {
                let _turn = served.acquire_owned().await.unwrap();
                placed.await
            });
        }
        let answers = callers.join_all().await;
        let (told, sent_away): (Vec<&Answer>, Vec<&Answer>) =
            answers.iter().partition(|answer| answer.verdict() == Verdict::Moved);
        let last = world.till_with("till", token.clone()).place(&order).await;
        assert_eq!(last.header("idempotent-replayed"), Some("true"), "{last:?}");
        assert!(told.iter().all(|answer| answer.body == last.body), "{told:?}");
        let first = told.iter().filter(|answer| answer.header("idempotent-replayed").is_none()).count();
        assert_eq!(first, 1);
        for answer in &sent_away {
            let at_work = (answer.status, answer.header("retry-after"), answer.verdict());
            assert_eq!(at_work, (409, Some("2"), Verdict::Open), "{answer:?}");
        }
        let books = Books::of(&world, &shop).await;
        assert_eq!(books.successes(&order.label), 1);
        books.check(&shop).unwrap();
        books.check_balances(&world, &shop).await.unwrap();
        println!("{}: {} were told the outcome, {} to come again", order.path, told.len(), sent_away.len());
    }
}
