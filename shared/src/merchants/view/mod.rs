//! Documents of an application, and changes of an identity, in requests.

pub mod document_key;
pub mod identity;
