//! Keys of rows: different ids have different keys, and no id leads into the rows of another merchant.

use shared::db::keys::{self, Key};
use shared::projections::model::tally::Family;
use shared::values::{ExportId, MerchantId, OfferId, OrderId, RedemptionId, SettlementId, TillId, UserId};

use crate::support::texts;

pub fn key(data: &[u8]) {
    let [merchant, id, other_merchant, other_id] = texts(data);
    let (one, other) = (all(&merchant, &id), all(&other_merchant, &other_id));
    let are_equal = (&merchant, &id) == (&other_merchant, &other_id);
    for (place, key) in one.iter().enumerate() {
        assert_eq!(other[place] == *key, are_equal, "{key:?} {:?}", other[place]);
        assert!(one[..place].iter().all(|before| before != key), "{key:?}");
        // A kind, and the merchant's id as one component.
        let (kind, rest) = key.pk.split_once('#').unwrap();
        assert!(kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'), "{key:?}");
        let escaped = merchant.replace('%', "%25").replace('#', "%23");
        assert!(rest == escaped || rest.strip_prefix(&escaped).is_some_and(|rest| rest.starts_with('#')), "{key:?}");
        assert!(key.loggable().starts_with(kind));
    }
    let merchant = MerchantId::new(merchant);
    let user = UserId::new(id);
    assert_eq!(keys::parse_user(&keys::user(&user).pk).as_ref(), Some(&user));
    for family in Family::ALL {
        assert_eq!(keys::parse_entries(&keys::entries(&merchant, family)), Some((merchant.clone(), family)));
    }
    // What is no key of ours is read without a panic.
    let raw = String::from_utf8_lossy(data).into_owned();
    if let Some((merchant, family)) = keys::parse_entries(&raw) {
        assert!(keys::entries(&merchant, family).len() >= raw.len());
    }
    let raw = Key { pk: raw, sk: "MERCHANT".to_owned() };
    let _ = raw.loggable();
}

/// A key of each kind that is made of a merchant and another id.
fn all(merchant: &str, id: &str) -> Vec<Key> {
    let merchant = &MerchantId::new(merchant);
    vec![
        keys::order(merchant, &OrderId::new(id)),
        keys::redemption(merchant, &RedemptionId::new(id)),
        keys::settlement(merchant, &SettlementId::new(id)),
        keys::given_back(merchant, &RedemptionId::new(id)),
        keys::till(merchant, &TillId::new(id)),
        keys::member(merchant, &UserId::new(id)),
        keys::visit(merchant, id),
        keys::offer_lease(merchant, &OfferId::new(id)),
        keys::export(merchant, &ExportId::new(id)),
        keys::idempotency(merchant, "issue", id),
    ]
}
