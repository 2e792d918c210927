//! How many messages are on their way at once: of all merchants, and of one. How many endpoints are looked at in the table at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use shared::values::MerchantId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// Of one worker. Two workers overlap for some seconds each minute.
const ALL: Lanes<usize> = Lanes { all: 40, slow: 20 };
const OF_MERCHANT: Lanes<usize> = Lanes { all: AT_ONCE_OF_MERCHANT, slow: 2 };
pub(crate) const AT_ONCE_OF_MERCHANT: usize = 5;
/// A payout run makes the endpoints of all merchants due in the same moment. Each look opens connections to the table.
const LOOKS: usize = 50;

/// Slow endpoints share a part of the slots, so that quick ones never wait for them.
#[derive(Debug)]
struct Lanes<T> {
    all: T,
    slow: T,
}

impl Lanes<Arc<Semaphore>> {
    fn new(sizes: &Lanes<usize>) -> Self {
        Self { all: Arc::new(Semaphore::new(sizes.all)), slow: Arc::new(Semaphore::new(sizes.slow)) }
    }
}

#[derive(Debug)]
pub(crate) struct Slots {
    looks: Semaphore,
    all: Lanes<Arc<Semaphore>>,
    of_merchants: Mutex<HashMap<MerchantId, Arc<Lanes<Arc<Semaphore>>>>>,
}

/// A place for messages, until it is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    _permits: Vec<OwnedSemaphorePermit>,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self { looks: Semaphore::new(LOOKS), all: Lanes::new(&ALL), of_merchants: Mutex::default() }
    }

    /// Waits until the table can be asked about another endpoint. `None` if the worker ends. To be dropped before a message is sent:
    /// nobody waits here for an endpoint.
    pub(crate) async fn look(&self) -> Option<SemaphorePermit<'_>> {
        self.looks.acquire().await.ok()
    }

    /// Waits for a slot for so many messages, at most five. `None` if the worker ends.
    pub(crate) async fn take(&self, merchant: &MerchantId, is_quick: bool, messages: usize) -> Option<Slot> {
        let count = u32::try_from(messages.min(AT_ONCE_OF_MERCHANT)).ok()?;
        let own = self.of_merchant(merchant);
        // All take them in this order, so that nobody holds what another one waits for in a circle.
        let slow = [&own.slow, &self.all.slow].into_iter().filter(|_| !is_quick);
        let mut permits = Vec::with_capacity(4);
        for semaphore in slow.chain([&own.all, &self.all.all]) {
            permits.push(semaphore.clone().acquire_many_owned(count).await.ok()?);
        }
        Some(Slot { _permits: permits })
    }

    fn of_merchant(&self, merchant: &MerchantId) -> Arc<Lanes<Arc<Semaphore>>> {
        let mut of_merchants = self.of_merchants.lock().unwrap_or_else(PoisonError::into_inner);
        of_merchants.entry(merchant.clone()).or_insert_with(|| Arc::new(Lanes::new(&OF_MERCHANT))).clone()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn slow_endpoints_take_half_of_the_slots_and_one_merchant_five() {
        let slots = Slots::new();
        let take = |merchant: &str, is_quick| slots.take(&MerchantId::new(merchant), is_quick, 1).now_or_never().flatten();
        let slow: Vec<Slot> = (0..100).filter_map(|number| take(&format!("slow-{}", number % 25), false)).collect();
        assert_eq!(slow.len(), 20);
        let quick: Vec<Slot> = (0..100).filter_map(|number| take(&format!("quick-{}", number % 25), true)).collect();
        assert_eq!(quick.len(), 20);
        drop((slow, quick));
        let of_one: Vec<Slot> = (0..100).filter_map(|number| take("one", number % 2 == 0)).collect();
        assert_eq!(of_one.len(), 5);
        assert!(take("other", true).is_some());
    }
}
