//! What pages and reports cost if every row is read: without a serving calendar, a merchant is served from its rows.

use shared::domain::calendar::Calendars;
use shared::domain::merchant::Merchant;
use shared::store::StoreError;

use crate::error::BenchError;
use crate::measure;
use crate::results::{Kind, Measured};
use crate::system::System;

/// Measures one case of each kind, and every report.
pub(crate) async fn measure(
    system: &System,
    measured: &mut [Measured],
    requests: usize,
) -> Result<(), BenchError> {
    let Some(merchant) = system.merchant().await? else { return Ok(()) };
    let calendars = merchant.value.calendars;
    set_calendars(system, &Calendars { serving: None, ..calendars.clone() }).await?;
    let result = measure_cases(system, measured, requests).await;
    set_calendars(system, &calendars).await?;
    result
}

async fn measure_cases(
    system: &System,
    measured: &mut [Measured],
    requests: usize,
) -> Result<(), BenchError> {
    let mut kinds = vec![Kind::Lookup];
    for Measured { case, every_row, .. } in measured {
        if case.kind == Kind::Report || !kinds.contains(&case.kind) {
            kinds.push(case.kind);
            *every_row = Some(measure::cost(system, case, requests).await?);
        }
    }
    Ok(())
}

async fn set_calendars(system: &System, calendars: &Calendars) -> Result<(), BenchError> {
    let Some(merchant) = system.merchant().await? else { return Ok(()) };
    let change = |merchant: &Merchant| {
        Ok::<_, StoreError>(Some(Merchant { calendars: calendars.clone(), ..merchant.clone() }.into()))
    };
    Ok(system.store().update(merchant, change).await?)
}
