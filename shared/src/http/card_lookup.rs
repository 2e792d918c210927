//! Looks cards up for tills and members, and refuses those who guess codes.

use jiff::SignedDuration;

use super::access::network_account;
use super::fault::Fault;
use crate::app::App;
use crate::card_network::{CardRecord, NetworkError};
use crate::domain::ids::QrCode;
use crate::domain::merchant::Merchant;
use crate::domain::till::Operator;
use crate::invocation::Invocation;

/// Returns the card with this code, blanks around it ignored.
///
/// 400 without a card network account; 429 for who has guessed too many codes; otherwise errors of the network are passed
/// on. The response for a card of another merchant is the same as for one that does not exist, and either is a guess.
pub async fn find_card(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    by: &Operator,
    code: &str,
) -> Result<CardRecord, Fault> {
    look_up(app, invocation, merchant, by, &card_code(code)).await?.map_err(|error| not_looked_up(&error))
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
) -> Result<Result<CardRecord, NetworkError>, Fault> {
    let account = network_account(merchant)?;
    refuse_guessing(app.store.guessing_wait(&merchant.id, by, app.clock.now()).await?)?;
    let card = app.card_network().card(invocation, account, code).await;
    if card.as_ref().is_err_and(NetworkError::is_not_found) {
        app.store.count_guess(&merchant.id, by, app.clock.now()).await?;
    }
    Ok(card)
}

/// The error of a card that the network did not return.
pub fn not_looked_up(error: &NetworkError) -> Fault {
    Fault::card_network(error, "The card could not be looked up.")
}

/// 429 if there is time to wait.
pub fn refuse_guessing(wait: Option<SignedDuration>) -> Result<(), Fault> {
    let message = "There were too many unknown card codes. Please try again later.";
    wait.map_or(Ok(()), |wait| Err(Fault::too_many(message, wait)))
}
