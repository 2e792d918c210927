use std::time::Duration;

use reqwest::Client;

/// Returns an HTTP client for requests to the local system.
pub fn client() -> Client {
    shared::outbound::client(Duration::from_secs(5))
}
