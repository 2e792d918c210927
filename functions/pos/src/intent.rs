//! What issue and redeem have in common: an intent that is begun once, however often it is sent, and carried out.

use shared::app::App;
use shared::card_network::{MIN_TIME, MoneyCall};
use shared::domain::ids::{MerchantId, Reference};
use shared::domain::operation::{Operation, Refusal, Subject};
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::operations::{self, BeginError, Standing};
use shared::store::Write;

use crate::idempotency::{Earlier, Keyed, at_work};

/// Something that moves money, checked and ready.
#[derive(Debug)]
pub(crate) struct Intent {
    pub(crate) merchant: MerchantId,
    pub(crate) subject: Subject,
    /// Writes the order or the redemption that it is about.
    pub(crate) about: Write,
    pub(crate) call: MoneyCall,
}

/// How an intent was met.
#[derive(Debug)]
pub(crate) enum Execution {
    Now {
        reference: Reference,
        standing: Standing,
    },
    /// Another request with the same key was faster.
    Earlier(Earlier),
}

impl Intent {
    /// Carries the intent out, unless another one stands under its key. 504 where there is too little time left to
    /// begin; nothing is written then.
    pub(crate) async fn meet(
        self,
        app: &App,
        invocation: &Invocation,
        key: Option<&Keyed>,
    ) -> Result<Execution, Fault> {
        if invocation.time_left() < MIN_TIME {
            return Err(Fault::upstream(504, "There was too little time left. Nothing was done.", None));
        }
        let reference = operations::new_reference(app);
        let used_key = key.map(|key| key.used_for(reference.clone(), app));
        let operation = Operation::begin(
            reference.clone(),
            self.merchant,
            self.subject,
            app.clock.now(),
            invocation.deadline,
        );
        match (operations::begin(app, operation, self.about, used_key.as_ref()).await, key) {
            (Ok(operation), _) => {
                let standing = operations::carry_out(app, invocation, operation, &self.call).await;
                Ok(Execution::Now { reference, standing })
            }
            (Err(BeginError::KeyInUse), Some(key)) => {
                let earlier = key.earlier(app, invocation).await?;
                earlier.map(Execution::Earlier).ok_or_else(at_work)
            }
            (Err(error), _) => Err(Fault::internal(error.to_string())),
        }
    }
}

/// The network's refusal, passed on.
pub(crate) fn refused(message: &'static str, refusal: &Refusal) -> Fault {
    Fault::upstream(refusal.status, message, Some(refusal.details.clone())).retry_after(refusal.retry_after)
}
