fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::serve(webhooks::routes())
}
