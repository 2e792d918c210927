//! The fingerprint of a body: equal for the same JSON value however it is written, and different for another one.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use shared::operations::fingerprint;
use shared::values::Decimal;

/// Below that of the fingerprint, which takes the bytes of what is deeper.
const MAX_DEPTH: usize = 90;

pub fn canonical_body(data: &[u8]) {
    let own = fingerprint(data);
    assert!(own.len() == 64 && own.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    let json = serde_json::from_slice::<&RawValue>(data).ok();
    let Some(value) = json.and_then(|json| Value::read(json, 0)) else { return };
    for style in [Style::Short, Style::Wide] {
        let other = value.write(style);
        assert_eq!(fingerprint(other.as_bytes()), own, "{other}");
    }
    for other in value.others() {
        let other = other.write(Style::Short);
        assert_ne!(fingerprint(other.as_bytes()), own, "{other}");
    }
}

#[derive(Clone)]
enum Value {
    /// A number, `true`, `false` or `null`.
    Plain(String),
    Text(String),
    List(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Short,
    /// With blanks, escapes, exponents, and fields in another order.
    Wide,
}

impl Value {
    fn read(json: &RawValue, depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        let text = json.get();
        Some(match text.bytes().next()? {
            b'{' => {
                let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
                let read = fields.into_iter().map(|(name, value)| Some((name, Self::read(value, depth + 1)?)));
                Self::Object(read.collect::<Option<_>>()?)
            }
            b'[' => {
                let list: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                Self::List(list.into_iter().map(|value| Self::read(value, depth + 1)).collect::<Option<_>>()?)
            }
            b'"' => Self::Text(serde_json::from_str(text).ok()?),
            _ => Self::Plain(text.to_owned()),
        })
    }

    fn write(&self, style: Style) -> String {
        let blank = if style == Style::Wide { "\n\t " } else { "" };
        match self {
            Self::Plain(text) => respelled(text, style),
            Self::Text(text) => quoted(text, style),
            Self::List(list) => {
                let list: Vec<String> = list.iter().map(|value| format!("{blank}{}{blank}", value.write(style))).collect();
                format!("[{}]", list.join(","))
            }
            Self::Object(fields) => {
                let write = |(name, value): (&String, &Value)| {
                    format!("{blank}{}{blank}:{blank}{}", quoted(name, style), value.write(style))
                };
                let mut fields: Vec<String> = fields.iter().map(write).collect();
                if style == Style::Wide {
                    fields.reverse();
                }
                format!("{{{}}}", fields.join(","))
            }
        }
    }

    /// Values that differ from this one.
    fn others(&self) -> Vec<Self> {
        let mut others = vec![Self::List(vec![self.clone()])];
        match self {
            Self::Plain(text) => others.push(Self::Text(text.clone())),
            Self::Text(text) => others.push(Self::Text(format!("{text} "))),
            Self::List(list) => {
                others.push(Self::List([list.clone(), vec![Self::Plain("null".to_owned())]].concat()));
                if let [_, rest @ ..] = &list[..] {
                    others.push(Self::List(rest.to_vec()));
                }
            }
            Self::Object(fields) => {
                let mut longer = fields.clone();
                let name = fields.last_key_value().map_or(String::new(), |(last, _)| format!("{last}a"));
                longer.insert(name, Self::Plain("null".to_owned()));
                others.push(Self::Object(longer));
                if let Some((name, value)) = fields.first_key_value() {
                    let mut changed = fields.clone();
                    changed.insert(name.clone(), value.others().remove(0));
                    others.push(Self::Object(changed));
                }
            }
        }
        others
    }
}

fn respelled(plain: &str, style: Style) -> String {
    // A number that is longer than any amount is compared as text.
    let is_amount = plain.parse::<Decimal>().is_ok();
    if style == Style::Short || !is_amount || plain.contains(['e', 'E']) {
        return plain.to_owned();
    }
    match plain {
        // A number has no zeros before it.
        "0" | "-0" => format!("{plain}.00"),
        plain if plain.contains('.') => format!("{plain}00e+0"),
        plain => format!("{plain}0.0E-1"),
    }
}

fn quoted(text: &str, style: Style) -> String {
    if style == Style::Short {
        return serde_json::to_string(text).unwrap();
    }
    let escaped: Vec<String> = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
    format!("\"{}\"", escaped.concat())
}
