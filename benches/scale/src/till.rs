//! What a sale and a redemption read and write, with all that follows from them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::error::BenchError;
use crate::figures::from_count;
use crate::system::System;

const SALES: usize = 20;
const FUNCTION: &str = "pos";
const ISSUE: &str = "/api/bff/pos/issue";
const REDEEM: &str = "/api/bff/pos/redeem";
const QR_CODE: &str = "/data/qrCode";
const VALUE: u32 = 50;

/// Averages.
#[derive(Debug)]
pub(crate) struct TillCost {
    pub(crate) sale: MovementCost,
    pub(crate) redemption: MovementCost,
}

/// What one sale or redemption costs, in units.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct MovementCost {
    /// Of the request alone.
    pub(crate) read: f64,
    pub(crate) written: f64,
    /// Of all functions, until all work is finished.
    pub(crate) written_in_all: f64,
}

pub(crate) async fn measure(system: &System) -> Result<TillCost, BenchError> {
    system.drain().await?;
    let (mut cards, mut sales, mut redemptions) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..SALES {
        let sale = json!({"value": VALUE, "deliveryDetails": {"deliveryType": "QR"}});
        let (sold, cost) = cost(system, ISSUE, &sale).await?;
        let code = sold.pointer(QR_CODE).cloned();
        cards.push(code.ok_or_else(|| BenchError::Missing { path: ISSUE.to_owned(), pointer: QR_CODE })?);
        sales.push(cost);
    }
    for code in cards {
        let redemption = json!({"qrCode": code, "redeemAmount": VALUE, "purchaseAmount": VALUE});
        redemptions.push(cost(system, REDEEM, &redemption).await?.1);
    }
    Ok(TillCost { sale: average(&sales), redemption: average(&redemptions) })
}

async fn cost(system: &System, path: &str, body: &Value) -> Result<(Value, MovementCost), BenchError> {
    system.reset_usage().await?;
    let response = system.post(path, body).await?;
    system.drain().await?;
    let usage = system.usage().await?;
    let request = usage.get(FUNCTION).into_iter().flat_map(BTreeMap::values);
    let all = usage.values().flat_map(BTreeMap::values);
    let cost = MovementCost {
        read: request.clone().map(|usage| usage.read_units).sum(),
        written: request.map(|usage| usage.write_units).sum(),
        written_in_all: all.map(|usage| usage.write_units).sum(),
    };
    Ok((response, cost))
}

fn average(costs: &[MovementCost]) -> MovementCost {
    let of = |part: fn(&MovementCost) -> f64| costs.iter().map(part).sum::<f64>() / from_count(costs.len());
    MovementCost { read: of(|cost| cost.read), written: of(|cost| cost.written), written_in_all: of(|cost| cost.written_in_all) }
}
