//! What an image contains beside its picture. Without decoding, nobody can tell which data of a picture is one: that is left out,
//! and so are tables of colours and colour profiles, which are stored on purpose. Whatever cannot be followed counts as outside.

use super::samples::{GIF, JPEG, PNG, WEBP};

pub(super) fn outside_of_picture(content_type: &str, bytes: &[u8]) -> Vec<u8> {
    let mut reader = Reader { rest: bytes, outside: Vec::new() };
    // `None` if the file ends early.
    let _ = match content_type {
        PNG => png(&mut reader),
        JPEG => jpeg(&mut reader),
        GIF => gif(&mut reader),
        WEBP => webp(&mut reader),
        other => panic!("{other}"),
    };
    [reader.outside, reader.rest.to_vec()].concat()
}

struct Reader<'a> {
    rest: &'a [u8],
    outside: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Bytes that count as outside.
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        self.outside.extend(taken);
        Some(taken)
    }

    /// Bytes of the picture, or all that are left.
    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    fn skip_or_take(&mut self, is_picture: bool, length: usize) -> Option<()> {
        if is_picture {
            self.skip(length);
            return Some(());
        }
        self.take(length).map(|_| ())
    }
}

fn png(reader: &mut Reader<'_>) -> Option<()> {
    reader.take(8)?;
    loop {
        let head = reader.take(8)?;
        let length = usize::try_from(u32::from_be_bytes(*head.first_chunk()?)).ok()?;
        let is_picture = match &head[4..] {
            b"IDAT" | b"fdAT" | b"PLTE" | b"tRNS" | b"iCCP" => true,
            // The size and the kind of the picture.
            b"IHDR" => length <= 13,
            _ => false,
        };
        reader.skip_or_take(is_picture, length)?;
        reader.skip(4);
    }
}

fn jpeg(reader: &mut Reader<'_>) -> Option<()> {
    reader.take(2)?;
    loop {
        let [0xff, marker] = *reader.take(2)? else { return None };
        if matches!(marker, 0xd0..=0xd9 | 0x01) {
            continue;
        }
        let length = usize::from(u16::from_be_bytes(*reader.take(2)?.first_chunk()?)).checked_sub(2)?;
        let is_profile = marker == 0xe2 && reader.rest.starts_with(b"ICC_PROFILE\0");
        reader.skip_or_take(is_profile || matches!(marker, 0xdb | 0xc4 | 0xcc), length)?;
        if marker == 0xda {
            let ends = |pair: &[u8]| pair[0] == 0xff && matches!(pair[1], 0xc0..=0xc7 | 0xc9..=0xcf | 0xd8..=0xef | 0xfe);
            reader.skip(reader.rest.windows(2).position(ends).unwrap_or(usize::MAX));
        }
    }
}

fn gif(reader: &mut Reader<'_>) -> Option<()> {
    let colors = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let screen = reader.take(13)?;
    reader.skip(colors(screen[10]));
    loop {
        let is_picture = match reader.take(1)?[0] {
            0x2c => {
                let descriptor = reader.take(9)?;
                reader.skip(colors(descriptor[8]));
                reader.take(1)?;
                true
            }
            0x21 => {
                reader.take(1)?;
                reader.rest.starts_with(b"\x0bICCRGBG1012")
            }
            0 => continue,
            _ => return None,
        };
        loop {
            let size = usize::from(reader.take(1)?[0]);
            if size == 0 {
                break;
            }
            reader.skip_or_take(is_picture, size)?;
        }
    }
}

fn webp(reader: &mut Reader<'_>) -> Option<()> {
    reader.take(12)?;
    loop {
        let head = reader.take(8)?;
        let length = usize::try_from(u32::from_le_bytes(*head[4..].first_chunk()?)).ok()?;
        match &head[..4] {
            // Its chunks follow.
            b"ANMF" => drop(reader.take(16)?),
            kind => {
                let is_picture = [&b"VP8 "[..], b"VP8L", b"ALPH", b"ICCP"].contains(&kind);
                reader.skip_or_take(is_picture, length.checked_add(length % 2)?)?;
            }
        }
    }
}
