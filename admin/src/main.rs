//! `cargo run -p admin`: what has no route, done at the table itself.
//!
//! Merchants, users and sessions are made by other parts of the portal, none of which there is at first. Whoever runs
//! this needs their own leave for the table: no function may write these rows.

mod merchant;
mod session;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use email_address::EmailAddress;
use shared::clock::Clock;
use shared::random::Random;

const ENVIRONMENT: &str = "The table is that of the environment: TABLE_NAME, AWS_REGION, AWS_ACCESS_KEY_ID, \
                           AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN if there is one, and AWS_ENDPOINT_URL_DYNAMODB for \
                           another endpoint than that of AWS.";

/// Makes merchants, users and sessions in a deployment's table, or in the local system's.
#[derive(Debug, Parser)]
#[command(name = "admin", after_help = ENVIRONMENT)]
struct Arguments {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Debug, Subcommand)]
enum Subject {
    /// Merchants
    #[command(subcommand)]
    Merchant(MerchantCommand),
    /// Sessions
    #[command(subcommand)]
    Session(SessionCommand),
}

#[derive(Debug, Subcommand)]
enum MerchantCommand {
    /// Makes a merchant and its administrator, and prints a session's token
    Create(merchant::New),
}

#[derive(Debug, Subcommand)]
enum SessionCommand {
    /// Signs a user in and prints the token
    Create {
        #[arg(long)]
        email: EmailAddress,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Arguments::parse().subject).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("admin: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the token and nothing else, so that a script can use it.
async fn run(subject: Subject) -> Result<(), Box<dyn std::error::Error>> {
    let (clock, random) = (Clock::system(), Random::system());
    let store = table::store(&random, |name| std::env::var(name).ok())?;
    let user = match subject {
        Subject::Merchant(MerchantCommand::Create(new)) => {
            let (merchant, user) = merchant::create(&store, &random, clock.now(), new).await?;
            eprintln!("merchant {}, status DRAFT, slug {}", merchant.id, merchant.slug);
            user
        }
        Subject::Session(SessionCommand::Create { email }) => session::user(&store, &email).await?,
    };
    let token = store.open_session(&user, random.bytes(), clock.now()).await?;
    eprintln!("user {}, signed in for {} hours with this token:", user.id, session::HOURS);
    println!("{}", token.expose());
    Ok(())
}
