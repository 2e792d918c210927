//! Cookies.

use http::{HeaderMap, HeaderValue, header};
use jiff::SignedDuration;

/// The values of all cookies with this name, in the order of the headers.
pub fn values<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lists = headers.get_all(header::COOKIE).into_iter().filter_map(|list| list.to_str().ok());
    let cookies = lists.flat_map(|list| list.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.filter(move |(cookie_name, _)| *cookie_name == name).map(|(_, value)| value)
}

/// The `Set-Cookie` of a cookie that only requests of the portal's own site carry, and that no script can read. A lifetime of
/// zero deletes the cookie. `None` if the value cannot stand in a header.
pub fn set(name: &str, value: &str, lifetime: SignedDuration) -> Option<HeaderValue> {
    let seconds = lifetime.as_secs();
    let cookie = format!("{name}={value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}");
    HeaderValue::try_from(cookie).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_matched_by_their_exact_name() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, "a=1; ab=2;a=3=4; a; =5".parse().unwrap());
        headers.append(header::COOKIE, "a=".parse().unwrap());
        assert_eq!(values(&headers, "a").collect::<Vec<_>>(), ["1", "3=4", ""]);
        assert_eq!(values(&headers, "A").count(), 0);
    }
}
