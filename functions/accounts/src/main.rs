fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::serve(accounts::routes())
}
