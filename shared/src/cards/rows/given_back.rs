//! What was given back of redemptions, open sales included.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, Update};
use serde::{Deserialize, Serialize};

use crate::cards::model::order::{Order, Refund};
use crate::cards::model::redemption::Redemption;
use crate::db::keys::{self, Key};
use crate::db::{Store, StoreError, VERSION, Write, item_key};
use crate::values::{MerchantId, Minor, RedemptionId};

/// The row of a redemption. It is only ever added to: any number of tills give back at the same time.
#[derive(Debug, Serialize, Deserialize)]
struct GivenBack {
    minor: Minor,
}

/// The attribute of [`GivenBack`].
const MINOR: &str = "minor";

/// Counts an amount that a sale gives back, on condition that no more is given back than was redeemed. `None` if it is more by
/// itself.
pub fn give_back(redemption: &Redemption, amount: Minor) -> Result<Option<Write>, StoreError> {
    let max_before = redemption.amount.minor.get() - amount.get();
    if max_before < 0 {
        return Ok(None);
    }
    let update = Update::builder()
        .condition_expression("attribute_not_exists(#minor) OR #minor <= :max")
        .expression_attribute_values(":max", number(max_before));
    let key = keys::given_back(&redemption.merchant_id, &redemption.id);
    add(key, update, amount.get()).map(Some)
}

/// Uncounts what a failed sale was to give back, and returns the write that does so, which is possible only if it is counted: a
/// restore can have lost it. `None` if there is nothing to uncount.
pub fn take_back(order: &mut Order) -> Result<Option<Write>, StoreError> {
    let Some(refund) = order.refund_to_uncount().cloned() else { return Ok(None) };
    let amount = order.total.minor.get();
    let update = Update::builder().condition_expression("#minor >= :min").expression_attribute_values(":min", number(amount));
    let write = add(keys::given_back(&order.merchant_id, &refund.of), update, -amount)?;
    order.refund = Some(Refund { is_counted: false, ..refund });
    Ok(Some(write))
}

fn add(key: Key, update: UpdateBuilder, minor: i64) -> Result<Write, StoreError> {
    let update = update
        .update_expression("ADD #minor :minor, #version :one")
        .expression_attribute_names("#minor", MINOR)
        .expression_attribute_names("#version", VERSION)
        .expression_attribute_values(":minor", number(minor))
        .expression_attribute_values(":one", number(1));
    Write::update(key, update)
}

fn number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

impl Store {
    /// What was given back of these redemptions. Those of which nothing was are left out.
    pub async fn given_back(
        &self,
        merchant: &MerchantId,
        redemptions: &[RedemptionId],
    ) -> Result<HashMap<RedemptionId, Minor>, StoreError> {
        let ids: HashMap<Key, &RedemptionId> = redemptions.iter().map(|id| (keys::given_back(merchant, id), id)).collect();
        let keys: Vec<Key> = ids.keys().cloned().collect();
        let mut given_back = HashMap::new();
        for item in self.get_items(&keys).await? {
            let id = item_key(&item).and_then(|key| ids.get(&key).copied());
            let GivenBack { minor } = serde_dynamo::from_item(item)?;
            given_back.extend(id.map(|id| (id.clone(), minor)));
        }
        Ok(given_back)
    }
}
