//! `POST /api/bff/webhooks/{id}/rotation`: a new secret for an endpoint.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::Write;
use shared::endpoint_error;
use shared::http::{Data, Description, Invalid, PathIds, RawBody};
use shared::webhooks::model::Endpoint;
use utoipa::ToSchema;

use crate::endpoint::{
    Caller, EXAMPLE_SECRET, EventsError, NoEndpoint, new_secret, own_endpoint, record_secret, require_readable, still_allowed,
};

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookRotation)]
pub(crate) struct Rotation {
    /// Whether the current secret ends immediately, because others may know it. Otherwise both sign for 24 hours.
    #[serde(default)]
    immediately: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookSecret)]
pub(crate) struct NewSecret {
    /// The new secret, shown only here.
    secret: String,
}

endpoint_error! {
    pub(crate) enum RotateSecretError {
        /// A field is invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "immediately: must be true or false.",
        Events(#[from] EventsError),
        Endpoint(#[from] NoEndpoint),
    }
}

pub(crate) async fn rotate_secret(
    caller: Caller,
    State(app): State<App>,
    ids: PathIds,
    body: RawBody,
) -> Result<Data<NewSecret>, RotateSecretError> {
    let rotation: Rotation = if body.json().trim_ascii().is_empty() { Rotation::default() } else { body.parse()? };
    let mut attempts = app.store.attempts("the endpoint");
    loop {
        let endpoint = own_endpoint(&app, &caller, &ids).await?;
        require_readable(&caller, &endpoint.events)?;
        let (secret, sealed) = new_secret(&app, &caller, &endpoint.id).await?;
        let now = app.clock.now();
        let secrets = endpoint.secrets.rotated(sealed, rotation.immediately, now);
        let rotated = Endpoint { secrets, rotated_at: Some(now), ..endpoint.value.clone() };
        let writes = vec![Write::replace(&endpoint, &rotated)?, still_allowed(&caller)?, record_secret(&app, &caller, &rotated)?];
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(Data(NewSecret { secret: secret.expose() }));
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "rotateWebhookSecret",
        "Replace the secret of an endpoint",
        "For 24 hours, messages are signed with both secrets, unless the old one ends immediately. A second rotation within that \
         time ends the oldest. Requires the permission to read what each of its events shows.",
    )
    .body::<Rotation>(json!({"immediately": true}))
    .success("The new secret.", json!({"secret": EXAMPLE_SECRET}))
}
