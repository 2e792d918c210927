//! Browsers that sign in by mailed codes.

use std::net::{IpAddr, Ipv4Addr};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

use crate::caller::with_body;
use crate::{ApiResponse, Caller, System, client_at};

const CODE: &str = "/api/auth/code";
const SESSION: &str = "/api/auth/session";

/// A client with an address and cookies of its own.
pub struct Browser<'a> {
    system: &'a System,
    client: Client,
    cookies: Vec<(String, String)>,
    language: &'a str,
}

impl<'a> Browser<'a> {
    /// A browser at `127.0.0.{host}`.
    pub fn at(system: &'a System, host: u8) -> Self {
        let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, host));
        Self { system, client: client_at(address), cookies: Vec::new(), language: "en" }
    }

    /// The same browser with another `Accept-Language`.
    #[must_use]
    pub fn preferring(self, language: &'a str) -> Self {
        Self { language, ..self }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.system.local.listening.api);
        let request = self.client.request(method, url).header("user-agent", "Mozilla/5.0 (X11; Linux) Firefox/144.0");
        let request = request.header("accept-language", self.language);
        if self.cookies.is_empty() {
            return request;
        }
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        request.header("cookie", cookies.join("; "))
    }

    pub async fn send(&mut self, method: Method, path: &str, body: Option<&Value>) -> ApiResponse {
        let response = Caller::send_request(with_body(self.request(method, path), body)).await;
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

    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub async fn request_code(&mut self, email: &str) -> ApiResponse {
        self.send(Method::POST, CODE, Some(&json!({"email": email}))).await
    }

    pub async fn challenge(&mut self, email: &str) -> String {
        let response = self.request_code(email).await;
        assert_eq!(response.status, 202, "{response:?}");
        response.text("/data/challengeId")
    }

    /// A challenge, and the code that was mailed for it.
    pub async fn mailed_code(&mut self, email: &str) -> (String, String) {
        let challenge = self.challenge(email).await;
        (challenge, self.system.code_mailed_to(email).await)
    }

    pub async fn exchange(&mut self, challenge: &str, code: &str) -> ApiResponse {
        self.send(Method::POST, SESSION, Some(&json!({"challengeId": challenge, "code": code}))).await
    }

    pub async fn sign_in(&mut self, email: &str) -> ApiResponse {
        let (challenge, code) = self.mailed_code(email).await;
        self.exchange(&challenge, &code).await
    }

    /// A browser at `127.0.0.{host}` in which somebody has signed in by a mailed code.
    pub async fn signed_in(system: &'a System, host: u8, email: &str) -> Self {
        let mut browser = Self::at(system, host);
        browser.sign_in(email).await.ok();
        browser
    }

    pub async fn get(&mut self, path: &str) -> ApiResponse {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&mut self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::POST, path, Some(body)).await
    }

    pub async fn post_empty(&mut self, path: &str) -> ApiResponse {
        self.send(Method::POST, path, None).await
    }

    pub async fn delete(&mut self, path: &str) -> ApiResponse {
        self.send(Method::DELETE, path, None).await
    }

    pub async fn patch(&mut self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::PATCH, path, Some(body)).await
    }
}
