//! Lists of offers: whichever byte a list is cut at, the offers before it are read.

use jiff::tz::TimeZone;
use shared::card_network::OfferList;
use shared::offers::model::offer::Seller;
use shared::values::NetworkMerchantId;

use crate::support::APP;

pub fn offer_list(data: &[u8]) {
    let (place, list) = data.split_first_chunk().unwrap_or((&[0; 2], data));
    let Some(whole) = OfferList::parse(list, true) else { return };
    let whole = texts(&whole);
    let uncut = OfferList::parse(list, false).unwrap();
    assert_eq!(texts(&uncut), whole);
    let merchant = NetworkMerchantId::new("1");
    let seller = Seller { currency: None, zone: TimeZone::UTC };
    let mut on_sale = uncut.on_sale(&merchant, &seller, APP.clock.now());
    assert!(on_sale.all(|sale| sale.offer.merchant.as_ref() == Some(&merchant)));
    let cut = usize::from(u16::from_be_bytes(*place)) % (list.len() + 1);
    let beginning = OfferList::parse(&list[..cut], false).unwrap();
    assert!(!beginning.is_complete);
    let beginning = texts(&beginning);
    assert!(whole.starts_with(&beginning), "{beginning:?} of {whole:?}");
}

fn texts(list: &OfferList) -> Vec<String> {
    list.offers().map(|offer| serde_json::to_string(&offer).unwrap()).collect()
}
