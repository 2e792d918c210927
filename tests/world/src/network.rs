//! A card network that sends anything.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Answers every request with the same response.
#[derive(Debug)]
pub struct Network {
    pub url: String,
    response: Arc<Mutex<String>>,
}

impl Network {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let response = Arc::new(Mutex::new(String::new()));
        let shared = Arc::clone(&response);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let response = shared.lock().unwrap().clone();
                tokio::spawn(answer(stream, response));
            }
        });
        Self { url, response }
    }

    /// Sets the response. `headers` are whole lines.
    pub fn respond(&self, status: u16, headers: &str, body: &str) {
        let length = body.len();
        *self.response.lock().unwrap() =
            format!("HTTP/1.1 {status} Odd\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}");
    }
}

async fn answer(mut stream: TcpStream, response: String) {
    let mut request = Vec::new();
    while !is_complete(&request) {
        let mut buffer = [0; 8192];
        let length = stream.read(&mut buffer).await.unwrap_or(0);
        if length == 0 {
            return;
        }
        request.extend(&buffer[..length]);
    }
    let _ = stream.write_all(response.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn is_complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}
