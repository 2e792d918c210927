//! What a browser is called in a mail. A `User-Agent` is chosen by whoever sends the request, and could contain anything: only
//! known names are shown.

const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
];

/// The name of a browser that names none of the others.
const SAFARI: &str = "Safari/";

const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// A description such as `Firefox, Windows`, or `None` of an unknown program.
pub fn describe(user_agent: &str) -> Option<String> {
    let known = |names: &[(&str, &'static str)]| names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name);
    let browser = known(&BROWSERS).or(user_agent.contains(SAFARI).then_some("Safari"));
    let system = known(&SYSTEMS).map(|system| format!(", {system}")).unwrap_or_default();
    browser.map(|browser| format!("{browser}{system}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_and_systems_are_recognized_by_their_marks() {
        for (user_agent, described) in [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 \
                 Safari/537.36",
                "Chrome, Windows",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 \
                 Safari/537.36 Edg/141.0.0.0",
                "Edge, Windows",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 \
                 Safari/605.1.15",
                "Safari, macOS",
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox, Linux"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/26.0 Mobile/15E148 Safari/604.1",
                "Safari, iPhone",
            ),
            ("curl/8.0", ""),
            ("Call +1 555 0100 to keep your account", ""),
            ("", ""),
        ] {
            assert_eq!(describe(user_agent).unwrap_or_default(), described, "{user_agent}");
        }
    }
}
