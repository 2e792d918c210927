//! What is logged of a failed call to AWS: the error code, the message and the request id. The `Debug` text of an SDK
//! error contains the whole response, with the secrets and card codes in it.

use std::error::Error;
use std::iter;

use aws_sdk_dynamodb::operation::RequestId;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

/// Longer messages are truncated.
const MAX_MESSAGE_LENGTH: usize = 300;
/// Longer error codes and request ids do not come from AWS.
const MAX_ID_LENGTH: usize = 100;

/// The error code, the message and the request id of an error response, or why there is no response.
pub fn describe<E>(error: &SdkError<E, HttpResponse>) -> String
where
    E: ProvideErrorMetadata + Error + 'static,
{
    let message = error.message().filter(|_| is_service_error(error)).unwrap_or_default();
    let message: String = message.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_LENGTH).collect();
    if message.is_empty() {
        return describe_without_message(error);
    }
    format!("{}: {message}", describe_without_message(error))
}

/// As [`describe`], for services whose messages contain personal data.
pub fn describe_without_message<E>(error: &SdkError<E, HttpResponse>) -> String
where
    E: ProvideErrorMetadata + Error + 'static,
{
    let Some(response) = error.raw_response() else {
        // Without a response, no message can contain a part of one.
        return messages(error);
    };
    let code = error.code().filter(|code| is_service_error(error) && is_code(code));
    let problem = match code {
        Some(code) => code.to_owned(),
        None if response.status().is_success() => format!("unreadable response, HTTP {}", response.status()),
        None => format!("HTTP {}", response.status()),
    };
    let request_id = error.request_id().filter(|id| is_id(id)).unwrap_or("none");
    format!("{problem} (request id: {request_id})")
}

/// The messages of an error and its sources. Only for errors without a response.
pub fn messages(error: &(dyn Error + 'static)) -> String {
    let errors = iter::successors(Some(error), |&error| error.source());
    errors.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn is_service_error<E>(error: &SdkError<E, HttpResponse>) -> bool {
    matches!(error, SdkError::ServiceError(_))
}

/// Error codes of AWS are words such as `NoSuchKey`. An unusable reply can have anything in their place.
fn is_code(text: &str) -> bool {
    text.len() <= MAX_ID_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.')
}

fn is_id(text: &str) -> bool {
    text.len() <= MAX_ID_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.#:=+/".contains(&byte))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;
    use crate::aws::Aws;
    use crate::base::settings::AwsSettings;

    const CANARY: &str = "CANARY-9752000011112222";

    /// The description of the error that `response`, sent to every attempt of a `GetItem`, causes.
    async fn described(response: String) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 8192]);
                let _ = stream.write_all(response.as_bytes());
            }
        });
        let settings = AwsSettings::read(|name| match name {
            "AWS_REGION" => Some("eu-west-1".to_owned()),
            "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" => Some(CANARY.to_owned()),
            "AWS_ENDPOINT_URL" => Some(url.clone()),
            _ => None,
        });
        let client = Aws::new(settings.unwrap()).dynamodb();
        let error = client.get_item().table_name("t").send().await.unwrap_err();
        let described = describe(&error);
        assert!(describe(&error).starts_with(&describe_without_message(&error)));
        described
    }

    fn response(status: &str, body: &str) -> String {
        format!("HTTP/1.1 {status}\r\nx-amzn-requestid: 7A\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn an_error_response_is_described_by_code_message_and_request_id() {
        let body = r#"{"__type": "com.amazonaws#ValidationException", "message": "The key is\nempty", "Item": "CANARY"}"#;
        let expected = "ValidationException (request id: 7A): The key isempty";
        assert_eq!(described(response("400 Bad Request", body)).await, expected);
        let long = format!(r#"{{"__type": "ValidationException", "message": "{}"}}"#, "x".repeat(1000));
        assert_eq!(described(response("400 Bad Request", &long)).await.len(), 38 + MAX_MESSAGE_LENGTH);
    }

    #[tokio::test]
    async fn no_part_of_an_unusable_response_is_described() {
        for (status, body, expected) in [
            ("200 OK", format!(r#"{{"Item": {{"code": {{"S": "{CANARY}"#), "unreadable response, HTTP 200 (request id: 7A)"),
            ("200 OK", format!("<html>{CANARY}</html>"), "unreadable response, HTTP 200 (request id: 7A)"),
            ("400 Bad Request", format!("<html>{CANARY}</html>"), "HTTP 400 (request id: 7A)"),
            ("400 Bad Request", format!(r#"{{"Item": "{CANARY}"}}"#), "HTTP 400 (request id: 7A)"),
            ("400 Bad Request", format!(r#"{{"__type": "Not a code: {CANARY}"}}"#), "HTTP 400 (request id: 7A)"),
        ] {
            let described = described(response(status, &body)).await;
            assert!(!described.contains("CANARY"), "{described}");
            assert_eq!(described, expected, "{status} {body}");
        }
        let request_id = response("400 Bad Request", "{}").replace("7A", &CANARY.replace('-', " "));
        assert_eq!(described(request_id).await, "HTTP 400 (request id: none)");
        let incomplete = response("200 OK", CANARY).replace("content-length: 2", "content-length: 9");
        assert!(!described(incomplete).await.contains("CANARY"));
    }
}
