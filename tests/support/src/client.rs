use std::net::IpAddr;
use std::time::Duration;

use reqwest::Client;

/// Returns an HTTP client for requests to the local system.
pub fn client() -> Client {
    shared::outbound::client(Duration::from_secs(5))
}

/// Returns an HTTP client whose requests come from this address of the machine.
pub fn client_at(address: IpAddr) -> Client {
    // Another thread may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().local_address(address).redirect(reqwest::redirect::Policy::none()).build().unwrap()
}
