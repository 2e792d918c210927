//! Small files of the accepted formats, with room for what does not belong there. Written after the specifications of the
//! formats, and without the code that is attacked.

pub(super) mod png {
    pub(in super::super) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

    fn crc_32(bytes: &[u8]) -> u32 {
        let with_bit = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), with_bit))
    }

    fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        let typed = [kind, data].concat();
        let length = u32::try_from(data.len()).unwrap();
        [&length.to_be_bytes()[..], &typed, &crc_32(&typed).to_be_bytes()].concat()
    }

    fn header(width: u32, height: u32) -> Vec<u8> {
        chunk(b"IHDR", &[&width.to_be_bytes()[..], &height.to_be_bytes(), b"\x08\x06\0\0\0"].concat())
    }

    /// One pixel.
    fn picture() -> Vec<u8> {
        chunk(b"IDAT", b"x\x9cc\xf8\xff\xff?\0\x05\xfe\x02\xfe")
    }

    fn end() -> Vec<u8> {
        chunk(b"IEND", b"")
    }

    fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
        [SIGNATURE, &chunks.concat()].concat()
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        file(&[header(1, 1), picture(), end()])
    }

    pub(in super::super) fn with_chunk_before(kind: &[u8], data: &[u8]) -> Vec<u8> {
        file(&[header(1, 1), chunk(kind, data), picture(), end()])
    }

    pub(in super::super) fn with_chunk_after(kind: &[u8], data: &[u8]) -> Vec<u8> {
        file(&[header(1, 1), picture(), chunk(kind, data), end()])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let texts = [chunk(b"tEXt", data), chunk(b"eXIf", data), picture(), chunk(b"iTXt", data), chunk(b"zTXt", data)];
        file(&[vec![header(1, 1)], texts.into(), vec![end(), data.to_vec()]].concat())
    }

    pub(in super::super) fn chunks_only(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        file(&chunks.iter().map(|(kind, data)| chunk(*kind, data)).collect::<Vec<_>>())
    }

    pub(in super::super) fn with_end(data: &[u8]) -> Vec<u8> {
        file(&[header(1, 1), picture(), chunk(b"IEND", data)])
    }

    pub(in super::super) fn with_header_surplus(data: &[u8]) -> Vec<u8> {
        let header = [b"\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0", data].concat();
        file(&[chunk(b"IHDR", &header), picture(), end()])
    }

    pub(in super::super) fn with_wrong_checksums() -> Vec<u8> {
        let mut chunks = [header(1, 1), picture(), end()];
        for chunk in &mut chunks {
            *chunk.last_mut().unwrap() ^= 0x55;
        }
        file(&chunks)
    }

    pub(in super::super) fn with_text_of_length(length: u32, data: &[u8]) -> Vec<u8> {
        let mut text = chunk(b"tEXt", data);
        text[..4].copy_from_slice(&length.to_be_bytes());
        file(&[header(1, 1), text, picture(), end()])
    }

    pub(in super::super) fn of_size(width: u32, height: u32) -> Vec<u8> {
        file(&[header(width, height), picture(), end()])
    }

    pub(in super::super) fn with_second_header(width: u32, height: u32) -> Vec<u8> {
        file(&[header(1, 1), header(width, height), picture(), end()])
    }

    /// A file of exactly this length.
    pub(in super::super) fn of_length(length: usize) -> Vec<u8> {
        let rest = file(&[header(1, 1), chunk(b"IDAT", b""), end()]).len();
        file(&[header(1, 1), chunk(b"IDAT", &vec![0; length - rest]), end()])
    }

    pub(in super::super) fn with_frames(count: u32) -> Vec<u8> {
        let frame = [chunk(b"fcTL", &[0; 26]), chunk(b"fdAT", b"\0\0\0\x02data")].concat();
        let control = chunk(b"acTL", &[count.to_be_bytes(), [0; 4]].concat());
        file(&[header(1, 1), control, picture(), frame.repeat(usize::try_from(count).unwrap()), end()])
    }

    pub(in super::super) fn with_empty_chunks(count: usize) -> Vec<u8> {
        file(&[header(1, 1), chunk(b"IDAT", b"").repeat(count), end()])
    }
}

