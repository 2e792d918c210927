//! E-mail addresses in arguments.

use email_address::EmailAddress;
use shared::aws::mail::can_be_mailed;

/// The address of somebody who is to get codes by mail.
pub(crate) fn mailable(text: &str) -> Result<EmailAddress, String> {
    if !can_be_mailed(text) {
        return Err("must be an e-mail address of ASCII letters: the portal mails codes to it".to_owned());
    }
    text.parse().map_err(|error| format!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_can_be_mailed_to_the_address() {
        for (text, is_accepted) in
            [("bo@example.com", true), ("åsa@example.com", false), ("bo@exаmple.com", false), ("bo", false), ("", false)]
        {
            assert_eq!(mailable(text).is_ok(), is_accepted, "{text}");
        }
    }
}
