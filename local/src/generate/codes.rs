//! Ids and codes that look random but follow from the seed.

use jiff::Timestamp;

use crate::demo::Rng;

/// Without the ambiguous characters 0, 1, I and O, as in codes of the card network.
const ALPHABET: &[char; 32] = &[
    '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'K', 'L', 'M', 'N',
    'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z',
];

/// An id in the form of a version 7 UUID, as the functions create them: sorted by time.
pub(super) fn uuid(at: Timestamp, rng: &mut Rng) -> String {
    let milliseconds = at.as_millisecond();
    let (middle, end) = (rng.below(1 << 12), rng.below(1 << 62));
    format!(
        "{:08x}-{:04x}-7{middle:03x}-{:04x}-{:012x}",
        milliseconds >> 16,
        milliseconds & 0xffff,
        0x8000 | (end >> 48),
        end & 0xffff_ffff_ffff
    )
}

pub(super) fn code(length: usize, rng: &mut Rng) -> String {
    (0..length).map(|_| rng.pick(ALPHABET)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_form_of_uuids() {
        let at = Timestamp::from_millisecond(0x0197_f0c2_abcd).unwrap();
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            let id = uuid(at, &mut rng);
            assert!(id.starts_with("0197f0c2-abcd-7"), "{id}");
            assert_eq!(id.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12], "{id}");
            assert!(matches!(id.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{id}");
        }
        assert_ne!(code(16, &mut rng), code(16, &mut rng));
    }
}
