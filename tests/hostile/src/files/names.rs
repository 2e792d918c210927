//! Names of files, and headers of the parts of a form that carry them.

use std::fmt::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use world::SeededRandom;

/// Names that would leave their folder, break a header or mean something to a system.
#[expect(clippy::too_many_lines, reason = "a list")]
pub(super) fn all() -> Vec<String> {
    let listed = [
        "a.png",
        "",
        " ",
        ".",
        "..",
        "...",
        "../a.png",
        "../../../../etc/passwd",
        "..\\..\\boot.ini",
        "/etc/passwd",
        "C:\\a.png",
        "\\\\evil.example\\share\\a.png",
        "a/../../m-2/onboarding/documents/b.png",
        "..%2f..%2fa.png",
        "%2e%2e%2fa.png",
        "..%252fa.png",
        "%00.png",
        "..%c0%afa.png",
        "..;/a.png",
        "....//a.png",
        "a.png/",
        "a.png/.",
        "a\0.png",
        "a.png\0.html",
        "a\r\nX-Injected: 1.png",
        "a\nSet-Cookie: a=b.png",
        "a\r\n\r\n<script>.png",
        "a\u{85}b.png",
        "a\u{2028}b.png",
        "a\tb.png",
        "a\"b.png",
        "a'b.png",
        "a\"; filename=\"b.html",
        "a\\\"b.png",
        "a;b.png",
        "a,b.png",
        "a=b.png",
        "a`id`.png",
        "$(id).png",
        "a|b.png",
        "a&b.png",
        "a?b.png",
        "a#b.png",
        "a%b.png",
        "a*b.png",
        "a:b.png",
        "a.png:evil.exe",
        "a<b>.png",
        "a b.png",
        "<img src=x onerror=alert(1)>.png",
        "javascript:alert(1).png",
        "=cmd|' /C calc'!A0.png",
        "@SUM(1).png",
        "-rf.png",
        "--help",
        "~root.png",
        "{{7*7}}.png",
        "${7*7}.png",
        "'; DROP TABLE files;--.png",
        ".htaccess",
        ".env",
        "web.config",
        "index.html",
        "a.png.html",
        "a.html",
        "a.svg",
        "a.php",
        "a.php.png",
        "a.php%00.png",
        "a.exe",
        "a.jpg.",
        "a.",
        ".png",
        "..png",
        "a..png",
        "CON",
        "con.png",
        "NUL",
        "AUX.png",
        "COM1",
        "LPT1.png",
        "PRN.txt",
        "desktop.ini",
        "Thumbs.db",
        "\u{202e}gnp.exe",
        "a\u{202e}gpj.html",
        "\u{200f}a.png",
        "\u{200b}.png",
        "\u{feff}a.png",
        "a\u{301}.png",
        "\u{1f600}.png",
        "\u{1f468}\u{200d}\u{1f469}.png",
        "\u{e000}.png",
        "\u{ffff}.png",
        "日本.png",
        "Договор.png",
        "عقد.png",
        "ｅｖｉｌ．ｈｔｍｌ",
        "․․∕a.png",
        "a∕b⧵c.png",
        "İ.png",
        "ß.png",
        "=?UTF-8?B?Li4vLi4vYQ==?=.png",
        "=?UTF-8?Q?=2E=2E=2Fa?=",
        "=?UTF-8?B?",
        "UTF-8''a.png",
        "(a comment)a.png",
    ];
    let mut names: Vec<String> = listed.map(str::to_owned).into();
    names.push("a".repeat(300) + ".png");
    names.push(format!("a.{}", "e".repeat(300)));
    names.push("é".repeat(300) + ".png");
    names.push("../".repeat(100) + "a.png");
    names.push(".".repeat(300));
    names.push("\u{1f600}".repeat(75));
    names
}

/// How a name stands in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// With quotes and backslashes escaped, as browsers do.
    Quoted,
    /// As it is, between quotes.
    Raw,
    Token,
    Extended,
    EncodedWord,
    /// Behind a harmless one of the same kind.
    Twice,
    ExtendedTwice,
    /// `filename*` beside another `filename`.
    Both,
    Continued,
    UnknownCharset,
    SingleQuoted,
    /// In a parameter of the content type.
    ContentType,
    /// In a second header of the same name.
    SecondHeader,
}

