//! `cargo run --bin openapi > openapi.json`: prints the OpenAPI description.

fn main() -> serde_json::Result<()> {
    print!("{}", local::openapi::json(&local::route_tables())?);
    Ok(())
}
