//! Loads rows straight into the embedded DynamoDB, which is much faster than calls. They do not appear in the stream of the
//! table.

use aws_sdk_dynamodb::types::AttributeValue as StoreValue;
use dynoxide::{AttributeValue as EngineValue, Database, DynoxideError, ImportOptions};
use shared::db::Item;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum EngineError {
    #[error("cannot write to the database: {0}")]
    Database(#[from] DynoxideError),
    #[error("a row has an attribute of a type that is not converted")]
    UnknownType,
}

/// Writes rows in one transaction, without conditions, and returns their number. Blocks.
pub(crate) fn import(database: &Database, table: &str, rows: Vec<Item>) -> Result<usize, EngineError> {
    let items = rows.into_iter().map(engine_item).collect::<Result<Vec<_>, _>>()?;
    Ok(database.import_items(table, items, ImportOptions::default())?.items_imported)
}

fn engine_item(item: Item) -> Result<dynoxide::Item, EngineError> {
    item.into_iter().map(|(name, value)| Ok((name, engine_value(value)?))).collect()
}

/// No row of the store has sets.
fn engine_value(value: StoreValue) -> Result<EngineValue, EngineError> {
    Ok(match value {
        StoreValue::S(text) => EngineValue::S(text),
        StoreValue::N(number) => EngineValue::N(number),
        StoreValue::B(bytes) => EngineValue::B(bytes.into_inner()),
        StoreValue::Bool(value) => EngineValue::BOOL(value),
        StoreValue::Null(value) => EngineValue::NULL(value),
        StoreValue::L(values) => EngineValue::L(values.into_iter().map(engine_value).collect::<Result<Vec<_>, _>>()?),
        StoreValue::M(fields) => EngineValue::M(engine_item(fields)?),
        _ => return Err(EngineError::UnknownType),
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
        let expected = HashMap::from([("list".to_owned(), EngineValue::L(vec![EngineValue::M(fields), number]))]);
        assert_eq!(engine_item(item).unwrap(), expected);
    }
}
