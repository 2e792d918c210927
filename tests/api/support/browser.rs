//! Browsers that sign in by mailed codes.

use std::net::{IpAddr, Ipv4Addr};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use test_support::client_at;

use super::{ApiResponse, Caller, System};

const CODE: &str = "/api/auth/code";
const SESSION: &str = "/api/auth/session";

/// A client with an address and cookies of its own.
pub(crate) struct Browser<'a> {
    system: &'a System,
    client: Client,
    cookies: Vec<(String, String)>,
}

impl<'a> Browser<'a> {
    /// A browser at `127.0.0.{host}`.
    pub(crate) fn at(system: &'a System, host: u8) -> Self {
        let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, host));
        Self { system, client: client_at(address), cookies: Vec::new() }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.system.local.listening.api);
        let request = self.client.request(method, url).header("user-agent", "Mozilla/5.0 (X11; Linux) Firefox/144.0");
        if self.cookies.is_empty() {
            return request;
        }
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        request.header("cookie", cookies.join("; "))
    }

    pub(crate) async fn send(&mut self, method: Method, path: &str, body: Option<&Value>) -> ApiResponse {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        };
        let response = Caller::send_request(request).await;
        for set in response.headers.get_all("set-cookie") {
            let (name, rest) = set.to_str().unwrap().split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            self.cookies.retain(|(known, _)| known != name);
            if !value.is_empty() {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
        response
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) async fn request_code(&mut self, email: &str) -> ApiResponse {
        self.send(Method::POST, CODE, Some(&json!({"email": email}))).await
    }

    pub(crate) async fn challenge(&mut self, email: &str) -> String {
        let response = self.request_code(email).await;
        assert_eq!(response.status, 202, "{response:?}");
        response.text("/data/challengeId")
    }

    pub(crate) async fn exchange(&mut self, challenge: &str, code: &str) -> ApiResponse {
        self.send(Method::POST, SESSION, Some(&json!({"challengeId": challenge, "code": code}))).await
    }

    pub(crate) async fn sign_in(&mut self, email: &str) -> ApiResponse {
        let challenge = self.challenge(email).await;
        let code = code_mailed_to(self.system, email).await;
        self.exchange(&challenge, &code).await
    }
}

/// The code of the last mail to an address.
pub(crate) async fn code_mailed_to(system: &System, address: &str) -> String {
    system.drain().await;
    let mails = system.emails().await;
    let is_code = |line: &&str| line.len() == 9 && line.as_bytes()[4] == b'-' && !line.contains(' ');
    let code = |mail: &Value| mail["text"].as_str().unwrap().lines().find(is_code).map(str::to_owned);
    let code = mails.iter().rev().filter(|mail| mail["to"][0] == address).find_map(code);
    code.unwrap_or_else(|| panic!("no code was mailed to {address}"))
}

/// The status and the code of an error.
pub(crate) fn error_code(response: &ApiResponse) -> (u16, &str) {
    (response.status, response.at("/error/code").as_str().unwrap_or_default())
}
