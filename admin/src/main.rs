//! `cargo run -p admin`: administrative commands that write to the table directly, and a check of deployments.
//!
//! Other parts of the portal create merchants, users and sessions. A new deployment has none of them, and the API has no
//! routes to create the first ones. No function is allowed to write these rows, so the caller needs its own IAM
//! permissions for the table.

mod cards;
mod check;
mod key;
mod mailable;
mod member;
mod merchant;
mod operator;
mod platform_admin;
mod session;
mod tallies;
mod user;

use std::process::ExitCode;

use admin::{restore, table};
use clap::{Parser, Subcommand};
use email_address::EmailAddress;
use shared::app::App;
use shared::base::clock::Clock;
use shared::base::random::Random;
use shared::base::settings::Settings;
use shared::db::{Store, StoreError};
use shared::projections::search::Writer;
use shared::team::model::team::{SignInMethod, User};

use mailable::mailable;
use operator::PayoutCommand;
use table::Tables;
use user::UserCommand;

const ENVIRONMENT_HELP: &str = "Required environment variables: TABLE_NAME, AWS_REGION, AWS_ACCESS_KEY_ID, \
                                AWS_SECRET_ACCESS_KEY. Optional: AWS_SESSION_TOKEN, AWS_ENDPOINT_URL_DYNAMODB. For \
                                `tallies rebuild` also SEARCH_BUCKET_NAME, and optionally AWS_ENDPOINT_URL_S3. For `card enter` also \
                                CODE_SECRET_ID, and optionally AWS_ENDPOINT_URL_SECRETS_MANAGER.";

/// Creates merchants, users and sessions in the table of a deployment or of the local system, and checks deployments
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
    /// Manage the members of a merchant's team
    #[command(subcommand)]
    Member(MemberCommand),
    /// Appoint and remove platform administrators
    #[command(subcommand)]
    PlatformAdmin(PlatformAdminCommand),
    /// Pay a merchant for which no platform administrator is left
    #[command(subcommand)]
    Payout(operator::PayoutCommand),
    /// Manage the histories of gift cards
    #[command(subcommand)]
    Card(CardCommand),
    /// Manage keys of merchants' programs
    #[command(subcommand)]
    Key(KeyCommand),
    /// Help users who cannot sign in
    #[command(subcommand)]
    User(user::UserCommand),
    /// Manage sessions
    #[command(subcommand)]
    Session(SessionCommand),
    /// Manage tables that were restored from a backup
    #[command(subcommand)]
    Restore(RestoreCommand),
    /// Compare the tallies of a merchant with its entries, and rebuild them
    #[command(subcommand)]
    Tallies(TalliesCommand),
    /// Check a deployment: use every upstream once. Requires all environment variables of a function
    Check(check::Check),
}

#[derive(Debug, Subcommand)]
enum MerchantCommand {
    /// Create a merchant and its administrator, and print a session token
    Create(merchant::NewMerchant),
    /// Change a merchant for which no platform administrator is left
    Change(operator::ChangeMerchant),
}

#[derive(Debug, Subcommand)]
enum MemberCommand {
    /// Give a member the role ADMIN, where a team has no administrator. The merchant's activity shows it
    Promote(member::Promote),
}

#[derive(Debug, Subcommand)]
enum PlatformAdminCommand {
    /// Make a user a platform administrator, and print a code to add a passkey with. An unknown address becomes a user without a
    /// merchant. Who is one already begins anew, as with `reset`
    Add {
        /// Email address of the user
        #[arg(value_name = "ADDRESS", value_parser = mailable)]
        email: EmailAddress,
    },
    /// Remove the passkeys of a platform administrator, end all of their sessions, and print a code to add a passkey with
    Reset {
        /// Email address of the user
        #[arg(value_name = "ADDRESS")]
        email: EmailAddress,
    },
    /// Remove a user as a platform administrator, remove their passkeys, and end all of their sessions
    Remove {
        /// Email address of the user
        #[arg(value_name = "ADDRESS")]
        email: EmailAddress,
    },
}

#[derive(Debug, Subcommand)]
enum CardCommand {
    /// Enter all sales and redemptions in the histories of their cards, after the key of codes has been replaced. Reads the
    /// whole table. Also requires `CODE_SECRET_ID`
    Enter,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Revoke a key, by its id or by the text that a scanner of secrets has found. The audit trail shows it, and administrators
    /// are notified
    Revoke(key::Revoke),
}

#[derive(Debug, Subcommand)]
enum SessionCommand {
    /// Sign a user in and print the session token
    Create {
        /// Email address of the user
        #[arg(long)]
        email: EmailAddress,
    },
    /// End all sessions of a user
    EndAll {
        /// Email address of the user
        #[arg(long)]
        email: EmailAddress,
    },
}

#[derive(Debug, Subcommand)]
enum TalliesCommand {
    /// Report tallies that differ from their entries. Exits with 1 if there are any
    Compare(tallies::Of),
    /// Recount tallies that differ from their entries, and write the search segments anew
    Rebuild(tallies::Of),
}

