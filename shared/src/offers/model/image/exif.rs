//! EXIF: a TIFF directory of tags, of which only the orientation decides how an image looks.

const ORIENTATION: u16 = 0x0112;
const SHORT: u16 = 3;
const ENTRY_BYTES: usize = 12;

/// The beginning of EXIF in JPEG files, and in some WebP files.
pub(super) const PREFIX: &[u8] = b"Exif\0\0";

/// EXIF data with the orientation of the given data and nothing else. `None` if it has none, or the image is upright.
pub(super) fn only_orientation(tiff: &[u8]) -> Option<Vec<u8>> {
    let orientation = u8::try_from(orientation(tiff)?).ok().filter(|value| (2..=8).contains(value))?;
    let mut exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    Some(exif)
}

fn orientation(tiff: &[u8]) -> Option<u16> {
    let is_little_endian = match tiff.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let short = |bytes: [u8; 2]| if is_little_endian { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) };
    let long = |bytes: [u8; 4]| if is_little_endian { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) };
    let directory = tiff.get(usize::try_from(long(*tiff.get(4..)?.first_chunk()?)).ok()?..)?;
    let (count, entries) = directory.split_first_chunk()?;
    let mut entries = entries.chunks_exact(ENTRY_BYTES).take(short(*count).into());
    entries.find_map(|entry| {
        let (tag, rest) = entry.split_first_chunk()?;
        let (kind, rest) = rest.split_first_chunk()?;
        let is_orientation = short(*tag) == ORIENTATION && short(*kind) == SHORT;
        // The number of values comes before the value.
        is_orientation.then_some(short(*rest.get(4..)?.first_chunk()?))
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// EXIF data with an orientation among other tags.
    pub(in super::super) fn sample(orientation: u8) -> Vec<u8> {
        let mut exif = b"MM\0*\0\0\0\x08\0\x03".to_vec();
        exif.extend(b"\x01\x0f\0\x02\0\0\0\x04GPS\0");
        exif.extend([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]);
        exif.extend(b"\x88\x25\0\x04\0\0\0\x01\0\0\0\x32\0\0\0\0GPS 59.3 18.1");
        exif
    }

    #[test]
    fn keeps_only_an_orientation_that_is_not_upright() {
        for (value, expected) in [(1, None), (2, Some(2)), (6, Some(6)), (8, Some(8)), (9, None), (0, None)] {
            let exif = only_orientation(&sample(value));
            assert_eq!(exif.as_deref().and_then(orientation), expected, "{value}");
            if let Some(exif) = exif {
                assert_eq!((exif.len(), only_orientation(&exif)), (26, Some(exif.clone())));
            }
        }
    }

    #[test]
    fn data_that_is_not_exif_has_no_orientation() {
        let sample = sample(6);
        for length in 0..30 {
            assert_eq!(only_orientation(&sample[..length]), None, "{length}");
        }
        for tiff in [&b"II*\0\xff\xff\xff\xff"[..], b"MM*\0\0\0\0\x08", b"II*\0\x08\0\0\0\xff\xff"] {
            assert_eq!(only_orientation(tiff), None, "{tiff:?}");
        }
    }
}
