//! Looks cards up for tills and members, and refuses those who guess codes.

use crate::app::App;
use crate::base::best_effort::best_effort;
use crate::base::invocation::Invocation;
use crate::card_network::{CardRecord, NetworkError};
use crate::db::counters::Reservation;
use crate::endpoint_error;
use crate::http::{Invalid, network_account};
use crate::limits::model::UsedUp;
use crate::merchants::model::merchant::Merchant;
use crate::team::model::till::Operator;
use crate::values::QrCode;

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
        /// The till or member has looked up too many unknown codes.
        TooMany(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "Too many unknown card codes were tried. Please try again later.",
    }
}

/// Returns the card with this code, blanks around it ignored. One that is unknown is asked for once more in its [plain](QrCode::plain) form.
///
/// The response for a card of another merchant is the same as for one that does not exist, and each time is a guess.
pub async fn find_card(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    by: &Operator,
    code: &str,
) -> Result<CardRecord, FindCardError> {
    let mut code = card_code(code);
    loop {
        match (look_up(app, invocation, merchant, by, &code).await?, code.plain()) {
            (Err(error), Some(plain)) if error.is_not_found() => code = plain,
            (card, _) => return Ok(card?),
        }
    }
}

/// A code as it was scanned, without the blanks around it.
pub fn card_code(scanned: &str) -> QrCode {
    QrCode::new(scanned.trim())
}

/// As [`find_card`] with the code as it stands, for those who have something to say although the network fails.
pub async fn look_up(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    by: &Operator,
    code: &QrCode,
) -> Result<Result<CardRecord, NetworkError>, FindCardError> {
    let account = network_account(merchant)?;
    let reservation = reserve_guess(app, merchant, by).await?;
    let card = app.card_network().card(invocation, account, code).await;
    if card.as_ref().is_err_and(NetworkError::is_not_found) {
        let counted = app.store.count_guess(&merchant.id, by, &reservation, app.clock.now()).await;
        best_effort("the count of a guessed card code", counted);
    } else {
        app.store.give_back(reservation).await;
    }
    Ok(card)
}

/// Reserves the look-up or the redemption of a card before the network is asked: the code may be a guess. To be given back whatever the
/// network answers, unless the guess is counted in its place.
pub async fn reserve_guess(app: &App, merchant: &Merchant, by: &Operator) -> Result<Reservation, Guessing> {
    Ok(app.store.reserve_guess(&merchant.id, by, app.clock.now()).await??)
}
