//! Small files of the accepted formats, with room for what does not belong there. Written after the specifications of the formats, and
//! without the code that is attacked.

pub(super) mod png {
    fn crc_32(bytes: &[u8]) -> u32 {
        let with_bit = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), with_bit))
    }

    fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        let typed = [kind, data].concat();
        let length = u32::try_from(data.len()).unwrap();
        [&length.to_be_bytes()[..], &typed, &crc_32(&typed).to_be_bytes()].concat()
    }

    fn header() -> Vec<u8> {
        chunk(b"IHDR", b"\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0")
    }

    /// One pixel.
    fn picture() -> Vec<u8> {
        chunk(b"IDAT", b"x\x9cc\xf8\xff\xff?\0\x05\xfe\x02\xfe")
    }

    fn end() -> Vec<u8> {
        chunk(b"IEND", b"")
    }

    fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
        [b"\x89PNG\r\n\x1a\n", &chunks.concat()[..]].concat()
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        file(&[header(), picture(), end()])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let [text, exif, international, compressed] = [b"tEXt", b"eXIf", b"iTXt", b"zTXt"].map(|kind| chunk(kind, data));
        file(&[header(), text, exif, picture(), international, compressed, end(), data.into()])
    }

    /// A file of exactly this length.
    pub(in super::super) fn of_length(length: usize) -> Vec<u8> {
        let rest = file(&[header(), chunk(b"IDAT", b""), end()]).len();
        file(&[header(), chunk(b"IDAT", &vec![0; length - rest]), end()])
    }
}

pub(super) mod jpeg {
    fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(data.len() + 2).unwrap();
        [&[0xff, marker][..], &length.to_be_bytes(), data].concat()
    }

    fn frame() -> Vec<u8> {
        segment(0xc0, b"\x08\0\x01\0\x01\x01\x01\x11\0")
    }

    fn tables() -> Vec<u8> {
        [segment(0xdb, &[&[0][..], &[1; 64]].concat()), segment(0xc4, b"\0\0\x01\x05\x01\x01\x01\x01\x01\x01\0\0\0\0\0\0\0\x00")]
            .concat()
    }

    fn scan() -> Vec<u8> {
        [segment(0xda, b"\x01\x01\0\0\x3f\0"), b"\xd2\xcf\x20\xff\0\xff\xd0\x12\x34".to_vec()].concat()
    }

    fn file(parts: &[Vec<u8>]) -> Vec<u8> {
        [&b"\xff\xd8"[..], &parts.concat(), b"\xff\xd9"].concat()
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        file(&[tables(), frame(), scan()])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let exif = segment(0xe1, &[b"Exif\0\0MM\0*\0\0\0\x08\0\0", data].concat());
        let comment = segment(0xfe, data);
        [file(&[exif, comment.clone(), tables(), frame(), comment, scan()]), data.to_vec()].concat()
    }

    /// The length of the first segment opens a comment of JavaScript.
    pub(in super::super) fn script(code: &[u8]) -> Vec<u8> {
        let mut data = vec![0; 0x2f2a - 2];
        data[..code.len()].copy_from_slice(code);
        file(&[segment(0xe0, &data), tables(), frame(), scan()])
    }
}

pub(super) mod gif {
    pub(in super::super) const SMALLEST: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0rgbRGB\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x4c\x01\0;";

    const SCREEN: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0rgbRGB";
    const FRAME: &[u8] = b"\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x4c\x01\0";

    fn extension(label: u8, blocks: &[&[u8]]) -> Vec<u8> {
        let blocks = blocks.iter().map(|block| [&[u8::try_from(block.len()).unwrap()][..], block].concat());
        [vec![0x21, label], blocks.collect::<Vec<_>>().concat(), vec![0]].concat()
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let (comment, xmp) = (extension(0xfe, &[data]), extension(0xff, &[b"XMP DataXMP", data]));
        [SCREEN, &comment, &xmp, FRAME, &comment, b";", data].concat()
    }

    /// The size of the screen opens a comment of JavaScript, which the code closes behind the end of the image.
    pub(in super::super) fn script(code: &[u8]) -> Vec<u8> {
        [b"GIF89a/*\x01\0\0\0\0", FRAME, b";", code].concat()
    }
}

pub(super) mod webp {
    fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap();
        let padding = &[0][..data.len() % 2];
        [kind, &length.to_le_bytes(), data, padding].concat()
    }

    fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
        let chunks = chunks.concat();
        let length = u32::try_from(chunks.len() + 4).unwrap();
        [&b"RIFF"[..], &length.to_le_bytes(), b"WEBP", &chunks].concat()
    }

    /// One pixel.
    fn lossy() -> Vec<u8> {
        chunk(b"VP8 ", b"\x10\0\0\x9d\x01\x2a\x01\0\x01\0\0\x34\x25\xa4")
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        file(&[lossy()])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let header = chunk(b"VP8X", &[0; 10]);
        let chunks = [header, lossy(), chunk(b"EXIF", data), chunk(b"XMP ", data), chunk(b"NOTE", data)];
        [file(&chunks), data.to_vec()].concat()
    }
}

pub(super) mod pdf {
    pub(in super::super) fn plain() -> Vec<u8> {
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n\
          trailer<</Root 1 0 R>>\n%%EOF\n"
            .to_vec()
    }

    pub(in super::super) fn with_action(action: &str) -> Vec<u8> {
        format!("%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<<{action}>>>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n").into()
    }

    pub(in super::super) fn with_stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let head = format!("%PDF-1.7\n1 0 obj<<{dictionary}/Length {}>>stream\n", data.len());
        [head.as_bytes(), data, b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"].concat()
    }
}
