//! SES with its query protocol. Mails are not delivered but stored in an outbox.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{Request, StatusCode};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{ErrorFormat, Instrumentation, StartError, listen, permissions};
use crate::clock;
use crate::faults::{Call, Target};
use crate::journal::{Journaled, Replay};
use crate::server::{Reply, Server};

const NAMESPACE: &str = "http://ses.amazonaws.com/doc/2010-12-01/";

const ERROR_FORMAT: ErrorFormat = ErrorFormat {
    reply: |status, code, message| {
        let fault_type = if status.is_server_error() { "Receiver" } else { "Sender" };
        let xml = format!(
            "<ErrorResponse xmlns=\"{NAMESPACE}\"><Error><Type>{fault_type}</Type><Code>{code}</Code>\
             <Message>{message}</Message></Error><RequestId>local</RequestId></ErrorResponse>"
        );
        Reply::bytes(status, "text/xml", xml)
    },
    internal: "InternalFailure",
    throttled: (StatusCode::BAD_REQUEST, "Throttling"),
};

/// A sent mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mail {
    pub to: Vec<String>,
    pub subject: String,
    pub text: Option<String>,
    pub html: Option<String>,
    pub sent_at: Timestamp,
}

/// The SES endpoint.
#[derive(Debug)]
pub struct Ses {
    server: Server,
    outbox: Outbox,
}

impl Ses {
    pub(super) async fn start(port: u16, file: Option<PathBuf>, instrumentation: Instrumentation) -> Result<Self, StartError> {
        let outbox = Journaled::open(file.as_deref());
        let outbox = outbox.map_err(|source| StartError::State { path: file.unwrap_or_default(), source })?;
        let outbox = Outbox(Arc::new(Mutex::new(outbox)));
        let handler_outbox = outbox.clone();
        let guard = instrumentation.guard.clone();
        let handler = move |request: Request<Bytes>| {
            let form: Form = url::form_urlencoded::parse(request.body()).into_owned().collect();
            let (operation, headers) = (field(&form, "Action"), request.headers());
            let fault = instrumentation.faults.take(Call { target: Target::Ses, operation, headers });
            let configuration_set = form.get("ConfigurationSetName").map(String::as_str);
            let required = permissions::for_ses(operation, field(&form, "Source"), &recipients(&form), configuration_set);
            instrumentation.permissions.record(headers, required);
            let outbox = handler_outbox.clone();
            async move { ERROR_FORMAT.with_fault(fault, async { outbox.handle(&form) }).await }
        };
        Ok(Self { server: listen(port, guard, handler).await?, outbox })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Returns every mail so far, oldest first.
    pub fn mails(&self) -> Vec<Mail> {
        self.outbox.lock().clone()
    }
}

type Form = BTreeMap<String, String>;

fn field<'a>(form: &'a Form, name: &str) -> &'a str {
    form.get(name).map(String::as_str).unwrap_or_default()
}

fn recipients(form: &Form) -> Vec<String> {
    (1..).map_while(|n| form.get(&format!("Destination.ToAddresses.member.{n}"))).cloned().collect()
}

/// The outbox. Clones share the same mails.
#[derive(Debug, Clone)]
struct Outbox(Arc<Mutex<Journaled<Vec<Mail>>>>);

impl Replay for Vec<Mail> {
    type Change = Mail;

    fn apply(&mut self, mail: Mail) {
        self.push(mail);
    }
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Journaled<Vec<Mail>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, form: &Form) -> Reply {
        if field(form, "Action") != "SendEmail" {
            return bad_request("InvalidAction", "only SendEmail is supported");
        }
        match parse_mail(form) {
            Ok(mail) => self.store(mail),
            Err(message) => bad_request("InvalidParameterValue", message),
        }
    }

    fn store(&self, mail: Mail) -> Reply {
        let mut mails = self.lock();
        if let Err(error) = mails.commit(mail) {
            tracing::error!(%error, "failed to store a mail");
            return (ERROR_FORMAT.reply)(
                StatusCode::INTERNAL_SERVER_ERROR,
                ERROR_FORMAT.internal,
                "the mail could not be stored",
            );
        }
        let number = mails.len();
        let xml = format!(
            "<SendEmailResponse xmlns=\"{NAMESPACE}\"><SendEmailResult><MessageId>local-{number}</MessageId>\
             </SendEmailResult><ResponseMetadata><RequestId>local-{number}</RequestId></ResponseMetadata>\
             </SendEmailResponse>"
        );
        Reply::bytes(StatusCode::OK, "text/xml", xml)
    }
}

