//! Small files of the accepted formats, and the parts that they consist of, with room for what does not belong there. Written after the
//! specifications of the formats, and without the code that is attacked.

pub(super) mod png {
    pub(in super::super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

    fn crc_32(bytes: &[u8]) -> u32 {
        let with_bit = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), with_bit))
    }

    pub(in super::super) fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        let typed = [kind, data].concat();
        let length = u32::try_from(data.len()).unwrap();
        [&length.to_be_bytes()[..], &typed, &crc_32(&typed).to_be_bytes()].concat()
    }

    pub(in super::super) fn header(width: u32, height: u32) -> Vec<u8> {
        chunk(b"IHDR", &[&width.to_be_bytes()[..], &height.to_be_bytes(), b"\x08\x06\0\0\0"].concat())
    }

    /// One pixel.
    pub(in super::super) fn picture() -> Vec<u8> {
        chunk(b"IDAT", b"x\x9cc\xf8\xff\xff?\0\x05\xfe\x02\xfe")
    }

    pub(in super::super) fn end() -> Vec<u8> {
        chunk(b"IEND", b"")
    }

    pub(in super::super) fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
        [SIGNATURE, &chunks.concat()].concat()
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        with(b"")
    }

    /// With chunks before the picture.
    pub(in super::super) fn with(chunks: &[u8]) -> Vec<u8> {
        file(&[header(1, 1), chunks.into(), picture(), end()])
    }

    /// With chunks behind the picture.
    pub(in super::super) fn with_behind(chunks: &[u8]) -> Vec<u8> {
        file(&[header(1, 1), picture(), chunks.into(), end()])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let [text, exif, international, compressed] = [b"tEXt", b"eXIf", b"iTXt", b"zTXt"].map(|kind| chunk(kind, data));
        file(&[header(1, 1), text, exif, picture(), international, compressed, end(), data.into()])
    }

    /// A file of exactly this length.
    pub(in super::super) fn of_length(length: usize) -> Vec<u8> {
        let rest = file(&[header(1, 1), chunk(b"IDAT", b""), end()]).len();
        file(&[header(1, 1), chunk(b"IDAT", &vec![0; length - rest]), end()])
    }
}

pub(super) mod jpeg {
    pub(in super::super) fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(data.len() + 2).unwrap();
        [&[0xff, marker][..], &length.to_be_bytes(), data].concat()
    }

    pub(in super::super) fn frame(width: u16, height: u16) -> Vec<u8> {
        segment(0xc0, &[&[8][..], &height.to_be_bytes(), &width.to_be_bytes(), b"\x01\x01\x11\0"].concat())
    }

    pub(in super::super) fn tables() -> Vec<u8> {
        [segment(0xdb, &[&[0][..], &[1; 64]].concat()), segment(0xc4, b"\0\0\x01\x05\x01\x01\x01\x01\x01\x01\0\0\0\0\0\0\0\x00")]
            .concat()
    }

    pub(in super::super) fn scan() -> Vec<u8> {
        [segment(0xda, b"\x01\x01\0\0\x3f\0"), b"\xd2\xcf\x20\xff\0\xff\xd0\x12\x34".to_vec()].concat()
    }

    pub(in super::super) fn file(parts: &[Vec<u8>]) -> Vec<u8> {
        [&b"\xff\xd8"[..], &parts.concat(), b"\xff\xd9"].concat()
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        with(0xfe, b"", 0)
    }

    /// With segments at the beginning.
    pub(in super::super) fn with(marker: u8, data: &[u8], count: usize) -> Vec<u8> {
        file(&[segment(marker, data).repeat(count), tables(), frame(1, 1), scan()])
    }

    /// With a frame that has something behind it.
    pub(in super::super) fn with_frame(frame: Vec<u8>) -> Vec<u8> {
        file(&[tables(), frame, scan()])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let exif = segment(0xe1, &[b"Exif\0\0MM\0*\0\0\0\x08\0\0", data].concat());
        let comment = segment(0xfe, data);
        [file(&[exif, comment.clone(), tables(), frame(1, 1), comment, scan()]), data.to_vec()].concat()
    }

    /// The length of the first segment opens a comment of JavaScript.
    pub(in super::super) fn script(code: &[u8]) -> Vec<u8> {
        let mut data = vec![0; 0x2f2a - 2];
        data[..code.len()].copy_from_slice(code);
        with(0xe0, &data, 1)
    }
}

