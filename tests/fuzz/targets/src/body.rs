//! JSON bodies of requests, compared with what `serde_json` reads of them.

use memchr::memmem;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::http::bounded::{List, PositiveMinor, Text, UpTo};
use shared::http::{HttpUrl, Link, Number, Object, RawBody, Scalar, enum_from_string, non_null, non_null_enum};
use shared::values::Decimal;

/// A field of each kind that requests have.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Body {
    name: Option<Text<2, 40>>,
    note: Option<String>,
    #[serde(default, deserialize_with = "non_null")]
    count: Option<u32>,
    days: Option<UpTo<365>>,
    limit: Option<PositiveMinor>,
    amount: Option<Number>,
    value: Option<Decimal>,
    id: Option<Scalar>,
    done: Option<bool>,
    #[serde(default, deserialize_with = "non_null_enum")]
    kind: Option<Kind>,
    details: Option<Object<Details>>,
    list: Option<List<Details, 3>>,
    url: Option<HttpUrl>,
    link: Option<Link>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Details {
    #[serde(deserialize_with = "enum_from_string")]
    kind: Kind,
    #[serde(default)]
    text: String,
}

#[derive(Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Kind {
    Small,
    Large,
}

pub fn body(data: &[u8]) {
    match RawBody(data.to_vec().into()).parse::<Body>() {
        Ok(body) => assert_is_what_was_sent(&body, data),
        Err(invalid) => {
            let message = invalid.message();
            assert!(message.ends_with('.'), "{message}");
            let has_place = message.contains(" column ") && memmem::find(data, b" column ").is_none();
            assert!(!has_place, "{message}");
            let is_empty = "known fields are .";
            assert!(!message.contains(is_empty) || memmem::find(data, is_empty.as_bytes()).is_some(), "{message}");
            // Nothing is repeated so that an answer would be larger than its request.
            assert!(message.len() <= 2 * data.len() + 400, "{message}");
        }
    }
}

fn assert_is_what_was_sent(body: &Body, data: &[u8]) {
    let sent: Value = serde_json::from_slice(data).unwrap();
    let fields = sent.as_object().unwrap();
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let name = body.name.clone().map(Text::into_string);
    assert_eq!(name.as_deref(), text("name").map(str::trim));
    assert!(name.is_none_or(|name| (2..=40).contains(&name.chars().count()) && !name.contains(char::is_control)));
    assert_eq!(body.note.as_deref(), text("note"));
    assert_eq!(body.count.map(u64::from), fields.get("count").and_then(Value::as_u64));
    assert_eq!(body.days.map(|days| u64::from(days.get())), fields.get("days").and_then(Value::as_u64));
    assert!(body.days.is_none_or(|days| days.get() <= 365));
    let limit = body.limit.map(|limit| limit.get().get());
    assert_eq!(limit, fields.get("limit").and_then(Value::as_i64));
    assert!(limit.is_none_or(|limit| (1..1 << 53).contains(&limit)));
    assert_eq!(body.done, fields.get("done").and_then(Value::as_bool));
    assert_eq!(body.kind.is_some(), fields.contains_key("kind"));
    if let Some(kind) = &body.kind {
        assert_eq!(serde_json::to_value(kind).unwrap(), fields["kind"]);
    }
    for (amount, name) in [(body.amount.as_ref().map(|number| &number.0), "amount"), (body.value.as_ref(), "value")] {
        let sent = fields.get(name).filter(|value| !value.is_null());
        assert_eq!(amount.is_some(), sent.is_some());
        // As far as a binary number can tell.
        if let Some((amount, sent)) = amount.zip(sent.and_then(Value::as_f64)) {
            let amount: f64 = amount.to_string().parse().unwrap();
            assert!((amount - sent).abs() <= sent.abs() * 1e-12, "{amount} {sent}");
        }
    }
    assert_eq!(body.id.is_some(), fields.get("id").is_some_and(|id| id.is_string() || id.is_number()));
    for (details, sent) in body.details.iter().map(|details| (details, &fields["details"])).chain(listed(body, fields)) {
        assert_eq!(sent["text"].as_str().unwrap_or_default(), details.0.text);
        assert_eq!(serde_json::to_value(&details.0.kind).unwrap(), sent["kind"]);
    }
    assert_eq!(body.url.as_ref().map(AsRef::as_ref), text("url"));
    assert_eq!(body.link.as_ref().map(AsRef::as_ref), text("link"));
}

fn listed<'a>(
    body: &'a Body,
    fields: &'a serde_json::Map<String, Value>,
) -> impl Iterator<Item = (&'a Object<Details>, &'a Value)> {
    let sent = fields.get("list").and_then(Value::as_array).into_iter().flatten();
    let list = body.list.iter().flat_map(|list| &list.0);
    assert!(list.clone().count() <= 3 && list.clone().count() == sent.clone().count());
    list.zip(sent)
}
