//! Looks cards up for tills and members, and refuses those who guess codes.

use jiff::SignedDuration;

use super::access::network_account;
use super::endpoint_error::{Invalid, TooMany};
use crate::app::App;
use crate::card_network::{CardRecord, NetworkError};
use crate::domain::ids::QrCode;
use crate::domain::merchant::Merchant;
use crate::domain::till::Operator;
use crate::endpoint_error;
use crate::invocation::Invocation;

endpoint_error! {
    pub enum FindCardError {
        /// The code is blank, or the merchant has no card network account.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "Your merchant has no account at the card network.",
        Guessing(#[from] Guessing),
        CardNetwork(#[from] NetworkError) => card_network "The card could not be looked up.",
    }
}

endpoint_error! {
    pub enum Guessing {
        /// The till or member has asked for too many unknown codes.
        TooMany(#[from] TooMany) => 429 TOO_MANY_REQUESTS
            "There were too many unknown card codes. Please try again later.",
    }
}

/// Returns the card with this code, blanks around it ignored.
///
/// The response for a card of another merchant is the same as for one that does not exist, and either is a guess.
pub async fn find_card(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    by: &Operator,
    code: &str,
) -> Result<CardRecord, FindCardError> {
    Ok(look_up(app, invocation, merchant, by, &card_code(code)).await??)
}

/// A code as it was scanned, without the blanks around it.
pub fn card_code(scanned: &str) -> QrCode {
    QrCode::new(scanned.trim())
}

/// As [`find_card`], for those who have something to say although the network fails.
pub async fn look_up(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    by: &Operator,
    code: &QrCode,
) -> Result<Result<CardRecord, NetworkError>, FindCardError> {
    let account = network_account(merchant)?;
    refuse_guessing(app.store.guessing_wait(&merchant.id, by, app.clock.now()).await?)?;
    let card = app.card_network().card(invocation, account, code).await;
    if card.as_ref().is_err_and(NetworkError::is_not_found) {
        app.store.count_guess(&merchant.id, by, app.clock.now()).await?;
    }
    Ok(card)
}

/// Refuses who has to wait.
pub fn refuse_guessing(wait: Option<SignedDuration>) -> Result<(), Guessing> {
    wait.map_or(Ok(()), |wait| Err(TooMany(wait).into()))
}
