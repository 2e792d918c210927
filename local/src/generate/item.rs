//! Items of the store as items of the engine. No row of the store has sets.

use aws_sdk_dynamodb::types::AttributeValue as StoreValue;
use dynoxide::AttributeValue as EngineValue;
use shared::store::Item;

use super::GenerateError;

pub(super) fn engine_item(item: Item) -> Result<dynoxide::Item, GenerateError> {
    item.into_iter().map(|(name, value)| Ok((name, engine_value(value)?))).collect()
}

fn engine_value(value: StoreValue) -> Result<EngineValue, GenerateError> {
    Ok(match value {
        StoreValue::S(text) => EngineValue::S(text),
        StoreValue::N(number) => EngineValue::N(number),
        StoreValue::B(bytes) => EngineValue::B(bytes.into_inner()),
        StoreValue::Bool(value) => EngineValue::BOOL(value),
        StoreValue::Null(value) => EngineValue::NULL(value),
        StoreValue::L(values) => {
            EngineValue::L(values.into_iter().map(engine_value).collect::<Result<Vec<_>, _>>()?)
        }
        StoreValue::M(fields) => EngineValue::M(engine_item(fields)?),
        _ => return Err(GenerateError::UnknownType),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn converts_nested_values() {
        let fields = HashMap::from([
            ("text".to_owned(), StoreValue::S("a".to_owned())),
            ("flag".to_owned(), StoreValue::Bool(true)),
            ("nothing".to_owned(), StoreValue::Null(true)),
        ]);
        let number = StoreValue::N("-1.50".to_owned());
        let item = HashMap::from([("list".to_owned(), StoreValue::L(vec![StoreValue::M(fields), number]))]);

        let fields = HashMap::from([
            ("text".to_owned(), EngineValue::S("a".to_owned())),
            ("flag".to_owned(), EngineValue::BOOL(true)),
            ("nothing".to_owned(), EngineValue::NULL(true)),
        ]);
        let number = EngineValue::N("-1.50".to_owned());
        let expected =
            HashMap::from([("list".to_owned(), EngineValue::L(vec![EngineValue::M(fields), number]))]);
        assert_eq!(engine_item(item).unwrap(), expected);
    }
}
