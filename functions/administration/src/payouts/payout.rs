//! `GET /api/admin/payouts/{id}`: one payout.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::http::{Data, Description, PathIds, PlatformAdministrator};
use utoipa::ToSchema;

use crate::payouts::{self, PayoutOfPathError, PayoutView, by, payout_of_path, view};
use crate::people::{self, Person, people};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PayoutAndPeople)]
pub(crate) struct OnePayout {
    /// The payout.
    payout: PayoutView,
    /// Who started and decided it.
    people: Vec<Person>,
    /// Whether an administrator other than the one who started it has to confirm that it is paid.
    needs_second_person: bool,
}

pub(crate) async fn payout(
    _administrator: PlatformAdministrator,
    State(app): State<App>,
    path: PathIds,
) -> Result<Data<OnePayout>, PayoutOfPathError> {
    let payout = payout_of_path(&app, &path).await?;
    Ok(Data(OnePayout {
        payout: view(&app, &payout).await?,
        people: people(&app, by(&payout)).await?,
        needs_second_person: !app.settings.payouts_by_one,
    }))
}

pub(crate) fn describe() -> Description {
    Description::new("getPayout", "Get a payout", "Returns a payout of any merchant, and who can confirm it.")
        .success("The payout.", json!({"payout": payouts::example(), "people": [people::example()], "needsSecondPerson": true}))
}