fn bad_request(code: &str, message: &str) -> Reply {
    (ERROR_FORMAT.reply)(StatusCode::BAD_REQUEST, code, message)
}

/// Parses a `SendEmail` form. Errors are messages in the wording of SES.
fn parse_mail(form: &Form) -> Result<Mail, &'static str> {
    let to = recipients(form);
    if to.is_empty() {
        return Err("Missing required header 'To'.");
    }
    if !to.iter().all(|address| has_domain(address)) || !has_domain(field(form, "Source")) {
        return Err("Missing final '@domain'");
    }
    if !to.iter().all(|address| address.is_ascii()) {
        return Err("Local address contains control or whitespace");
    }
    let body = |kind: &str| form.get(&format!("Message.Body.{kind}.Data")).filter(|body| !body.is_empty()).cloned();
    let (text, html) = (body("Text"), body("Html"));
    if text.is_none() && html.is_none() {
        return Err("Message body empty");
    }
    let subject = form.get("Message.Subject.Data").cloned().ok_or("Missing required header 'Subject'.")?;
    Ok(Mail { to, subject, text, html, sent_at: clock::now() })
}

fn has_domain(address: &str) -> bool {
    address.split_once('@').is_some_and(|(name, domain)| !name.is_empty() && !domain.is_empty())
}

#[cfg(test)]
mod tests {
    use aws_sdk_ses::Client;
    use aws_sdk_ses::error::ProvideErrorMetadata;
    use aws_sdk_ses::operation::send_email::builders::SendEmailFluentBuilder;
    use aws_sdk_ses::types::{Body, Content, Destination, Message};

    use super::super::testing::client;
    use super::*;

    async fn start(file: Option<PathBuf>) -> (Ses, Client) {
        let ses = Ses::start(0, file, Instrumentation::default()).await.unwrap();
        let client = client!(aws_sdk_ses, ses.url());
        (ses, client)
    }

    fn content(text: &str) -> Content {
        Content::builder().data(text).build().unwrap()
    }

    fn send(client: &Client, to: &[&str], text: &str) -> SendEmailFluentBuilder {
        let body = Body::builder().text(content(text)).html(content("<p>ü&amp;</p>")).build();
        let to = to.iter().map(|&to| to.to_owned()).collect();
        client
            .send_email()
            .source("Portal <portal@example.com>")
            .destination(Destination::builder().set_to_addresses(Some(to)).build())
            .message(Message::builder().subject(content("Grüße & more")).body(body).build())
    }

    #[tokio::test]
    async fn rejects_a_mail_without_a_valid_recipient_or_a_body() {
        let (ses, client) = start(None).await;
        let empty = Message::builder().subject(content("s")).body(Body::builder().build()).build();
        for invalid in [
            send(&client, &[], "text"),
            send(&client, &["nobody"], "text"),
            send(&client, &["åsa@example.com"], "text"),
            send(&client, &["a@example.com"], "text").message(empty),
        ] {
            assert_eq!(invalid.send().await.unwrap_err().code(), Some("InvalidParameterValue"));
        }
        assert_eq!(ses.mails(), []);
    }

    #[tokio::test]
    async fn the_outbox_survives_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mail.jsonl");
        let (first, client) = start(Some(file.clone())).await;
        send(&client, &["a@example.com"], "text").send().await.unwrap();
        let (second, _client) = start(Some(file)).await;
        assert_eq!(first.mails(), second.mails());
        assert_eq!(second.mails().len(), 1);
    }
}