pub(super) mod jpeg {
    fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(data.len() + 2).unwrap();
        [&[0xff, marker][..], &length.to_be_bytes(), data].concat()
    }

    fn frame(width: u16, height: u16) -> Vec<u8> {
        segment(0xc0, &[&[8][..], &height.to_be_bytes(), &width.to_be_bytes(), b"\x01\x01\x11\0"].concat())
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
        file(&[tables(), frame(1, 1), scan()])
    }

    pub(in super::super) fn with_segment(marker: u8, data: &[u8]) -> Vec<u8> {
        with_segments(marker, data, 1)
    }

    pub(in super::super) fn with_segments(marker: u8, data: &[u8], count: usize) -> Vec<u8> {
        file(&[segment(marker, data).repeat(count), tables(), frame(1, 1), scan()])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let exif = segment(0xe1, &[b"Exif\0\0MM\0*\0\0\0\x08\0\0", data].concat());
        let comment = segment(0xfe, data);
        [file(&[exif, comment.clone(), tables(), frame(1, 1), comment, scan()]), data.to_vec()].concat()
    }

    pub(in super::super) fn with_frame_surplus(data: &[u8]) -> Vec<u8> {
        let frame = segment(0xc0, &[b"\x08\0\x01\0\x01\x01\x01\x11\0", data].concat());
        file(&[tables(), frame, scan()])
    }

    pub(in super::super) fn with_bytes_between(data: &[u8]) -> Vec<u8> {
        file(&[tables(), data.to_vec(), frame(1, 1), scan()])
    }

    pub(in super::super) fn of_size(width: u16, height: u16) -> Vec<u8> {
        file(&[tables(), frame(width, height), scan()])
    }

    pub(in super::super) fn with_second_frame(width: u16, height: u16) -> Vec<u8> {
        file(&[tables(), frame(1, 1), scan(), frame(width, height), scan()])
    }

    pub(in super::super) fn with_scans(count: usize) -> Vec<u8> {
        file(&[tables(), frame(1, 1), segment(0xda, b"").repeat(count)])
    }

    /// The length of the first segment opens a comment of JavaScript.
    pub(in super::super) fn script(code: &[u8]) -> Vec<u8> {
        let mut data = vec![0; 0x2f2a - 2];
        data[..code.len()].copy_from_slice(code);
        file(&[segment(0xe0, &data), tables(), frame(1, 1), scan()])
    }
}

