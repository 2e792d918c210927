//! Tells the administrators of a merchant that a till was paired.

use jiff::Timestamp;
use shared::app::App;
use shared::domain::ids::{MerchantId, TillId, UserId};

use crate::Failure;
use crate::letter::{Letter, Line, date_and_time, greeting};

/// Sends nothing if the till is not paired any more.
pub(crate) async fn send(
    app: &App,
    merchant: &MerchantId,
    till: &TillId,
    paired_at: Timestamp,
) -> Result<(), Failure> {
    let Some(till) = app.store.till(merchant, till).await?.filter(|till| till.token.is_some()) else {
        return Ok(());
    };
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let team = app.store.team(&merchant.id).await?;
    let administrators = team.members.iter().filter(|member| member.is_admin_capable());
    let ids: Vec<UserId> = administrators.map(|member| member.user_id.clone()).collect();
    let at = date_and_time(paired_at);
    for user in app.store.users(&ids).await? {
        let letter = Letter {
            subject: format!("A till was paired with {}", merchant.name),
            greeting: greeting(&user.first_name),
            before: vec![format!(
                "The till “{}” of store {} was paired on {at}. It can sell and redeem gift cards of {}.",
                till.name, till.retail_store_id, merchant.name
            )],
            stands_out: Some(Line::Link { text: "See all tills", url: app.settings.portal_base_url.clone() }),
            after: vec![
                "Do you not know this till? Then revoke it in the portal: it stops working at once."
                    .to_owned(),
            ],
        };
        app.mail().send(&user.email, &letter.render()?).await?;
    }
    Ok(())
}
