//! Colors that merchants choose, and the rules that keep text readable on and in them. `clients/kit/brand.js` has the same
//! rules for the pages that browsers make; a browser test compares the two. Contrast is that of WCAG 2.2.

use std::fmt;

/// What WCAG 2.2 requires between text and its background.
const READABLE: f64 = 4.5;

/// An opaque color: red, green and blue. It is shown as `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl Color {
    pub const BLACK: Self = Self([0; 3]);
    pub const WHITE: Self = Self([255; 3]);

    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self([red, green, blue])
    }

    /// Reads `#rrggbb`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let channel = |start| u8::from_str_radix(digits.get(start..start + 2)?, 16).ok();
        is_hex.then_some(())?;
        Some(Self([channel(0)?, channel(2)?, channel(4)?]))
    }

    /// From 0 (black) to 1 (white).
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        0.0722f64.mul_add(blue, 0.2126f64.mul_add(red, 0.7152 * green))
    }

    /// From 1 to 21.
    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Mixes in so many percent of another color.
    #[must_use]
    pub fn mix(self, other: Self, percent: u8) -> Self {
        let mixed = |own: u8, other: u8| {
            let (own, other, percent) = (i32::from(own), i32::from(other), i32::from(percent.min(100)));
            // Rounded half up, as the sum of two shares.
            u8::try_from((own * (100 - percent) + other * percent + 50) / 100).unwrap_or(u8::MAX)
        };
        let ([red, green, blue], [other_red, other_green, other_blue]) = (self.0, other.0);
        Self([mixed(red, other_red), mixed(green, other_green), mixed(blue, other_blue)])
    }

    /// The color of text on this one: white where it is readable, else the better of black and white.
    #[must_use]
    pub fn text(self) -> Self {
        let is_white_readable = self.contrast(Self::WHITE) >= READABLE;
        if is_white_readable || self.contrast(Self::WHITE) >= self.contrast(Self::BLACK) { Self::WHITE } else { Self::BLACK }
    }

    /// The color as text on a background: itself where it is readable, else mixed towards black or white until it is.
    #[must_use]
    pub fn as_text_on(self, background: Self) -> Self {
        let is_dark = background.contrast(Self::WHITE) >= background.contrast(Self::BLACK);
        let end = if is_dark { Self::WHITE } else { Self::BLACK };
        let mut mixtures = (0..100).step_by(4).map(|percent| self.mix(end, percent));
        mixtures.find(|mixture| mixture.contrast(background) >= READABLE).unwrap_or(end)
    }

    /// The other end of a gradient from this color, shaded away from the text on it, so that contrast only grows.
    #[must_use]
    pub fn shade(self) -> Self {
        let end = if self.text() == Self::WHITE { Self::BLACK } else { Self::WHITE };
        self.mix(end, 22)
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_six_digits_are_a_color() {
        for (text, expected) in [
            ("#1f4e5f", Some("#1f4e5f")),
            ("#ABCDEF", Some("#abcdef")),
            ("#1f4e5", None),
            ("#1f4e5f0", None),
            ("1f4e5f", None),
            ("#+1+2+3", None),
            ("#éééé", None),
            ("red", None),
            ("url(x)", None),
            ("", None),
        ] {
            assert_eq!(Color::parse(text).map(|color| color.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn text_is_readable_on_every_color_and_as_every_color() {
        for step in 0..512u32 {
            let channel = |shift: u32| u8::try_from(((step >> shift) & 7) * 36).unwrap();
            let color = Color::new(channel(6), channel(3), channel(0));
            assert!(color.contrast(color.text()) >= READABLE, "{color}");
            assert!(color.shade().contrast(color.text()) >= color.contrast(color.text()), "{color}");
            for background in [Color::new(0xf5, 0xf7, 0xf9), Color::new(0x0b, 0x0f, 0x11)] {
                assert!(color.as_text_on(background).contrast(background) >= READABLE, "{color}");
            }
        }
    }
}
