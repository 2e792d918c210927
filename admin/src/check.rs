//! Checks a deployment: uses every upstream once, through the API where there is a route.

use std::time::Duration;

use canary::TestMerchant;
use clap::Args;
use email_address::EmailAddress;
use reqwest::{RequestBuilder, Response, StatusCode, header};
use serde_json::Value;
use shared::app::App;
use shared::aws::mail::{Email, MailError};
use shared::base::invocation::Invocation;
use shared::base::outbound;
use shared::db::StoreError;
use shared::team::model::team::SignInMethod;
use shared::team::rows::sessions::Token;
use shared::values::{MerchantId, NetworkMerchantId};
use shared::verifier::VerifierError;
use thiserror::Error;

use crate::member::merchants_without_administrator;
use crate::session::{self, LookupError};

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Email address of the user to sign in. It needs all permissions, and a merchant with an account at the card network
    #[arg(long)]
    email: EmailAddress,
    /// Code of the card to look up. An unknown one checks the card network as well
    #[arg(long, value_name = "CODE", default_value = "DEPLOYMENT-CHECK")]
    card: String,
    /// Merchant that exists for tests, and to which the user belongs. Sells its cheapest card and redeems it
    #[arg(long, value_name = "ID", requires = "test_account")]
    test_merchant: Option<String>,
    /// Account of that merchant at the card network. Nothing is sold if it has another one
    #[arg(long, value_name = "ACCOUNT", requires = "test_merchant")]
    test_account: Option<String>,
}

