//! URLs and keys of documents: a URL that is accepted names a file in the folder of one merchant, and nothing else.

use percent_encoding::percent_decode_str;
use shared::aws::files::{FileType, is_file_name, safe_name};
use shared::merchants::view::document_key::{DocumentKey, folder};
use shared::values::MerchantId;
use url::Url;
use uuid::Uuid;

use crate::support::{APP, text, texts};

const REGION: &str = "eu-west-1";

pub fn document_url(data: &[u8]) {
    let url = text(data);
    if let Some(key) = DocumentKey::of_url(&url, &APP.settings) {
        assert_is_a_document(&key);
        // Browsers ask for the same object.
        let parsed = Url::parse(&url).unwrap();
        assert_eq!((parsed.scheme(), parsed.port(), parsed.username()), ("https", None, ""));
        let bucket = parsed.host_str().unwrap().split('.').next();
        assert_eq!(bucket, Some("documents"), "{url}");
        let path = percent_decode_str(&parsed.path()[1..]).decode_utf8().unwrap();
        assert_eq!(path, key.to_string());
    }
    if let Some(key) = DocumentKey::parse(&url) {
        assert_eq!(key.to_string(), url);
        assert_is_a_document(&key);
    }

    let [merchant, name] = texts(data);
    // No merchant has an empty id.
    let merchant = if merchant.is_empty() { "m-1".to_owned() } else { merchant };
    for file_type in [FileType::Pdf, FileType::Jpeg] {
        let key = DocumentKey::new(&MerchantId::new(merchant.as_str()), Uuid::from_u128(7), &name, file_type);
        assert_eq!(key.merchant.as_str(), merchant);
        assert_is_a_document(&key);
        assert!(key.filename.len() <= 160, "{}", key.filename);
    }
    assert_eq!(safe_name(&safe_name(&name)), safe_name(&name));
}

fn assert_is_a_document(key: &DocumentKey) {
    let text = key.to_string();
    assert_eq!(text, format!("{}{}", folder(&key.merchant), key.filename));
    assert!(is_file_name(&key.filename) && key.filename.is_ascii() && !key.filename.contains(['/', '\\', '%']));
    assert!(Uuid::try_parse(key.id()).is_ok());
    // `<merchant>/onboarding/documents/<name>`: no merchant's folder is in another's.
    assert_eq!(text.matches('/').count(), 3);
    assert!(text.split('/').all(|segment| !matches!(segment, "." | "..")), "{text}");
    assert_eq!(DocumentKey::parse(&text).as_ref(), Some(key));
    assert_eq!(DocumentKey::of_url(&key.url("documents", REGION), &APP.settings).as_ref(), Some(key));
    for bucket in ["images", "documents-of-others"] {
        assert_eq!(DocumentKey::of_url(&key.url(bucket, REGION), &APP.settings), None);
    }
}
