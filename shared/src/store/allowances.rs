//! Allowances: what a merchant has used up in an hour of the clock, in one row with a count of the whole and one of each member.
//!
//! The row is only ever added to, on condition that neither count exceeds its maximum. So parallel requests never exceed an allowance,
//! and what is refused counts for nobody. A row of a team of up to 20 costs one write unit.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValuesOnConditionCheckFailure};
use jiff::{SignedDuration, Timestamp};

use super::error::{StoreError, call};
use super::keys::{self, Key, TTL};
use super::row::{Item, VERSION, key_item, ttl};
use super::table::Store;
use crate::clock::later;
use crate::domain::ids::{MerchantId, UserId};
use crate::domain::limits::{Allowance, UsedUp, UsedUpBy, hour_of, until_next_hour};

/// How long the row of an hour is kept after the hour has begun.
const RETENTION: SignedDuration = SignedDuration::from_hours(2);
/// The attribute that counts all members together.
const ALL: &str = "all";

/// A member that uses an allowance of its merchant.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    pub merchant: &'a MerchantId,
    pub user: &'a UserId,
}

impl Member<'_> {
    /// The attribute that counts it.
    fn attribute(self) -> String {
        format!("of#{}", self.user)
    }
}

impl Store {
    /// Uses this much of an allowance. `Some`, and nothing is used, if the member or its merchant has less left.
    pub async fn use_allowance(
        &self,
        allowance: Allowance,
        member: Member<'_>,
        cost: u32,
        now: Timestamp,
    ) -> Result<Option<UsedUp>, StoreError> {
        let row = row_of(allowance, member, now);
        if let Some(by) = self.refusals.find(&row, member.user, cost) {
            return Ok(Some(used_up(allowance, by, now)));
        }
        let number = |number: u32| AttributeValue::N(number.to_string());
        let update = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key_item(&row)))
            .update_expression("SET #ttl = :ttl ADD #all :cost, #member :cost, #version :one")
            .condition_expression(
                "(attribute_not_exists(#all) OR #all <= :max_of_all) \
                 AND (attribute_not_exists(#member) OR #member <= :max_of_member)",
            )
            .expression_attribute_names("#ttl", TTL)
            .expression_attribute_names("#all", ALL)
            .expression_attribute_names("#member", member.attribute())
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":ttl", ttl(later(hour_of(now), RETENTION)))
            .expression_attribute_values(":cost", number(cost))
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":max_of_all", number(allowance.of_merchant.saturating_sub(cost)))
            .expression_attribute_values(":max_of_member", number(allowance.of_member.saturating_sub(cost)))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let Err(error) = update.send().await else { return Ok(None) };
        let Some(UpdateItemError::ConditionalCheckFailedException(refused)) = error.as_service_error() else {
            return Err(call("UpdateItem")(error));
        };
        let of_member = refused.item().map_or(0, |row| used(row, &member.attribute()));
        let by = if of_member.saturating_add(cost) > allowance.of_member { UsedUpBy::Member } else { UsedUpBy::Merchant };
        self.refusals.add(row, member.user, by, cost);
        Ok(Some(used_up(allowance, by, now)))
    }

    /// Whether this instance knows that an allowance is used up, without a call.
    pub fn known_as_used_up(&self, allowance: Allowance, member: Member<'_>, cost: u32, now: Timestamp) -> Option<UsedUp> {
        let by = self.refusals.find(&row_of(allowance, member, now), member.user, cost)?;
        Some(used_up(allowance, by, now))
    }
}

fn row_of(allowance: Allowance, member: Member<'_>, now: Timestamp) -> Key {
    keys::allowance(member.merchant, allowance.action, hour_of(now))
}

fn used_up(allowance: Allowance, by: UsedUpBy, now: Timestamp) -> UsedUp {
    UsedUp { allowance, by, wait: until_next_hour(now) }
}

fn used(row: &Item, attribute: &str) -> u32 {
    let number = row.get(attribute).and_then(|value| value.as_n().ok());
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}