impl Check {
    fn test_merchant(&self) -> Option<TestMerchant> {
        let (id, account) = (self.test_merchant.as_ref()?, self.test_account.as_ref()?);
        Some(TestMerchant { id: MerchantId::new(id), account: NetworkMerchantId::new(account) })
    }
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longer than the timeout of a function.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The SES mailbox simulator. Mails to it do not count as sent.
const MAIL_SIMULATOR: &str = "success@simulator.amazonses.com";
const IMAGE: &[u8] = include_bytes!("pixel.png");
const BOUNDARY: &str = "deployment-check";

#[derive(Debug, Error)]
enum Failure {
    #[error("the response is {0}")]
    Status(StatusCode),
    #[error("there is no response: {0}")]
    NoResponse(reqwest::Error),
    #[error("the response has no {0}")]
    Missing(&'static str),
    #[error("the file is not the one that was stored")]
    OtherFile,
    #[error("these merchants have no administrator; `admin member promote` gives them one: {0}")]
    NoAdministrator(String),
    #[error(transparent)]
    Lookup(#[from] LookupError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Verifier(#[from] VerifierError),
    #[error(transparent)]
    Sale(#[from] canary::Failure),
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        // The URL of a document contains its signature.
        Self::NoResponse(error.without_url())
    }
}

/// Runs all checks and prints a line for each. Returns whether all succeeded.
pub(crate) async fn run(app: &App, arguments: &Check) -> bool {
    let mut report = Report { all_ok: true };
    let token = report.add("sign in", sign_in(app, &arguments.email).await);
    let portal = Portal::new(app, token.as_ref());
    if token.is_some() {
        report.add("profile", portal.get("/api/bff/merchant").await);
        report.add("offers", portal.get("/api/bff/offers").await);
        report.add("card", portal.card(&arguments.card).await);
        report.add("image", portal.image().await);
        report.add("document", portal.document().await);
    }
    if let (Some(token), Some(merchant)) = (&token, arguments.test_merchant()) {
        let sale = canary::sell_and_redeem(app, token.expose(), &merchant).await;
        report.add("sale and redemption", sale.map_err(Failure::from));
    }
    report.add("public API", portal.get("/api/bff/widget/config").await);
    report.add("mail", mail(app).await);
    report.add("verifier", verifier(app).await);
    report.add("administrators", administrators(app).await);
    if let Some(token) = &token {
        report.add("sign out", app.store.end_session(token).await.map_err(Failure::from));
    }
    report.all_ok
}

struct Report {
    all_ok: bool,
}

impl Report {
    fn add<T>(&mut self, name: &str, result: Result<T, Failure>) -> Option<T> {
        match &result {
            Ok(_) => println!("ok      {name}"),
            Err(failure) => {
                println!("failed  {name}: {failure}");
                self.all_ok = false;
            }
        }
        result.ok()
    }
}

async fn sign_in(app: &App, email: &EmailAddress) -> Result<Token, Failure> {
    let user = session::user(&app.store, email).await?;
    Ok(app.store.open_session(&user, app.random.bytes(), SignInMethod::Code, app.clock.now()).await?)
}

/// Every team has somebody who can manage it.
async fn administrators(app: &App) -> Result<(), Failure> {
    let without = merchants_without_administrator(&app.store).await?;
    if without.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = without.iter().map(ToString::to_string).collect();
    Err(Failure::NoAdministrator(ids.join(", ")))
}

async fn mail(app: &App) -> Result<(), Failure> {
    let text = "This mail checks a deployment.".to_owned();
    let email = Email { subject: "Deployment check".to_owned(), html: format!("<p>{text}</p>"), text };
    Ok(app.mail().send(MAIL_SIMULATOR, &email).await?)
}

/// Asks for a session that does not exist: the verifier responds with 404 only if it accepts our key.
async fn verifier(app: &App) -> Result<(), Failure> {
    let invocation = Invocation::new(&app.clock, app.random.uuid(app.clock.now()).to_string());
    app.verifier().session(&invocation, "deployment-check").await?;
    Ok(())
}

/// The API as the signed-in user.
struct Portal<'a> {
    client: reqwest::Client,
    base_url: &'a str,
    token: Option<&'a Token>,
}

impl<'a> Portal<'a> {
    fn new(app: &'a App, token: Option<&'a Token>) -> Self {
        let client = outbound::client(CONNECT_TIMEOUT);
        Self { client, base_url: &app.settings.portal_base_url, token }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    async fn get(&self, path: &str) -> Result<Response, Failure> {
        succeeded(self.send(self.client.get(self.url(path))).await?)
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, Failure> {
        let request = match self.token {
            Some(token) => request.bearer_auth(token.expose()),
            None => request,
        };
        Ok(request.timeout(TIMEOUT).send().await?)
    }

    /// The card network has to respond, but need not know the card.
    async fn card(&self, code: &str) -> Result<(), Failure> {
        let code = percent_encoding::utf8_percent_encode(code, outbound::RESERVED);
        let response = self.send(self.client.get(self.url(&format!("/api/bff/pos/card/{code}")))).await?;
        match response.status() {
            // API Gateway's own 404 has no `ok`.
            StatusCode::NOT_FOUND => member(&body(response).await?, "/ok").map(|_| ()),
            _ => succeeded(response).map(|_| ()),
        }
    }

    /// Stores an image and gets it from the public URL.
    async fn image(&self) -> Result<(), Failure> {
        let stored = self.upload("/api/bff/offers/media").await?;
        let key = member(&stored, "/data/key")?;
        let key = percent_encoding::utf8_percent_encode(&key, outbound::RESERVED).to_string();
        let image = self.get(&format!("/api/public/gift-card-image?key={key}")).await?;
        is_image(image).await
    }

    /// Stores a document and gets it from its presigned URL.
    async fn document(&self) -> Result<(), Failure> {
        let stored = self.upload("/api/onboarding/upload").await?;
        let url = member(&stored, "/previewUrl")?;
        let document = self.client.get(url).timeout(TIMEOUT).send().await?;
        is_image(succeeded(document)?).await
    }

    async fn upload(&self, path: &str) -> Result<Value, Failure> {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"deployment-check.png\"\r\n\
             Content-Type: image/png\r\n\r\n"
        );
        let form = [head.as_bytes(), IMAGE, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
        let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
        let request = self.client.post(self.url(path)).header(header::CONTENT_TYPE, content_type).body(form);
        body(succeeded(self.send(request).await?)?).await
    }
}

fn succeeded(response: Response) -> Result<Response, Failure> {
    let status = response.status();
    if status.is_success() { Ok(response) } else { Err(Failure::Status(status)) }
}

async fn body(response: Response) -> Result<Value, Failure> {
    let bytes = response.bytes().await?;
    serde_json::from_slice(&bytes).map_err(|_| Failure::Missing("JSON body"))
}

/// A string or a boolean of a body, as text.
fn member(body: &Value, pointer: &'static str) -> Result<String, Failure> {
    match body.pointer(pointer) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Bool(value)) => Ok(value.to_string()),
        _ => Err(Failure::Missing(pointer)),
    }
}

async fn is_image(response: Response) -> Result<(), Failure> {
    if response.bytes().await? == IMAGE { Ok(()) } else { Err(Failure::OtherFile) }
}