pub(super) const SPELLINGS: [Spelling; 13] = [
    Spelling::Quoted,
    Spelling::Raw,
    Spelling::Token,
    Spelling::Extended,
    Spelling::EncodedWord,
    Spelling::Twice,
    Spelling::ExtendedTwice,
    Spelling::Both,
    Spelling::Continued,
    Spelling::UnknownCharset,
    Spelling::SingleQuoted,
    Spelling::ContentType,
    Spelling::SecondHeader,
];

impl Spelling {
    /// The headers of a part of a form, each with its line end.
    pub(super) fn headers(self, name: &str) -> String {
        let encoded = percent_encoded(name);
        let file_name = match self {
            Self::Quoted => format!("filename=\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")),
            Self::Raw => format!("filename=\"{name}\""),
            Self::Token => format!("filename={name}"),
            Self::Extended => format!("filename*=UTF-8''{encoded}"),
            Self::EncodedWord => format!("filename=\"=?UTF-8?B?{}?=\"", BASE64_STANDARD.encode(name)),
            Self::Twice => format!("filename=\"a.png\"; filename=\"{encoded}\"; FILENAME=\"{encoded}\""),
            Self::ExtendedTwice => format!("filename*=UTF-8''{encoded}; filename*=UTF-8''{encoded}.html"),
            Self::Both => format!("filename=\"a.png\"; filename*=UTF-8'en'{encoded}"),
            Self::Continued => format!("filename*0*=UTF-8''{encoded}; filename*1*={encoded}"),
            Self::UnknownCharset => format!("filename=\"a.png\"; filename*=koi8-r''{encoded}"),
            Self::SingleQuoted => format!("filename='{encoded}'"),
            Self::ContentType => {
                let first = "Content-Disposition: form-data; name=\"file\"; filename=\"a\"";
                return format!("{first}\r\nContent-Type: image/png; name=\"{encoded}\"\r\n");
            }
            Self::SecondHeader => {
                let second = "Content-Disposition: form-data; name=\"other\"; filename*=UTF-8''";
                return format!("Content-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n{second}{encoded}\r\n");
            }
        };
        format!("Content-Disposition: form-data; name=\"file\"; {file_name}\r\n")
    }

    /// Whether the name arrives as it is.
    pub(super) fn is_faithful(self) -> bool {
        matches!(self, Self::Extended | Self::Both | Self::ExtendedTwice)
    }
}

fn percent_encoded(name: &str) -> String {
    name.bytes().fold(String::new(), |mut encoded, byte| {
        write!(encoded, "%{byte:02X}").unwrap();
        encoded
    })
}

/// What a part says about its content, which counts for nothing.
pub(super) const CLAIMS: [&str; 15] = [
    "",
    "Content-Type: image/png\r\n",
    "Content-Type: image/svg+xml\r\n",
    "Content-Type: text/html; charset=utf-16\r\n",
    "Content-Type: application/pdf\r\n",
    "Content-Type: application/octet-stream\r\n",
    "Content-Type: multipart/mixed; boundary=inner\r\n",
    "Content-Type: image/png\r\nContent-Type: text/html\r\n",
    "Content-Type: \r\n",
    "Content-Type: image/../../html\r\n",
    "Content-Transfer-Encoding: base64\r\nContent-Type: image/gif\r\n",
    "Content-Encoding: gzip\r\n",
    "Content-Location: http://evil.example/a.html\r\nContent-ID: <a>\r\n",
    "X-Amz-Meta-Merchant: m-2\r\nx-amz-acl: public-read\r\n",
    "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
];

pub(super) fn random_headers(names: &[String], random: &mut SeededRandom) -> String {
    let name = random.pick(names).clone();
    // Others can make a part that is no file.
    let spelling = *random.pick(&[Spelling::Extended, Spelling::Both, Spelling::UnknownCharset, Spelling::Twice]);
    format!("{}{}", spelling.headers(&name), random.pick(&CLAIMS))
}
