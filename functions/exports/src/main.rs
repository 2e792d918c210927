fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::serve(exports::routes())
}
