//! What a sale and a redemption write, with all that follows from them.

use serde_json::{Value, json};

use crate::error::BenchError;
use crate::figures::from_count;
use crate::system::System;

const SALES: usize = 20;
const ISSUE: &str = "/api/bff/pos/issue";
const REDEEM: &str = "/api/bff/pos/redeem";
const QR_CODE: &str = "/data/qrCode";
const VALUE: u32 = 50;

/// Averages.
#[derive(Debug)]
pub(crate) struct TillCost {
    pub(crate) sale_write_units: f64,
    pub(crate) redemption_write_units: f64,
}

/// Sells gift cards at a till, then redeems them, one after the other.
pub(crate) async fn measure(system: &System) -> Result<TillCost, BenchError> {
    system.drain().await?;
    let (mut cards, mut sale_write_units, mut redemption_write_units) = (Vec::new(), 0.0, 0.0);
    for _ in 0..SALES {
        let sale = json!({"value": VALUE, "deliveryDetails": {"deliveryType": "QR"}});
        let (sold, write_units) = written_by(system, ISSUE, &sale).await?;
        let code = sold.pointer(QR_CODE).cloned();
        cards.push(code.ok_or_else(|| BenchError::Missing { path: ISSUE.to_owned(), pointer: QR_CODE })?);
        sale_write_units += write_units;
    }
    for code in cards {
        let redemption = json!({"qrCode": code, "redeemAmount": VALUE, "purchaseAmount": VALUE});
        let (_, write_units) = written_by(system, REDEEM, &redemption).await?;
        redemption_write_units += write_units;
    }
    let average = |sum: f64| sum / from_count(SALES);
    Ok(TillCost { sale_write_units: average(sale_write_units), redemption_write_units: average(redemption_write_units) })
}

/// Returns the response, and the write units of all functions until all work is finished.
async fn written_by(system: &System, path: &str, body: &Value) -> Result<(Value, f64), BenchError> {
    system.reset_usage().await?;
    let response = system.post(path, body).await?;
    system.drain().await?;
    let usage = system.usage().await?;
    let write_units = usage.values().flat_map(|operations| operations.values()).map(|usage| usage.write_units);
    Ok((response, write_units.sum()))
}
