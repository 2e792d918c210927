//! Ids for the examples of the API description, in the forms that this API and the card network make. The examples are about
//! one merchant: in all of them, the same thing has the same id.

use serde_json::Value;

/// An example with more fields.
pub fn with(mut example: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut example, more) {
        fields.extend(more);
    }
    example
}

pub const MERCHANT: &str = "019a48f1-d680-7e8e-9160-0a35099950d8";
pub const DOCUMENT: &str = "019a4904-2600-76f0-b3d9-c17211e20b8f-registration.pdf";
/// Anna Berg, who founded the merchant.
pub const OWNER: &str = "019a48ed-42a0-7181-a0ed-90479531985d";
/// Bo Ek, whom she has invited.
pub const MEMBER: &str = "019a6d47-9880-790c-8392-6305f28c105d";
pub const KEY: &str = "019c18a51d0078f6994e3bf91a61dbe2";
pub const TILL: &str = "019a6d50-c040-7a17-895e-60af93bd04cf";

/// A card for SEK 500.00 that was sold in the shop.
pub const ORDER: &str = "019b78ff-f900-70be-96b4-cb244a23d596";
pub const GIFT_CARD: &str = "b5e463a9-7520-4006-9699-237421670139";
pub const QR_CODE: &str = "5FZVNXXRMHDH7MZPWL69UCPB";
pub const CARD_NUMBER: &str = "6021849337150482";
pub const NETWORK_CODE: &str = "ZU46NPQZX67KY65M";

/// SEK 100.00 of that card, redeemed at the till.
pub const REDEMPTION: &str = "019b8d99-6900-724e-84ef-8aa392276658";
pub const REDEMPTION_AT_NETWORK: &str = "df073122-80fb-41a3-b7d1-1e452ba69b61";
pub const REFERENCE: &str = "885853ed99f758b387a8f6a29fc8c6511a1da7c430c21f72";
pub const SETTLEMENT: &str = "settlement-019b8d99-6900-724e-84ef-8aa392276658";
pub const PAYOUT: &str = "7ec56be3d8685faee50507e561a397e0";
pub const PAYOUT_RUN: &str = "efe15a3976c77ff12e844184dc3de662";

pub const ADMINISTRATOR: &str = "0199044a-4400-752e-9a6a-3a456513270e";
pub const SECOND_ADMINISTRATOR: &str = "01990465-bb40-70c5-8892-f902d23f0824";

pub const WEBHOOK: &str = "019b8d90-4080-7c2e-9d3a-2b7a60d1f5e4";
pub const WEBHOOK_DELIVERY: &str = "019b8d99-6c0a-7b1d-8e5f-4c3a9b7d2e61";

pub const VERIFICATION_SESSION: &str = "2434a37d-7a8b-4f04-8c51-cc9517ae692d";
pub const VERIFIED_COMPANY: &str = "528690dd-651d-4de1-95fb-14cd5421b34f";
