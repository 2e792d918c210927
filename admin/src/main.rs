//! `cargo run -p admin`: administrative commands that write to the table directly.
//!
//! Other parts of the portal create merchants, users and sessions. A new deployment has none of them, and the API has no
//! routes to create the first ones. No function is allowed to write these rows, so the caller needs its own IAM
//! permissions for the table.

mod merchant;
mod session;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use email_address::EmailAddress;
use shared::clock::Clock;
use shared::random::Random;

const ENVIRONMENT_HELP: &str = "Required environment variables: TABLE_NAME, AWS_REGION, AWS_ACCESS_KEY_ID, \
                                AWS_SECRET_ACCESS_KEY. Optional: AWS_SESSION_TOKEN, AWS_ENDPOINT_URL_DYNAMODB.";

/// Creates merchants, users and sessions in the table of a deployment or of the local system
#[derive(Debug, Parser)]
#[command(name = "admin", after_help = ENVIRONMENT_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Manage merchants
    #[command(subcommand)]
    Merchant(MerchantCommand),
    /// Manage sessions
    #[command(subcommand)]
    Session(SessionCommand),
}

#[derive(Debug, Subcommand)]
enum MerchantCommand {
    /// Create a merchant and its administrator, and print a session token
    Create(merchant::NewMerchant),
}

#[derive(Debug, Subcommand)]
enum SessionCommand {
    /// Sign a user in and print the session token
    Create {
        /// Email address of the user
        #[arg(long)]
        email: EmailAddress,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Arguments::parse().command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("admin: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints only the token to stdout, for use in scripts.
async fn run(command: Command) -> Result<(), Box<dyn std::error::Error>> {
    let (clock, random) = (Clock::system(), Random::system());
    let store = table::store(&random, |name| std::env::var(name).ok())?;
    let user = match command {
        Command::Merchant(MerchantCommand::Create(new)) => {
            let (merchant, user) = merchant::create(&store, &random, clock.now(), new).await?;
            eprintln!("merchant {}, status DRAFT, slug {}", merchant.id, merchant.slug);
            user
        }
        Command::Session(SessionCommand::Create { email }) => session::user(&store, &email).await?,
    };
    let token = store.open_session(&user, random.bytes(), clock.now()).await?;
    eprintln!("user {}, signed in for {} hours with this token:", user.id, session::TTL_HOURS);
    println!("{}", token.expose());
    Ok(())
}
