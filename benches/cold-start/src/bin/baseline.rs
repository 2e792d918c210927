//! The minimal Rust function: it receives an event and responds.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    lambda_runtime::run(service_fn(async |_: LambdaEvent<Value>| Ok::<_, Error>(json!({"statusCode": 200})))).await
}
