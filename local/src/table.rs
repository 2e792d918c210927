//! Creates the DynamoDB table with the schema of the deployment template.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType, StreamSpecification, StreamViewType, Tag, TimeToLiveSpecification,
};
use shared::aws::sdk_error::describe;
use shared::db::keys::{DUE, DUE_PK, DUE_SK, PK, SK, TTL};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum TableError {
    #[error("cannot create the table: {0}")]
    Call(String),
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Creates the table unless it exists.
pub async fn ensure(client: &Client, name: &str) -> Result<(), TableError> {
    // Not DescribeTable: the embedded engine counts all rows for it, which takes too long if there are millions.
    let tables = client.list_tables().send().await.map_err(|error| TableError::Call(describe(&error)))?;
    if tables.table_names().iter().any(|known| known == name) {
        return Ok(());
    }
    create(client, name, None).await?;
    enable_expiry(client, name).await
}

/// Creates the table.
pub(crate) async fn create(client: &Client, name: &str, tag: Option<Tag>) -> Result<(), TableError> {
    client
        .create_table()
        .set_tags(tag.map(|tag| vec![tag]))
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .set_attribute_definitions(Some(attributes()?))
        .set_key_schema(Some(key_schema(PK, SK)?))
        .global_secondary_indexes(index(DUE, DUE_PK, DUE_SK)?)
        .stream_specification(
            StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages).build()?,
        )
        .send()
        .await
        .map_err(|error| TableError::Call(describe(&error)))?;
    Ok(())
}

/// Lets expired rows be deleted. The table must be active.
pub(crate) async fn enable_expiry(client: &Client, name: &str) -> Result<(), TableError> {
    client
        .update_time_to_live()
        .table_name(name)
        .time_to_live_specification(TimeToLiveSpecification::builder().enabled(true).attribute_name(TTL).build()?)
        .send()
        .await
        .map_err(|error| TableError::Call(describe(&error)))?;
    Ok(())
}

fn attributes() -> Result<Vec<AttributeDefinition>, BuildError> {
    let string = |name| AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build();
    [PK, SK, DUE_PK, DUE_SK].into_iter().map(string).collect()
}

fn key_schema(partition: &str, sort: &str) -> Result<Vec<KeySchemaElement>, BuildError> {
    let element = |name, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build();
    Ok(vec![element(partition, KeyType::Hash)?, element(sort, KeyType::Range)?])
}

fn index(name: &str, partition: &str, sort: &str) -> Result<GlobalSecondaryIndex, BuildError> {
    GlobalSecondaryIndex::builder()
        .index_name(name)
        .set_key_schema(Some(key_schema(partition, sort)?))
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()
}
