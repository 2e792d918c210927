//! `GET /api/admin/payouts/{id}/file`: a link to the CSV file of a payout's settlements.

use axum::extract::State;
use shared::app::App;
use shared::endpoint_error;
use shared::http::{Data, Description, OwnMerchant, PathIds, RecentlySignedIn};
use shared::payouts::audited_file_link;
use shared::payouts::view::{BuildingError, PayoutFileView};

use crate::payouts::{PayoutOfPathError, payout_of_path};

endpoint_error! {
    pub(crate) enum PayoutFileError {
        OfPath(#[from] PayoutOfPathError),
        OwnMerchant(#[from] OwnMerchant),
        Building(#[from] BuildingError),
    }
}

/// The file is written before the payout can be decided. Who downloads it makes the payment by hand, so it is refused to
/// members of the merchant.
pub(crate) async fn presign(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    path: PathIds,
) -> Result<Data<PayoutFileView>, PayoutFileError> {
    let payout = payout_of_path(&app, &path).await?;
    administrator.require_other(&app, &payout.merchant_id).await?;
    let link = audited_file_link(&app, &payout, &administrator.user.id).await.map_err(BuildingError::from)?;
    Ok(Data(link.into()))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getPayoutFile",
        "Get the file of a payout",
        "Returns a presigned URL for a CSV file of the payout's settlements, as they were when the payout was completed.",
    )
    .success("The presigned URL.", PayoutFileView::example())
}