#[derive(Debug, Subcommand)]
enum RestoreCommand {
    /// End all sessions, keep jobs from running twice and settlements from being paid twice. Before functions use the table, and
    /// after they have stopped using the one that is left behind
    Prepare(restore::Prepare),
    /// Record that the functions use the table, and nothing else: ends the span of time that the restore has lost. Before the
    /// tills are started
    Complete,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match Box::pin(run(Arguments::parse().command)).await {
        Ok(exit_code) => exit_code,
        Err(error) => {
            eprintln!("admin: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let (clock, random) = (Clock::system(), Random::system());
    match command {
        Command::Check(arguments) => {
            let settings = Settings { metrics_namespace: None, ..Settings::read(environment)? };
            let all_ok = check::run(&App::new(settings, clock, random), &arguments).await;
            return Ok(if all_ok { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Restore(RestoreCommand::Prepare(arguments)) => {
            println!("{}", restore::run(&Tables::read(&random, environment)?, arguments, clock.now()).await?);
        }
        Command::Restore(RestoreCommand::Complete) => {
            let store = Tables::read(&random, environment)?.store();
            println!("{}", restore::complete(&store, clock.now()).await?);
        }
        Command::Tallies(TalliesCommand::Compare(of)) => {
            let store = Tables::read(&random, environment)?.store();
            let differences = tallies::compare_of(&store, &of, clock.now()).await?;
            eprintln!("{differences} minutes differ");
            return Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Tallies(TalliesCommand::Rebuild(of)) => {
            let (store, objects) = (Tables::read(&random, environment)?.store(), table::segments(environment)?);
            let writer = Writer { store: &store, objects: &objects, random: &random, now: clock.now() };
            tallies::rebuild_of(&writer, &of).await?;
        }
        Command::Merchant(MerchantCommand::Create(new)) => {
            let store = Tables::read(&random, environment)?.store();
            let (merchant, user) = merchant::create(&store, &random, clock.now(), new).await?;
            eprintln!("merchant {}, status DRAFT, slug {}", merchant.id, merchant.slug);
            sign_in(&store, &user, &random, &clock).await?;
        }
        Command::Member(MemberCommand::Promote(arguments)) => {
            let store = Tables::read(&random, environment)?.store();
            eprintln!("{}", member::promote(&store, &random, clock.now(), arguments).await?);
        }
        Command::Merchant(MerchantCommand::Change(arguments)) => {
            let store = Tables::read(&random, environment)?.store();
            println!("{}", operator::change_merchant(&store, &clock, arguments).await?);
        }
        Command::Payout(PayoutCommand::Start { merchant }) => {
            let store = Tables::read(&random, environment)?.store();
            println!("{}", operator::start_payouts(&store, &random, clock.now(), merchant).await?);
        }
        Command::Payout(PayoutCommand::Decide(arguments)) => {
            let store = Tables::read(&random, environment)?.store();
            println!("{}", operator::decide(&store, &clock, arguments).await?);
        }
        Command::Card(CardCommand::Enter) => {
            let store = Tables::read(&random, environment)?.store();
            let key = table::code_key(environment)?.get().await?;
            println!("{}", cards::enter(&store, &key).await?);
        }
        Command::Key(KeyCommand::Revoke(arguments)) => {
            let store = Tables::read(&random, environment)?.store();
            println!("{}", key::revoke(&store, &random, clock.now(), arguments).await?);
        }
        Command::PlatformAdmin(PlatformAdminCommand::Add { email }) => {
            let store = Tables::read(&random, environment)?.store();
            print_code(&platform_admin::add(&store, &random, clock.now(), &email).await?);
        }
        Command::PlatformAdmin(PlatformAdminCommand::Reset { email }) => {
            let store = Tables::read(&random, environment)?.store();
            print_code(&platform_admin::reset(&store, &random, clock.now(), &email).await?);
        }
        Command::PlatformAdmin(PlatformAdminCommand::Remove { email }) => {
            let store = Tables::read(&random, environment)?.store();
            eprintln!("{}", platform_admin::remove(&store, &email).await?);
        }
        Command::User(UserCommand::MailSignIn { email }) => {
            let store = Tables::read(&random, environment)?.store();
            println!("{}", user::mail_sign_in(&store, &random, clock.now(), &email).await?);
        }
        Command::Session(SessionCommand::Create { email }) => {
            let store = Tables::read(&random, environment)?.store();
            let user = session::user(&store, &email).await?;
            sign_in(&store, &user, &random, &clock).await?;
        }
        Command::Session(SessionCommand::EndAll { email }) => {
            let store = Tables::read(&random, environment)?.store();
            let user = session::user(&store, &email).await?;
            let id = user.id.clone();
            store.end_all_sessions(user).await?;
            eprintln!("user {id}, signed out everywhere");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Prints only the code to stdout, for use in scripts.
fn print_code(done: &platform_admin::Done) {
    eprintln!("{}", done.sentence);
    if let Some(code) = &done.code {
        println!("{}", code.expose());
    }
}

/// Prints only the token to stdout, for use in scripts.
async fn sign_in(store: &Store, user: &User, random: &Random, clock: &Clock) -> Result<(), StoreError> {
    let token = store.open_session(user, random.bytes(), SignInMethod::Code, clock.now()).await?;
    eprintln!("user {}, signed in for {} hours with this token:", user.id, session::LIFETIME_HOURS);
    println!("{}", token.expose());
    Ok(())
}
