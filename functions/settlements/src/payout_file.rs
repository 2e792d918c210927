//! `GET /api/bff/payouts/{id}/file`: a link to the CSV file of a payout's settlements.

use axum::extract::State;
use shared::app::App;
use shared::endpoint_error;
use shared::http::{Authorized, Data, Description, PathIds, permission};
use shared::payouts::file_link;
use shared::payouts::view::{BuildingError, PayoutFileView};

use crate::payout::{PayoutOfPathError, payout_of_path};

endpoint_error! {
    pub(crate) enum FileError {
        OfPath(#[from] PayoutOfPathError),
        Building(#[from] BuildingError),
    }
}

pub(crate) async fn presign(
    caller: Authorized<permission::Payouts>,
    State(app): State<App>,
    path: PathIds,
) -> Result<Data<PayoutFileView>, FileError> {
    let payout = payout_of_path(&app, &caller.merchant, &path).await?;
    let link = file_link(&app, &payout).await.map_err(BuildingError::from)?;
    Ok(Data(link.into()))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getMerchantPayoutFile",
        "Get the file of a payout",
        "Returns a presigned URL for a CSV file of the payout's settlements, as they were when the payout was completed.",
    )
    .success("The presigned URL.", PayoutFileView::example())
}
