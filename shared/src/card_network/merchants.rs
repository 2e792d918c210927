//! A merchant's account at the network, and its stores.

use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::client::{Call, CardNetwork, NetworkError, WRITE_TIMEOUT, object, parse, segment};
use crate::base::invocation::Invocation;
use crate::values::NetworkMerchantId;

/// The fields of an account that the portal reads.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    pub logo_url: Option<String>,
    pub terms_url: Option<String>,
}

/// Changes to an account. `None` leaves a field unchanged.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registration_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vat_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

/// A store as the portal writes it. `None` fields are omitted.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address1: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address2: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postcode: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<Box<RawValue>>,
    pub external_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StoreStatus>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StoreStatus {
    Active,
    NotActive,
}

impl CardNetwork {
    pub async fn account(&self, invocation: &Invocation, merchant: &NetworkMerchantId) -> Result<Account, NetworkError> {
        let path = format!("/v1/merchants/{}", segment(merchant.as_str())?);
        parse(&self.read(invocation, &Call::get(path)).await?)
    }

    pub async fn change_account(
        &self,
        invocation: &Invocation,
        merchant: &NetworkMerchantId,
        change: &AccountChange,
    ) -> Result<(), NetworkError> {
        let path = format!("/v1/merchants/{}", segment(merchant.as_str())?);
        let call = Call::with_body(Method::PATCH, path, change);
        self.send(invocation, &call, WRITE_TIMEOUT).await.map(|_| ())
    }

    pub async fn stores(
        &self,
        invocation: &Invocation,
        merchant: &NetworkMerchantId,
    ) -> Result<Vec<Box<RawValue>>, NetworkError> {
        #[derive(Deserialize)]
        struct Stores {
            #[serde(rename = "retailStores")]
            retail_stores: Vec<Box<RawValue>>,
        }
        let path = format!("/v1/merchants/{}/stores", segment(merchant.as_str())?);
        let body = self.read(invocation, &Call::get(path)).await?;
        Ok(parse::<Stores>(&body)?.retail_stores)
    }

    /// Creates a store. Returns the network's response.
    pub async fn create_store(
        &self,
        invocation: &Invocation,
        merchant: &NetworkMerchantId,
        store: &StoreFields,
    ) -> Result<Box<RawValue>, NetworkError> {
        let path = format!("/v1/merchants/{}/stores", segment(merchant.as_str())?);
        object(&self.send(invocation, &Call::with_body(Method::POST, path, store), WRITE_TIMEOUT).await?)
    }

    /// Changes the store with this external id. Returns the network's response.
    pub async fn change_store(
        &self,
        invocation: &Invocation,
        merchant: &NetworkMerchantId,
        store: &StoreFields,
    ) -> Result<Box<RawValue>, NetworkError> {
        let (merchant, store_id) = (segment(merchant.as_str())?, segment(&store.external_id)?);
        let call = Call::with_body(Method::PUT, format!("/v1/merchants/{merchant}/stores/{store_id}"), store);
        object(&self.send(invocation, &call, WRITE_TIMEOUT).await?)
    }
}