pub(super) mod gif {
    /// A GIF of a pixel.
    pub(in super::super) const SMALLEST: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0rgbRGB\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x4c\x01\0;";

    pub(in super::super) fn screen(width: u16, height: u16) -> Vec<u8> {
        [&b"GIF89a"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\x80\0\0", b"rgbRGB"].concat()
    }

    pub(in super::super) fn frame(width: u16, height: u16) -> Vec<u8> {
        [&b"\x2c\0\0\0\0"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\0\x02\x02\x4c\x01\0"].concat()
    }

    pub(in super::super) fn extension(label: u8, blocks: &[&[u8]]) -> Vec<u8> {
        let blocks = blocks.iter().map(|block| [&[u8::try_from(block.len()).unwrap()][..], block].concat());
        [vec![0x21, label], blocks.collect::<Vec<_>>().concat(), vec![0]].concat()
    }

    pub(in super::super) fn file(parts: &[Vec<u8>]) -> Vec<u8> {
        [&parts.concat()[..], b";"].concat()
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        file(&[screen(1, 1), frame(1, 1)])
    }

    /// With an extension before the picture.
    pub(in super::super) fn with(label: u8, blocks: &[&[u8]]) -> Vec<u8> {
        file(&[screen(1, 1), extension(label, blocks), frame(1, 1)])
    }

    /// With bytes between two pictures.
    pub(in super::super) fn with_between(data: &[u8]) -> Vec<u8> {
        file(&[screen(1, 1), frame(1, 1), data.to_vec(), frame(1, 1)])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let (comment, xmp) = (extension(0xfe, &[data]), extension(0xff, &[b"XMP DataXMP", data]));
        [file(&[screen(1, 1), comment.clone(), xmp, frame(1, 1), comment]), data.to_vec()].concat()
    }

    /// The size of the screen opens a comment of JavaScript, which the code closes behind the end of the image.
    pub(in super::super) fn script(code: &[u8]) -> Vec<u8> {
        [&file(&[b"GIF89a/*\x01\0\0\0\0".to_vec(), frame(1, 1)])[..], code].concat()
    }
}

pub(super) mod webp {
    pub(in super::super) fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap();
        let padding = &[0][..data.len() % 2];
        [kind, &length.to_le_bytes(), data, padding].concat()
    }

    pub(in super::super) fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
        let chunks = chunks.concat();
        let length = u32::try_from(chunks.len() + 4).unwrap();
        [&b"RIFF"[..], &length.to_le_bytes(), b"WEBP", &chunks].concat()
    }

    pub(in super::super) fn lossy(width: u16, height: u16) -> Vec<u8> {
        chunk(b"VP8 ", &[&b"\x10\0\0\x9d\x01\x2a"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\0\x34\x25\xa4"].concat())
    }

    pub(in super::super) fn lossless(width: u32, height: u32) -> Vec<u8> {
        let bits = ((height - 1) << 14) | (width - 1);
        chunk(b"VP8L", &[&[0x2f][..], &bits.to_le_bytes(), b"\0\0\0"].concat())
    }

    pub(in super::super) fn header(width: u32, height: u32) -> Vec<u8> {
        let side = |side: u32| (side - 1).to_le_bytes()[..3].to_vec();
        chunk(b"VP8X", &[vec![0; 4], side(width), side(height)].concat())
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        file(&[lossy(1, 1)])
    }

    /// With bytes behind the picture, which are a chunk or not.
    pub(in super::super) fn with(data: &[u8]) -> Vec<u8> {
        file(&[lossy(1, 1), data.into()])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let chunks = [header(1, 1), lossy(1, 1), chunk(b"EXIF", data), chunk(b"XMP ", data), chunk(b"NOTE", data)];
        [file(&chunks), data.to_vec()].concat()
    }

    pub(in super::super) fn with_length(length: u32, data: &[u8]) -> Vec<u8> {
        let mut file = with(data);
        file[4..8].copy_from_slice(&length.to_le_bytes());
        file
    }

    pub(in super::super) fn extended(header: &[u8], chunks: &[u8]) -> Vec<u8> {
        file(&[chunk(b"VP8X", header), chunks.into(), lossy(1, 1)])
    }

    /// With frames that each begin with these chunks.
    pub(in super::super) fn animated(chunks: &[u8], count: usize) -> Vec<u8> {
        let frame = chunk(b"ANMF", &[&[0; 16][..], chunks, &lossy(1, 1)].concat());
        file(&[header(1, 1), chunk(b"ANIM", &[0; 6]), frame.repeat(count)])
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
