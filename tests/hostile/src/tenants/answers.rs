//! What two answers have in common if neither tells more than the other.

use std::collections::BTreeMap;

use serde_json::Value;
use world::ApiResponse;

use crate::request::encoded;

const SENT: &str = "(what was sent)";
const MADE: &str = "(made for this request)";

/// Fields of the answers to successful writes that are new for each request.
const MADE_FOR_THE_REQUEST: &str = "id orderId giftCardId qrCode cardNo networkCode reservationCode orderHash paymentReference \
    redemptionId transactionId reference challengeId pairingCode secret deliveryId runId token url previewUrl key fileName filename \
    urlImage urlResource externalId giftCardOfferId valueRemains";

/// What an answer shows to somebody who knows nothing. `sent` is the id in the request that was answered.
pub(super) fn comparable(answer: &ApiResponse, sent: &str, is_write: bool) -> (u16, BTreeMap<String, String>, String) {
    let is_new = is_write && answer.status < 300;
    let (status, bytes, headers) = answer.comparable();
    let body = if is_new && !answer.body.is_string() {
        let mut body = answer.body.clone();
        mask(&mut body);
        body.to_string()
    } else {
        String::from_utf8_lossy(bytes).into_owned()
    };
    let headers = headers.into_iter().filter(|(name, _)| !is_new || *name != "content-length");
    let headers = headers.map(|(name, value)| (name.to_owned(), without(&String::from_utf8_lossy(value), sent))).collect();
    (status, headers, without(&body, sent))
}

fn mask(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if MADE_FOR_THE_REQUEST.split(' ').any(|made| made == name) && !value.is_null() {
                    *value = MADE.into();
                } else {
                    mask(value);
                }
            }
        }
        Value::Array(members) => members.iter_mut().for_each(mask),
        _ => {}
    }
}

/// A text without the id that was sent, however it is written.
pub(super) fn without(text: &str, sent: &str) -> String {
    if sent.trim().is_empty() {
        return text.to_owned();
    }
    let as_json = Value::from(sent).to_string();
    let spellings = [as_json.trim_matches('"').to_owned(), encoded(sent), sent.to_owned()];
    spellings.iter().filter(|spelling| !spelling.is_empty()).fold(text.to_owned(), |text, spelling| text.replace(spelling, SENT))
}

/// Another id of the same form, which nothing has.
pub(super) fn absent(id: &str) -> String {
    let end = id.find('@').or_else(|| id.rfind('.').filter(|dot| id.len() - dot < 6)).unwrap_or(id.len());
    let mut left = 3;
    let mut characters: Vec<char> = id.chars().collect();
    for character in characters[..id[..end].chars().count()].iter_mut().rev() {
        if left > 0 && character.is_ascii_alphanumeric() {
            *character = other(*character);
            left -= 1;
        }
    }
    characters.into_iter().collect()
}

/// A hexadecimal digit stays one.
fn other(character: char) -> char {
    match character {
        '9' => '0',
        'f' => 'a',
        'F' => 'A',
        'z' => 'g',
        'Z' => 'G',
        other => char::from_u32(u32::from(other) + 1).unwrap(),
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;

    #[test]
    fn an_absent_id_has_the_form_of_the_other() {
        for (id, expected) in [
            ("019a6d6c-3780-7658-8389-8d19f9ebdacc", "019a6d6c-3780-7658-8389-8d19f9ebdbdd"),
            ("g-1", "h-2"),
            ("7700101", "7700212"),
            ("anna@example.com", "aoob@example.com"),
            ("https://a.example/b/name.png", "https://a.example/b/nbnf.png"),
        ] {
            assert_eq!(absent(id), expected);
        }
    }

    #[test]
    fn answers_are_compared_without_the_id() {
        let compared = |body: &str, sent: &str| {
            let (headers, bytes) = (HeaderMap::new(), body.into());
            comparable(&ApiResponse { status: 404, headers, body: body.into(), bytes }, sent, false)
        };
        assert_eq!(compared("no a/1 here", "a/1"), compared("no a/2 here", "a/2"));
        assert_ne!(compared("no a/1 here", "a/1"), compared("nothing", "a/2"));
    }
}