pub(super) mod gif {
    fn screen(width: u16, height: u16) -> Vec<u8> {
        [&b"GIF89a"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\x80\0\0", b"rgbRGB"].concat()
    }

    fn frame(width: u16, height: u16) -> Vec<u8> {
        [&b"\x2c\0\0\0\0"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\0\x02\x02\x4c\x01\0"].concat()
    }

    fn extension(label: u8, blocks: &[&[u8]]) -> Vec<u8> {
        let blocks = blocks.iter().map(|block| [&[u8::try_from(block.len()).unwrap()][..], block].concat());
        [vec![0x21, label], blocks.collect::<Vec<_>>().concat(), vec![0]].concat()
    }

    fn file(parts: &[Vec<u8>]) -> Vec<u8> {
        [&parts.concat()[..], b";"].concat()
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        file(&[screen(1, 1), frame(1, 1)])
    }

    pub(in super::super) fn with_extension(label: u8, blocks: &[&[u8]]) -> Vec<u8> {
        file(&[screen(1, 1), extension(label, blocks), frame(1, 1)])
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let (comment, xmp) = (extension(0xfe, &[data]), extension(0xff, &[b"XMP DataXMP", data]));
        [file(&[screen(1, 1), comment.clone(), xmp, frame(1, 1), comment]), data.to_vec()].concat()
    }

    pub(in super::super) fn with_bytes_between(data: &[u8]) -> Vec<u8> {
        file(&[screen(1, 1), frame(1, 1), data.to_vec(), frame(1, 1)])
    }

    pub(in super::super) fn of_size(width: u16, height: u16) -> Vec<u8> {
        file(&[screen(width, height), frame(1, 1)])
    }

    pub(in super::super) fn with_frame_of(width: u16, height: u16) -> Vec<u8> {
        file(&[screen(1, 1), frame(width, height)])
    }

    pub(in super::super) fn with_frames(count: usize) -> Vec<u8> {
        let smallest = b"\x2c\0\0\0\0\x01\0\x01\0\0\x02\0";
        file(&[screen(1, 1), smallest.repeat(count)])
    }

    pub(in super::super) fn with_comments(count: usize) -> Vec<u8> {
        file(&[screen(1, 1), extension(0xfe, &[b"a"]).repeat(count), frame(1, 1)])
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

    pub(in super::super) fn file(chunks: &[u8]) -> Vec<u8> {
        let length = u32::try_from(chunks.len() + 4).unwrap();
        [&b"RIFF"[..], &length.to_le_bytes(), b"WEBP", chunks].concat()
    }

    fn lossy(width: u16, height: u16) -> Vec<u8> {
        chunk(b"VP8 ", &[&b"\x10\0\0\x9d\x01\x2a"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\0\x34\x25\xa4"].concat())
    }

    fn header(width: u32, height: u32) -> Vec<u8> {
        let side = |side: u32| (side - 1).to_le_bytes()[..3].to_vec();
        chunk(b"VP8X", &[vec![0; 4], side(width), side(height)].concat())
    }

    pub(in super::super) fn plain() -> Vec<u8> {
        file(&lossy(1, 1))
    }

    pub(in super::super) fn with_chunk_after(kind: &[u8], data: &[u8]) -> Vec<u8> {
        file(&[lossy(1, 1), chunk(kind, data)].concat())
    }

    pub(in super::super) fn with_metadata(data: &[u8]) -> Vec<u8> {
        let chunks = [header(1, 1), lossy(1, 1), chunk(b"EXIF", data), chunk(b"XMP ", data), chunk(b"NOTE", data)].concat();
        [file(&chunks), data.to_vec()].concat()
    }

    /// With bytes that are no chunk.
    pub(in super::super) fn with_surplus(data: &[u8]) -> Vec<u8> {
        file(&[&lossy(1, 1)[..], data].concat())
    }

    pub(in super::super) fn with_length(length: u32, data: &[u8]) -> Vec<u8> {
        let mut file = with_surplus(data);
        file[4..8].copy_from_slice(&length.to_le_bytes());
        file
    }

    pub(in super::super) fn extended(header: &[u8], chunks: &[u8]) -> Vec<u8> {
        file(&[&chunk(b"VP8X", header)[..], chunks, &lossy(1, 1)].concat())
    }

    fn frame(chunks: &[u8]) -> Vec<u8> {
        chunk(b"ANMF", &[&[0; 16][..], chunks, &lossy(1, 1)].concat())
    }

    fn animation(frames: &[u8]) -> Vec<u8> {
        file(&[&header(1, 1)[..], &chunk(b"ANIM", &[0; 6]), frames].concat())
    }

    pub(in super::super) fn animated(chunks: &[u8]) -> Vec<u8> {
        animation(&frame(chunks))
    }

    pub(in super::super) fn animated_and_cut(chunks: &[u8]) -> Vec<u8> {
        let mut animated = animated(chunks);
        animated.truncate(animated.len() - 3);
        animated
    }

    pub(in super::super) fn with_frames(count: usize) -> Vec<u8> {
        animation(&frame(b"").repeat(count))
    }

    pub(in super::super) fn of_canvas(width: u32, height: u32) -> Vec<u8> {
        file(&[header(width, height), lossy(1, 1)].concat())
    }

    pub(in super::super) fn lossy_of(width: u16, height: u16) -> Vec<u8> {
        file(&lossy(width, height))
    }

    pub(in super::super) fn lossless_of(width: u32, height: u32) -> Vec<u8> {
        let bits = ((height - 1) << 14) | (width - 1);
        file(&chunk(b"VP8L", &[&[0x2f][..], &bits.to_le_bytes(), b"\0\0\0"].concat()))
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
