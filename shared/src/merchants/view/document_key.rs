//! S3 keys of documents: `<merchant_id>/onboarding/documents/<uuid>-<name>.<ext>`.
//!
//! A merchant id may contain any character, including slashes. The key contains it percent-encoded, so that no
//! merchant's folder is inside another's. The URL of a document percent-encodes the key again.

use std::fmt;

use percent_encoding::{AsciiSet, percent_decode_str, utf8_percent_encode};
use uuid::Uuid;

use crate::aws::files::{FileType, design_name, is_file_name, safe_name};
use crate::base::outbound::RESERVED;
use crate::base::settings::Settings;
use crate::values::MerchantId;

const DOCUMENTS: &str = "/onboarding/documents/";

const URL_PATH: &AsciiSet = &RESERVED.remove(b'/');

/// A key in the format of the uploads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentKey {
    pub merchant: MerchantId,
    folder: String,
    /// `<uuid>-<name>.<ext>`.
    pub filename: String,
}

impl fmt::Display for DocumentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.folder, self.filename)
    }
}

impl DocumentKey {
    /// Creates the key of a new document. Appends the extension of the file type if the name has another one.
    pub fn new(merchant: &MerchantId, id: Uuid, name: &str, file_type: FileType) -> Self {
        let name = safe_name(name);
        let name = if has_extension_of(file_type, &name) { name } else { format!("{name}.{}", file_type.extension()) };
        Self { merchant: merchant.clone(), folder: folder(merchant), filename: design_name(id, &name) }
    }

    /// Parses a key; `None` if an upload cannot have created it.
    pub fn parse(key: &str) -> Option<Self> {
        let (merchant, _) = key.split_once('/')?;
        let merchant = percent_decode_str(merchant).decode_utf8().ok().filter(|merchant| !merchant.is_empty())?;
        let merchant = MerchantId::new(merchant);
        let folder = folder(&merchant);
        let filename = key.strip_prefix(&folder).filter(|name| is_file_name(name))?.to_owned();
        Some(Self { merchant, folder, filename })
    }

    /// The key in the URL of an upload. `None` for any other URL.
    pub fn of_url(url: &str, settings: &Settings) -> Option<Self> {
        Self::parse(&key_in_url(url, &settings.documents_bucket, &settings.aws.region)?)
    }

    /// The id at the start of the file name.
    pub fn id(&self) -> &str {
        self.filename.get(..36).unwrap_or_default()
    }

    /// Returns the URL of the object, without a signature.
    pub fn url(&self, bucket: &str, region: &str) -> String {
        let key = self.to_string();
        format!("https://{bucket}.s3.{region}.amazonaws.com/{}", utf8_percent_encode(&key, URL_PATH))
    }
}

fn has_extension_of(file_type: FileType, name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| match extension.as_str() {
        "jpeg" => file_type == FileType::Jpeg,
        extension => extension == file_type.extension(),
    })
}

/// Returns the folder of the merchant's documents.
pub fn folder(merchant: &MerchantId) -> String {
    let id = utf8_percent_encode(merchant.as_str(), RESERVED).to_string();
    // `.` and `..` are relative path segments.
    let id = if id.trim_matches('.').is_empty() { id.replace('.', "%2E") } else { id };
    format!("{id}{DOCUMENTS}")
}

/// Returns the key in an object URL of the bucket, with or without the region; `None` for any other URL. `..` segments
/// are not resolved: [`DocumentKey::parse`] rejects them.
pub fn key_in_url(url: &str, bucket: &str, region: &str) -> Option<String> {
    let with_region = format!("https://{bucket}.s3.{region}.amazonaws.com/");
    let without_region = format!("https://{bucket}.s3.amazonaws.com/");
    let path = url.strip_prefix(&with_region).or_else(|| url.strip_prefix(&without_region))?;
    if path.is_empty() || path.contains(['?', '#']) {
        return None;
    }
    Some(percent_decode_str(path).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "0199c1f2-7a3b-7c4d-8e5f-0123456789ab";

    fn key(merchant: &str, name: &str, file_type: FileType) -> DocumentKey {
        DocumentKey::new(&MerchantId::new(merchant), ID.parse().unwrap(), name, file_type)
    }

    proptest! {
        #[test]
        fn every_key_can_be_parsed_from_its_url(merchant in "\\PC{1,20}|[./%]{1,4}", name in "\\PC{0,80}") {
            let key = key(&merchant, &name, FileType::Pdf);
            let parsed = key_in_url(&key.url("files", "eu-west-1"), "files", "eu-west-1").unwrap();
            prop_assert_eq!(&parsed, &key.to_string());
            prop_assert_eq!(DocumentKey::parse(&parsed), Some(key));
        }
    }
}
