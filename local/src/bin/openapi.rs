//! `cargo run --bin openapi > openapi.json`: the description of the API.

fn main() -> serde_json::Result<()> {
    print!("{}", local::openapi::json(&local::route_tables())?);
    Ok(())
}
